/** What EXPLAIN answers, as a tree: steps, and beneath a scan the files that it keeps and skips. */

export interface ExplainStep {
  step: string;
  detail: string;
  /** Of a scan; undefined where its detail says something else. */
  scan: Scan | undefined;
  files: readonly ExplainFile[];
  /** What is said of files that are not named. */
  more: string;
  /** Lines of the engine's plan. */
  plan: readonly string[];
}

export interface Scan {
  where: string;
  kept: number;
  all: number;
  rows: string;
  why: string;
}

export interface ExplainFile {
  isKept: boolean;
  path: string;
  rows: string;
  reason: string;
}

const EXPLAIN = /^\s*explain\b/i;
const SCAN = /^(.+): ([\d,]+) of ([\d,]+) files?, ([\d,]+) rows?, (.+)$/s;
const FILE = /^(.+) \(([\d,]+) rows?\): (.+)$/s;

/** The tree; undefined where the answer is not one of EXPLAIN. */
export function explainTree(statement: string, columns: readonly { name: string }[], rows: readonly (readonly unknown[])[]): ExplainStep[] | undefined {
  const isTree = EXPLAIN.test(statement) && columns.map(({ name }) => name).join() === "step,detail";
  if (!isTree || !rows.every((row) => row.every((value) => typeof value === "string"))) return undefined;
  const found: ExplainStep[] = [];
  for (const [step = "", detail = ""] of rows as string[][]) {
    const before = found.at(-1);
    const file = before?.step === "scan" ? fileOf(step, detail) : undefined;
    if (before && file) found.splice(-1, 1, { ...before, files: [...before.files, file] });
    else if (before?.step === "scan" && step === "more files") found.splice(-1, 1, { ...before, more: detail });
    else if (before?.step === "plan" && step === "plan") found.splice(-1, 1, { ...before, plan: [...before.plan, detail] });
    else if (step === "plan") found.push({ step, detail: "", scan: undefined, files: [], more: "", plan: [detail] });
    else found.push({ step, detail, scan: step === "scan" ? scanOf(detail) : undefined, files: [], more: "", plan: [] });
  }
  return found;
}

function scanOf(detail: string): Scan | undefined {
  const found = SCAN.exec(detail);
  if (!found) return undefined;
  const [, where = "", kept = "", all = "", rows = "", why = ""] = found;
  return { where, kept: number(kept), all: number(all), rows, why };
}

function fileOf(step: string, detail: string): ExplainFile | undefined {
  const found = FILE.exec(detail);
  if (!found || (step !== "keep file" && step !== "skip file")) return undefined;
  const [, path = "", rows = "", reason = ""] = found;
  return { isKept: step === "keep file", path, rows, reason };
}

function number(text: string): number {
  return Number(text.replaceAll(",", ""));
}
