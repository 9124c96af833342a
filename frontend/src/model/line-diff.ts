import { diffArrays } from "diff";

/** Two texts line by line: which lines only one of them has. */

export interface DiffLine {
  kind: "same" | "removed" | "added";
  text: string;
  /** Numbers from 1 in the text before and in the one after. */
  before: number | null;
  after: number | null;
}

/** A comparison that takes longer shows what differs as a whole. */
const MOST_MILLISECONDS = 1000;

/** A shortest way from one text to the other. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const parts: Part[] = diffArrays(old, fresh, { timeout: MOST_MILLISECONDS }) ?? [
    { removed: true, count: old.length },
    { added: true, count: fresh.length },
  ];
  let [left, right] = [0, 0];
  return parts.flatMap(kindsOf).map((kind) => {
    const numbers = { before: kind === "added" ? null : ++left, after: kind === "removed" ? null : ++right };
    return { kind, text: (kind === "added" ? fresh[right - 1] : old[left - 1]) ?? "", ...numbers };
  });
}

interface Part {
  added?: boolean;
  removed?: boolean;
  count: number;
}

function kindsOf({ added, removed, count }: Part): DiffLine["kind"][] {
  return Array<DiffLine["kind"]>(count).fill(added ? "added" : removed ? "removed" : "same");
}

/** Stretches of a diff with changes in them; lines further from a change than `context` are left out between stretches. */
export function diffHunks(lines: readonly DiffLine[], context = 3): DiffLine[][] {
  const near = new Set<number>();
  lines.forEach(({ kind }, place) => {
    if (kind === "same") return;
    for (let at = place - context; at <= place + context; at += 1) near.add(at);
  });
  const hunks: DiffLine[][] = [];
  lines.forEach((line, place) => {
    if (!near.has(place)) return;
    if (!near.has(place - 1) || place === 0) hunks.push([]);
    hunks.at(-1)?.push(line);
  });
  return hunks;
}

/** An empty text has no line: what comes after it is new from the first to the last one. */
function linesOf(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}
