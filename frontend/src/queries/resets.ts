import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { body, client } from "../api/client";
import { refresh } from "./refresh";

const AT = "/api/v1/catalogs/{catalog}/branches/{branch}/reset/";
const NOTHING = { bypass_reason: "", expected_head: null };

function keyOf(catalog: string, branch: string) {
  return ["catalog", catalog, "branch", branch, "reset"];
}

/** What a reset of the branch would discard. Asked each time that somebody wants to know. */
export function useResetRehearsal(catalog: string, branch: string) {
  return useQuery({
    queryKey: keyOf(catalog, branch),
    queryFn: ({ signal }) => body(client.POST(AT, { params: { path: { catalog, branch } }, body: { ...NOTHING, dry_run: true }, signal })),
    staleTime: 0,
    gcTime: 0,
  });
}

/** `head`: the version that was looked at; no newer commit is discarded. */
export function useReset(catalog: string, branch: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (head: number) => body(client.POST(AT, { params: { path: { catalog, branch } }, body: { ...NOTHING, dry_run: false, expected_head: head } })),
    onSuccess: () => refresh(queries, ["catalog", catalog], keyOf(catalog, branch)),
    onError: () => refresh(queries, ["catalog", catalog]),
  });
}
