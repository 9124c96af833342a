import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { pollAfter } from "../../queries/tasks";
import { CONFLICT } from "../../testing/findings";
import { renderAt } from "../../testing/render";
import { problem, serve } from "../../testing/server";
import { signedInAs } from "../../testing/user";
import { JUST_STARTED } from "./just-started";

const TASK = {
  id: "t-1", kind: "sql", state: "running", progress: 0.4, message: "", created_by: "alice", attempts: 1, worker: "w",
  parameters: { statement: "MERGE BRANCH x TO main", catalog: "demo", branch: "main" },
  steps: [
    { name: "plan", detail: "compare both branches", started: "2026-01-01T00:00:00Z", finished: "2026-01-01T00:00:02Z" },
    { name: "rows", detail: "", started: "2026-01-01T00:00:02Z", finished: null },
  ],
  result: null, error: null, created_at: "2026-01-01T00:00:00Z", started_at: "2026-01-01T00:00:00Z", finished_at: null, cancel_requested: false,
};

it("lists the tasks of a state, a catalog and a person", async () => {
  signedInAs("alice");
  const asked = serve({ "/api/v1/tasks/": { next: null, previous: null, results: [TASK] } });
  const user = userEvent.setup();
  renderAt("/tasks");
  await user.selectOptions(await screen.findByRole("combobox", { name: "State" }), "running");
  await user.selectOptions(screen.getByRole("combobox", { name: "Catalog" }), "demo");
  await user.click(screen.getByRole("checkbox", { name: "mine" }));
  const last = () => new URLSearchParams(asked.filter(({ address }) => address.startsWith("/api/v1/tasks/?limit=50")).at(-1)?.address.split("?")[1]);
  const chosen = () => ["state", "catalog", "created_by"].map((name) => last().get(name));
  await waitFor(() => expect(chosen()).toEqual(["running", "demo", "alice"]));
  await user.click(screen.getByRole("checkbox", { name: "mine" }));
  await user.selectOptions(screen.getByRole("combobox", { name: "Catalog" }), "All catalogs");
  await waitFor(() => expect(chosen()).toEqual(["running", null, null]));
});

