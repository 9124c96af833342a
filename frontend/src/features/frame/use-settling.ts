import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useState } from "react";
import { useLocation } from "react-router";

/** The longest that a page waits for what it asks at first; what comes later finds the page drawn. */
const LONGEST_MS = 800;
const LOOK_MS = 25;
/** An answer can lead to the next question: nothing is awaited at so many looks in a row. */
const CALM_LOOKS = 2;

/**
 * Whether the page of the address still waits for what it asks at first. Until then it is laid out and not shown, so that
 * nothing on it moves when an answer comes. `first` is the first page after the browser has loaded the application. A
 * later page that has all of its data is shown at once.
 */
export function useSettling(): "first" | "page" | undefined {
  const { pathname } = useLocation();
  const queries = useQueryClient();
  const [settled, setSettled] = useState<string>();
  useLayoutEffect(() => {
    // eslint-disable-next-line react-hooks/set-state-in-effect -- what is drawn is read from the document, before it is shown
    setSettled((before) => (before === undefined || hasGaps() ? before : pathname));
  }, [pathname]);
  useEffect(() => {
    const begun = performance.now();
    let calm = 0;
    const look = setInterval(() => {
      calm = isAwaiting(queries) ? 0 : calm + 1;
      if (calm < CALM_LOOKS && performance.now() - begun < LONGEST_MS) return;
      clearInterval(look);
      setSettled(pathname);
    }, LOOK_MS);
    return () => clearInterval(look);
  }, [pathname, queries]);
  if (settled === pathname) return undefined;
  return settled === undefined ? "first" : "page";
}

/** A part of the page has no data yet, or its code is on its way. */
function isAwaiting(queries: QueryClient): boolean {
  const isWithoutData = queries.getQueryCache().findAll({ type: "active", fetchStatus: "fetching" }).some(({ state }) => state.status === "pending");
  return isWithoutData || hasGaps();
}

const hasGaps = () => document.querySelector("#main .loading") !== null;
