import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

import { body, client } from "../api/client";
import { Problem } from "../api/problem";
import type { NewRequest } from "../api/resources";
import { isUnsaved, PressedDecisions, type Change, type Pressed } from "../model/pressed-decisions";
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

interface Target {
  pair: Pair;
  /** Undefined for the open request of the pair, or a new one. */
  place: RequestPlace | undefined;
}

export type PressedDecision = Pressed<Target, RequestPlace>;

const stores = new WeakMap<QueryClient, PressedDecisions<Target, RequestPlace>>();

/** What was decided in this page and is not known as saved yet. Before the browser leaves, what waits is sent, and the person is asked. */
function pressedOf(queries: QueryClient): PressedDecisions<Target, RequestPlace> {
  const known = stores.get(queries);
  if (known) return known;
  const made = new PressedDecisions<Target, RequestPlace>({
    send: changeSend,
    saved: (at) => refreshRequest(queries, at),
    isRefusal: (error) => error instanceof Problem,
    most: MOST_DECISIONS,
  });
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  const leave = () => made.leave();
  made.subscribe(() => {
    const change = made.entries().some(isUnsaved) ? "addEventListener" : "removeEventListener";
    window[change]("beforeunload", ask);
    window[change]("pagehide", leave);
  });
  stores.set(queries, made);
  return made;
}

/** Everything that was pressed and is not shown as saved yet, of all requests. */
export function usePressedDecisions() {
  const store = pressedOf(useQueryClient());
  const entries = useSyncExternalStore(store.subscribe, store.entries);
  return { entries, tryAgain: () => store.tryAgain(), discard: () => store.discard() };
}

/** Decides, or takes back. No one waits for it: what was pressed stands in `entries` until it is saved. */
export function useResolutionChange(pair: Pair, place: RequestPlace | undefined) {
  const store = pressedOf(useQueryClient());
  const line = lineOf(pair);
  const entries = useSyncExternalStore(store.subscribe, store.entries).filter((entry) => entry.line === line);
  return { entries, press: (change: Change, onSaved?: (at: RequestPlace) => void) => store.press(line, { pair, place }, change, onSaved) };
}

/** Browsers send so much of all requests together after the page is gone. */
const MOST_KEPT_ALIVE = 48_000;

async function changeSend({ pair, place }: Target, change: Change): Promise<RequestPlace> {
  const at = place ?? (await requestOfPair(pair));
  if ("withdraw" in change) {
    await client.DELETE(`${AT}/{resolution_id}/`, { params: { path: { ...at, resolution_id: change.withdraw } }, keepalive: true });
    return at;
  }
  const [first, ...others] = change.decide;
  if (!first) return at;
  const params = { path: { ...at }, header: once() };
  const keepalive = JSON.stringify(change.decide).length < MOST_KEPT_ALIVE;
  if (others.length === 0) {
    await client.POST(`${AT}/`, { params, body: first, keepalive });
  } else {
    const { source_head, destination_head } = first;
    const decisions = change.decide.map(({ source_head: _, destination_head: __, ...decision }) => decision);
    await client.POST(`${AT}/batch/`, { params, body: { source_head, destination_head, decisions }, keepalive });
  }
  return at;
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

/** Decisions of one pair go one call after the other: each is planned on what the one before it decided. */
function lineOf({ catalog, source, destination }: Pair): string {
  return `${catalog} ${source}...${destination}`;
}
