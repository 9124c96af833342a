import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { json, page, serve, type Asked } from "../../testing/server";

const AT = "/api/v1/catalogs/demo/branches/main/databases/flights/tables/seen/";
const ADDRESS = "/c/demo/b/main/t/flights/seen";
const plain = { nullable: true, default: null, comment: null, key_position: null, partition_position: null };
const SEEN = {
  name: "seen", table_id: 9, partition_by: ["month"], partitions: 3, primary_key: [], properties: { owner: "alice" }, constraints: {}, rows: 1, bytes: 1, files: 1,
  columns: [{ ...plain, id: 1, name: "tail", type: "string" }, { ...plain, id: 2, name: "month", type: "int", partition_position: 0 }],
  deleted_rows: 0, delete_files: 0, schema_version: 12, version: 16, head_version: 16, comment: "", sort_by: [],
};
const DONE = { columns: [], rows: [], row_count: 0, truncated: false, version: 17, metrics: {} };
const lake = (role: string) => ({
  [AT]: SEEN,
  [`${AT}?version=14`]: { ...SEEN, version: 14 },
  [`${AT}history/`]: page([]),
  "/api/v1/catalogs/demo/": { name: "demo", role },
  "/api/v1/catalogs/demo/branches/main/databases/": page([{ database_id: 1, name: "flights", comment: "" }, { database_id: 2, name: "old", comment: "" }]),
  "POST /api/v1/sql/": () => json(DONE),
});

