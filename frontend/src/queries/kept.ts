import type { QueryKey } from "@tanstack/react-query";

/** What a page shows until its next answer has come: the answer before, where its key begins the same. So another version or
 * filter keeps the list in its place, and rows of another branch never stand under the name of this one. */
export function keptWithin(place: QueryKey) {
  return <Answer>(before: Answer | undefined, query: { queryKey: QueryKey } | undefined): Answer | undefined =>
    query && place.every((part, at) => part === query.queryKey[at]) ? before : undefined;
}
