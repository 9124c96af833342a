import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { json, MAIN, page, problem, serve, type Asked } from "../../testing/server";

const BRANCH = "/api/v1/catalogs/demo/branches/main/";
const DONE = { columns: [], rows: [], row_count: 0, truncated: false, version: 17, metrics: {} };

let asked: Asked[];
beforeEach(() => {
  asked = serve({
    [BRANCH]: MAIN,
    [`${BRANCH}databases/`]: page([{ database_id: 1, name: "flights", comment: "" }]),
    [`${BRANCH}databases/flights/tables/`]: page([]),
    "POST /api/v1/sql/": DONE,
  });
});

const sent = () => asked.find(({ method, address }) => method === "POST" && address === "/api/v1/sql/")?.body;

it("makes a table by its columns, and shows the statement before it runs", async () => {
  const user = userEvent.setup();
  const router = renderAt("/c/demo/b/main");
  await user.click(await screen.findByRole("button", { name: "New table" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByRole<HTMLButtonElement>("button", { name: "Create the table" }).disabled).toBe(true);
  await user.type(dialog.getByLabelText("Name"), "people");
  await user.type(dialog.getByLabelText("Name of column 2"), "tier");
  await user.click(dialog.getByLabelText("required of column 2"));
  const statement = "CREATE TABLE `flights`.`people` (\n  `id` BIGINT,\n  `tier` STRING NOT NULL,\n  PRIMARY KEY (`id`)\n)";
  expect(dialog.getByLabelText("The statement that runs").textContent).toBe(statement);
  expect(sent()).toBeUndefined();
  await user.click(dialog.getByRole("button", { name: "Create the table" }));
  await waitFor(() => expect(sent()).toMatchObject({ catalog: "demo", branch: "main", statement }));
  await waitFor(() => expect(router.state.location.pathname).toBe("/c/demo/b/main/t/flights/people"));
});

it("makes a database, and says in the form why the server refuses", async () => {
  serve({
    [BRANCH]: MAIN,
    [`${BRANCH}databases/`]: page([]),
    "POST /api/v1/sql/": () => problem(403, { code: "PERMISSION_DENIED", title: "Permission denied", detail: "You may not write to main." }),
  });
  const user = userEvent.setup();
  renderAt("/c/demo/b/main");
  await user.click(await screen.findByRole("button", { name: "New database" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.type(dialog.getByLabelText("Name"), "sales");
  await user.click(dialog.getByRole("button", { name: "Create the database" }));
  expect((await dialog.findByRole("alert")).textContent).toContain("You may not write to main.");
});

it("makes a catalog from the start page, and opens its first branch", async () => {
  asked = serve({ "/api/v1/catalogs/": page([]), "POST /api/v1/sql/": () => json(DONE) });
  const user = userEvent.setup();
  const router = renderAt("/");
  await user.click(await screen.findByRole("button", { name: "New catalog" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.type(dialog.getByLabelText("Name"), "lake");
  await user.click(dialog.getByRole("button", { name: "Create the catalog" }));
  await waitFor(() => expect(sent()).toMatchObject({ catalog: null, statement: "CREATE CATALOG `lake`" }));
  await waitFor(() => expect(router.state.location.pathname).toBe("/c/lake/b/main"));
});

it("offers nothing on a branch that is not there", async () => {
  serve({ "/api/v1/catalogs/demo/branches/gone/": () => problem(404, { code: "NOT_FOUND", title: "Not found", detail: "There is no branch gone." }) });
  renderAt("/c/demo/b/gone");
  await screen.findByText("There is no branch gone.");
  expect(screen.queryByRole("button", { name: "New table" })).toBeNull();
  expect(screen.queryByRole("link", { name: "Import a file" })).toBeNull();
});
