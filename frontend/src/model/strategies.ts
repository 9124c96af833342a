/** The six strategies as people understand them: what each does, in a sentence and in rows before and after. */
import type { Strategy } from "../api/resources";

/** What became of a row: it stayed, came, changed, or is gone afterwards. */
export type RowMark = "kept" | "new" | "changed" | "gone";

export interface PictureRow {
  text: string;
  mark: RowMark;
}

export interface StrategyStory {
  title: string;
  does: string;
  /** The rows of the table, those that the query found, and the table's afterwards. */
  before: readonly PictureRow[];
  batch: readonly string[];
  after: readonly PictureRow[];
}

const kept = (text: string): PictureRow => ({ text, mark: "kept" });
const fresh = (text: string): PictureRow => ({ text, mark: "new" });
const changed = (text: string): PictureRow => ({ text, mark: "changed" });
const gone = (text: string): PictureRow => ({ text, mark: "gone" });

export const STRATEGIES: Record<Strategy, StrategyStory> = {
  full_refresh: {
    title: "Full refresh",
    does: "The table becomes what the query finds; all that was there before goes.",
    before: [gone("a 1"), gone("b 1")],
    batch: ["b 2", "c 1"],
    after: [fresh("b 2"), fresh("c 1")],
  },
  incremental: {
    title: "Incremental",
    does: "One row a key: new keys are added, known ones replaced by the latest row, all others stay.",
    before: [kept("a 1"), gone("b 1")],
    batch: ["b 2", "b 3", "c 1"],
    after: [kept("a 1"), changed("b 3"), fresh("c 1")],
  },
  append_only: {
    title: "Append only",
    does: "Every row that the query finds is added; nothing is ever changed.",
    before: [kept("a 1"), kept("b 1")],
    batch: ["b 2", "c 1"],
    after: [kept("a 1"), kept("b 1"), fresh("b 2"), fresh("c 1")],
  },
  delete_insert: {
    title: "Delete and insert",
    does: "All rows of the keys that the query finds go, and all rows that it finds come, several a key too.",
    before: [kept("a 1"), gone("b 1")],
    batch: ["b 2", "b 3", "c 1"],
    after: [kept("a 1"), fresh("b 2"), fresh("b 3"), fresh("c 1")],
  },
  scd2: {
    title: "History (SCD 2)",
    does: "Every version of a key stays, with the times between which it held; a change ends one version and begins another.",
    before: [kept("a 1 …"), kept("b 1 …")],
    batch: ["b 2", "c 1"],
    after: [kept("a 1 …"), changed("b 1 until t"), fresh("b 2 from t"), fresh("c 1 from t")],
  },
  snapshot: {
    title: "Snapshot",
    does: "Partitions that the query has rows of are replaced as a whole; the others stay untouched.",
    before: [kept("jan: a 1"), gone("feb: b 1")],
    batch: ["feb: b 2", "mar: c 1"],
    after: [kept("jan: a 1"), fresh("feb: b 2"), fresh("mar: c 1")],
  },
};

export const STRATEGY_NAMES = Object.keys(STRATEGIES) as Strategy[];

export function isStrategy(name: unknown): name is Strategy {
  return STRATEGY_NAMES.some((known) => known === name);
}

const WORDS: Record<RowMark, string> = { kept: "stays", new: "is new", changed: "is changed", gone: "goes" };

/** What the picture shows, in words. */
export function pictureText({ before, batch, after }: StrategyStory): string {
  const rows = (all: readonly PictureRow[]) => all.map(({ text, mark }) => `${text} ${WORDS[mark]}`).join(", ");
  return `Before: ${before.map(({ text }) => text).join(", ")}. The query finds ${batch.join(", ")}. Afterwards: ${rows(after)}.`;
}
