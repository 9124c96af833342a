/** What can be decided of a conflict: of the object as a whole, or of the one part that it is about. */
import type { ComparedDetail, ComparedRow, DecisionEffect, Finding, Resolution, ResolutionChoice, SidesColumn } from "../api/resources";
import { clashingColumns } from "./compared-rows";
import labels from "./decision-labels.json";
import { isNumericType } from "./format";

/** Made of the server's list of decisions: `python -m lakeui.reference`. */
const LABELS: Record<ResolutionChoice["decision"], string> = labels;

export interface Part {
  part: ResolutionChoice["part"];
  part_key: string;
  /** As people call it: `property owner`; "" of the object as a whole. */
  label: string;
  /** The block that it is decided in: `Whole table`, `All conflicting rows`. */
  heading: string;
  decisions: readonly ResolutionChoice["decision"][];
}

/** What a decision is called by people: on its button, which names the branches, and where it is looked at later. */
export function choiceText(decision: ResolutionChoice["decision"], { source, destination }: { source: string; destination: string }): string {
  return LABELS[decision].replace("{source}", () => source).replace("{target}", () => destination);
}

/** `leave_out` does what `destination` does, so the page offers one of them. */
const SIDES: Part["decisions"] = ["source", "destination"];

/** The object first, then the parts that a conflict names, that were decided, or that both sides changed. Rows were
 * written under a column or partition as it was, so of these only the target's can be taken. */
export function partsOf(detail: ComparedDetail, made: readonly Resolution[] = []): Part[] {
  const properties = detail.properties
    .filter((entry) => entry.source !== entry.base && entry.destination !== entry.base)
    .map((entry): Part => ({ part: "property", part_key: entry.key, ...wordsOf(detail, "property", entry.key), decisions: SIDES }));
  const columns = detail.columns
    .filter(({ base, source, destination }) => changed(base, source) && changed(base, destination))
    .map((entry): Part => ({ part: "column", part_key: String(entry.id), ...wordsOf(detail, "column", String(entry.id)), decisions: ["destination"] }));
  const rows = detail.cells.some((finding) => finding.code === "PRIMARY_KEY_CLASH" && finding.rule_table === "keyed") ? [ALL_ROWS] : [];
  const byRowId = rowIdConflicts(detail);
  // The rows that clash stand before the whole table, of which a choice leaves out more.
  const closest = byRowId.length === 0 ? [] : [areRowsDecidable(detail) ? ALL_ROWS : BOTH_CHANGES];
  const whole: Part = { part: "object", part_key: "", label: "", heading: `Whole ${detail.kind}`, decisions: wholeDecisions(detail) };
  return [...closest, whole, ...rows, ...eachOnce([...namedParts(detail, made), ...properties, ...columns, ...partitionParts(detail)])];
}

/** The server names a column that both added by the id of the source, the page by that of the target. */
function eachOnce(parts: readonly Part[]): Part[] {
  return parts.filter(({ part, part_key, heading }, at) => {
    const isSame = (other: Part) => other.part === part && (other.part_key === part_key || other.heading === heading);
    return parts.findIndex(isSame) === at;
  });
}

const NAMED = ["property", "column", "partition"] as const;
type NamedPart = (typeof NAMED)[number];

/** Parts by which an open conflict can be answered, as the server names them, and those that were decided. */
function namedParts(detail: ComparedDetail, made: readonly Resolution[]): Part[] {
  const open = detail.cells.flatMap(({ decisions }) => decisions);
  const found = new Map<string, Part>();
  for (const { part, part_key, decision } of [...open, ...ofObject(made, detail)]) {
    const named = NAMED.find((known) => known === part);
    if (named === undefined) continue;
    const known = found.get(`${part} ${part_key}`)?.decisions ?? [];
    found.set(`${part} ${part_key}`, { part, part_key, ...wordsOf(detail, named, part_key), decisions: [...new Set([...known, decision])] });
  }
  return [...found.values()];
}

const CONSTRAINT = "write.check.";

