import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";

import { renderAt } from "../../testing/render";
import { comparedObject, COMPARED, COMPARISON, json, serve } from "../../testing/server";
// Page and tab load when they are opened: here they are there before.
import "./compare-page";
import "./profile-tab";

const AT = "/api/v1/catalogs/demo/compare/delays...main/";
const ADDRESS = "/c/demo/compare/delays...main";
const OBJECTS = Object.fromEntries(COMPARED.map((object, place) => [`${AT}objects/table/${object.object_id}/`, comparedObject(place)]));
const NONE = { source_head: 15, destination_head: 16, is_whole: true, inserted: 0, updated: 0, deleted: 0, open: 0, columns: [], risks: [] };

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("the values of a compared table", () => {
  it("stand beside each other by state on a narrow screen", async () => {
    vi.stubGlobal("innerWidth", 390);
    const counts = (nulls: number) => ({ rows: 4, nulls, distinct: 3, least: "a", largest: "z", mean: null, top: [{ value: "a", count: 2 }], histogram: [] });
    const columns = [{ column: { id: 1, name: "status", type: "string", is_key: false }, updated: 4, changed: 2, before: counts(0), after: counts(2), merged: { ...counts(0), rows: 0 } }];
    serve({ [AT]: COMPARISON, ...OBJECTS, [`${AT}objects/table/5/profile/`]: { ...NONE, updated: 4, columns } });
    const user = userEvent.setup();
    renderAt(ADDRESS);
    await user.click(await screen.findByRole("tab", { name: "Values" }));
    const table = within(await screen.findByRole("table", { name: /^status string differs in 2 of 4 updated rows/ }));
    const lines = table.getAllByRole("row").map((row) => [...row.children].map(({ textContent }) => textContent));
    expect(lines).toEqual([
      ["", "before", "on delays", "merged"],
      ["NULL", "0 (0%)", "2 (50%)", "no row"],
      ["Different", "3", "3"],
      ["Minimum", "a", "a"],
      ["Maximum", "z", "z"],
      ["Most frequent", "a 2 (50%)", "a 2 (50%)"],
    ]);
  });

  it("says what the change does to them, what is risky first", async () => {
    const top = [{ value: "1.50", count: 2 }, { value: "9.00", count: 1 }];
    const histogram = (at: number) => [{ at: 1.5, count: 2 }, { at, count: 1 }];
    const counts = (nulls: number, mean: number | null, last = 5.5) => ({ rows: 4, nulls, distinct: 3, least: "1.50", largest: "9.00", mean, top, histogram: histogram(last) });
    const same = { rows: 4, nulls: 0, distinct: 40, least: 1, largest: 4, mean: 2.5, top: [], histogram: [] };
    const of = (name: string, changed: number, before: object, after: object) => ({
      column: { id: changed, name, type: "decimal(10,2)", is_key: false }, updated: 4, changed, before, after, merged: { ...counts(0, null), rows: 0, top: [], histogram: [] },
    });
    serve({
      [AT]: COMPARISON,
      ...OBJECTS,
      [`${AT}objects/table/5/profile/`]: {
        source_head: 15, destination_head: 16, is_whole: true, inserted: 0, updated: 4, deleted: 1, open: 1,
        columns: [of("id", 0, same, same), of("amount", 2, counts(0, 2.5), counts(2, 9, 9.5))],
        risks: [{ code: "ROWS_LOST", message: "1 row is deleted.", column: "" }, { code: "NULLS_RISEN", message: "NULL rises from 0% to 50% of the changed rows.", column: "amount" }],
      },
    });
    const user = userEvent.setup();
    renderAt(ADDRESS);
    await user.click(await screen.findByRole("tab", { name: "Values" }));
    const first = within(await screen.findByRole("region", { name: "Look here first" }));
    expect(first.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual(["1 row is deleted.", "amount: NULL rises from 0% to 50% of the changed rows."]);
    const values = within(screen.getByRole("region", { name: "Values of the changed rows" }));
    expect(values.getByRole("columnheader", { name: /^amount/ })).toBeTruthy();
    expect(values.getByText("differs in 2 of 4 updated rows (50%)")).toBeTruthy();
    const lines = values.getAllByRole("row").slice(1).map((row) => within(row).queryAllByRole("cell").map(({ textContent }) => textContent)).filter((cells) => cells.length);
    const most = ["1.50 2 (50%)", "9.00 1 (25%)"].join("");
    expect(values.getByRole("columnheader", { name: "Mean" })).toBeTruthy();
    expect(lines.map((line) => [...line.slice(0, 5), ...line.slice(6)])).toEqual([["0 (0%)", "3", "1.50", "9.00", "2.5", most], ["2 (50%)", "3", "1.50", "9.00", "9", most], ["no row"]]);
    // The states share an axis: the bar at 5.5 is in the middle, the bar at 9.5 at its end.
    const picture = (state: string) => [...values.getByRole("img", { name: new RegExp(`^amount ${state}: most values lie around 1.5`) }).querySelectorAll("rect")].map((bar) => Number(bar.getAttribute("x")));
    expect([picture("before"), picture("on delays")]).toEqual([[0, 45], [0, 90]]);
    expect(screen.getByText(/1 row in conflict has no merged values yet/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Show 1 column in which no value differs" }));
    expect(values.getAllByRole("row")).toHaveLength(9);
  });

  it("are counted in the whole table on both branches when it is asked", async () => {
    const line = (name: string, nulls: number, most: string) => [name, "string", 4, nulls, 2, "a", "z", [], [{ value: most, count: 3 }]];
    const answer = (rows: unknown[]) => ({ columns: [], rows, row_count: 1, truncated: false, version: 16, metrics: {} });
    const asked = serve({
      [AT]: COMPARISON,
      ...OBJECTS,
      [`${AT}objects/table/5/profile/`]: NONE,
      "POST /api/v1/sql/": ({ body }) =>
        json(answer((body as { branch: string }).branch === "main" ? [line("status", 0, "open"), line("gone", 0, "x")] : [line("status", 1, "done")])),
    });
    const user = userEvent.setup();
    renderAt(ADDRESS);
    await user.click(await screen.findByRole("tab", { name: "Values" }));
    const whole = within(await screen.findByRole("region", { name: "Whole table" }));
    expect(whole.queryByRole("region")).toBeNull();
    await user.click(whole.getByRole("button", { name: "Count all rows" }));
    const values = within(await whole.findByRole("region", { name: "Values of the whole table" }));
    const lines = values.getAllByRole("row").slice(1).map((row) => within(row).queryAllByRole("cell").map(({ textContent }) => textContent)).filter((cells) => cells.length);
    expect(lines.map((cells) => (cells.length > 1 ? [cells[0], cells[5]] : cells))).toEqual([
      ["0 (0%)", "open 3 (75%)"],
      ["1 (25%)", "done 3 (75%)"],
      ["0 (0%)", "x 3 (75%)"],
      ["no such column"],
    ]);
    const sent = asked.filter(({ method }) => method === "POST").map(({ body }) => body as { statement: string; branch: string });
    expect(sent.map(({ branch, statement }) => [branch, statement])).toEqual([
      ["main", "SHOW PROFILE `flights`.`flights` VERSION AS OF 16"],
      ["delays", "SHOW PROFILE `flights`.`flights` VERSION AS OF 15"],
    ]);
  });

  it("are counted by tasks where that takes longer", async () => {
    serve({
      [AT]: COMPARISON,
      ...OBJECTS,
      [`${AT}objects/table/5/profile/`]: NONE,
      "POST /api/v1/sql/": ({ body }) => json({ id: `of-${(body as { branch: string }).branch}` }, 202),
    });
    const user = userEvent.setup();
    renderAt(ADDRESS);
    await user.click(await screen.findByRole("tab", { name: "Values" }));
    await user.click(await screen.findByRole("button", { name: "Count all rows" }));
    const text = (await screen.findByText(/^The count takes longer/)).textContent;
    expect(text).toBe("The count takes longer. Its task has the result. The second task has the other result.");
  });

  it("are not shown of a version that a branch has left", async () => {
    const heads = { source_head: 15 };
    const answer = { columns: [], rows: [["status", "string", 4, 0, 2, "a", "z", [], []]], row_count: 1, truncated: false, version: 16, metrics: {} };
    const place = COMPARED.findIndex(({ object_id }) => object_id === 5);
    serve({
      [AT]: COMPARISON,
      ...OBJECTS,
      [`${AT}objects/table/5/`]: () => json({ ...comparedObject(place), ...heads }),
      [`${AT}objects/table/5/profile/`]: NONE,
      "POST /api/v1/sql/": answer,
    });
    const user = userEvent.setup();
    renderAt(ADDRESS);
    await user.click(await screen.findByRole("tab", { name: "Values" }));
    await user.click(await screen.findByRole("button", { name: "Count all rows" }));
    await screen.findByRole("button", { name: "Count again" });
    heads.source_head = 17;
    window.dispatchEvent(new Event("visibilitychange"));
    expect(await screen.findByRole("button", { name: "Count all rows" })).toBeTruthy();
    expect(screen.queryByRole("region", { name: "Values of the whole table" })).toBeNull();
  });
});
