/** Ranking of what a person may mean: whole words and beginnings before places inside a name. */
import type { IconName } from "../ui/icons";

export interface Entry {
  id: string;
  label: string;
  /** What kind of thing it is, and where. */
  detail: string;
  address: string;
  icon: IconName;
}

/** Entries that contain every word of the text, best first; all of them for an empty text. */
export function entriesFound(entries: readonly Entry[], text: string, most = 50): Entry[] {
  const words = text.toLowerCase().split(/[\s.]+/).filter(Boolean);
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry, words) }))
    .filter(({ rank }) => rank < Infinity)
    .toSorted((left, right) => left.rank - right.rank)
    .slice(0, most)
    .map(({ entry }) => entry);
}

function rankOf(entry: Entry, words: readonly string[]): number {
  const label = entry.label.toLowerCase();
  const all = `${label} ${entry.detail.toLowerCase()}`;
  let rank = 0;
  for (const word of words) {
    if (label === word) rank += 0;
    else if (label.startsWith(word)) rank += 1;
    else if (label.includes(word)) rank += 2;
    else if (all.includes(word)) rank += 4;
    else return Infinity;
  }
  return rank;
}
