import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { ReviewVerdict } from "../api/resources";
import { once, refreshRequest, requestKey, type RequestPlace } from "./requests";

const AT = "/api/v1/catalogs/{catalog}/merge-requests/{number}/reviews";

export function useReviews(place: RequestPlace) {
  return useInfiniteQuery(reviewsQuery(place));
}

export function reviewsQuery(place: RequestPlace) {
  return infiniteQueryOptions({
    queryKey: [...requestKey(place), "reviews"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: 200, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET(`${AT}/`, { params: { path: { ...place }, query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
  });
}

export function useReviewSubmit(place: RequestPlace) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (review: { verdict: ReviewVerdict; fingerprint: string; body: string; spot_code: string }) =>
      body(client.POST(`${AT}/`, { params: { path: { ...place }, header: once() }, body: review })),
    onSettled: () => refreshRequest(queries, place),
  });
}

/** What both branches got since a review. `state`: asked again when it is another. */
export function useChangesSince(place: RequestPlace, reviewId: number, enabled: boolean, state: readonly unknown[] = []) {
  return useQuery({
    queryKey: [...requestKey(place), "changes", reviewId, ...state],
    queryFn: ({ signal }) => body(client.GET(`${AT}/{review_id}/changes/`, { params: { path: { ...place, review_id: reviewId } }, signal })),
    enabled,
  });
}
