/** The conflict matrix of one object: its rule table with the cells in which these two branches meet. */
import type { Finding, RuleAxis, RuleCell, RuleTable } from "../api/resources";
import { groupBy } from "./grouping";
import { findingMark, ruleMark, UNMET, worst, type Mark } from "./verdict";

export interface MatrixCell {
  rule: RuleCell;
  findings: readonly Finding[];
  isMet: boolean;
  mark: Mark;
}

export interface Matrix {
  /** What the source did. */
  rows: readonly RuleAxis[];
  /** What the target did. */
  columns: readonly RuleAxis[];
  /** By row, then by column. */
  cells: readonly (readonly MatrixCell[])[];
}

export interface Place {
  row: number;
  column: number;
}

/**
 * Rows and columns of operations that took place, or all of them when `whole`. A side that did nothing to the object
 * has no operations; the other side's are then shown against the whole axis, where nothing meets.
 */
export function matrixOf(
  rules: RuleTable,
  findings: readonly Finding[],
  done: { source: readonly string[]; destination: readonly string[] },
  whole: boolean,
): Matrix {
  const hitRows = new Set([...done.source, ...findings.map((finding) => finding.source_op)]);
  const hitColumns = new Set([...done.destination, ...findings.map((finding) => finding.dest_op)]);
  const rows = whole ? rules.axes : shown(rules.axes, hitRows);
  const columns = whole ? rules.axes : shown(rules.axes, hitColumns);
  const ruleAt = new Map(rules.cells.map((cell) => [key(cell.source, cell.destination), cell]));
  const findingsAt = groupBy(findings, (finding) => key(finding.source_op, finding.dest_op));
  const cells = rows.map((row) =>
    columns.map((column) => {
      const rule = ruleAt.get(key(row.key, column.key));
      if (!rule) throw new Error(`The rule table ${rules.name} has no cell ${row.key} × ${column.key}.`);
      return matrixCell(rule, findingsAt.get(key(row.key, column.key)) ?? [], whole);
    }),
  );
  return { rows, columns, cells };
}

function shown(axes: readonly RuleAxis[], met: ReadonlySet<string>): readonly RuleAxis[] {
  const found = axes.filter((axis) => met.has(axis.key));
  return found.length ? found : axes;
}

function matrixCell(rule: RuleCell, findings: readonly Finding[], whole: boolean): MatrixCell {
  const first = worst(findings);
  if (first) return { rule, findings, isMet: true, mark: findingMark(first, rule) };
  return { rule, findings, isMet: false, mark: whole ? ruleMark(rule) : UNMET };
}

function key(source: string, destination: string): string {
  return `${source}\u0000${destination}`;
}

/** The cell to open at first: the worst in which both met, in reading order; undefined when there is none. */
export function firstPlace(matrix: Matrix): Place | undefined {
  const order = ["conflict", "person", "note", "conditional", "fine"];
  let found: { place: Place; rank: number } | undefined;
  matrix.cells.forEach((cells, row) => {
    cells.forEach((cell, column) => {
      const rank = order.indexOf(cell.mark.kind);
      if (cell.isMet && (!found || rank < found.rank)) found = { place: { row, column }, rank };
    });
  });
  return found?.place;
}

/** Where a key leads from a cell; the same place where there is nothing further, undefined for other keys. */
export function placeAfterKey(matrix: { rows: readonly unknown[]; columns: readonly unknown[] }, from: Place, pressed: string): Place | undefined {
  const last: Place = { row: matrix.rows.length - 1, column: matrix.columns.length - 1 };
  switch (pressed) {
    case "ArrowUp":
      return { ...from, row: Math.max(0, from.row - 1) };
    case "ArrowDown":
      return { ...from, row: Math.min(last.row, from.row + 1) };
    case "ArrowLeft":
      return { ...from, column: Math.max(0, from.column - 1) };
    case "ArrowRight":
      return { ...from, column: Math.min(last.column, from.column + 1) };
    case "Home":
      return { ...from, column: 0 };
    case "End":
      return { ...from, column: last.column };
    default:
      return undefined;
  }
}
