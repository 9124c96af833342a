/** A lakeui server from TypeScript. Addresses, bodies and answers are typed by the server's own OpenAPI document. */
import createClient, { type Client } from "openapi-fetch";

import { type Document, Problem, refusal } from "./problem.js";
import { type Send, retrying } from "./retrying.js";
import { exact } from "./wholes.js";
import type { components, paths } from "./schema.js";

export { type Document, Problem } from "./problem.js";
export type { components, operations, paths } from "./schema.js";

export type Task = components["schemas"]["TaskAnswer"];

/** Answers that are rows of Arrow or CSV are fetched by their address. */
type Json = "application/json";

export interface Options {
  /** The address of the server: https://lake.example.com. */
  url: string;
  /** An access token. */
  token: string;
  /** What sends requests; the platform's `fetch` unless said. */
  fetch?: Send;
  /** How long to pause before the n-th repetition, in milliseconds. */
  pause?: (attempt: number) => number;
}

/** A page of a list. */
export interface Page<Entry> {
  results: Entry[];
  next: string | null;
}

export interface Lake extends Client<paths, Json> {
  /** The content of an answer, and of the task that it became. Throws Problem. */
  done<Content>(answer: Promise<{ data?: Content; response: Response }>): Promise<Finished<Content>>;
  /** The entries of all pages of a list, which are asked for as they are read. */
  entries<Entry>(first: Promise<{ data?: Page<Entry>; response: Response }>): AsyncGenerator<Entry, void>;
}

/** What stays of an answer where a task is waited for. */
export type Finished<Content> = Content extends { kind: string; state: string; steps: unknown } ? never : Content;

const WAIT_SECONDS = 30;

/** A server, as somebody. Every refusal is thrown as a Problem. */
export function createLake({ url, token, fetch = globalThis.fetch, pause }: Options): Lake {
  const base = url.replace(/\/+$/, "");
  const send = retrying(fetch, pause);
  const client = createClient<paths, Json>({ baseUrl: base, fetch: send, headers: { Authorization: `Bearer ${token}` } });
  client.use({
    async onResponse({ response }) {
      if (!response.ok) throw await refusal(response);
      return exact(response);
    },
  });

  async function done<Content>(answer: Promise<{ data?: Content; response: Response }>): Promise<Finished<Content>> {
    const { data, response } = await answer;
    if (response.status !== 202) return data as Finished<Content>;
    let task = data as Task;
    while (task.state === "queued" || task.state === "running") {
      const params = { path: { task_id: task.id }, header: { Prefer: `wait=${WAIT_SECONDS}` } };
      const asked = await client.GET("/api/v1/tasks/{task_id}/", { params });
      task = asked.data as Task;
    }
    if (task.state === "succeeded") return task.result as Finished<Content>;
    const error = { code: task.state.toUpperCase(), ...((task.error as Document | null) ?? {}), task: task.id };
    throw new Problem(error);
  }

  async function* entries<Entry>(first: Promise<{ data?: Page<Entry>; response: Response }>): AsyncGenerator<Entry, void> {
    let page = (await first).data;
    while (page) {
      yield* page.results;
      if (page.next === null) return;
      // What the server says is where it is for others: behind a proxy its own address may be another.
      const { pathname, search } = new URL(page.next, base);
      const path = pathname.slice(Math.max(pathname.indexOf("/api/v1/"), 0));
      const headers = { Accept: "application/json", Authorization: `Bearer ${token}` };
      const response = await send(new Request(`${base}${path}${search}`, { headers }));
      if (!response.ok) throw await refusal(response);
      page = (await (await exact(response)).json()) as Page<Entry>;
    }
  }

  return Object.assign(client, { done, entries });
}

/** A key for the header `Idempotency-Key`: a write that has one happens once, and is sent again where its answer is lost. */
export function onceKey(): string {
  return crypto.randomUUID();
}
