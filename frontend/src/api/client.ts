/** The one way to the server: typed by the OpenAPI document, with the session's CSRF token, problems thrown. */
import createClient, { type Middleware } from "openapi-fetch";

import type { Paths } from "./paths";
import { Problem } from "./problem";
import { exact } from "./wholes";

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

const session: Middleware = {
  onRequest({ request }) {
    if (!SAFE.has(request.method)) request.headers.set("X-CSRFToken", cookie("csrftoken"));
    return request;
  },
  async onResponse({ response }) {
    if (response.ok) return exact(response);
    throw new Problem(await problemDocument(response), response.status);
  },
};

// `fetch` is looked up at each call, so that tests can put a server of their own in its place.
export const client = createClient<Paths>({
  baseUrl: window.location.origin,
  fetch: (request) => globalThis.fetch(request),
});
client.use(session);

/** The body of an answer. A 2xx without one would be a fault of the server. */
export async function body<T>(answer: Promise<{ data?: T; response: Response }>): Promise<T> {
  const { data, response } = await answer;
  if (data === undefined) throw new Problem({ detail: "The server sent no content." }, response.status);
  return data;
}

/** The `cursor` in the address of a list's next page. */
export function cursorOf(next: string | null): string | null {
  return next === null ? null : new URL(next, window.location.origin).searchParams.get("cursor");
}

export function cookie(name: string): string {
  const entry = document.cookie.split("; ").find((part) => part.startsWith(`${name}=`));
  return entry ? decodeURIComponent(entry.slice(name.length + 1)) : "";
}

async function problemDocument(response: Response): Promise<Record<string, unknown>> {
  const type = response.headers.get("Content-Type") ?? "";
  return type.includes("json") ? ((await response.json()) as Record<string, unknown>) : {};
}
