import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

/** The longest that the page waits for what it asks at first; what comes later finds the page drawn. */
const LONGEST_MS = 800;
const LOOK_MS = 25;
/** An answer can lead to the next question: nothing is awaited at so many looks in a row. */
const CALM_LOOKS = 2;

/**
 * Whether the first page after the browser has loaded the application waits for what it asks. Until then it is laid out
 * and not shown, so that nothing on it moves when an answer comes. Later pages are drawn at once: what is not shown
 * cannot get the focus.
 */
export function useSettling(): boolean {
  const queries = useQueryClient();
  const [isSettling, setSettling] = useState(true);
  useEffect(() => {
    if (!isSettling) return undefined;
    const begun = performance.now();
    let calm = 0;
    const look = setInterval(() => {
      calm = isAwaiting(queries) ? 0 : calm + 1;
      if (calm >= CALM_LOOKS || performance.now() - begun >= LONGEST_MS) setSettling(false);
    }, LOOK_MS);
    return () => clearInterval(look);
  }, [isSettling, queries]);
  return isSettling;
}

/** A part of the page has no data yet, or its code is on its way. */
function isAwaiting(queries: QueryClient): boolean {
  const isWithoutData = queries.getQueryCache().findAll({ type: "active", fetchStatus: "fetching" }).some(({ state }) => state.status === "pending");
  return isWithoutData || document.querySelector("#main .loading") !== null;
}
