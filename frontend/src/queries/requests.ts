import { infiniteQueryOptions, queryOptions, useInfiniteQuery, useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { RequestFilter } from "../api/paths";
import type { NewRequest, RequestChange, RequestDetail } from "../api/resources";
import { keptWithin } from "./kept";
import { refresh } from "./refresh";
import { randomKey } from "./statements";

const AT = "/api/v1/catalogs/{catalog}/merge-requests/{number}";
const PAGE = 50;
/** While lakeui has a request in hand its page follows closely; else it only has to notice what others did. */
const IN_HAND_POLL_MS = 1500;
const POLL_MS = 15_000;

export interface RequestPlace {
  catalog: string;
  number: number;
}

export function useRequests(catalog: string, filter: RequestFilter) {
  return useInfiniteQuery({
    queryKey: ["catalog", catalog, "requests", filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE, ...filter, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET("/api/v1/catalogs/{catalog}/merge-requests/", { params: { path: { catalog }, query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
    placeholderData: keptWithin(["catalog", catalog, "requests"]),
  });
}

/** What waits for the one who looks, of all catalogs. */
export function useInbox() {
  return useInfiniteQuery({
    queryKey: ["inbox"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET("/api/v1/inbox/", { params: { query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
    refetchInterval: 4 * POLL_MS,
  });
}

export function useRequest(place: RequestPlace) {
  return useQuery({ ...requestQuery(place), refetchInterval: ({ state }) => pollAfter(state.data) });
}

export function requestQuery(place: RequestPlace) {
  return queryOptions({
    queryKey: requestKey(place),
    queryFn: ({ signal }) => body(client.GET(`${AT}/`, { params: { path: { ...place } }, signal })),
  });
}

function pollAfter(request: RequestDetail | undefined): number | false {
  if (!request || request.state === "merged" || request.state === "closed") return false;
  return request.state === "merging" || request.state === "queued" ? IN_HAND_POLL_MS : POLL_MS;
}

/** Everything that happened to a request, a page after the other; it grows while the request is asked anew. */
export function useTimeline(place: RequestPlace) {
  return useInfiniteQuery(timelineQuery(place));
}

export function timelineQuery(place: RequestPlace) {
  return infiniteQueryOptions({
    queryKey: [...requestKey(place), "timeline"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: 200, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET(`${AT}/timeline/`, { params: { path: { ...place }, query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
  });
}

export function useRequestOpen(catalog: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (request: NewRequest) =>
      body(client.POST("/api/v1/catalogs/{catalog}/merge-requests/", { params: { path: { catalog }, header: once() }, body: request })),
    onSuccess: () => refreshLists(queries, catalog),
  });
}

/** Only if no one else changed the request meanwhile: a tag begins with the revision, and only that is compared. */
export function useRequestEdit(place: RequestPlace) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ revision, ...changes }: RequestChange & { revision: number }) =>
      body(client.PATCH(`${AT}/`, { params: { path: { ...place }, header: { "If-Match": `"${revision}-0"` } }, body: changes })),
    onSuccess: () => refreshRequest(queries, place),
  });
}

/** Answers the task that merges. */
export function useRequestMerge(place: RequestPlace) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (wish: { fingerprint: string; bypass_reason: string }) => {
      const header = { Prefer: "respond-async", ...once() };
      const answer = await body(client.POST(`${AT}/merge/`, { params: { path: { ...place }, header }, body: wish }));
      return "id" in answer ? answer.id : undefined;
    },
    // Not waited for: a short merge is over by then, and the form that leads on to its task is gone.
    onSettled: () => void refreshRequest(queries, place),
  });
}

export function useRequestQueue(place: RequestPlace) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: "enter" | "leave") =>
      wanted === "enter"
        ? body(client.POST(`${AT}/queue/`, { params: { path: { ...place }, header: once() } }))
        : body(client.DELETE(`${AT}/queue/`, { params: { path: { ...place } } })),
    onSettled: () => refreshRequest(queries, place),
  });
}

export function requestKey({ catalog, number }: RequestPlace) {
  return ["catalog", catalog, "request", number] as const;
}

/** After anything that was done to a request: it, its lists, and comparisons that heed what it decided. */
export async function refreshRequest(queries: QueryClient, place: RequestPlace): Promise<void> {
  await Promise.all([
    refresh(queries, requestKey(place)),
    refresh(queries, ["catalog", place.catalog, "compare"]),
    refreshLists(queries, place.catalog),
  ]);
}

async function refreshLists(queries: QueryClient, catalog: string): Promise<void> {
  await Promise.all([refresh(queries, ["catalog", catalog, "requests"]), refresh(queries, ["inbox"])]);
}

export function once(): { "Idempotency-Key": string } {
  return { "Idempotency-Key": randomKey() };
}
