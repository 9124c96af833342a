import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";

import { configuration, FIELDS, PIPELINE, run } from "../../testing/pipelines";
import { renderAt } from "../../testing/render";
import { type Asked, json, page, problem, serve } from "../../testing/server";

vi.mock("./text-editor", () => import("../../testing/text-editor"));

const AT = "/api/v1/pipelines/7/";
const SEEN = { name: "seen", table_id: 9, columns: ["tailnum", "time_hour"].map((name, id) => ({ id, name, type: "string", nullable: true })) };
const DATABASES = "/api/v1/catalogs/demo/branches/main/databases/";
const tagged = (body: object, tag = '"t3"') => () => json(body, 200, { ETag: tag });
const LAKE = {
  "/api/v1/catalogs/demo/": { name: "demo", role: "contributor" },
  "/api/v1/pipelines/": page([]),
  "/api/v1/pipelines/fields/": FIELDS,
  [AT]: tagged(PIPELINE),
  [DATABASES]: page([{ name: "flights", database_id: 1 }]),
  [`${DATABASES}flights/tables/`]: page([SEEN]),
  [`${DATABASES}flights/tables/seen/`]: SEEN,
};

describe("the source of a pipeline", () => {
  it("says where every field has its value from", async () => {
    serve(LAKE);
    renderAt("/c/demo/pipelines/7");
    const table = await screen.findByRole("region", { name: "Effective configuration" });
    expect(within(table).getByRole("row", { name: "unique_key tailnum source, line 1" })).toBeTruthy();
    expect(within(table).queryByRole("row", { name: /^strict/ })).toBeNull();
    await userEvent.setup().click(screen.getByLabelText(/^all 11 fields/));
    expect(within(table).getByRole("row", { name: "strict false default" })).toBeTruthy();
  });

  it("is tried with what stands in the editors, and shows the SQL that the template makes", async () => {
    const asked = serve({ ...LAKE, [`POST ${AT}dry-run/`]: { configuration: configuration(), sql: "SELECT 42", creates_table: true } });
    const user = userEvent.setup();
    renderAt("/c/demo/pipelines/7");
    await screen.findByRole("button", { name: "Save" });
    await user.type(await screen.findByLabelText("config.yaml"), "strict: true");
    await user.click(screen.getByRole("button", { name: "Show SQL" }));
    expect((await screen.findByRole("region", { name: "Rendered SQL" })).textContent).toBe("SELECT 42");
    expect(screen.getByText("The first run makes flights.seen.")).toBeTruthy();
    expect(asked.find(({ address }) => address.endsWith("/dry-run/"))?.body).toEqual({ source: PIPELINE.source, config: `${PIPELINE.config}strict: true` });
    await user.type(screen.getByLabelText("SQL source"), " ");
    expect(screen.queryByRole("region", { name: "Rendered SQL" })).toBeNull();
  });

  it("shows what a run would write, and writes nothing", async () => {
    const examples = [
      { table: "flights.seen", change: "update_before", row: { tailnum: "N1", time_hour: "a" } },
      { table: "flights.seen", change: "update_after", row: { tailnum: "N1", time_hour: null } },
    ];
    const log = [{ phase: "check", level: "warning", message: "Two rows are left out." }];
    const result = { dry_run: true, metrics: { rows_updated: 1 }, examples, log, parent_merge: { branch: "main", mergeable: true, conflicts: [], notes: [] } };
    const asked = serve({
      ...LAKE,
      [`POST ${AT}runs/`]: () => json({ id: "t-1" }, 202),
      "/api/v1/tasks/t-1/": { id: "t-1", state: "succeeded", created_at: PIPELINE.created_at, result, error: null },
    });
    const user = userEvent.setup();
    renderAt("/c/demo/pipelines/7");
    await user.click(await screen.findByRole("button", { name: "Dry run" }));
    const rows = await screen.findByRole("region", { name: "Examples of rows" });
    expect(within(rows).getByRole("row", { name: "after N1 NULL" })).toBeTruthy();
    expect(screen.getByText(/Two rows are left out/)).toBeTruthy();
    expect(screen.getByText("A merge to main would then have no conflict.")).toBeTruthy();
    const sent = asked.find(({ method, address }) => method === "POST" && address.endsWith("/runs/"));
    expect(sent?.body).toEqual({ dry_run: true, source: PIPELINE.source, config: PIPELINE.config });
    await user.type(screen.getByLabelText("SQL source"), " ");
    expect(screen.queryByRole("region", { name: "Examples of rows" })).toBeNull();
  });

  it("has every mistake named and marked, and keeps what was typed", async () => {
    const errors = [
      { file: "config.yaml", line: 4, column: 1, field: "strikt", message: "There is no key strikt.", remedy: "Did you mean strict?" },
      { file: "source", line: 2, column: null, field: null, message: "Unexpected end.", remedy: "" },
    ];
    serve({ ...LAKE, [`PATCH ${AT}`]: () => problem(422, { code: "INVALID_CONFIG", title: "Invalid configuration", detail: "Two.", errors }) });
    const user = userEvent.setup();
    renderAt("/c/demo/pipelines/7");
    await screen.findByRole("button", { name: "Save" });
    await user.type(await screen.findByLabelText("config.yaml"), "strikt: true");
    await user.click(screen.getByRole("button", { name: "Save" }));
    const alert = await screen.findByRole("alert");
    expect(within(alert).getAllByRole("listitem").map((item) => item.textContent.trim())).toEqual([
      "config.yaml, line 4 There is no key strikt. Did you mean strict?",
      "source, line 2 Unexpected end.",
    ]);
    expect(screen.getByText("marked: There is no key strikt. Did you mean strict?")).toBeTruthy();
    expect(screen.getByText("marked: Unexpected end.")).toBeTruthy();
    expect(screen.getByLabelText<HTMLTextAreaElement>("config.yaml").value).toContain("strikt");
  });

  it("has its mistakes marked as one types, and shows what it comes to", async () => {
    const looked = ({ body }: { body: unknown }) => {
      const { config } = body as { config: string };
      const errors = [{ file: "config.yaml", line: 4, column: 1, field: "strikt", message: "There is no key strikt.", remedy: "Did you mean strict?" }];
      if (config.includes("strikt")) return json({ configuration: null, errors });
      const strict = { strict: { value: true, origin: "config.yaml" as const, line: 4 } };
      return json({ configuration: configuration(config.includes("strict") ? strict : {}), errors: [] });
    };
    const asked = serve({ ...LAKE, "POST /api/v1/pipelines/validate/": looked });
    const user = userEvent.setup();
    renderAt("/c/demo/pipelines/7");
    await screen.findByRole("button", { name: "Save" });
    const config = await screen.findByLabelText("config.yaml");
    await user.type(config, "strikt: true");
    expect(await screen.findByText("marked: There is no key strikt. Did you mean strict?")).toBeTruthy();
    expect(screen.getByText("As it stands it cannot be saved")).toBeTruthy();
    await user.type(config, "{Backspace>12/}strict: true");
    const table = screen.getByRole("region", { name: "Effective configuration" });
    expect(await within(table).findByRole("row", { name: "strict true config.yaml, line 4" })).toBeTruthy();
    expect(screen.queryByText("As it stands it cannot be saved")).toBeNull();
    const last = asked.findLast(({ address }) => address.endsWith("/validate/"));
    expect(last?.body).toEqual({ catalog: "demo", database: "flights", table: "seen", source: PIPELINE.source, config: `${PIPELINE.config}strict: true` });
    expect(asked.some(({ method }) => method === "PATCH")).toBe(false);
  });

  it("is saved only over what it was made from; then one chooses between both", async () => {
    let version = 3;
    const saved = () => json({ ...PIPELINE, version, config: `theirs ${version}\n` }, 200, { ETag: `"t${version}"` });
    const asked = serve({
      ...LAKE,
      [AT]: saved,
      [`PATCH ${AT}`]: ({ headers }) => {
        if (headers.get("If-Match") !== `"t${version}"`) return problem(412, { code: "STALE", title: "Stale", detail: "It was changed since you read it." });
        version += 1;
        return saved();
      },
    });
    const user = userEvent.setup();
    renderAt("/c/demo/pipelines/7");
    await screen.findByRole("button", { name: "Save" });
    await user.type(await screen.findByLabelText("config.yaml"), "mine");
    version = 4;
    await user.click(screen.getByRole("button", { name: "Save" }));
    await user.click(await screen.findByRole("button", { name: "Keep mine, to be saved over it" }));
    expect(screen.getByText("Not saved; it was made from version 4")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Save" }));
    await screen.findByText("Version 5");
    expect(asked.filter(({ method }) => method === "PATCH").map(({ headers }) => headers.get("If-Match"))).toEqual(['"t3"', '"t4"']);
    expect(asked.findLast(({ method }) => method === "PATCH")?.body).toMatchObject({ config: "theirs 3\nmine" });
  });

  it("is not left without a word while something is unsaved", async () => {
    serve(LAKE);
    const user = userEvent.setup();
    const router = renderAt("/c/demo/pipelines/7");
    await screen.findByRole("button", { name: "Save" });
    await user.type(await screen.findByLabelText("SQL source"), "x");
    await user.click(screen.getByRole("tab", { name: "Settings" }));
    await screen.findByLabelText("Schedule");
    await user.click(screen.getByRole("link", { name: "Pipelines" }));
    await user.click(await screen.findByRole("button", { name: "Stay here" }));
    expect(router.state.location.pathname).toBe("/c/demo/pipelines/7");
    await user.click(screen.getByRole("link", { name: "Pipelines" }));
    await user.click(await screen.findByRole("button", { name: "Leave" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/c/demo/pipelines"));
  });

  it("is only looked at and tried by who may not edit", async () => {
    serve({ ...LAKE, "/api/v1/catalogs/demo/": { name: "demo", role: "viewer" } });
    renderAt("/c/demo/pipelines/7");
    expect((await screen.findByLabelText<HTMLTextAreaElement>("SQL source")).readOnly).toBe(true);
    expect(screen.getByRole("button", { name: "Show SQL" })).toBeTruthy();
    for (const name of ["Save", "Run", "Copy", "Dry run"]) expect(screen.queryByRole("button", { name })).toBeNull();
  });
});

describe("running a pipeline", () => {
  it("leads to the run", async () => {
    const found = run({ state: "running", finished_at: null });
    serve({
      ...LAKE,
      [`POST ${AT}runs/`]: () => json({ id: "r-1" }, 202),
      [`${AT}runs/r-1/`]: found,
    });
    const router = renderAt("/c/demo/pipelines/7");
    await userEvent.setup().click(await screen.findByRole("button", { name: "Run" }));
    expect(await screen.findByRole("button", { name: "Cancel" })).toBeTruthy();
    expect(router.state.location.pathname).toBe("/c/demo/pipelines/7/runs/r-1");
  });

  it("takes a message for the history", async () => {
    const asked = serve({ ...LAKE, [`POST ${AT}runs/`]: () => json({ id: "r-1" }, 202), [`${AT}runs/r-1/`]: run() });
    const user = userEvent.setup();
    const router = renderAt("/c/demo/pipelines/7");
    await user.click(await screen.findByRole("button", { name: "Run with a message …" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.type(dialog.getByLabelText("Message for the history (optional)"), "days of May{Enter}");
    await waitFor(() => expect(router.state.location.pathname).toBe("/c/demo/pipelines/7/runs/r-1"));
    expect(asked.find(({ address }) => address === `${AT}runs/`)?.body).toEqual({ dry_run: false, message: "days of May" });
  });

  it("is refused while another run is not finished, and says so", async () => {
    serve({ ...LAKE, [`POST ${AT}runs/`]: () => problem(409, { code: "PIPELINE_BUSY", title: "Busy", detail: "Another run of the pipeline is not finished." }) });
    renderAt("/c/demo/pipelines/7");
    await userEvent.setup().click(await screen.findByRole("button", { name: "Run" }));
    expect((await screen.findByRole("alert")).textContent).toContain("Another run of the pipeline is not finished.");
  });
});

describe("settings of a pipeline", () => {
  it("send what was edited, without blanks around it", async () => {
    const asked = serve({ ...LAKE, [`PATCH ${AT}`]: tagged({ ...PIPELINE, version: 4 }) });
    const user = userEvent.setup();
    renderAt("/c/demo/pipelines/7?tab=settings");
    expect((await screen.findByRole<HTMLButtonElement>("button", { name: "Save" })).disabled).toBe(true);
    await user.clear(screen.getByLabelText("Schedule"));
    await user.type(screen.getByLabelText("Schedule"), " 0 7 * * * ");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(asked.find(({ method }) => method === "PATCH")?.body).toMatchObject({ schedule: "0 7 * * *", name: "last_seen" }));
    expect(asked.find(({ method }) => method === "PATCH")?.headers.get("If-Match")).toBe('"t3"');
  });

  it("show the next runs by the clock of the schedule while it is typed, or why there are none", async () => {
    const asked = serve({
      ...LAKE,
      "/api/v1/pipelines/schedule/": ({ address }: Asked) =>
        address.includes("schedule=0%206%20*%20*%20*&")
          ? json({ next_runs: ["2026-03-28T05:00:00Z", "2026-03-29T04:00:00Z"] })
          : problem(400, { code: "INVALID_VALUE", title: "Invalid value", detail: "'0 6' is no cron line.", remedy: "It has five fields." }),
    });
    const user = userEvent.setup();
    renderAt("/c/demo/pipelines/7?tab=settings");
    const runs = await screen.findByRole("list", { name: "The next runs" });
    expect(runs.textContent).toContain("Sun, 29 Mar 2026, 06:00 Europe/Berlin");
    expect(asked.some(({ address }) => address.includes("schedule_timezone=Europe%2FBerlin"))).toBe(true);
    await user.clear(screen.getByLabelText("Schedule"));
    await user.type(screen.getByLabelText("Schedule"), "0 6");
    expect(await screen.findByText("'0 6' is no cron line. It has five fields.")).toBeTruthy();
  });

  it("take the pipeline away after asking once more", async () => {
    const asked = serve({ ...LAKE, [`DELETE ${AT}`]: () => new Response(null, { status: 204 }) });
    const user = userEvent.setup();
    const router = renderAt("/c/demo/pipelines/7?tab=settings");
    await user.click(await screen.findByRole("button", { name: "Delete the pipeline" }));
    expect(asked.some(({ method }) => method === "DELETE")).toBe(false);
    await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Delete the pipeline" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/c/demo/pipelines"));
  });
});

describe("versions of a pipeline", () => {
  const body = (config: string) => ({ name: "last_seen", layer: "silver", database: "flights", table: "seen", branch: "main", source: PIPELINE.source, config, schedule: "0 6 * * *", schedule_timezone: "UTC" });
  const version = (number: number) => ({ version: number, author: "alice", created_at: PIPELINE.created_at });
  const VERSIONS = {
    ...LAKE,
    [`${AT}versions/`]: page([3, 2, 1].map(version)),
    [`${AT}versions/3/`]: { ...version(3), body: body(PIPELINE.config) },
    [`${AT}versions/2/`]: { ...version(2), body: body("# ours\nmerge_strategy: append_only\n") },
    [`${AT}versions/1/`]: { ...version(1), body: { ...body("# ours\n"), table: "old" } },
  };

  it("show line by line what each changed", async () => {
    serve(VERSIONS);
    renderAt("/c/demo/pipelines/7?tab=versions");
    const diff = await screen.findByRole("region", { name: "What changed in config.yaml" });
    expect(within(diff).getAllByRole("row", { name: /added|removed/ }).map((row) => row.querySelector("code")?.textContent)).toEqual([
      "merge_strategy: append_only", "merge_strategy: incremental", "watermark_column: time_hour",
    ]);
    expect(screen.queryByRole("button", { name: /^Restore/ })).toBeNull();
  });

  it("are restored as a new version", async () => {
    const asked = serve({ ...VERSIONS, [`PATCH ${AT}`]: tagged({ ...PIPELINE, version: 4 }) });
    const user = userEvent.setup();
    renderAt("/c/demo/pipelines/7?tab=versions");
    await user.click(await screen.findByRole("button", { name: /^Version 1/ }));
    await user.click(await screen.findByLabelText("compare it with what is in force"));
    expect((await screen.findByText("old")).tagName).toBe("DEL");
    await user.click(screen.getByRole("button", { name: "Restore version 1" }));
    await user.click(screen.getByRole("button", { name: "Restore" }));
    await waitFor(() => expect(asked.find(({ method }) => method === "PATCH")?.body).toEqual({ ...body("# ours\n"), table: "old" }));
  });
});
