import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { body, client } from "../api/client";
import type { NewRequest, ResolutionBatch, ResolutionChoice } from "../api/resources";
import type { Pair } from "./compare";
import { once, refreshRequest, requestKey, type RequestPlace } from "./requests";

const AT = "/api/v1/catalogs/{catalog}/merge-requests/{number}/resolutions";
/** The most that one answer of the server holds. */
const PAGE = 200;
/** The most that one call takes. */
export const MOST_DECISIONS = 500;

/** All decisions that hold or went stale; none where there is no request. */
export function useResolutions(place: RequestPlace | undefined) {
  return useQuery({
    queryKey: place ? [...requestKey(place), "resolutions"] : ["no decisions"],
    queryFn: async ({ signal }) => {
      if (!place) return [];
      const first = await resolutionPage(place, undefined, signal);
      const found = [...first.results];
      let next = first.next;
      while (next !== null) {
        const page = await resolutionPage(place, new URL(next, window.location.origin).searchParams.get("cursor") ?? undefined, signal);
        found.push(...page.results);
        next = page.next;
      }
      return found;
    },
  });
}

function resolutionPage(place: RequestPlace, cursor: string | undefined, signal: AbortSignal) {
  const query = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
  return body(client.GET(`${AT}/`, { params: { path: { ...place }, query }, signal }));
}

export type ResolutionChange = { decide: ResolutionChoice } | { withdraw: number };

/** Answers the request that has the decision. Without a place it is the open one of the pair, or a new one. */
export function useResolutionChange(pair: Pair, place: RequestPlace | undefined) {
  const queries = useQueryClient();
  return useMutation({
    scope: decisionsScope(pair),
    mutationFn: async (change: ResolutionChange): Promise<RequestPlace> => {
      const at = place ?? (await requestOfPair(pair));
      if ("decide" in change) {
        await client.POST(`${AT}/`, { params: { path: { ...at }, header: once() }, body: change.decide });
      } else {
        await client.DELETE(`${AT}/{resolution_id}/`, { params: { path: { ...at, resolution_id: change.withdraw } } });
      }
      return at;
    },
    onSettled: (at) => {
      const changed = at ?? place;
      return changed && refreshRequest(queries, changed);
    },
  });
}

const UNFINISHED = ["draft", "open", "changes_requested", "conflicted", "approved"] as const;

/** The unfinished request of the pair; it is opened where there is none. */
async function requestOfPair({ catalog, source, destination }: Pair): Promise<RequestPlace> {
  const path = { catalog };
  const query = { source, destination, state: [...UNFINISHED], limit: 1 };
  const known = await body(client.GET("/api/v1/catalogs/{catalog}/merge-requests/", { params: { path, query } }));
  const [found] = known.results;
  if (found) return { catalog, number: found.number };
  const request = { source, destination, title: `Merge ${source} into ${destination}` };
  const made = await body(client.POST("/api/v1/catalogs/{catalog}/merge-requests/", { params: { path, header: once() }, body: request as NewRequest }));
  return { catalog, number: made.number };
}

/** Many decisions in one call, all or none: the merge is planned once. */
export function useManyDecisions(pair: Pair, place: RequestPlace | undefined) {
  const queries = useQueryClient();
  return useMutation({
    scope: decisionsScope(pair),
    mutationFn: async (batch: ResolutionBatch): Promise<RequestPlace> => {
      const at = place ?? (await requestOfPair(pair));
      await client.POST(`${AT}/batch/`, { params: { path: { ...at }, header: once() }, body: batch });
      return at;
    },
    onSettled: (at) => {
      const changed = at ?? place;
      return changed && refreshRequest(queries, changed);
    },
  });
}

/** One after the other: each is planned on what the one before it decided, and nobody waits for that. */
function decisionsScope({ catalog, source, destination }: Pair) {
  return { id: `decisions ${catalog} ${source}...${destination}` };
}
