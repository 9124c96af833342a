import { useCallback, useState } from "react";

import type { ComparedObject } from "../../api/resources";
import type { Pair } from "../../queries/compare";
import { objectKey } from "./use-compared";

const STORE = "lakeui viewed";
/** Of so many pairs of branches the browser keeps what was viewed. */
const PAIRS_KEPT = 30;

type Versions = Record<string, number>;
type Seen = Pick<ComparedObject, "kind" | "object_id" | "newest_version">;

/** Which objects of a comparison this person has looked through. A mark ends with the next commit of either branch on the
 * object. It is kept in this browser. */
export function useViewed({ catalog, source, destination }: Pair) {
  const pair = JSON.stringify([catalog, source, destination]);
  const [marked, setMarked] = useState<Versions>(() => stored()[pair] ?? {});
  const isViewed = useCallback((object: Seen) => marked[objectKey(object)] === object.newest_version, [marked]);
  const toggle = (object: Seen) => {
    const { [objectKey(object)]: before, ...others } = marked;
    const next = before === object.newest_version ? others : { ...others, [objectKey(object)]: object.newest_version };
    setMarked(next);
    keep(pair, next);
  };
  return { isViewed, toggle };
}

function stored(): Record<string, Versions> {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(STORE) ?? "{}");
    return typeof found === "object" && found !== null ? (found as Record<string, Versions>) : {};
  } catch {
    return {};
  }
}

/** The pair that was changed last stands last, and the oldest go. */
function keep(pair: string, marked: Versions): void {
  const { [pair]: _, ...others } = stored();
  const kept = Object.entries({ ...others, [pair]: marked }).filter(([, versions]) => Object.keys(versions).length > 0);
  try {
    localStorage.setItem(STORE, JSON.stringify(Object.fromEntries(kept.slice(-PAIRS_KEPT))));
  } catch {
    // Without a store the marks last as long as the page.
  }
}
