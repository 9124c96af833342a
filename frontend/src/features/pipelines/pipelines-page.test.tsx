import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";

import { FIELDS, PIPELINE, run, summary } from "../../testing/pipelines";
import { renderAt } from "../../testing/render";
import { json, page, problem, serve } from "../../testing/server";

vi.mock("./text-editor", () => import("../../testing/text-editor"));

const POLICY = "/api/v1/catalogs/demo/pipeline-policy/";
const lake = (role = "maintainer") => ({
  "/api/v1/catalogs/demo/": { name: "demo", role },
  "/api/v1/pipelines/": page([summary({ next_run_at: "2026-01-03T06:00:00Z", last_run: run({ degraded: true }) }), summary({ id: 8, name: "routes", schedule: "", last_run: null })]),
  "/api/v1/pipelines/fields/": FIELDS,
  "/api/v1/pipelines/7/": PIPELINE,
  [POLICY]: { strict: false },
});

describe("the pipelines of a catalog", () => {
  it("say where rows go and how, when they run, and how it went last", async () => {
    serve(lake());
    renderAt("/c/demo/pipelines");
    const [first, second] = within(await screen.findByRole("list", { name: "Pipelines" })).getAllByRole("listitem");
    expect(first?.textContent).toMatch(/last_seen.*silver.*flights\.seen on.*main · alice.*incremental.*0 6 \* \* \*.*next/);
    expect(screen.getByRole("link", { name: "Last run: succeeded, degraded" }).getAttribute("href")).toBe("/c/demo/pipelines/7/runs/r-1");
    expect(second?.textContent).toMatch(/no schedule.*never ran/);
  });

  it("are found by name and branch, which the address keeps", async () => {
    const asked = serve(lake());
    const user = userEvent.setup();
    const router = renderAt("/c/demo/pipelines?branch=main");
    await user.type(await screen.findByLabelText("Find by name or table"), "seen");
    await waitFor(() => expect(router.state.location.search).toBe("?branch=main&search=seen"));
    await waitFor(() => expect(asked.some(({ address }) => /pipelines\/\?.*search=seen&branch=main&catalog=demo/.test(address))).toBe(true));
  });

  it("are found from everywhere by the palette", async () => {
    serve({ ...lake(), "/api/v1/search/": { results: [] } });
    const user = userEvent.setup();
    const router = renderAt("/c/demo/pipelines");
    await screen.findByRole("link", { name: "last_seen" });
    await user.keyboard("{Control>}k{/Control}");
    await user.type(screen.getByRole("combobox", { name: /^Search/ }), "last_s");
    await user.click(await screen.findByRole("option", { name: "last_seen pipeline into flights.seen" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/c/demo/pipelines/7"));
  });

  it("may be strict as a whole, which a maintainer decides", async () => {
    const asked = serve({ ...lake(), [`PATCH ${POLICY}`]: { strict: true } });
    renderAt("/c/demo/pipelines");
    const strict = await screen.findByRole<HTMLInputElement>("checkbox", { name: /^Strict/ });
    await userEvent.setup().click(strict);
    await waitFor(() => expect(strict.checked).toBe(true));
    expect(asked.find(({ method }) => method === "PATCH")?.body).toEqual({ strict: true });
  });

  it("are only looked at by a viewer", async () => {
    serve(lake("viewer"));
    renderAt("/c/demo/pipelines");
    await screen.findByRole("link", { name: "last_seen" });
    expect(screen.queryByRole("link", { name: "New pipeline" })).toBeNull();
    expect((await screen.findByRole<HTMLInputElement>("checkbox", { name: /^Strict/ })).disabled).toBe(true);
  });
});

describe("a new pipeline", () => {
  it("is made from what was said, as a copy writes a table of its own", async () => {
    const asked = serve({ ...lake(), "POST /api/v1/pipelines/": () => json({ ...PIPELINE, id: 9, name: "last_seen_copy" }, 201), "/api/v1/pipelines/9/": { ...PIPELINE, id: 9 } });
    const user = userEvent.setup();
    const router = renderAt("/c/demo/pipelines/new?from=7");
    await user.type(await screen.findByLabelText("Layer"), "2");
    await user.click(screen.getByRole("button", { name: "Create the pipeline" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/c/demo/pipelines/9"));
    expect(asked.find(({ method, address }) => method === "POST" && address === "/api/v1/pipelines/")?.body).toEqual({
      catalog: "demo", name: "last_seen_copy", layer: "silver2", database: "flights", table: "seen_copy", branch: "main", schedule: "", schedule_timezone: "UTC",
      source: PIPELINE.source, config: PIPELINE.config,
    });
  });

  it("is not sent before it is complete, and keeps what was typed when it is refused", async () => {
    serve({ ...lake(), "POST /api/v1/pipelines/": () => problem(409, { code: "ALREADY_EXISTS", title: "Already exists", detail: "There is a pipeline seen." }) });
    const user = userEvent.setup();
    renderAt("/c/demo/pipelines/new?database=flights&table=seen");
    const create = await screen.findByRole<HTMLButtonElement>("button", { name: "Create the pipeline" });
    await user.clear(screen.getByLabelText("Name"));
    expect(create.disabled).toBe(true);
    await user.type(screen.getByLabelText("Name"), "seen");
    await user.click(create);
    expect((await screen.findByRole("alert")).textContent).toContain("There is a pipeline seen.");
    expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("seen");
  });

  it("shows the first rows of its query before it is made, as its texts stand", async () => {
    const rows = { columns: [{ name: "carrier", type: "string" }], rows: [["UA"], ["AA"]], version: 3, metrics: {} };
    const asked = serve({
      ...lake(),
      "POST /api/v1/pipelines/render/": () => json({ configuration: PIPELINE.configuration, sql: "SELECT carrier\nFROM flights.flights -- all\n;", creates_table: true }),
      "POST /api/v1/sql/": () => json(rows),
    });
    const user = userEvent.setup();
    renderAt("/c/demo/pipelines/new?branch=delays");
    const button = await screen.findByRole<HTMLButtonElement>("button", { name: "Preview 20 rows" });
    expect(button.disabled).toBe(true);
    expect(screen.getByText("Name the database and the table first.")).toBeTruthy();
    expect(screen.getByText("What can I write here?").closest("details")?.textContent).toContain("{{ this }}");
    await user.type(screen.getByLabelText("Database"), "flights");
    await user.type(screen.getByLabelText("Table"), "seen");
    await user.click(button);
    const seen = await screen.findByRole("region", { name: "Preview" });
    expect(within(seen).getByText("UA")).toBeTruthy();
    expect(seen.textContent).toContain("2 rows: all that the query finds. Nothing was written.");
    const sent = (at: string) => asked.find(({ method, address }) => method === "POST" && address === at)?.body;
    expect(sent("/api/v1/pipelines/render/")).toMatchObject({ catalog: "demo", branch: "delays", database: "flights", table: "seen", config: "merge_strategy: full_refresh\n" });
    expect(sent("/api/v1/sql/")).toMatchObject({ catalog: "demo", branch: "delays", statement: "SELECT * FROM (\nSELECT carrier\nFROM flights.flights -- all\n\n) LIMIT 20" });
    await user.type(screen.getByLabelText("Table"), "2");
    expect(screen.queryByRole("region", { name: "Preview" })).toBeNull();
  });

  it("says why its query has no preview", async () => {
    serve({ ...lake(), "POST /api/v1/pipelines/render/": () => problem(422, { code: "INVALID_CONFIG", title: "Invalid configuration", detail: "…", errors: [{ file: "source", line: 2, column: null, field: null, message: "nothing is unknown.", remedy: "" }] }) });
    const user = userEvent.setup();
    renderAt("/c/demo/pipelines/new?database=flights&table=seen");
    await user.click(await screen.findByRole("button", { name: "Preview 20 rows" }));
    expect((await screen.findByRole("alert")).textContent).toContain("nothing is unknown.");
  });

  it("runs as a preset says, or by a line of its own", async () => {
    serve(lake());
    const user = userEvent.setup();
    renderAt("/c/demo/pipelines/new?database=flights&table=seen");
    const preset = await screen.findByLabelText<HTMLSelectElement>("When it runs");
    const schedule = screen.getByLabelText<HTMLInputElement>("Schedule");
    expect(preset.selectedOptions[0]?.text).toBe("only by hand");
    await user.selectOptions(preset, "Monday to Friday at 06:00");
    expect(schedule.value).toBe("0 6 * * mon-fri");
    await user.clear(schedule);
    await user.type(schedule, "5 7 * * *");
    expect(preset.selectedOptions[0]?.text).toBe("as the schedule says");
  });

  it("begins with the choice of a strategy, and writes it with what it needs into the file", async () => {
    const asked = serve({ ...lake(), "POST /api/v1/pipelines/": () => json({ ...PIPELINE, id: 9 }, 201), "/api/v1/pipelines/9/": { ...PIPELINE, id: 9 } });
    const user = userEvent.setup();
    const router = renderAt("/c/demo/pipelines/new?database=flights&table=seen");
    const cards = await screen.findAllByRole("radio");
    expect(cards).toHaveLength(6);
    const file = await screen.findByText("As file: config.yaml");
    expect(cards[0]?.compareDocumentPosition(file)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    expect(file.closest("details")?.open).toBe(false);
    await user.click(screen.getByRole("radio", { name: /^Snapshot/ }));
    await user.type(await screen.findByLabelText(/^partition_column/), "day");
    await user.click(screen.getByRole("button", { name: "Create the pipeline" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/c/demo/pipelines/9"));
    expect(asked.find(({ method, address }) => method === "POST" && address === "/api/v1/pipelines/")?.body).toMatchObject({
      config: "merge_strategy: snapshot\npartition_column: day\n",
    });
  });
});
