/** The first steps through the demo lake, and which of them somebody has done. */
import type { MergeSummary } from "../queries/merges";

/** The demo lake's catalog, and the branches of its prepared conflict. */
export const DEMO = "demo";
export const DEMO_PAIR = { catalog: DEMO, source: "delays", destination: "main" };

export type StepKey = "see" | "fix" | "merge" | "revert";

export interface Known {
  /** Whether the comparison was opened in this browser. */
  hasSeen: boolean;
  /** Of the comparison; undefined until it is known. */
  isMergeable: boolean | undefined;
  isEmpty: boolean;
  /** Records of merges and restores of the catalog. */
  merges: readonly Pick<MergeSummary, "source" | "destination" | "outcome" | "merge_id">[];
  /** Whether a merge of the pair was reverted. */
  isReverted: boolean;
}

/** A step that comes later says that those before it are done. */
export function stepsDone({ hasSeen, isMergeable, isEmpty, merges, isReverted }: Known): ReadonlySet<StepKey> {
  const isMerged = isReverted || merges.some(({ source, destination, outcome }) => source === DEMO_PAIR.source && destination === DEMO_PAIR.destination && outcome === "merged");
  const isFixed = isMerged || (isMergeable === true && !isEmpty);
  const found: [StepKey, boolean][] = [["see", hasSeen || isFixed], ["fix", isFixed], ["merge", isMerged], ["revert", isReverted]];
  return new Set(found.filter(([, isDone]) => isDone).map(([key]) => key));
}

const SEEN = "lakeui demo conflict seen";
const HIDDEN = "lakeui first steps hidden";

export function hasSeenConflict(): boolean {
  return localStorage.getItem(SEEN) === "1";
}

/** Noted when the comparison of the demo lake's conflict is opened. */
export function noteSeen(pair: { catalog: string; source: string; destination: string }): void {
  if (pair.catalog === DEMO && pair.source === DEMO_PAIR.source && pair.destination === DEMO_PAIR.destination) localStorage.setItem(SEEN, "1");
}

export function areHidden(): boolean {
  return localStorage.getItem(HIDDEN) === "1";
}

export function hide(): void {
  localStorage.setItem(HIDDEN, "1");
}
