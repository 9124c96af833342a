/** What a person sees of an object first: why it conflicts, in one sentence, and what shows it. */
import type { ComparedDetail, Finding, Rules } from "../api/resources";
import { namedReason, type Branches } from "./conflict-reasons";
import { disputed, evidenceOf, firstFinding } from "./first-finding";
import { count, counted } from "./format";

/** Whether a conflict about this column, by its id, or this property is open: then nothing says what its result will be. */
export function isOpenPart({ cells }: Pick<ComparedDetail, "cells">, part: { column: number } | { property: string }): boolean {
  const open = cells.filter(({ verdict }) => verdict === "conflict");
  if ("property" in part) return open.some(({ details }) => details.property === part.property);
  return open.some(({ details }) => [details.column_id, details.destination_column_id].includes(part.column));
}

export interface Reason {
  text: string;
  finding: Finding;
}

/** Why it conflicts, each reason once. Rows of one key are counted together, whatever was done to them. */
export function reasonsOf(detail: Pick<ComparedDetail, "cells" | "dest_commits">, pair: Branches, codes: Rules["codes"]): Reason[] {
  const found = new Map<string, Reason>();
  for (const finding of disputed(detail)) {
    const rows = Number(finding.details.rows ?? 0);
    const same = disputed(detail).filter(({ code, verdict }) => code === finding.code && verdict === finding.verdict);
    const all = finding.code === "PRIMARY_KEY_CLASH" && rows ? same.reduce((sum, { details }) => sum + Number(details.rows ?? 0), 0) : rows;
    const counted = { ...finding, details: { ...finding.details, rows: all } };
    const text = reasonText(counted, detail, pair, codes);
    if (!found.has(text)) found.set(text, { text, finding });
  }
  return [...found.values()];
}

/** `main has 2 new rows that the UPDATE of delays did not check.` */
export function reasonText(finding: Finding, detail: Pick<ComparedDetail, "dest_commits">, { source, destination }: Branches, codes: Rules["codes"]): string {
  const operation = finding.source_op.toUpperCase();
  switch (finding.code) {
    case "PREDICATE_DML_VS_INSERT": {
      const rows = finding.dest_op === "insert" ? insertedRows(finding, detail) : 0;
      const found = finding.dest_op === "insert" ? (rows ? counted(rows, "new row") : "new rows") : "changed rows";
      return `${destination} has ${found} that the ${operation} of ${source} did not check.`;
    }
    case "PRIMARY_KEY_CLASH": {
      const rows = Number(finding.details.rows ?? 0);
      return rows ? `Both branches changed ${counted(rows, "row")}, and differently.` : "Both branches changed the same rows, and differently.";
    }
    default: {
      const title = codes.find(({ code }) => code === finding.code)?.title;
      const text = title === undefined ? finding.message : `${withNames(title, { source, destination })}.`;
      return namedReason(finding, { source, destination }) ?? text;
    }
  }
}

function insertedRows(finding: Finding, { dest_commits }: Pick<ComparedDetail, "dest_commits">): number {
  return dest_commits
    .filter(({ version }) => finding.dest_versions.includes(version))
    .flatMap(({ operations }) => operations)
    .reduce((sum, { metrics }) => sum + (metrics.rows_inserted ?? 0), 0);
}

/** A sentence about the source and the target, of these branches. Records of earlier releases say destination. */
export function withNames(text: string, { source, destination }: Branches): string {
  return text
    .replace(/\bsource and target\b/gi, () => `${source} and ${destination}`)
    .replace(/\bthe (?:target|destination)('s|\b)/gi, (_, ending: string) => withEnding(destination, ending))
    .replace(/\bthe source('s|\b)/gi, (_, ending: string) => withEnding(source, ending));
}

/** `delays'` and not `delays's`. */
function withEnding(name: string, ending: string): string {
  return `${name}${ending && name.endsWith("s") ? "'" : ending}`;
}

/** Columns that a statement names, in their order: what it speaks of stands first. */
export function namedIn(statements: readonly string[], columns: readonly string[]): string[] {
  const words = new Set(statements.flatMap((statement) => statement.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []));
  return columns.filter((column) => words.has(column.toLowerCase()));
}

export type TabKey = "result" | "schema" | "rows" | "values" | "files" | "properties" | "partitions";

/** The tab that an object opens with: the one that has the conflict, else the first that has a change. */
export function firstTab(detail: ComparedDetail): TabKey {
  if (detail.kind === "database") return "properties";
  const first = firstFinding(detail);
  const evidence = first && evidenceOf(first);
  if (evidence?.kind === "columns") return "schema";
  if (evidence?.kind === "properties" || evidence?.kind === "partitions") return evidence.kind;
  if (evidence || detail.source_commits.some(movesRows)) return "rows";
  if (detail.columns.some((column) => column.is_changed)) return "schema";
  if (detail.properties.some((entry) => entry.is_changed)) return "properties";
  if (detail.partitions.source.length > 0) return "partitions";
  return detail.preview ? "result" : "schema";
}

export function movesRows(commit: { files_added: number; files_touched: number }): boolean {
  return commit.files_added + commit.files_touched > 0;
}

/** `2 commits on delays, 1 on main`. */
export function commitsText({ source_commits, dest_commits }: ComparedDetail, { source, destination }: Branches): string {
  return `${counted(source_commits.length, "commit")} on ${source}, ${count(dest_commits.length)} on ${destination}`;
}