describe("rows of a table", () => {
  const KEYED = { ...SEEN, primary_key: ["tail"], columns: [{ ...SEEN.columns[0], nullable: false, key_position: 0 }, SEEN.columns[1]] };
  const rows = { columns: [{ name: "tail", type: "string" }, { name: "month", type: "int" }], rows: [["N1", 7]], row_count: 1, truncated: false, version: 16, metrics: {} };
  const withRows = (role: string, metrics: Record<string, number>) =>
    serve({ ...lake(role), [AT]: KEYED, [`${AT}rows/`]: rows, "POST /api/v1/sql/": () => json({ ...DONE, metrics }) });

  it("are edited in a form that shows its statement", async () => {
    const asked = withRows("contributor", { rows_updated: 1 });
    const user = userEvent.setup();
    renderAt(`${ADDRESS}?tab=rows`);
    await user.click(await screen.findByRole("button", { name: "Edit row 1" }));
    const form = within(await screen.findByRole("dialog"));
    const month = form.getByRole<HTMLInputElement>("textbox", { name: /month/ });
    expect(month.value).toBe("7");
    await user.clear(month);
    await user.type(month, "8");
    expect(form.getByLabelText("The statement that runs").textContent).toBe("UPDATE `flights`.`seen`\nSET `month` = 8\nWHERE `tail` = 'N1'");
    await user.type(form.getByLabelText("Message for the history (optional)"), "it's August");
    await user.click(form.getByRole("button", { name: "Save the row" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    const statement = "UPDATE `flights`.`seen`\nSET `month` = 8\nWHERE `tail` = 'N1' COMMIT MESSAGE 'it\\'s August'";
    expect(asked.find(({ method }) => method === "POST")?.body).toMatchObject({ branch: "main", statement });
  });

  it("of another branch never stand under this one", async () => {
    const there = AT.replace("main", "delays");
    const late = { ...rows, rows: [["N9", 7]] };
    let come: () => void = () => undefined;
    serve({
      ...lake("contributor"),
      [AT]: KEYED,
      [there]: KEYED,
      [`${there}history/`]: page([]),
      [`${AT}rows/`]: rows,
      [`${there}rows/`]: () => new Promise<Response>((answer) => (come = () => answer(json(late)))),
    });
    const router = renderAt(`${ADDRESS}?tab=rows`);
    await screen.findByRole("button", { name: "Edit row 1" });
    await act(() => router.navigate(`${ADDRESS.replace("main", "delays")}?tab=rows`));
    await screen.findByText("Loading rows");
    expect(screen.queryByText("N1")).toBeNull();
    expect(screen.queryByRole("button", { name: "Edit row 1" })).toBeNull();
    come();
    await screen.findByText("N9");
  });

  it("keep the ends of lines of a text", async () => {
    serve({ ...lake("contributor"), [AT]: KEYED, [`${AT}rows/`]: { ...rows, rows: [["N1\nN2", 7]] } });
    const user = userEvent.setup();
    renderAt(`${ADDRESS}?tab=rows`);
    await user.click(await screen.findByRole("button", { name: "Edit row 1" }));
    const form = within(await screen.findByRole("dialog"));
    const tail = form.getByRole<HTMLTextAreaElement>("textbox", { name: /tail/ });
    await user.type(tail, "3");
    expect(tail.value).toBe("N1\nN23");
    expect(form.getByLabelText("The statement that runs").textContent).toContain("N1\nN23");
  });

  it("say so where the row was gone", async () => {
    withRows("contributor", { rows_deleted: 0 });
    const user = userEvent.setup();
    renderAt(`${ADDRESS}?tab=rows`);
    await user.click(await screen.findByRole("button", { name: "Delete row 1" }));
    const form = within(await screen.findByRole("dialog"));
    await user.click(form.getByRole("button", { name: "Delete the row" }));
    expect((await form.findByRole("alert")).textContent).toContain("No row was changed");
    await user.click(form.getByRole("button", { name: "Close" }));
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("are added with a value where one is needed", async () => {
    withRows("contributor", { rows_inserted: 1 });
    const user = userEvent.setup();
    renderAt(`${ADDRESS}?tab=rows`);
    await user.click(await screen.findByRole("button", { name: "Add a row" }));
    const form = within(await screen.findByRole("dialog"));
    expect(form.getByRole<HTMLButtonElement>("button", { name: "Add the row" }).disabled).toBe(true);
    await user.type(form.getByRole("textbox", { name: /tail/ }), "N2");
    expect(form.getByLabelText("The statement that runs").textContent).toBe("INSERT INTO `flights`.`seen` (`tail`)\nVALUES ('N2')");
  });

  it.each([["viewer", ""], ["contributor", "&version=14"]])("cannot be changed by a %s at %s", async (role, version) => {
    serve({ ...lake(role), [`${AT}rows/`]: rows, [`${AT}rows/?version=14`]: rows });
    renderAt(`${ADDRESS}?tab=rows${version}`);
    await screen.findByText(/^The only row on \w+ at version 16\.$/);
    expect(screen.queryByRole("button", { name: /Edit|Delete|Add a row/ })).toBeNull();
  });
});

describe("the forms that change a table", () => {
  let asked: Asked[];
  beforeEach(() => {
    asked = serve(lake("contributor"));
  });
  const sent = () => asked.find(({ method }) => method === "POST")?.body;

  /** Open a form of the menu. */
  async function opened(item: string) {
    const user = userEvent.setup();
    const router = renderAt(ADDRESS);
    await user.click(await screen.findByLabelText("Change flights.seen"));
    await user.click(screen.getByRole("button", { name: item }));
    return { user, router, form: within(await screen.findByRole("dialog")) };
  }
  const statement = (form: { getByLabelText: (label: string) => HTMLElement }) => form.getByLabelText("The statement that runs").textContent;

  it("renames it, and goes to its new address before anything asks for the old one", async () => {
    const { user, router, form } = await opened("Rename …");
    expect(form.getByRole<HTMLButtonElement>("button", { name: "Rename" }).disabled).toBe(true);
    await user.clear(form.getByLabelText("New name"));
    await user.type(form.getByLabelText("New name"), "seen too");
    const before = asked.length;
    await user.click(form.getByRole("button", { name: "Rename" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/c/demo/b/main/t/flights/seen%20too"));
    expect(sent()).toMatchObject({ catalog: "demo", branch: "main", statement: "ALTER TABLE `flights`.`seen` RENAME TO `seen too`" });
    expect(Object.keys(sent() as object).sort()).toEqual(["branch", "bypass_reason", "catalog", "statement", "transaction"]);
    expect(asked.slice(before).filter(({ address }) => address.startsWith(AT))).toEqual([]);
  });

  it("moves it to another database", async () => {
    const { form } = await opened("Move …");
    expect(form.getAllByRole("option").map(({ textContent }) => textContent)).toEqual(["old"]);
    expect(statement(form)).toBe("ALTER TABLE `flights`.`seen` RENAME TO `old`.`seen`");
  });

  it("drops it, and leads to the trash that brings it back", async () => {
    const { user, router, form } = await opened("Drop …");
    await user.click(form.getByRole("button", { name: "Drop the table" }));
    await waitFor(() => expect(router.state.location.pathname + router.state.location.search).toBe("/c/demo/b/main?tab=trash"));
    expect(sent()).toMatchObject({ statement: "DROP TABLE `flights`.`seen`" });
  });

  it("adds a column where it is wanted", async () => {
    const { user, form } = await opened("Add a column …");
    await user.type(form.getByLabelText("Name"), "tier");
    await user.selectOptions(form.getByLabelText("Place"), "After tail");
    await user.click(form.getByLabelText(/It must have a value/));
    await user.type(form.getByLabelText(/^Default/), "'new'");
    expect(statement(form)).toBe("ALTER TABLE `flights`.`seen` ADD COLUMN `tier` STRING NOT NULL DEFAULT 'new' AFTER `tail`");
  });

  it("comments on it, sets properties, and drops a partition", async () => {
    const comment = await opened("Comment …");
    await comment.user.type(comment.form.getByLabelText("Comment"), "what was seen");
    expect(statement(comment.form)).toBe("COMMENT ON TABLE `flights`.`seen` IS 'what was seen'");
    await comment.user.click(comment.form.getByRole("button", { name: "Cancel" }));
    await comment.user.click(screen.getByLabelText("Change flights.seen"));
    await comment.user.click(screen.getByRole("button", { name: "Set a property …" }));
    const property = within(await screen.findByRole("dialog"));
    await comment.user.type(property.getByLabelText("Name"), "team");
    await comment.user.type(property.getByLabelText("Value"), "a");
    expect(statement(property)).toBe("ALTER TABLE `flights`.`seen` SET TBLPROPERTIES ('team' = 'a')");
    await comment.user.click(property.getByRole("button", { name: "Cancel" }));
    await comment.user.click(screen.getByLabelText("Change flights.seen"));
    await comment.user.click(screen.getByRole("button", { name: "Drop a partition …" }));
    const partition = within(await screen.findByRole("dialog"));
    await comment.user.type(partition.getByLabelText("month"), "1");
    expect(statement(partition)).toBe("ALTER TABLE `flights`.`seen` DROP PARTITION (`month` = '1')");
  });

  it("changes one respect of a column, beginning with what it is", async () => {
    const user = userEvent.setup();
    renderAt(ADDRESS);
    await user.click(await screen.findByRole("button", { name: "Change month" }));
    const form = within(await screen.findByRole("dialog"));
    expect(form.getByRole<HTMLButtonElement>("button", { name: "Change the column" }).disabled).toBe(true);
    await user.selectOptions(form.getByLabelText("What to change"), "Type");
    expect(form.getByLabelText<HTMLInputElement>("Type").value).toBe("int");
    await user.clear(form.getByLabelText("Type"));
    await user.type(form.getByLabelText("Type"), "BIGINT");
    await user.click(form.getByRole("button", { name: "Change the column" }));
    await waitFor(() => expect(sent()).toMatchObject({ statement: "ALTER TABLE `flights`.`seen` ALTER COLUMN `month` TYPE BIGINT" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("removes a property", async () => {
    const user = userEvent.setup();
    renderAt(`${ADDRESS}?tab=properties`);
    await user.click(await screen.findByRole("button", { name: "Remove owner" }));
    expect(statement(within(await screen.findByRole("dialog")))).toBe("ALTER TABLE `flights`.`seen` UNSET TBLPROPERTIES ('owner')");
  });

  it("are not offered at an old version, nor to a viewer", async () => {
    renderAt(`${ADDRESS}?version=14`);
    await screen.findByText(/You are looking at version 14/);
    expect(screen.queryByLabelText("Change flights.seen")).toBeNull();
    expect(screen.queryByRole("button", { name: "Change tail" })).toBeNull();
  });

  it("are not offered to a viewer", async () => {
    serve(lake("viewer"));
    renderAt(ADDRESS);
    await screen.findByRole("region", { name: "Columns of seen" });
    expect(screen.queryByLabelText("Change flights.seen")).toBeNull();
  });
});
