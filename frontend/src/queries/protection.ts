import { queryOptions, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { useEffect, useMemo } from "react";

import { body, client, cursorOf } from "../api/client";
import type { ProtectionChoice, ProtectionRule } from "../api/resources";
import { patternMatches } from "../model/branch-pattern";
import { unlessChanged } from "./edits";
import { refresh } from "./refresh";

const AT = "/api/v1/catalogs/{catalog}/protection-rules";

export function useProtectionRules(catalog: string) {
  return useInfiniteQuery({
    queryKey: ["catalog", catalog, "protection rules"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: 100, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET(`${AT}/`, { params: { path: { catalog }, query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
  });
}

/** Tells whether some rule of the catalog protects a branch, by its name; nothing is until the rules are known. */
export function useProtectedNames(catalog: string): (branch: string) => boolean {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useProtectionRules(catalog);
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return useMemo(() => {
    const patterns = data?.pages.flatMap((page) => page.results.map((rule) => rule.pattern)) ?? [];
    return (branch) => patterns.some((pattern) => patternMatches(pattern, branch));
  }, [data]);
}

/** What all rules that match the branch come to. */
export function useProtection(catalog: string, branch: string) {
  return useQuery(protectionQuery(catalog, branch));
}

export function protectionQuery(catalog: string, branch: string) {
  return queryOptions({
    queryKey: ["catalog", catalog, "protection", branch],
    queryFn: ({ signal }) =>
      body(client.GET("/api/v1/catalogs/{catalog}/branches/{branch}/protection/", { params: { path: { catalog, branch } }, signal })),
  });
}

/** `shown`: the rule as it was when its editing began; undefined for a new one. */
export type RuleChange = { save: ProtectionChoice; shown: ProtectionRule | undefined } | { remove: number };

export function useRuleChange(catalog: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (change: RuleChange): Promise<void> => {
      if ("remove" in change) {
        await client.DELETE(`${AT}/{rule_id}/`, { params: { path: { catalog, rule_id: change.remove } } });
      } else if (change.shown === undefined) {
        await client.POST(`${AT}/`, { params: { path: { catalog } }, body: change.save });
      } else {
        const path = { catalog, rule_id: change.shown.id };
        const header = await unlessChanged(change.shown, change.save, client.GET(`${AT}/{rule_id}/`, { params: { path } }));
        await client.PATCH(`${AT}/{rule_id}/`, { params: { path, header }, body: change.save });
      }
    },
    onSettled: () => refresh(queries, ["catalog", catalog]),
  });
}
