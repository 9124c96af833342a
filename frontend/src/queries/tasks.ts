import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { components } from "../api/schema";
import { userName } from "./user";

export type Task = components["schemas"]["TaskAnswer"];
export type TaskSummary = components["schemas"]["TaskSummary"];
export type TaskState = NonNullable<Task["state"]>;

const FINISHED: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled", "lost"]);
const RUNNING_POLL_MS = 1000;
const QUEUED_POLL_MS = 10_000;
/** A task that waits for a worker that is free is taken within moments: at first look as often as while it runs. */
const YOUNG_MS = 30_000;

/** Ended without having done what it was for. */
export function isRetriable(state: string | undefined): boolean {
  return isFinished(state) && state !== "succeeded";
}

export function isFinished(state: string | undefined): boolean {
  return state !== undefined && FINISHED.has(state);
}

/** How long to wait before asking again; false when nothing will change any more. */
export function pollAfter(task: Pick<Task, "state" | "created_at">, now: number): number | false {
  if (isFinished(task.state)) return false;
  const isYoung = now - Date.parse(task.created_at) < YOUNG_MS;
  return task.state === "running" || isYoung ? RUNNING_POLL_MS : QUEUED_POLL_MS;
}

export function useTask(taskId: string) {
  return useQuery({
    queryKey: ["task", taskId],
    queryFn: ({ signal }) => {
      const params = { path: { task_id: taskId } };
      return body(client.GET("/api/v1/tasks/{task_id}/", { params, signal }));
    },
    refetchInterval: (query) => (query.state.data ? pollAfter(query.state.data, Date.now()) : false),
  });
}

export interface TaskFilter {
  state?: TaskState;
  created_by?: string;
  catalog?: string;
  search?: string;
}

export function useTasks(filter: TaskFilter) {
  return useInfiniteQuery({
    queryKey: ["tasks", filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: 50, ...filter, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET("/api/v1/tasks/", { params: { query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
    refetchInterval: (query) => {
      const tasks = query.state.data?.pages.flatMap((page) => page.results) ?? [];
      return tasks.some((task) => !isFinished(task.state)) ? RUNNING_POLL_MS : QUEUED_POLL_MS;
    },
  });
}

/** How many tasks run at this moment, as far as one page tells. */
export function useRunningCount() {
  return useQuery({
    queryKey: ["tasks", "running count"],
    queryFn: async ({ signal }) => {
      const params = { query: { state: "running" as const, limit: 100 } };
      return (await body(client.GET("/api/v1/tasks/", { params, signal }))).results.length;
    },
    refetchInterval: QUEUED_POLL_MS,
  });
}

const NOTICE_POLL_MS = 4000;

/** The ids of the person's tasks that run; asked also while the page is in the background. */
export function useOwnRunning() {
  return useQuery({
    queryKey: ["tasks", "own running"],
    queryFn: async ({ signal }) => {
      const params = { query: { state: "running" as const, created_by: userName(), limit: 200 } };
      return (await body(client.GET("/api/v1/tasks/", { params, signal }))).results.map(({ id }) => id);
    },
    refetchInterval: NOTICE_POLL_MS,
    refetchIntervalInBackground: true,
  });
}

/** One look at a task, past what is kept of it. */
export function taskNow(taskId: string): Promise<Task> {
  return body(client.GET("/api/v1/tasks/{task_id}/", { params: { path: { task_id: taskId } } }));
}

/** Answers the new task that does the same again. */
export function useRetryTask() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (taskId: string) =>
      body(client.POST("/api/v1/tasks/{task_id}/retry/", { params: { path: { task_id: taskId } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["tasks"] }),
  });
}

export function useCancelTask() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (taskId: string) =>
      body(client.POST("/api/v1/tasks/{task_id}/cancel/", { params: { path: { task_id: taskId } } })),
    onSuccess: (task) => {
      queries.setQueryData(["task", task.id], task);
      return queries.invalidateQueries({ queryKey: ["tasks"] });
    },
  });
}
