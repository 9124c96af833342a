import { queryOptions, useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { BranchFilter } from "../api/paths";
import type { Role } from "../api/resources";
import { isAtLeast } from "../model/roles";
import { searchText } from "../model/search-text";
import { randomKey } from "./statements";

export function useCatalogs() {
  return useQuery({
    queryKey: ["catalogs"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/catalogs/", { params: { query: { limit: 200 } }, signal })),
  });
}

/** Starts the task that loads a sample lake. */
export function useSampleLoad() {
  return useMutation({
    mutationFn: async (sample: "flights" | "shop") => {
      const header = { Prefer: "respond-async", "Idempotency-Key": randomKey() };
      const answer = await body(client.POST("/api/v1/samples/", { params: { header }, body: { sample } }));
      if (!("id" in answer)) throw new Error("The server did not make a task of this.");
      return answer;
    },
  });
}

/** Catalogs that can be undropped, the last dropped first. */
export function useDroppedCatalogs() {
  return useQuery({
    queryKey: ["catalogs", "dropped"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/dropped-catalogs/", { signal })),
  });
}

export function useCatalog(catalog: string) {
  return useQuery(catalogQuery(catalog));
}

export function catalogQuery(catalog: string) {
  return queryOptions({
    queryKey: ["catalog", catalog],
    queryFn: ({ signal }) => body(client.GET("/api/v1/catalogs/{catalog}/", { params: { path: { catalog } }, signal })),
  });
}

export function useBranches(catalog: string, filter: BranchFilter = {}) {
  return useInfiniteQuery({
    queryKey: ["catalog", catalog, "branches", filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const search = filter.search === undefined ? {} : { search: searchText(filter.search) };
      const query = { limit: 200, ...filter, ...search, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET("/api/v1/catalogs/{catalog}/branches/", { params: { path: { catalog }, query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
    enabled: catalog !== "",
  });
}

/** The tags of a catalog, as many as a list of choices can hold. */
export function useTags(catalog: string) {
  return useQuery({
    queryKey: ["catalog", catalog, "tags"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/catalogs/{catalog}/tags/", { params: { path: { catalog }, query: { limit: 200 } }, signal })),
  });
}

export function useBranch(catalog: string, branch: string) {
  return useQuery(branchQuery(catalog, branch));
}

export function branchQuery(catalog: string, branch: string) {
  return queryOptions({
    queryKey: ["catalog", catalog, "branch", branch],
    queryFn: ({ signal }) => {
      const path = { catalog, branch };
      return body(client.GET("/api/v1/catalogs/{catalog}/branches/{branch}/", { params: { path }, signal }));
    },
  });
}

/** Commits of a page of the branch graph; the graph grows to the left as older pages are asked for. */
export const GRAPH_PAGE = 500;

export function useGraph(catalog: string) {
  return useInfiniteQuery({
    queryKey: ["catalog", catalog, "graph"],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: GRAPH_PAGE, ...(pageParam === null ? {} : { before: pageParam }) };
      return body(client.GET("/api/v1/catalogs/{catalog}/graph/", { params: { path: { catalog }, query }, signal }));
    },
    getNextPageParam: (page) => page.next_before,
  });
}

/** Whether somebody may do what takes this role. False until the role is known; the server decides. */
export function useMay(catalog: string, least: Role): boolean {
  return isAtLeast(useCatalog(catalog).data?.role, least);
}