describe("a task", () => {
  it("shows its steps with their times, how far it is, and that the page may be closed", async () => {
    serve({ "/api/v1/tasks/t-1/": TASK });
    renderAt("/tasks/t-1");
    expect(await screen.findByText("2.0 s")).toBeTruthy();
    expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("40");
    expect(screen.getByText(/You can close this page/)).toBeTruthy();
  });

  it("is named by its statement and its branch", async () => {
    const statement = "UPDATE shop.orders SET status = 'sent' WHERE id IN (SELECT id FROM shop.late)";
    serve({ "/api/v1/tasks/t-1/": { ...TASK, parameters: { statement, catalog: "demo", branch: "fixes" } } });
    renderAt("/tasks/t-1");
    expect((await screen.findByRole("heading", { level: 1 })).textContent).toMatch(/^Task: UPDATE shop.orders SET status = 'sent'.*…/);
    expect(document.title).toMatch(/^UPDATE shop.orders .*… on fixes · lakeui$/);
    const { parentElement: place } = screen.getByRole("link", { name: "fixes" });
    expect(place?.textContent).toBe("on fixes of demo");
  });

  it("of a merge request says of which", async () => {
    serve({ "/api/v1/tasks/t-1/": { ...TASK, kind: "merge request", parameters: { request: 9, number: 3, catalog: "demo" } } });
    renderAt("/tasks/t-1");
    expect(await screen.findByRole("heading", { name: /merge request #3 of demo/ })).toBeTruthy();
  });

  it("is cancelled on request", async () => {
    const asked = serve({ "/api/v1/tasks/t-1/": TASK, "/api/v1/tasks/t-1/cancel/": { ...TASK, cancel_requested: true } });
    const user = userEvent.setup();
    renderAt("/tasks/t-1");
    await user.click(await screen.findByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(asked.some(({ method, address }) => method === "POST" && address.endsWith("/cancel/"))).toBe(true));
  });

  it("leads on to the audit page when a merge that was watched is done", async () => {
    let looks = 0;
    const done = { ...TASK, state: "succeeded", finished_at: "2026-01-01T00:00:03Z", result: { merge_id: "m-1" } };
    serve({ "/api/v1/tasks/t-1/": () => new Response(JSON.stringify(looks++ ? done : TASK), { headers: { "Content-Type": "application/json" } }) });
    const router = renderAt("/tasks/t-1");
    await screen.findByRole("progressbar");
    await waitFor(() => expect(router.state.location.pathname).toBe("/merges/m-1"), { timeout: 4000 });
  });

  it("leads on as well when it was done before the first look", async () => {
    serve({ "/api/v1/tasks/t-1/": { ...TASK, state: "succeeded", finished_at: "2026-01-01T00:00:03Z", result: { merge_id: "m-1" } } });
    const router = renderAt({ pathname: "/tasks/t-1", state: JUST_STARTED });
    await waitFor(() => expect(router.state.location.pathname).toBe("/merges/m-1"));
  });

  it("leads on to the catalog of a sample that is loaded", async () => {
    const done = { ...TASK, kind: "sample", parameters: { sample: "shop" }, state: "succeeded", finished_at: "2026-01-01T00:00:03Z", result: { catalog: "demo_shop" } };
    serve({ "/api/v1/tasks/t-1/": done });
    const router = renderAt({ pathname: "/tasks/t-1", state: JUST_STARTED });
    await waitFor(() => expect(router.state.location.pathname).toBe("/c/demo_shop"));
  });

  it("links to the catalog of a sample that was loaded before", async () => {
    const done = { ...TASK, kind: "sample", parameters: { sample: "shop" }, state: "succeeded", finished_at: "2026-01-01T00:00:03Z", result: { catalog: "demo_shop" } };
    serve({ "/api/v1/tasks/t-1/": done });
    renderAt("/tasks/t-1");
    expect(await screen.findByRole("heading", { name: /Load the sample shop/ })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Open the catalog demo_shop" }).getAttribute("href")).toBe("/c/demo_shop");
  });

  it("stays where it is when it was done before", async () => {
    serve({ "/api/v1/tasks/t-1/": { ...TASK, state: "succeeded", finished_at: "2026-01-01T00:00:03Z", result: { merge_id: "m-1" } } });
    const router = renderAt("/tasks/t-1");
    await screen.findByRole("link", { name: /What changed/ });
    expect(router.state.location.pathname).toBe("/tasks/t-1");
  });

  it("says every conflict that refused a merge, and the way out of each", async () => {
    const error = { status: 409, code: "MERGE_CONFLICT", title: "Merge conflict", detail: "A conflict refuses the merge.", conflicts: [CONFLICT] };
    serve({ "/api/v1/tasks/t-1/": { ...TASK, state: "failed", finished_at: "2026-01-01T00:00:03Z", error } });
    renderAt("/tasks/t-1");
    expect((await screen.findByRole("alert")).textContent).toContain("A conflict refuses the merge.");
    expect(screen.getByText(CONFLICT.message)).toBeTruthy();
    expect(screen.getByText(CONFLICT.remedy)).toBeTruthy();
  });
});

describe("a task that came to nothing", () => {
  const FAILED = { ...TASK, state: "failed", finished_at: "2026-01-01T00:00:03Z", error: { status: 502, code: "ENGINE_ERROR", title: "Engine error", detail: "Spark was lost." } };

  it("leads on to the audit page when the merge was done again before the first look", async () => {
    const done = { ...TASK, id: "t-2", state: "succeeded", finished_at: "2026-01-01T00:00:03Z", result: { merge_id: "m-2" } };
    serve({ "/api/v1/tasks/t-1/": FAILED, "POST /api/v1/tasks/t-1/retry/": { ...TASK, id: "t-2", retry_of: "t-1" }, "/api/v1/tasks/t-2/": done });
    const user = userEvent.setup();
    const router = renderAt("/tasks/t-1");
    await user.click(await screen.findByRole("button", { name: "Retry" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/merges/m-2"));
  });

  it("is done again as a new task, which says what it repeats", async () => {
    const asked = serve({ "/api/v1/tasks/t-1/": FAILED, "POST /api/v1/tasks/t-1/retry/": { ...TASK, id: "t-2", retry_of: "t-1" }, "/api/v1/tasks/t-2/": { ...TASK, id: "t-2", retry_of: "t-1" } });
    const user = userEvent.setup();
    const router = renderAt("/tasks/t-1");
    await user.click(await screen.findByRole("button", { name: "Retry" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/tasks/t-2"));
    expect(asked.filter(({ method }) => method === "POST").map(({ address }) => address)).toEqual(["/api/v1/tasks/t-1/retry/"]);
    expect((await screen.findByRole("link", { name: "an earlier task" })).getAttribute("href")).toBe("/tasks/t-1");
  });

  it("says why when it is somebody else's", async () => {
    serve({ "/api/v1/tasks/t-1/": FAILED, "POST /api/v1/tasks/t-1/retry/": () => problem(403, { code: "PERMISSION_DENIED", title: "Permission denied", detail: "This task is not yours." }) });
    const user = userEvent.setup();
    renderAt("/tasks/t-1");
    await user.click(await screen.findByRole("button", { name: "Retry" }));
    expect(await screen.findByText("This task is not yours.")).toBeTruthy();
  });

  it("is not offered once the work was done", async () => {
    serve({ "/api/v1/tasks/t-1/": { ...TASK, state: "succeeded", finished_at: "2026-01-01T00:00:03Z", result: {} } });
    renderAt("/tasks/t-1");
    await screen.findByRole("heading", { name: "What it did" });
    expect(screen.queryByRole("button", { name: "Retry" })).toBeNull();
  });
});

describe("a task that is a run of a pipeline", () => {
  it("leads to the run, and to the pipeline when it failed", async () => {
    const parameters = { pipeline: 7, version: 3, catalog: "demo", branch: "main", statement: "RUN PIPELINE last_seen" };
    const error = { status: 422, code: "INVALID_CONFIG", title: "Invalid configuration", detail: "There is no key x." };
    serve({ "/api/v1/tasks/t-1/": { ...TASK, kind: "pipeline", parameters, state: "failed", finished_at: "2026-01-01T00:00:03Z", error } });
    renderAt("/tasks/t-1");
    expect((await screen.findByRole("link", { name: "a run of a pipeline" })).getAttribute("href")).toBe("/c/demo/pipelines/7/runs/t-1");
    expect(screen.getByRole("link", { name: "Edit the pipeline" }).getAttribute("href")).toBe("/c/demo/pipelines/7");
    expect(screen.queryByRole("link", { name: "Open in the SQL console" })).toBeNull();
  });
});

describe("asking again", () => {
  const created_at = "2026-01-01T00:00:00Z";
  const after = (seconds: number) => Date.parse(created_at) + seconds * 1000;

  it("is done every second while a task runs, rarely while it waits long, and never once it ended", () => {
    expect(pollAfter({ state: "running", created_at }, after(3600))).toBe(1000);
    expect(pollAfter({ state: "queued", created_at }, after(5))).toBe(1000);
    expect(pollAfter({ state: "queued", created_at }, after(60))).toBe(10_000);
    expect(pollAfter({ state: "lost", created_at }, after(5))).toBe(false);
  });
});
