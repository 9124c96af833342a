import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import { restrictionStatement } from "../../model/restrictions";
import { renderAt } from "../../testing/render";
import { DELAYS, json, page, problem, serve } from "../../testing/server";

const AT = "/api/v1/catalogs/demo/";
const MAIN = `${AT}branches/main/databases/`;
const HIDDEN = {
  id: 7, table: "people.customers", table_now: "people.customers", table_id: 3, role: "contributor", group: null, row_filter: "`region` = 'EU'",
  masks: { email: "sha2(`email`, 256)" }, created_at: "2026-01-01T00:00:00Z", created_by: "dora",
};
const OF_MAIN = { branch: "main", reader: "", limit: 20 };
const DONE = { columns: [], rows: [], row_count: 0, truncated: false, version: 17, metrics: {} };
const LAKE = {
  [AT]: { name: "demo", role: "owner" },
  "/api/v1/inbox/": page([]),
  [`${AT}restrictions/`]: page([HIDDEN]),
  [`${AT}branches/`]: page([DELAYS]),
  [`${AT}groups/`]: page([{ group: "analysts", role: "viewer" }]),
  [MAIN]: page([{ database_id: 1, name: "people", comment: "" }]),
  [`${MAIN}people/tables/`]: page([{ table_id: 3, name: "customers" }]),
  [`${MAIN}people/tables/customers/`]: { name: "customers", columns: [{ name: "id" }, { name: "email" }] },
  "POST /api/v1/sql/": DONE,
};

