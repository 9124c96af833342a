import { useCallback, useMemo, useState } from "react";
import { useSearchParams } from "react-router";

import type { ComparedObject } from "../../api/resources";
import { compareFilterOf } from "../../model/compare-filter";
import { useComparison, type Pair } from "../../queries/compare";
import { useKeys } from "../frame/use-keys";

/** The comparison of a pair with the filter and the chosen object that the address names, and the keys that move in it. */
export function useCompared(pair: Pair) {
  const [query, setQuery] = useSearchParams();
  const filter = compareFilterOf(query);
  const comparison = useComparison(pair, filter);
  const pages = comparison.data?.pages;
  const objects = useMemo(() => pages?.flatMap((page) => page.results) ?? [], [pages]);
  // Where the address names none it is the first, and stays so when the order changes by what is decided.
  const [first, setFirst] = useState("");
  if (first === "" && objects[0] && !comparison.isPlaceholderData) setFirst(objectKey(objects[0]));
  const chosenKey = query.get("object") ?? first;
  const place = objects.findIndex((object) => objectKey(object) === chosenKey);
  const choose = useCallback(
    (object: ComparedObject | undefined) => {
      if (!object) return;
      setQuery((before) => changed(before, { object: objectKey(object), cell: undefined }), { replace: true });
    },
    [setQuery],
  );
  useKeys({
    j: () => choose(objects[place + 1]),
    k: () => choose(objects[place - 1]),
    n: () => choose(objects.slice(place + 1).find(isConflict)),
    p: () => choose(objects.slice(0, Math.max(0, place)).findLast(isConflict)),
  });
  const onFilter = (more: { search?: string; verdict?: string; kind?: string; since_review?: string }) => {
    setFirst("");
    setQuery((before) => changed(before, { ...more, object: undefined }), { replace: true });
  };
  return { comparison, summary: pages?.[0], objects, place, chosenKey, choose, filter, onFilter };
}

export type Compared = ReturnType<typeof useCompared>;

export function objectKey(object: { kind: string; object_id: number }): string {
  return `${object.kind}:${object.object_id}`;
}

function isConflict(object: ComparedObject): boolean {
  return object.verdict === "conflict";
}

function changed(before: URLSearchParams, values: Record<string, string | undefined>): URLSearchParams {
  const after = new URLSearchParams(before);
  for (const [name, value] of Object.entries(values)) {
    if (value) after.set(name, value);
    else after.delete(name);
  }
  return after;
}
