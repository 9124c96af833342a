import type { CompareFilter } from "../api/paths";
import type { Verdict } from "../api/resources";

const VERDICTS: readonly Verdict[] = ["conflict", "decided", "note", "ok", "new"];

const KINDS = ["table", "database"] as const;

/** Which objects of a comparison the query of its address asks for. */
export function compareFilterOf(query: URLSearchParams): CompareFilter {
  const search = query.get("search");
  const verdict = VERDICTS.find((known) => known === query.get("verdict"));
  const kind = KINDS.find((known) => known === query.get("kind"));
  const review = Number(query.get("since_review"));
  const since = Number.isSafeInteger(review) && review > 0 ? { since_review: review } : {};
  return { ...since, ...(search ? { search } : {}), ...(verdict ? { verdict } : {}), ...(kind ? { kind } : {}) };
}
