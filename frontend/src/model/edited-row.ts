/** Values that somebody types for a row, as JSON by the types of their columns. */
import type { ComparedRow, SidesColumn } from "../api/resources";
import { isNumericType } from "./format";

/** A field of the form: null is NULL. */
export type Typed = string | null;

/** A value as the field shows it. */
export function typedOf(value: unknown): Typed {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The JSON of what was typed; undefined where it is no value of the type. Decimals stay text, so that no digit is lost. */
export function jsonOf(typed: Typed, type: string): string | undefined {
  if (typed === null) return "null";
  const text = typed.trim();
  if (isNumericType(type)) {
    if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return undefined;
    return /^decimal/i.test(type) ? JSON.stringify(text) : text.replace(/^(-?)0+(?=\d)/, "$1");
  }
  if (/^boolean/i.test(type)) return /^(true|false)$/i.test(text) ? text.toLowerCase() : undefined;
  if (/^(array|map|struct)/i.test(type)) return isJson(text) ? text : undefined;
  return JSON.stringify(typed);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The columns that can be typed: those of the key say which row it is. */
export function editable(columns: readonly SidesColumn[]): SidesColumn[] {
  return columns.filter(({ is_key: isKey }) => !isKey);
}

/** What the form begins with: what one side alone changed, and the source's where both did. Of a row that one side has
 * not, the other's. */
export function beginning({ base, source, destination }: ComparedRow, columns: readonly SidesColumn[]): Record<number, Typed> {
  const value = (place: number): unknown => {
    if (!source || !destination) return (source ?? destination)?.[place];
    const isOfSource = !base || JSON.stringify(source[place]) !== JSON.stringify(base[place]);
    return isOfSource ? source[place] : destination[place];
  };
  return Object.fromEntries(columns.map(({ id }, place) => [id, typedOf(value(place))]));
}

/** What is kept of the row, as a JSON object by columns: cells that both branches changed differently, and those that
 * somebody typed. Others stay as the merge has them. undefined while a field holds no value of its type. */
export function rowJson(typed: Record<number, Typed>, columns: readonly SidesColumn[], row: ComparedRow, all: readonly SidesColumn[]): string | undefined {
  const begun = beginning(row, all);
  const given = columns.filter((column) => typed[column.id] !== begun[column.id] || isConflicting(row, all.indexOf(column)));
  const fields = given.map(({ id, name, type }) => [name, jsonOf(typed[id] ?? null, type)] as const);
  if (fields.some(([, json]) => json === undefined)) return undefined;
  return `{${fields.map(([name, json]) => `${JSON.stringify(name)}: ${json ?? ""}`).join(", ")}}`;
}

function isConflicting({ base, source, destination }: ComparedRow, place: number): boolean {
  if (!source || !destination) return false;
  const [was, mine, theirs] = [base, source, destination].map((side) => side && JSON.stringify(side[place]));
  return mine !== theirs && mine !== was && theirs !== was;
}
