import type { components } from "../api/schema";
import { bytes, counted } from "./format";

export type Compaction = components["schemas"]["CompactionAnswer"];

const REASONS = {
  small: ["is small", "are small"],
  deletes: ["has deleted rows", "have deleted rows"],
  layout: ["lies otherwise than the table says", "lie otherwise than the table says"],
  publishing: ["would be read otherwise by other engines", "would be read otherwise by other engines"],
} as const;

/** Which files OPTIMIZE would compact and why, a sentence each; undefined where it would compact none. */
export function compactionAdvice(found: Compaction): { what: string; why: string } | undefined {
  if (found.chosen_files === 0) return undefined;
  const whys = (Object.keys(REASONS) as (keyof typeof REASONS)[])
    .filter((reason) => found[reason] > 0)
    .map((reason) => `${counted(found[reason], "file")} ${REASONS[reason][found[reason] === 1 ? 0 : 1]}`);
  return {
    what: `OPTIMIZE would rewrite ${found.chosen_files} of ${counted(found.files, "file")}, ${bytes(found.chosen_bytes)}. The table then has about ${counted(found.files_after, "file")}.`,
    why: `${whys.join(", ")}. No row changes.`,
  };
}
