import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { TokenScope } from "../api/resources";
import type { components } from "../api/schema";

export type Token = components["schemas"]["TokenAnswer"];

const KEY = ["tokens"] as const;

/** The signed-in user's own tokens. */
export function useTokens() {
  return useInfiniteQuery({
    queryKey: KEY,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = pageParam === null ? {} : { cursor: pageParam };
      return body(client.GET("/api/v1/tokens/", { params: { query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
  });
}

/** The answer carries the token itself, which is never shown again. */
export function useTokenCreate() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (token: { name: string; expires_at: string | null; scopes: TokenScope[]; catalogs: string[] | null }) => body(client.POST("/api/v1/tokens/", { body: token })),
    onSuccess: () => queries.invalidateQueries({ queryKey: KEY }),
  });
}

export function useTokenRevoke() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (token: Token) => client.DELETE("/api/v1/tokens/{token_id}/", { params: { path: { token_id: token.id } } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: KEY }),
  });
}
