import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { body, client } from "../api/client";
import type { ResolutionBatch, ResolutionChoice } from "../api/resources";
import { once, refreshRequest, requestKey, type RequestPlace } from "./requests";

const AT = "/api/v1/catalogs/{catalog}/merge-requests/{number}/resolutions";
/** The most that one answer of the server holds. */
const PAGE = 200;
/** The most that one call takes. */
export const MOST_DECISIONS = 500;

/** All decisions that hold or went stale. */
export function useResolutions(place: RequestPlace) {
  return useQuery({
    queryKey: [...requestKey(place), "resolutions"],
    queryFn: async ({ signal }) => {
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

export function useResolutionChange(place: RequestPlace) {
  const queries = useQueryClient();
  return useMutation({
    scope: decisionsScope(place),
    mutationFn: async (change: ResolutionChange): Promise<void> => {
      if ("decide" in change) {
        await client.POST(`${AT}/`, { params: { path: { ...place }, header: once() }, body: change.decide });
      } else {
        await client.DELETE(`${AT}/{resolution_id}/`, { params: { path: { ...place, resolution_id: change.withdraw } } });
      }
    },
    onSettled: () => refreshRequest(queries, place),
  });
}

/** Many decisions in one call, all or none: the merge is planned once. */
export function useManyDecisions(place: RequestPlace) {
  const queries = useQueryClient();
  return useMutation({
    scope: decisionsScope(place),
    mutationFn: async (batch: ResolutionBatch): Promise<void> => {
      await client.POST(`${AT}/batch/`, { params: { path: { ...place }, header: once() }, body: batch });
    },
    onSettled: () => refreshRequest(queries, place),
  });
}

/** One after the other: each is planned on what the one before it decided, and nobody waits for that. */
function decisionsScope(place: RequestPlace) {
  return { id: `decisions ${place.catalog} ${String(place.number)}` };
}
