/** What was chosen about a file, and what the server has taken of it. */
import type { ColumnChange, ImportColumn, ReadingChange } from "../api/resources";

/** One request that changed how a file is read, in the order in which they were made. */
export interface SaidChange {
  change: ReadingChange;
  status: "idle" | "pending" | "error" | "success";
  error: Error | null;
}

/** A choice that the server has not taken: it is on its way, or was refused. */
interface OpenChoice {
  value: unknown;
  error: Error | null;
}

/** Open choices by the column of the file that they are about, then by what they choose. `FILE` is about all of it. */
export type OpenChoices = ReadonlyMap<string, ReadonlyMap<string, OpenChoice>>;
export const FILE = "";

export function openChoices(said: readonly SaidChange[]): OpenChoices {
  const open = new Map<string, Map<string, OpenChoice>>();
  for (const { change, status, error } of said) {
    const { columns = [], ...reading } = change;
    // Then the server has begun the choices of columns anew.
    if (status === "success" && Object.keys(reading).length) open.clear();
    for (const { source, ...choice } of [{ source: FILE, ...reading }, ...columns]) {
      const about = open.get(source) ?? new Map<string, OpenChoice>();
      open.set(source, about);
      for (const [member, value] of Object.entries(choice)) {
        if (status === "success") about.delete(member);
        else about.set(member, { value, error });
      }
    }
  }
  return open;
}

/** The columns as they were chosen last. A value that does not fit is known of the type that the server has only. */
export function columnsChosen(columns: readonly ImportColumn[], open: OpenChoices): ImportColumn[] {
  return columns.map((column) => {
    const chosen = open.get(column.source);
    if (!chosen?.size) return column;
    const values: Omit<ColumnChange, "source"> = Object.fromEntries([...chosen].map(([member, { value }]) => [member, value]));
    return { ...column, ...values, misfit: chosen.has("type") ? null : column.misfit };
  });
}

/** Why a choice about the column, or about anything, was refused, if one is. */
export function refusalOf(open: OpenChoices, source?: string): Error | undefined {
  const about = source === undefined ? [...open.values()] : [open.get(source)];
  for (const choices of about) for (const { error } of choices?.values() ?? []) if (error) return error;
  return undefined;
}
