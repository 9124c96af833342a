import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { Role } from "../api/resources";
import { refresh } from "./refresh";

const AT = "/api/v1/catalogs/{catalog}/members";
const FOUND = 10;

export function useMembers(catalog: string, search = "") {
  return useInfiniteQuery({
    queryKey: ["catalog", catalog, "members", search],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: 100, ...(search ? { search } : {}), ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET(`${AT}/`, { params: { path: { catalog }, query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
    placeholderData: (before) => before,
  });
}

/** Who has no role in the catalog yet. */
export function useCandidates(catalog: string, search: string) {
  return useQuery({
    queryKey: ["catalog", catalog, "candidates", search],
    queryFn: async ({ signal }) => {
      const query = { limit: FOUND, ...(search ? { search } : {}) };
      const page = await body(client.GET("/api/v1/catalogs/{catalog}/candidates/", { params: { path: { catalog }, query }, signal }));
      return page.results;
    },
    placeholderData: (before) => before,
  });
}

export type MemberChange = { do: "add" | "change"; username: string; role: Role } | { do: "remove"; username: string };

export function useMemberChange(catalog: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (change: MemberChange): Promise<void> => {
      const path = { catalog, username: change.username };
      if (change.do === "add") await client.POST(`${AT}/`, { params: { path: { catalog } }, body: { username: change.username, role: change.role } });
      else if (change.do === "change") await client.PATCH(`${AT}/{username}/`, { params: { path }, body: { role: change.role } });
      else await client.DELETE(`${AT}/{username}/`, { params: { path } });
    },
    onSuccess: () => refresh(queries, ["catalog", catalog]),
  });
}
