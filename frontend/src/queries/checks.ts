import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { body, client } from "../api/client";
import type { Check } from "../api/resources";
import type { components } from "../api/schema";
import { unlessChanged } from "./edits";
import { refresh } from "./refresh";
import { once, refreshRequest, requestKey, type RequestPlace } from "./requests";

const OF_CATALOG = "/api/v1/catalogs/{catalog}/checks";
const OF_REQUEST = "/api/v1/catalogs/{catalog}/merge-requests/{number}/checks";

/** The assertions that are kept with a catalog. */
export function useChecks(catalog: string) {
  return useQuery({
    queryKey: ["catalog", catalog, "checks"],
    queryFn: async ({ signal }) => (await body(client.GET(`${OF_CATALOG}/`, { params: { path: { catalog } }, signal }))).results,
  });
}

/** `shown`: the check as it was when its editing began; undefined for a new one. */
export type CheckChange = { save: CheckBody; shown: Check | undefined } | { remove: string };

/** A query, or a template with its parameters. */
export type CheckBody = Pick<Check, "name" | "is_required"> & ({ query: string } | { template: Exclude<Check["template"], "">; parameters: Record<string, unknown> });

export function useCheckChange(catalog: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (change: CheckChange): Promise<void> => {
      if ("remove" in change) {
        await client.DELETE(`${OF_CATALOG}/{name}/`, { params: { path: { catalog, name: change.remove } } });
        return;
      }
      const { name, ...fields } = change.save;
      if (change.shown === undefined) {
        await client.POST(`${OF_CATALOG}/`, { params: { path: { catalog }, header: once() }, body: change.save });
        return;
      }
      const path = { catalog, name };
      const header = await unlessChanged(change.shown, fields, client.GET(`${OF_CATALOG}/{name}/`, { params: { path } }));
      await client.PATCH(`${OF_CATALOG}/{name}/`, { params: { path, header }, body: fields });
    },
    onSettled: () => refresh(queries, ["catalog", catalog]),
  });
}

export type DbtTestsAsked = components["schemas"]["DbtTests"];
export type DbtTestsRead = components["schemas"]["DbtTestsAnswer"];

export function useDbtTests(catalog: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (asked: DbtTestsAsked) =>
      body(client.POST("/api/v1/catalogs/{catalog}/dbt-tests/", { params: { path: { catalog }, header: once() }, body: asked })),
    onSettled: (read) => (read?.dry_run ? undefined : refresh(queries, ["catalog", catalog])),
  });
}

/** The checks of a request's catalog with what they last found on it. */
export function useCheckStandings(place: RequestPlace) {
  return useQuery({
    queryKey: [...requestKey(place), "checks"],
    queryFn: async ({ signal }) => (await body(client.GET(`${OF_REQUEST}/`, { params: { path: { ...place } }, signal }))).results,
  });
}

/** Answers the task that runs them, undefined when it is done already. */
export function useChecksRun(place: RequestPlace) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const header = { Prefer: "respond-async", ...once() };
      const answer = await body(client.POST(`${OF_REQUEST}/`, { params: { path: { ...place }, header } }));
      return "id" in answer ? answer.id : undefined;
    },
    onSuccess: () => refreshRequest(queries, place),
  });
}