/** What people call the part: `Column note`, `Constraint cheap`. */
function wordsOf(detail: ComparedDetail, part: NamedPart, key: string): Pick<Part, "label" | "heading"> {
  if (part === "property" && key.startsWith(CONSTRAINT)) return words("constraint", key.slice(CONSTRAINT.length));
  if (part === "property") return words("property", key);
  if (part === "partition") return words("partition", partitionNamed(detail, key));
  const entry = detail.columns.find(({ id }) => String(id) === key);
  const named = detail.cells.find(({ details }) => String(details.column_id) === key)?.details.column;
  return words("column", entry?.base?.name ?? entry?.source?.name ?? (typeof named === "string" ? named : key));
}

function words(kind: string, name: string): Pick<Part, "label" | "heading"> {
  return { label: `${kind} ${name}`, heading: `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${name}` };
}

/** `day=tue` of `["tue"]`, where the comparison knows its columns. */
function partitionNamed({ partitions }: ComparedDetail, key: string): string {
  const known = [...partitions.source, ...partitions.destination].flatMap(statesOf).find((state) => partitionKey(state) === key);
  return known ? shown(known) : key;
}

/** Those that answer an open conflict of the object; the two sides, where it was decided already. */
function wholeDecisions(detail: ComparedDetail): Part["decisions"] {
  return offered(detail.cells.flatMap((cell) => cell.decisions)) ?? SIDES;
}

/** A part with the decisions that the server counted, once it has: a decided conflict names none of its own. A name that is
 * still to be typed has no effect to count, so *Rename* stays. */
export function withCounted(part: Part, effects: readonly DecisionEffect[]): Part {
  const counted = part.part === "object" ? offered(effects) : undefined;
  if (!counted) return part;
  return { ...part, decisions: [...new Set([...part.decisions.filter((decision) => decision === "rename"), ...counted])] };
}

function offered(choices: readonly { part: string; decision: ResolutionChoice["decision"] }[]): Part["decisions"] | undefined {
  const whole = choices.filter(({ part, decision }) => part === "object" && decision !== "leave_out").map(({ decision }) => decision);
  return whole.length ? [...new Set(whole)] : undefined;
}

/** Conflicts of rows without a primary key, of which the server counted the rows that clash by cell. */
function rowIdConflicts({ cells }: ComparedDetail): Finding[] {
  return cells.filter(({ verdict, code, details }) => (verdict === "conflict" || verdict === "decided") && code.startsWith("SAME_FILE_") && typeof details.clashing === "number");
}

/** Whether rows can be decided one by one: by primary key, or by row id where some clash. */
export function areRowsDecidable(detail: ComparedDetail): boolean {
  return detail.rule_table === "keyed" || rowIdConflicts(detail).some(({ details }) => Number(details.clashing) > 0);
}

/** How many rows of the table are in conflict and without a decision, as the comparison counts them in its first line. */
export function rowsInConflict({ cells }: Pick<ComparedDetail, "cells">): number {
  const rowsOf = ({ code, details }: Finding) => (code.startsWith("SAME_FILE_") ? details.clashing : code === "PRIMARY_KEY_CLASH" ? details.rows : 0);
  return cells.filter(({ verdict }) => verdict === "conflict").reduce((sum, finding) => sum + Number(rowsOf(finding) ?? 0), 0);
}

const BOTH_CHANGES: Part = { part: "rows", part_key: "", label: "the rows of both", heading: "Changed rows", decisions: ["both"] };
const ALL_ROWS: Part = { part: "rows", part_key: "", label: "all rows in conflict", heading: "All conflicting rows", decisions: ["source", "destination", "larger", "newest"] };

/** One row, as the server names it. */
export function rowPart({ key, source, destination }: ComparedRow): Part {
  // Where one side has not the row there is no larger value.
  const decisions: Part["decisions"] = source && destination ? ["source", "destination", "larger", "edited"] : ["source", "destination", "edited"];
  return { part: "row", part_key: key, label: `row ${keyText(key)}`, heading: `Row ${keyText(key)}`, decisions };
}

/** One cell of a row. */
export function cellPart({ key }: ComparedRow, column: SidesColumn): Part {
  return { part: "cell", part_key: `${column.id}:${key}`, label: `${column.name} of ${keyText(key)}`, heading: `Column ${column.name}`, decisions: ["source", "destination", "larger", "edited"] };
}

