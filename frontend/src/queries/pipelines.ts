import { useInfiniteQuery, useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { PipelineFilter } from "../api/paths";
import type { EffectiveConfiguration, NewPipeline, Pipeline, PipelineEdit, PipelineDraft, PipelineText, PipelineTexts } from "../api/resources";
import type { Mistake } from "../model/mistakes";
import { searchText } from "../model/search-text";
import { keptWithin } from "./kept";
import { refresh } from "./refresh";
import { once } from "./requests";
import { statementRun } from "./statements";
import { isFinished, pollAfter } from "./tasks";

const AT = "/api/v1/pipelines/{pipeline_id}";
const PAGE = 100;
export const PREVIEW_ROWS = 20;
const IDLE_POLL_MS = 15_000;
const RUNNING_POLL_MS = 1500;

/** A pipeline with the tag of what was read: an edit says by it what it was made from. */
export interface PipelineRead {
  pipeline: Pipeline;
  tag: string | null;
}

export function usePipelines(filter: PipelineFilter) {
  return useInfiniteQuery({
    queryKey: ["catalog", filter.catalog, "pipelines", filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const search = filter.search === undefined ? {} : { search: searchText(filter.search) };
      const query = { limit: PAGE, ...filter, ...search, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET("/api/v1/pipelines/", { params: { query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
    placeholderData: keptWithin(["catalog", filter.catalog, "pipelines"]),
    refetchInterval: ({ state }) => {
      const found = state.data?.pages.flatMap((page) => page.results) ?? [];
      return found.some(({ last_run }) => last_run && !isFinished(last_run.state)) ? RUNNING_POLL_MS : IDLE_POLL_MS;
    },
  });
}

export function usePipeline(pipelineId: number | undefined) {
  return useQuery({
    queryKey: pipelineKey(pipelineId),
    queryFn: ({ signal }) => read(client.GET(`${AT}/`, { params: { path: { pipeline_id: pipelineId ?? 0 } }, signal })),
    enabled: pipelineId !== undefined,
  });
}

async function read(answer: Promise<{ data?: Pipeline; response: Response }>): Promise<PipelineRead> {
  const pipeline = await body(answer);
  return { pipeline, tag: (await answer).response.headers.get("ETag") };
}

/** Every key of a configuration, in the order in which forms show them. */
export function usePipelineFields() {
  return useQuery({
    queryKey: ["pipeline fields"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/pipelines/fields/", { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** When a schedule that is being typed has its next runs. */
export function useNextRuns(schedule: string, zone: string) {
  return useQuery({
    queryKey: ["next runs", schedule, zone],
    queryFn: ({ signal }) => {
      const query = { schedule, schedule_timezone: zone };
      return body(client.GET("/api/v1/pipelines/schedule/", { params: { query }, signal }));
    },
    enabled: schedule !== "" && zone !== "",
    retry: false,
  });
}

/** The first rows of the query of a pipeline that is not made yet, on its branch, with the reader's rights. */
export function usePipelinePreview(catalog: string) {
  return useMutation({
    mutationFn: async (draft: Omit<PipelineDraft, "catalog">) => {
      const { sql } = await body(client.POST("/api/v1/pipelines/render/", { body: { catalog, ...draft } }));
      const statement = `SELECT * FROM (\n${sql.trim().replace(/;$/, "")}\n) LIMIT ${PREVIEW_ROWS}`;
      return { sql, outcome: await statementRun({ catalog, branch: draft.branch, statement }) };
    },
  });
}

export function usePipelineCreate(catalog: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (pipeline: NewPipeline) => body(client.POST("/api/v1/pipelines/", { body: pipeline })),
    onSuccess: () => refresh(queries, ["catalog", catalog, "pipelines"]),
  });
}

/** Only if no one else changed the pipeline since it was read with that tag. */
export function usePipelineEdit(pipelineId: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ tag, ...edit }: PipelineEdit & { tag: string | null }) => {
      const params = { path: { pipeline_id: pipelineId }, header: ifMatch(tag) };
      // The document's defaults are those of a new pipeline; an edit leaves alone what it does not name.
      return read(client.PATCH(`${AT}/`, { params, body: edit as Required<PipelineEdit> }));
    },
    onSuccess: (saved) => {
      queries.setQueryData(pipelineKey(pipelineId), saved);
      return refreshPipeline(queries, saved.pipeline);
    },
    // Refused because somebody else was faster: what they saved is what the next edit is made from.
    onError: () => queries.invalidateQueries({ queryKey: pipelineKey(pipelineId), exact: true }),
  });
}

export function usePipelineDelete({ id, catalog }: Pipeline) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (tag: string | null): Promise<void> => {
      await client.DELETE(`${AT}/`, { params: { path: { pipeline_id: id }, header: ifMatch(tag) } });
    },
    onSuccess: () => refresh(queries, ["catalog", catalog, "pipelines"]),
  });
}

/** What a run would go by, with the texts of the editors; nothing is executed. */
export function useRehearsal(pipelineId: number) {
  return useMutation({
    mutationFn: (text: PipelineText) =>
      body(client.POST(`${AT}/dry-run/`, { params: { path: { pipeline_id: pipelineId } }, body: text })),
  });
}

/** Answers the task of a dry run: all of a run with these texts but its commit. */
export function useTrialStart(pipelineId: number) {
  return useMutation({
    mutationFn: async (text: PipelineText) => {
      const params = { path: { pipeline_id: pipelineId }, header: { Prefer: "respond-async", ...once() } };
      const answer = await body(client.POST(`${AT}/runs/`, { params, body: { dry_run: true, ...text } }));
      if (!("id" in answer)) throw new Error("The server did not make a task of this.");
      return answer.id;
    },
  });
}

/** What is wrong in texts, and what they come to. */
export interface Validation {
  text: PipelineText;
  configuration: EffectiveConfiguration | null;
  mistakes: readonly Mistake[];
}

/** Of the texts that were asked for last until those of the new ones are known. */
export function usePipelineValidation(texts: PipelineTexts) {
  return useQuery({
    queryKey: ["catalog", texts.catalog, "pipeline texts", texts],
    queryFn: async ({ signal }): Promise<Validation> => {
      const found = await body(client.POST("/api/v1/pipelines/validate/", { body: texts, signal }));
      return { text: { source: texts.source, config: texts.config }, configuration: found.configuration, mistakes: found.errors };
    },
    placeholderData: keptWithin(["catalog", texts.catalog, "pipeline texts"]),
    refetchOnWindowFocus: false,
  });
}

export function usePipelineVersions(pipelineId: number) {
  return useInfiniteQuery({
    queryKey: [...pipelineKey(pipelineId), "versions"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET(`${AT}/versions/`, { params: { path: { pipeline_id: pipelineId }, query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
  });
}

/** A version never changes. There is none before the first one. */
export function usePipelineVersion(pipelineId: number, version: number | undefined) {
  return useQuery({
    queryKey: ["pipeline version", pipelineId, version],
    queryFn: ({ signal }) => {
      const path = { pipeline_id: pipelineId, version: version ?? 0 };
      return body(client.GET(`${AT}/versions/{version}/`, { params: { path }, signal }));
    },
    enabled: version !== undefined && version > 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function usePipelineRuns(pipelineId: number) {
  return useInfiniteQuery({
    queryKey: [...pipelineKey(pipelineId), "runs"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET(`${AT}/runs/`, { params: { path: { pipeline_id: pipelineId }, query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
    refetchInterval: ({ state }) => {
      const runs = state.data?.pages.flatMap((page) => page.results) ?? [];
      return runs.some((run) => !isFinished(run.state)) ? RUNNING_POLL_MS : IDLE_POLL_MS;
    },
  });
}

export function usePipelineRun(pipelineId: number, runId: string) {
  return useQuery({
    queryKey: [...pipelineKey(pipelineId), "run", runId],
    queryFn: ({ signal }) => body(client.GET(`${AT}/runs/{run_id}/`, { params: { path: { pipeline_id: pipelineId, run_id: runId } }, signal })),
    refetchInterval: ({ state }) => (state.data ? pollAfter(state.data, Date.now()) : false),
  });
}

/** Answers the id of the run, which is its task's. What is passed is the message of its commit. */
export function usePipelineStart({ id, catalog }: Pick<Pipeline, "id" | "catalog">) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (message: string) => {
      const params = { path: { pipeline_id: id }, header: { Prefer: "respond-async", ...once() } };
      const answer = await body(client.POST(`${AT}/runs/`, message ? { params, body: { dry_run: false, message } } : { params }));
      if (!("id" in answer)) throw new Error("The server did not make a task of this.");
      return answer.id;
    },
    onSuccess: () => refreshPipeline(queries, { id, catalog }),
  });
}

/** Whether a run of any pipeline of the catalog may fall back to another strategy. */
export function usePipelinePolicy(catalog: string) {
  return useQuery({
    queryKey: ["catalog", catalog, "pipeline policy"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/catalogs/{catalog}/pipeline-policy/", { params: { path: { catalog } }, signal })),
  });
}

export function usePipelinePolicyChange(catalog: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (strict: boolean) =>
      body(client.PATCH("/api/v1/catalogs/{catalog}/pipeline-policy/", { params: { path: { catalog } }, body: { strict } })),
    onSuccess: (policy) => queries.setQueryData(["catalog", catalog, "pipeline policy"], policy),
  });
}

export function pipelineKey(pipelineId: number | undefined) {
  return ["pipeline", pipelineId] as const;
}

/** After anything that was done to a pipeline: it, its runs and versions, and the lists that show it. */
export async function refreshPipeline(queries: QueryClient, { id, catalog }: Pick<Pipeline, "id" | "catalog">): Promise<void> {
  await Promise.all([refresh(queries, pipelineKey(id)), refresh(queries, ["catalog", catalog, "pipelines"])]);
}

function ifMatch(tag: string | null): { "If-Match"?: string } {
  return tag === null ? {} : { "If-Match": tag };
}
