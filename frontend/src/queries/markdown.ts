import { useQuery } from "@tanstack/react-query";

import { body, client } from "../api/client";

/** A text as the server shows it. */
export function useMarkdown(text: string) {
  return useQuery({
    queryKey: ["markdown", text],
    queryFn: async ({ signal }) => (await body(client.POST("/api/v1/markdown/", { body: { text }, signal }))).html,
    staleTime: Infinity,
    gcTime: 0,
  });
}
