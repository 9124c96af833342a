import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { DELAYS, json, page, problem, serve, type Asked } from "../../testing/server";

const BRANCHES = "/api/v1/catalogs/demo/branches/";
const SQL_REMEDY = "SHOW BRANCHES lists those that there are; UNDROP BRANCH brings a dropped one back.";
const missing = (name: string, nearest: string | null) =>
  problem(404, {
    code: "NOT_FOUND",
    title: "Not found",
    detail: `There is no branch ${name} in catalog demo.`,
    remedy: nearest ? `Did you mean ${nearest}?` : SQL_REMEDY,
    kind: "branch",
    name,
    nearest,
  });
/** The list of branches: the dropped ones where those are asked for. */
const listed = (present: readonly object[], dropped: readonly object[] = []) => ({ address }: Asked) => json(page(address.includes("dropped=true") ? dropped : present));

it("names similar branches and the way back where no branch has the name", async () => {
  serve({ [`${BRANCHES}delay/`]: () => missing("delay", "delays"), [BRANCHES]: listed([DELAYS, { ...DELAYS, branch_id: 9, name: "delay_2014" }]) });
  renderAt("/c/demo/b/delay");
  const alert = within(await screen.findByRole("alert"));
  expect(await alert.findByText("No branch of this name was dropped, and no rename of it is known.")).toBeTruthy();
  expect((await alert.findByRole("link", { name: "delay_2014" })).getAttribute("href")).toBe("/c/demo/b/delay_2014");
  expect(alert.getAllByRole("link").map((link) => link.textContent)).toEqual(["delays", "delay_2014", "All branches of demo"]);
});

it("leads from an old name to the branch that had it", async () => {
  const renamed = { code: "NOT_FOUND", title: "Not found", detail: "", kind: "branch", name: "draft", nearest: "delays", renamed_to: "delays" };
  serve({ [`${BRANCHES}draft/`]: () => problem(404, renamed), [BRANCHES]: listed([]) });
  renderAt("/c/demo/b/draft");
  const alert = await screen.findByRole("alert");
  await waitFor(() => expect(alert.textContent).toContain("It was renamed to delays."));
  const links = within(alert).getAllByRole("link");
  expect(links.map((link) => link.getAttribute("href"))).toEqual(["/c/demo/b/delays", "/c/demo"]);
  expect(alert.textContent).not.toMatch(/Similar names|no rename/);
});

it("says that the branch was dropped, undrops it there, and speaks no SQL", async () => {
  let isBack = false;
  const dropped = { ...DELAYS, branch_id: 7, name: "gone", is_dropped: true, dropped_at: "2026-01-01T00:00:00Z" };
  const asked = serve({
    [`${BRANCHES}gone/`]: () => (isBack ? json({ ...DELAYS, name: "gone" }) : missing("gone", null)),
    [`${BRANCHES}gone/databases/`]: page([]),
    [BRANCHES]: listed([], [dropped, { ...dropped, branch_id: 8, name: "gone_before" }]),
    "POST /api/v1/sql/": () => {
      isBack = true;
      return json({ columns: [], rows: [], row_count: 0, truncated: false, version: 17, metrics: {} });
    },
  });
  const user = userEvent.setup();
  renderAt("/c/demo/b/gone");
  const alert = await screen.findByRole("alert");
  await within(alert).findByText(/^A branch of this name was dropped/);
  expect(alert.textContent).not.toContain("SHOW");
  expect(within(alert).getAllByRole("button")).toHaveLength(1);
  await user.click(within(alert).getByRole("button", { name: "Undrop gone" }));
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Undrop" }));
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  expect(asked.find(({ method }) => method === "POST")?.body).toMatchObject({ statement: "UNDROP BRANCH `gone` WITH ID '7'" });
});

it("says the same of a table on a branch that is not there", async () => {
  serve({ [`${BRANCHES}delay/databases/flights/tables/flights/`]: () => missing("delay", "delays"), [BRANCHES]: listed([]) });
  renderAt("/c/demo/b/delay/t/flights/flights");
  const alert = within(await screen.findByRole("alert"));
  expect((await alert.findByRole("link", { name: "delays" })).getAttribute("href")).toBe("/c/demo/b/delays");
});

it("says it once of a catalog that is not there, and offers nothing to do in it", async () => {
  serve({ "/api/v1/catalogs/dem/": () => problem(404, { code: "NOT_FOUND", title: "Not found", detail: "There is no catalog dem.", remedy: "Did you mean demo?", kind: "catalog", name: "dem", nearest: "demo" }) });
  renderAt("/c/dem");
  const alert = within(await screen.findByRole("alert"));
  expect(alert.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual(["/c/demo", "/"]);
  expect(screen.queryByRole("button", { name: "New branch" })).toBeNull();
});