/** A row's key for people: `id = 1`; a row without a key by its id, `id 0`, so that behind "row" it reads "row id 0". */
export function keyText(key: string): string {
  if (isRowId(key)) return `id ${key}`;
  try {
    const named = JSON.parse(key) as unknown;
    if (named === null || typeof named !== "object") return key;
    return Object.entries(named)
      .map(([name, value]) => `${name} = ${typeof value === "string" ? value : JSON.stringify(value)}`)
      .join(", ");
  } catch {
    return key;
  }
}

/** Whether the text is the id of a row, as a row without a primary key is named. */
export function isRowId(key: string): boolean {
  return /^\d+$/.test(key);
}

/** What taking a side of one row does: every choice says it before it is taken, and one that leaves out a row asks. */
export function rowEffects(row: ComparedRow, columns: readonly SidesColumn[], pair: { source: string; destination: string }): DecisionEffect[] {
  const clashing = clashingColumns(row, columns);
  const change = (side: "source" | "destination") => {
    const values = row[side];
    if (!values) return `the deletion by ${pair[side]}`;
    const cells = clashing.map((column) => `${column.name} ${valueText(values[columns.indexOf(column)], column.type)}`);
    return `${cells.join(", ") || "the row"} of ${pair[side]}`;
  };
  return (["source", "destination"] as const).map((side) => {
    const other = side === "source" ? "destination" : "source";
    return {
      decision: side,
      part: "row",
      part_key: row.key,
      text: `Row ${keyText(row.key)}: keeps ${change(side)}; leaves out ${change(other)}.`,
      rows_left_out: 1,
      left_out: [{ side: other, what: "rows changed on both", count: 1, examples: [row.key] }],
      refused: "",
    };
  });
}

function valueText(value: unknown, type: string): string {
  if (value === null) return "NULL";
  return typeof value === "string" && isNumericType(type) ? value : JSON.stringify(value);
}

/** What a decision about a part does, as far as it was counted. */
export function effectOf(effects: readonly DecisionEffect[], part: Part, decision: string): DecisionEffect | undefined {
  return effects.find((effect) => effect.part === part.part && effect.part_key === part.part_key && effect.decision === decision);
}

function changed(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) !== JSON.stringify(after);
}

type Partition = Record<string, string | null>;

function partitionParts({ partitions }: ComparedDetail): Part[] {
  const theirs = new Set(partitions.destination.flatMap(statesOf).map(partitionKey));
  const both = new Map(partitions.source.flatMap(statesOf).map((state) => [partitionKey(state), state]));
  return [...both]
    .filter(([key]) => theirs.has(key))
    .map(([key, state]) => ({ part: "partition", part_key: key, ...words("partition", shown(state)), decisions: ["destination"] }));
}

function statesOf({ before, after }: ComparedDetail["partitions"]["source"][number]): Partition[] {
  return [before, after].filter((state) => state !== null);
}

/** Values of a partition as the text by which a resolution names it. */
function partitionKey(state: Partition): string {
  return JSON.stringify(Object.values(state));
}

function shown(state: Partition): string {
  return Object.entries(state)
    .map(([column, value]) => `${column}=${value ?? "NULL"}`)
    .join(", ");
}

/** The decision that holds for a part; undefined where there is none, or where a branch has moved since. */
export function decisionOf(resolutions: readonly Resolution[], object: { kind: string; object_id: number }, part: Pick<Part, "part" | "part_key">): Resolution | undefined {
  return ofObject(resolutions, object).find((made) => made.part === part.part && made.part_key === part.part_key);
}

export function ofObject(resolutions: readonly Resolution[], object: { kind: string; object_id: number }): Resolution[] {
  return resolutions.filter((made) => made.object_kind === object.kind && made.object_id === object.object_id);
}

/** Whether there is something to decide, or something was decided. */
export function isDecidable(cells: readonly Finding[]): boolean {
  return cells.some((finding) => finding.verdict === "conflict" || finding.verdict === "decided");
}
