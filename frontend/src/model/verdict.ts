/** How a verdict is shown: a symbol, a word and a colour class; never a colour alone. */
import type { Finding, RuleCell, Verdict } from "../api/resources";

export type MarkKind = "fine" | "conditional" | "conflict" | "note" | "unmet" | "new" | "person";

export interface Mark {
  kind: MarkKind;
  symbol: string;
  word: string;
}

const MARKS: Record<MarkKind, Mark> = {
  fine: { kind: "fine", symbol: "✓", word: "no conflict" },
  conditional: { kind: "conditional", symbol: "≈", word: "no conflict" },
  conflict: { kind: "conflict", symbol: "✕", word: "conflict" },
  note: { kind: "note", symbol: "⤓", word: "note" },
  unmet: { kind: "unmet", symbol: "·", word: "not used" },
  new: { kind: "new", symbol: "+", word: "new" },
  person: { kind: "person", symbol: "◆", word: "decided by a person" },
};

/** What a note of this code says in one word. */
const NOTE_WORDS: Record<string, string> = {
  DISCARDED_UPDATE: "discarded",
  DISCARDED_DELETE: "discarded",
  DISCARDED_VALUE: "left out",
  DISCARDED_BY_DECISION: "left out by a decision",
  DISCARDED_RENAME: "discarded",
  COMPACTION_SKIPPED: "skipped",
  OVERRIDDEN_BY_SOURCE: "overridden",
  DROPS_DEST_CHANGES: "drops changes",
  STALE_READ: "stale read",
  LOADED_TWICE: "loaded twice",
  BREAKS_VIEW: "breaks a view",
};

export const UNMET = MARKS.unmet;

export function objectMark(verdict: Verdict): Mark {
  if (verdict === "decided") return MARKS.person;
  return MARKS[verdict === "ok" ? "fine" : verdict];
}

/** The mark of a finding; of a conditional cell that is fine, that it was checked. */
export function findingMark(finding: Finding, rule: RuleCell | undefined): Mark {
  if (finding.verdict === "conflict") return MARKS.conflict;
  if (finding.verdict === "decided") return MARKS.person;
  const by = finding.note ? ` (${finding.note})` : "";
  if (finding.verdict === "note") {
    return { ...MARKS.note, word: `${NOTE_WORDS[finding.code] ?? "note"}${by}` };
  }
  if (rule && isConditional(rule)) return { ...MARKS.conditional, word: "no conflict (checked)" };
  return MARKS.fine;
}

/** What a cell says in general, where no two operations met in it. */
export function ruleMark(rule: RuleCell): Mark {
  if (rule.verdict === "conflict") return MARKS.conflict;
  if (isConditional(rule)) return { ...MARKS.conditional, word: rule.note ? `depends (${rule.note})` : "depends" };
  return MARKS.fine;
}

/** A cell is conditional also where its plain ok may be overridden by a condition. */
function isConditional(rule: RuleCell): boolean {
  return rule.verdict === "conditional" || rule.condition !== "";
}

export interface FinerSetting {
  setting: string;
  rows: number;
  text: string;
}

/** What finer settings of `merge.conflicts` say of a verdict. */
export function finerSettings(finding: Finding): FinerSetting[] {
  const finer = finding.details.finer;
  return Array.isArray(finer) ? finer.filter(isFinerSetting) : [];
}

function isFinerSetting(value: unknown): value is FinerSetting {
  return typeof value === "object" && value !== null && "setting" in value && "rows" in value && "text" in value;
}

const SEVERITY: Record<Finding["verdict"], number> = { conflict: 0, decided: 1, note: 2, ok: 3 };

/** Of several findings the one that decides the colour of a cell. */
export function worst(findings: readonly Finding[]): Finding | undefined {
  return findings.toSorted((left, right) => SEVERITY[left.verdict] - SEVERITY[right.verdict])[0];
}
