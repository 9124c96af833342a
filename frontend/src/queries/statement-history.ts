import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { KeptStatement } from "../api/resources";
import { refresh } from "./refresh";

const AT = "/api/v1/statements/";
const PAGE = 50;
/** While a task runs one of them, its outcome is looked for so often. */
const AGAIN_MS = 2000;

/** What is asked for of the person's statements; empty texts choose nothing. */
export interface StatementChoice {
  catalog: string;
  branch: string;
  outcome: string;
  search: string;
}

/** Statements that the person ran, newest first, from wherever. */
export function useKeptStatements(choice: StatementChoice) {
  return useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: [...historyKey(choice.catalog), choice],
      staleTime: 0,
      initialPageParam: null as string | null,
      queryFn: ({ pageParam, signal }) => {
        const query = { ...asked(choice), limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
        return body(client.GET(AT, { params: { query }, signal }));
      },
      getNextPageParam: (page) => cursorOf(page.next),
      refetchInterval: ({ state }) =>
        state.data?.pages.some(({ results }) => results.some(({ outcome }) => outcome === null)) ? AGAIN_MS : false,
    }),
  );
}

/** Deletes one statement, or all that are chosen. */
export function useStatementsDelete(catalog: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (which: { one: KeptStatement } | { all: StatementChoice }): Promise<void> => {
      if ("one" in which) await client.DELETE(`${AT}{statement_id}/`, { params: { path: { statement_id: which.one.id } } });
      else await client.DELETE(AT, { params: { query: asked(which.all) } });
    },
    onSettled: () => refresh(queries, historyKey(catalog)),
  });
}

function asked(choice: StatementChoice): Partial<StatementChoice> {
  return Object.fromEntries(Object.entries(choice).filter(([, text]) => text !== ""));
}

function historyKey(catalog: string) {
  return ["catalog", catalog, "statements"] as const;
}
