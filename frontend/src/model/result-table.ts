/** A result as a person looks through it: sorted, filtered, copied. */
import { csvOf } from "./export";
import { cellText, isNumericType } from "./format";

export interface ResultColumn {
  name: string;
  type: string;
}
export type Row = readonly unknown[];

export interface Sorting {
  /** Place of the column. */
  at: number;
  isDown: boolean;
}

/** A stable order; NULL comes last in both directions. */
export function sorted(columns: readonly ResultColumn[], rows: readonly Row[], by: Sorting | undefined): readonly Row[] {
  const column = by && columns[by.at];
  if (!by || !column) return rows;
  const compare = isNumericType(column.type) ? compareNumbers : compareTexts;
  const sign = by.isDown ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [left, right] = [one[by.at], other[by.at]];
    if (isMissing(left) || isMissing(right)) return Number(isMissing(left)) - Number(isMissing(right));
    return sign * compare(left, right);
  });
}

/** The next way of a column whose heading is pressed: up, down, as it came. */
export function nextSorting(now: Sorting | undefined, at: number): Sorting | undefined {
  if (now?.at !== at) return { at, isDown: false };
  return now.isDown ? undefined : { at, isDown: true };
}

const COMPARISON = /^(<=|>=|<>|!=|<|>|=)\s*(.*)$/s;

/** Rows of which a cell has the text. `NULL` finds missing values; `> 5`, `= x` and the like compare. Without a column every
 * cell counts. */
export function filtered(columns: readonly ResultColumn[], rows: readonly Row[], wanted: string, at: number | undefined): readonly Row[] {
  const text = wanted.trim();
  if (text === "") return rows;
  const places = at === undefined ? columns.map((_, place) => place) : [at];
  const tests = places.map((place) => ({ place, fits: testOf(text, columns[place]?.type ?? "") }));
  return rows.filter((row) => tests.some(({ place, fits }) => fits(row[place])));
}

function testOf(text: string, type: string): (value: unknown) => boolean {
  if (text === "NULL") return isMissing;
  const [, sign, operand] = COMPARISON.exec(text) ?? [];
  if (sign !== undefined && operand !== undefined && operand !== "") {
    const isNumber = isNumericType(type);
    if (isNumber && numberOf(operand) === undefined) return () => false;
    return (value) => !isMissing(value) && fits(sign, isNumber ? compareNumbers(value, operand) : compareTexts(value, operand));
  }
  const part = text.toLowerCase();
  return (value) => !isMissing(value) && cellText(value).toLowerCase().includes(part);
}

function fits(sign: string, order: number): boolean {
  switch (sign) {
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
    case "=":
      return order === 0;
    default:
      return order !== 0;
  }
}

function compareNumbers(one: unknown, other: unknown): number {
  const [left, right] = [wholeOf(one), wholeOf(other)];
  if (left !== undefined && right !== undefined) return left < right ? -1 : Number(left > right);
  const [first, second] = [numberOf(one), numberOf(other)];
  // NaN is the largest number, as in Spark.
  if (first === undefined || second === undefined) return Number(first === undefined) - Number(second === undefined);
  return first < second ? -1 : Number(first > second);
}

function wholeOf(value: unknown): bigint | undefined {
  return (typeof value === "string" || typeof value === "number") && /^-?\d+$/.test(String(value).trim()) ? BigInt(String(value).trim()) : undefined;
}

/** Decimals come as texts, and whole numbers that JavaScript would round (`api/wholes.ts`). */
export function numberOf(value: unknown): number | undefined {
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  const number = typeof value === "number" ? value : value.trim() === "" ? NaN : Number(value);
  return Number.isNaN(number) ? undefined : number;
}

function compareTexts(one: unknown, other: unknown): number {
  const [left, right] = [cellText(one), cellText(other)];
  return left < right ? -1 : Number(left > right);
}

function isMissing(value: unknown): boolean {
  return value === null || value === undefined;
}

/** Two corners of cells, in any order; rows and columns by place. */
export interface CellRange {
  from: { row: number; column: number };
  to: { row: number; column: number };
}

export function isInside({ from, to }: CellRange, row: number, column: number): boolean {
  return isBetween(row, from.row, to.row) && isBetween(column, from.column, to.column);
}

function isBetween(value: number, one: number, other: number): boolean {
  return value >= Math.min(one, other) && value <= Math.max(one, other);
}

export function rangeSize({ from, to }: CellRange): { rows: number; columns: number } {
  return { rows: Math.abs(from.row - to.row) + 1, columns: Math.abs(from.column - to.column) + 1 };
}

/** The range as what a spreadsheet takes; with the names of the columns where it is more than a row. */
export function rangeText(columns: readonly ResultColumn[], rows: readonly Row[], range: CellRange): string {
  const places = columns.map((_, place) => place).filter((place) => isBetween(place, range.from.column, range.to.column));
  const found = rows.filter((_, place) => isBetween(place, range.from.row, range.to.row));
  const cells = found.map((row) => places.map((place) => row[place]));
  return cells.length > 1 ? tabbed([places.map((place) => columns[place]?.name), ...cells]) : tabbed(cells);
}

export function allTabbed(columns: readonly ResultColumn[], rows: readonly Row[]): string {
  return tabbed([columns.map(({ name }) => name), ...rows]);
}

export function allCsv(columns: readonly ResultColumn[], rows: readonly Row[]): string {
  return csvOf(columns.map(({ name }) => name), rows);
}

/** Tabs and ends of lines inside of a cell become blanks, as spreadsheets do it; NULL is empty. */
function tabbed(rows: readonly Row[]): string {
  return rows.map((row) => row.map((value) => (isMissing(value) ? "" : cellText(value).replaceAll(/[\t\r\n]+/g, " "))).join("\t")).join("\n");
}
