import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { Comment, NewComment } from "../api/resources";
import { refresh } from "./refresh";
import { once, refreshRequest, requestKey, type RequestPlace } from "./requests";

const AGAIN_MS = 2000;
const AT = "/api/v1/catalogs/{catalog}/merge-requests/{number}/comments";

export function useComments(place: RequestPlace) {
  return useInfiniteQuery(commentsQuery(place));
}

export function commentsQuery(place: RequestPlace) {
  return infiniteQueryOptions({
    queryKey: [...requestKey(place), "comments"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: 200, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET(`${AT}/`, { params: { path: { ...place }, query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
    // While a task applies a suggestion, its end is looked for.
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ results }) => results.some(({ suggestion }) => suggestion?.state === "applying")) ? AGAIN_MS : false,
  });
}

/** Where a comment stands: on the request when there is no object. */
export type CommentAnchor = Pick<NewComment, "object_kind" | "object_id" | "rule_table" | "source_op" | "dest_op" | "row_key" | "column_id">;

export const ON_REQUEST: CommentAnchor = { object_kind: "", object_id: null, rule_table: "", source_op: "", dest_op: "", row_key: "", column_id: null };

/** Applies suggested values of one table: one commit on the source. */
export function useSuggestionsApply(place: RequestPlace) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (comments: number[]): Promise<void> => {
      const header = { ...once(), Prefer: "wait=20" };
      await client.POST("/api/v1/catalogs/{catalog}/merge-requests/{number}/suggestions/", {
        params: { path: { ...place }, header }, body: { comments, bypass_reason: "" },
      });
    },
    onSettled: () => Promise.all([refresh(queries, ["catalog", place.catalog]), refreshRequest(queries, place)]),
  });
}

export function useCommentAdd(place: RequestPlace) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (comment: NewComment) => body(client.POST(`${AT}/`, { params: { path: { ...place }, header: once() }, body: comment })),
    onSuccess: () => refreshRequest(queries, place),
  });
}

export type CommentChange = { do: "edit"; body: string } | { do: "delete" | "resolve" | "reopen" };

export function useCommentChange(place: RequestPlace, comment: Comment) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (change: CommentChange): Promise<void> => {
      const params = { path: { ...place, comment_id: comment.id } };
      if (change.do === "edit") await client.PATCH(`${AT}/{comment_id}/`, { params, body: { body: change.body } });
      else if (change.do === "delete") await client.DELETE(`${AT}/{comment_id}/`, { params });
      else if (change.do === "resolve") await client.PUT(`${AT}/{comment_id}/resolved/`, { params });
      else await client.DELETE(`${AT}/{comment_id}/resolved/`, { params });
    },
    onSuccess: () => refreshRequest(queries, place),
  });
}
