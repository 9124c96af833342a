import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { Member, Role } from "../api/resources";
import { unlessChanged } from "./edits";
import { keptWithin } from "./kept";
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
    placeholderData: keptWithin(["catalog", catalog, "members"]),
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
    placeholderData: keptWithin(["catalog", catalog, "candidates"]),
  });
}

export type MemberChange =
  | { do: "add"; username: string; role: Role }
  | { do: "change"; shown: Member; role: Role }
  | { do: "remove"; username: string };

export function useMemberChange(catalog: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (change: MemberChange): Promise<void> => {
      if (change.do === "add") {
        await client.POST(`${AT}/`, { params: { path: { catalog } }, body: { username: change.username, role: change.role } });
      } else if (change.do === "remove") {
        await client.DELETE(`${AT}/{username}/`, { params: { path: { catalog, username: change.username } } });
      } else {
        const path = { catalog, username: change.shown.username };
        const header = await unlessChanged(change.shown, { role: change.role }, client.GET(`${AT}/{username}/`, { params: { path } }));
        await client.PATCH(`${AT}/{username}/`, { params: { path, header }, body: { role: change.role } });
      }
    },
    onSettled: () => refresh(queries, ["catalog", catalog]),
  });
}