it("lists what is hidden, hides a column and lifts a restriction after asking", async () => {
  const asked = serve({ ...LAKE, [`DELETE ${AT}restrictions/7/`]: () => new Response(null, { status: 204 }) });
  const user = userEvent.setup();
  renderAt("/c/demo/settings?tab=restrictions");
  const row = within(await screen.findByRole("list", { name: "Restrictions" })).getByRole("listitem");
  expect(row.textContent).toContain("only rows with `region` = 'EU'");
  expect(row.textContent).toContain("email reads as sha2(`email`, 256)");
  await user.click(screen.getByRole("button", { name: "Hide rows or a column" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.selectOptions(dialog.getByLabelText("Database"), await dialog.findByRole("option", { name: "people" }));
  await user.selectOptions(dialog.getByLabelText("Table"), await dialog.findByRole("option", { name: "customers" }));
  await user.selectOptions(dialog.getByLabelText("What is hidden"), await dialog.findByRole("option", { name: "column email" }));
  await user.selectOptions(dialog.getByLabelText("From whom"), await dialog.findByRole("option", { name: "group analysts" }));
  await user.type(dialog.getByLabelText("What is read in its place"), "NULL");
  const statement = "ALTER TABLE `people`.`customers` ALTER COLUMN `email` SET MASK (NULL) FOR GROUP `analysts`";
  expect(dialog.getByLabelText("The statement that runs").textContent).toBe(statement);
  await user.click(dialog.getByRole("button", { name: "Hide" }));
  await waitFor(() => expect(asked.find(({ method }) => method === "POST")?.body).toMatchObject({ statement }));
  await user.click(await screen.findByRole("button", { name: /^Lift/ }));
  expect(asked.some(({ method }) => method === "DELETE")).toBe(false);
  await user.click(screen.getByRole("button", { name: "Lift the restriction" }));
  await waitFor(() => expect(asked.some(({ method }) => method === "DELETE")).toBe(true));
});

it("shows what others see, of what is typed and of what is set", async () => {
  const rows = { ...DONE, columns: [{ name: "email", type: "string" }], rows: [["x***"]], row_count: 1, restrictions: [7], table: "crm.clients", table_rows: 4, masked: ["email"] };
  const asked = serve({ ...LAKE, [`POST ${AT}restrictions/preview/`]: rows });
  const user = userEvent.setup();
  renderAt("/c/demo/settings?tab=restrictions");
  await user.click(await screen.findByRole("button", { name: "Hide rows or a column" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.selectOptions(dialog.getByLabelText("Database"), await dialog.findByRole("option", { name: "people" }));
  await user.selectOptions(dialog.getByLabelText("Table"), await dialog.findByRole("option", { name: "customers" }));
  const preview = dialog.getByRole("button", { name: "Preview" });
  expect((preview as HTMLButtonElement).disabled).toBe(true);
  await user.type(dialog.getByLabelText("Rows for which this is true are seen"), "id = 1");
  await user.click(preview);
  expect((await dialog.findByRole("region", { name: "Rows as they are seen" })).textContent).toContain("x***");
  const sent = () => asked.filter(({ address }) => address.endsWith("/preview/")).map(({ body }) => body);
  expect(sent()).toEqual([{ ...OF_MAIN, database: "people", table: "customers", role: "viewer", row_filter: "id = 1" }]);
  // Rows of another filter are not shown as those of this one.
  await user.type(dialog.getByLabelText("Rows for which this is true are seen"), "0");
  expect(dialog.queryByRole("region", { name: "Rows as they are seen" })).toBeNull();
  await user.click(dialog.getByRole("button", { name: "Cancel" }));
  // What is set is read at once, of the table whatever it is called now.
  await user.click(await screen.findByRole("button", { name: /^Preview what role contributor and below sees/ }));
  await screen.findByText("The role contributor sees 1 of 4 rows. Masked: email.");
  expect(screen.getByRole("dialog", { name: "crm.clients as role contributor sees it" })).toBeTruthy();
  expect(sent()[1]).toEqual({ ...OF_MAIN, table_id: 3, role: "contributor" });
  await user.selectOptions(screen.getByLabelText("On branch"), await screen.findByRole("option", { name: "delays" }));
  await waitFor(() => expect(sent()[2]).toEqual({ ...OF_MAIN, branch: "delays", table_id: 3, role: "contributor" }));
});

it("tells an empty table from rows that are all hidden", async () => {
  const none = { ...DONE, table: "people.customers", table_rows: 0, masked: [], restrictions: [7] };
  let all = 0;
  serve({ ...LAKE, [`POST ${AT}restrictions/preview/`]: () => json({ ...none, table_rows: all }) });
  const user = userEvent.setup();
  renderAt("/c/demo/settings?tab=restrictions");
  await user.click(await screen.findByRole("button", { name: /^Preview/ }));
  await screen.findByText("The table has no rows.");
  all = 3;
  await user.selectOptions(screen.getByLabelText("On branch"), await screen.findByRole("option", { name: "delays" }));
  await screen.findByText("The role contributor sees none of 3 rows.");
});

it("names a table as main calls it, and says what it was called", async () => {
  serve({ ...LAKE, [`${AT}restrictions/`]: page([{ ...HIDDEN, table_now: "crm.clients" }, { ...HIDDEN, id: 8, table_now: null }]) });
  renderAt("/c/demo/settings?tab=restrictions");
  const [renamed, gone] = within(await screen.findByRole("list", { name: "Restrictions" })).getAllByRole("listitem");
  expect(renamed?.textContent).toContain("crm.clients");
  expect(renamed?.textContent).toContain("set by dora, when the table was called people.customers");
  expect(gone?.textContent).toContain("main does not have the table");
});

it("says to a restricted person why nothing is listed", async () => {
  serve({
    ...LAKE,
    [AT]: { name: "demo", role: "viewer" },
    [`${AT}restrictions/`]: () => problem(403, { code: "ROWS_RESTRICTED", title: "Rows are restricted", detail: "Rows of demo are restricted for you." }),
  });
  renderAt("/c/demo/settings?tab=restrictions");
  expect((await screen.findByRole("alert")).textContent).toContain("Rows of demo are restricted for you.");
  expect(screen.queryByRole("button", { name: "Hide rows or a column" })).toBeNull();
});

it("writes filters and masks, and lifts them", () => {
  const part = { table: "`d`.`t`", whom: { role: "viewer" }, column: null };
  expect(restrictionStatement({ ...part, expression: "a = 1" })).toBe("ALTER TABLE `d`.`t` SET ROW FILTER (a = 1) FOR ROLE `viewer`");
  expect(restrictionStatement({ ...part, expression: null })).toBe("ALTER TABLE `d`.`t` UNSET ROW FILTER FOR ROLE `viewer`");
  expect(restrictionStatement({ ...part, column: "c`d", whom: { group: "g" }, expression: null })).toBe("ALTER TABLE `d`.`t` ALTER COLUMN `c``d` UNSET MASK FOR GROUP `g`");
});
