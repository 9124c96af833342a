/** The filter of the list of merge requests, as its address says it. */
import type { RequestFilter } from "../api/paths";
import type { RequestState } from "../api/resources";
import { STATE_MARKS, UNFINISHED } from "./review";

const SINGLE = (Object.keys(STATE_MARKS) as RequestState[]).map((state) => ({ key: state, label: STATE_MARKS[state].word }));

/** What the state can be filtered by; the empty key stands for all that are not finished. */
export const STATE_CHOICES: readonly { key: string; label: string }[] = [
  { key: "", label: "Open" },
  { key: "all", label: "All states" },
  ...SINGLE,
];

export const WHOSE: readonly { key: string; label: string }[] = [
  { key: "", label: "All authors" },
  { key: "mine", label: "Mine" },
  { key: "review", label: "I am asked to review" },
];

export function filterOf(query: URLSearchParams, user: string): RequestFilter {
  const search = query.get("search");
  const label = query.get("label");
  const whose = query.get("whose");
  return {
    ...statesOf(query.get("state")),
    ...(whose === "mine" ? { author: user } : {}),
    ...(whose === "review" ? { reviewer: user } : {}),
    ...(search ? { search } : {}),
    ...(label ? { label } : {}),
  };
}

function statesOf(chosen: string | null): { state?: RequestState[] } {
  if (chosen === "all") return {};
  const single = SINGLE.find(({ key }) => key === chosen);
  return { state: single ? [single.key] : [...UNFINISHED] };
}
