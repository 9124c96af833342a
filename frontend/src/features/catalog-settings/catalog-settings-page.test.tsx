import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { PROTECTED } from "../../testing/review";
import { json, page, problem, serve } from "../../testing/server";
import { signedInAs } from "../../testing/user";

const AT = "/api/v1/catalogs/demo/";
const since = "2026-01-01T00:00:00Z";
const BOB = { username: "bob", full_name: "Bob", is_active: true, role: "reviewer", created_at: since };
const { is_protected, patterns, ...ASKED } = PROTECTED;
const RULE = { ...ASKED, id: 4, pattern: "main", created_at: since, created_by: "alice" };
const CHECK = { name: "no_nulls", query: "SELECT 1", is_required: false, created_by: "alice", created_at: since };
const LAKE = {
  [AT]: { name: "demo", role: "owner" },
  "/api/v1/inbox/": page([]),
  [`${AT}members/`]: page([BOB]),
  [`${AT}candidates/`]: page([{ username: "carol", full_name: "Carol" }]),
  [`${AT}protection-rules/`]: page([RULE]),
  [`${AT}checks/`]: { results: [CHECK] },
};

beforeEach(() => {
  signedInAs("alice");
});

describe("members", () => {
  it("are added, get another role, and are removed after asking once more", async () => {
    const asked = serve({
      ...LAKE,
      [`POST ${AT}members/`]: () => json(BOB, 201),
      [`${AT}members/bob/`]: BOB,
      [`PATCH ${AT}members/bob/`]: BOB,
      [`DELETE ${AT}members/bob/`]: () => new Response(null, { status: 204 }),
    });
    const user = userEvent.setup();
    renderAt("/c/demo/settings");
    await user.type(await screen.findByLabelText("User name"), "carol");
    await user.click(screen.getByRole("button", { name: "Add" }));
    await waitFor(() => expect(asked.find(({ method }) => method === "POST")?.body).toEqual({ username: "carol", role: "contributor" }));
    await user.selectOptions(screen.getByLabelText("Role of bob"), "maintainer");
    await waitFor(() => expect(asked.find(({ method }) => method === "PATCH")?.body).toEqual({ role: "maintainer" }));
    await user.click(screen.getByRole("button", { name: "Remove bob" }));
    expect(asked.some(({ method }) => method === "DELETE")).toBe(false);
    await user.click(screen.getByRole("button", { name: "Remove" }));
    await waitFor(() => expect(asked.some(({ method }) => method === "DELETE")).toBe(true));
  });

  it("are only looked at by who is no owner", async () => {
    serve({ ...LAKE, [AT]: { name: "demo", role: "maintainer" } });
    renderAt("/c/demo/settings");
    const row = within(await screen.findByRole("list", { name: "Members" })).getByRole("listitem");
    expect(within(row).getByText("reviewer")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Remove bob" })).toBeNull();
    expect(screen.queryByLabelText("User name")).toBeNull();
  });

  it("say why the server keeps the last owner", async () => {
    serve({ ...LAKE, [`${AT}members/bob/`]: BOB, [`PATCH ${AT}members/bob/`]: () => problem(400, { title: "Invalid", detail: "A catalog keeps an owner.", remedy: "Name another first." }) });
    const user = userEvent.setup();
    renderAt("/c/demo/settings");
    await user.selectOptions(await screen.findByLabelText("Role of bob"), "viewer");
    expect(await screen.findByText("A catalog keeps an owner.")).toBeTruthy();
  });
});

describe("merging", () => {
  const at = `${AT}settings/`;

  it("says what counts as a conflict, and is changed by an owner", async () => {
    const asked = serve({ ...LAKE, [at]: () => json({ merge_conflicts: "file" }, 200, { ETag: '"s1"' }), [`PATCH ${at}`]: { merge_conflicts: "row" } });
    const user = userEvent.setup();
    renderAt("/c/demo/settings?tab=merging");
    expect((await screen.findByLabelText<HTMLInputElement>(/^The same data file/)).checked).toBe(true);
    await user.click(screen.getByLabelText(/^The same row/));
    await waitFor(() => expect(asked.find(({ method }) => method === "PATCH")?.body).toEqual({ merge_conflicts: "row" }));
    expect(asked.find(({ method }) => method === "PATCH")?.headers.get("If-Match")).toBe('"s1"');
  });

  it("is only looked at by who is no owner", async () => {
    serve({ ...LAKE, [AT]: { name: "demo", role: "maintainer" }, [at]: { merge_conflicts: "cell" } });
    renderAt("/c/demo/settings?tab=merging");
    const chosen = await screen.findByLabelText<HTMLInputElement>(/^The same cell/);
    expect(chosen.checked).toBe(true);
    expect(screen.getByRole("group", { name: /^A conflict is/ }).matches(":disabled")).toBe(true);
  });

  it("says why the server refuses a setting", async () => {
    const refusal = { title: "Not supported yet", detail: "merge.conflicts = 'row' needs merging by lineage, which is off.", remedy: "Start it." };
    serve({ ...LAKE, [at]: { merge_conflicts: "file" }, [`PATCH ${at}`]: () => problem(400, refusal) });
    const user = userEvent.setup();
    renderAt("/c/demo/settings?tab=merging");
    await user.click(await screen.findByLabelText(/^The same row/));
    expect(await screen.findByText(refusal.detail)).toBeTruthy();
  });
});

describe("protection", () => {
  it("is said in words, and changed field by field", async () => {
    const one = `${AT}protection-rules/4/`;
    const asked = serve({ ...LAKE, [one]: () => json(RULE, 200, { ETag: '"r1"' }), [`PATCH ${one}`]: RULE });
    const user = userEvent.setup();
    renderAt("/c/demo/settings?tab=protection");
    expect(await screen.findByText(/^2 approvals, merged by a maintainer or above/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Change the rule of main" }));
    const dialog = screen.getByRole("dialog");
    await user.clear(within(dialog).getByLabelText("Approvals, of distinct people"));
    await user.type(within(dialog).getByLabelText("Approvals, of distinct people"), "3");
    await user.type(within(dialog).getByRole("combobox", { name: "Checks that must have passed" }), "no_nulls{Enter}");
    await user.click(within(dialog).getByLabelText(/Owners may go past all this/));
    await user.click(within(dialog).getByRole("button", { name: "Save" }));
    await waitFor(() =>
      expect(asked.find(({ method }) => method === "PATCH")?.body).toEqual({
        ...ASKED, pattern: "main", required_approvals: 3, required_checks: ["no_nulls"], allow_bypass: false,
      }),
    );
    expect(asked.find(({ method }) => method === "PATCH")?.headers.get("If-Match")).toBe('"r1"');
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("gets merge policies by a form", async () => {
    const one = `${AT}protection-rules/4/`;
    const asked = serve({ ...LAKE, [one]: () => json(RULE, 200, { ETag: '"r1"' }), [`PATCH ${one}`]: RULE });
    const user = userEvent.setup();
    renderAt("/c/demo/settings?tab=protection");
    await user.click(await screen.findByRole("button", { name: "Change the rule of main" }));
    const dialog = screen.getByRole("dialog");
    await user.click(within(dialog).getByRole("button", { name: "Add a policy" }));
    const policy = within(dialog).getByRole("group", { name: "Policy the new policy" });
    await user.type(within(policy).getByLabelText("Name of the policy"), "small");
    await user.type(within(policy).getByRole("combobox", { name: /Only these tables/ }), "sales.*{Enter}");
    await user.clear(within(policy).getByLabelText("At most so many changed rows"));
    await user.type(within(policy).getByLabelText(/Conditions that each changed row fulfils/), "new.v > 0");
    await user.click(within(policy).getByLabelText(/lakeui merges by itself/));
    await user.click(within(dialog).getByRole("button", { name: "Save" }));
    await waitFor(() => expect(asked.some(({ method }) => method === "PATCH")).toBe(true));
    expect(asked.find(({ method }) => method === "PATCH")?.body).toMatchObject({
      policies: [{ name: "small", tables: ["sales.*"], max_rows: null, rules: [{ condition: "new.v > 0" }], merges: true }],
    });
  });

  it("is not overwritten where another owner changed it after it was opened", async () => {
    const asked = serve({ ...LAKE, [`${AT}protection-rules/4/`]: { ...RULE, required_approvals: 5 } });
    const user = userEvent.setup();
    renderAt("/c/demo/settings?tab=protection");
    await user.click(await screen.findByRole("button", { name: "Change the rule of main" }));
    const dialog = screen.getByRole("dialog");
    await user.click(within(dialog).getByLabelText(/Owners may go past all this/));
    await user.click(within(dialog).getByRole("button", { name: "Save" }));
    expect(await within(dialog).findByText("Somebody else changed this after you opened it: required approvals.")).toBeTruthy();
    expect(asked.some(({ method }) => method === "PATCH")).toBe(false);
  });

  it("is new with the strict choices", async () => {
    const asked = serve({ ...LAKE, [`${AT}protection-rules/`]: page([]), [`POST ${AT}protection-rules/`]: () => json(RULE, 201) });
    const user = userEvent.setup();
    renderAt("/c/demo/settings?tab=protection");
    await screen.findByText("No branch is protected");
    await user.click(screen.getByRole("button", { name: "Protect branches" }));
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() =>
      expect(asked.find(({ method }) => method === "POST")?.body).toMatchObject({ pattern: "main", required_approvals: 1, refuse_direct_writes: true }),
    );
  });
});

describe("checks", () => {
  it("are tried on main before they are kept", async () => {
    const asked = serve({
      ...LAKE,
      "POST /api/v1/sql/": { columns: [{ name: "x", type: "int" }], rows: [[7]], row_count: 1, truncated: false, version: null, metrics: {} },
      [`POST ${AT}checks/`]: () => json(CHECK, 201),
    });
    const user = userEvent.setup();
    renderAt("/c/demo/settings?tab=checks");
    await user.click(await screen.findByRole("button", { name: "New check" }));
    await user.type(screen.getByLabelText("Name"), "no_sevens");
    await user.selectOptions(screen.getByLabelText("What it checks"), "A query of my own");
    await user.type(screen.getByLabelText("A query over the merged result. The check fails if it returns rows."), "SELECT 7 AS x");
    await user.click(screen.getByRole("button", { name: "Try it on main" }));
    expect(await screen.findByText("✕ It finds 1 row.")).toBeTruthy();
    expect(screen.getByRole("cell", { name: "7" })).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() =>
      expect(asked.find(({ method, address }) => method === "POST" && address === `${AT}checks/`)?.body).toEqual({
        name: "no_sevens", query: "SELECT 7 AS x", is_required: false,
      }),
    );
  });

  it("are made of templates without SQL", async () => {
    const asked = serve({ ...LAKE, [`POST ${AT}checks/`]: () => json(CHECK, 201) });
    const user = userEvent.setup();
    renderAt("/c/demo/settings?tab=checks");
    await user.click(await screen.findByRole("button", { name: "New check" }));
    await user.type(screen.getByLabelText("Name"), "carriers");
    await user.selectOptions(screen.getByLabelText("What it checks"), "Only these values in a column");
    await user.type(screen.getByLabelText("Table, as database.table"), "flights.flights");
    await user.type(screen.getByLabelText("Column"), "carrier");
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(true);
    await user.type(screen.getByLabelText("Values, with commas between them"), "AA, UA");
    await user.click(screen.getByLabelText("Only of rows that the merge inserts or updates"));
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() =>
      expect(asked.find(({ method, address }) => method === "POST" && address === `${AT}checks/`)?.body).toEqual({
        name: "carriers",
        template: "accepted_values",
        parameters: { table: "flights.flights", column: "carrier", values: ["AA", "UA"], rows: "changed" },
        is_required: false,
      }),
    );
  });

  it("come from tests of dbt, which are shown before they are made", async () => {
    const check = { name: "unique: d.t.id", template: "unique", parameters: {}, query: "SELECT 1", note: "", outcome: "made" };
    const not_read = [{ line: 7, test: "own of d.t", reason: "lakeui knows not_null." }];
    const asked = serve({ ...LAKE, [`POST ${AT}dbt-tests/`]: { dry_run: true, checks: [check], not_read } });
    const user = userEvent.setup();
    renderAt("/c/demo/settings?tab=checks");
    await user.click(await screen.findByRole("button", { name: "Import dbt tests" }));
    await user.type(screen.getByLabelText("Its text"), "models: 1");
    await user.type(screen.getByLabelText("Database of its models"), "d");
    await user.click(screen.getByRole("button", { name: "Read the tests" }));
    expect(await screen.findByText("1 test is not read:")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Make 1 check" }));
    await waitFor(() => {
      const sent = asked.filter(({ address }) => address === `${AT}dbt-tests/`).map(({ body }) => body);
      expect(sent).toEqual([true, false].map((dry_run) => ({ text: "models: 1", database: "d", is_required: false, dry_run })));
    });
  });
});
