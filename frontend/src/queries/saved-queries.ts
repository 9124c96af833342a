import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { SavedQuery } from "../api/resources";
import { unlessChanged } from "./edits";
import { refresh } from "./refresh";
import { once } from "./requests";

const AT = "/api/v1/catalogs/{catalog}/queries";

/** The person's own queries, and those that others share. */
export function useSavedQueries(catalog: string) {
  return useInfiniteQuery(savedQueriesQuery(catalog));
}

export function savedQueriesQuery(catalog: string) {
  return infiniteQueryOptions({
    queryKey: savedKey(catalog),
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: 200, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET(`${AT}/`, { params: { path: { catalog }, query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
  });
}

type Fields = Pick<SavedQuery, "name" | "text" | "is_shared">;

/** `shown`: the query as it was when its editing began; undefined for a new one. */
export type SavedQueryChange = { save: Fields; shown: SavedQuery | undefined } | { remove: SavedQuery };

export function useSavedQueryChange(catalog: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (change: SavedQueryChange): Promise<void> => {
      if ("remove" in change) {
        await client.DELETE(`${AT}/{query_id}/`, { params: { path: { catalog, query_id: change.remove.id } } });
        return;
      }
      if (change.shown === undefined) {
        await client.POST(`${AT}/`, { params: { path: { catalog }, header: once() }, body: change.save });
        return;
      }
      const path = { catalog, query_id: change.shown.id };
      const header = await unlessChanged(change.shown, change.save, client.GET(`${AT}/{query_id}/`, { params: { path } }));
      await client.PATCH(`${AT}/{query_id}/`, { params: { path, header }, body: change.save });
    },
    onSettled: () => refresh(queries, savedKey(catalog)),
  });
}

function savedKey(catalog: string) {
  return ["catalog", catalog, "saved queries"] as const;
}
