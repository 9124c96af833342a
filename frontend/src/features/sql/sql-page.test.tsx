import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { renderAt } from "../../testing/render";
import { json, page, problem, serve, type Asked } from "../../testing/server";
import { signedInAs } from "../../testing/user";

const STATEMENT = "SELECT count(*) FROM d.t";
const RUNNING = { kind: "query", state: "running", parameters: { statement: STATEMENT, catalog: "demo", branch: "main", longest_seconds: 300 } };
const OTHERS = [
  { ...RUNNING, id: "elsewhere", parameters: { ...RUNNING.parameters, catalog: "other" } },
  { ...RUNNING, id: "longer", parameters: { ...RUNNING.parameters, statement: `${STATEMENT} WHERE true` } },
  { ...RUNNING, id: "over", state: "failed" },
];

const SESSION = {
  id: "s-1", url: "/api/v1/sessions/s-1/", catalog: "demo", branch: "main", database: null, temporary_views: {}, temporary_functions: {},
  partition_overwrite: "static", transaction: null, created_at: "2026-01-01T00:00:00Z", used_at: "2026-01-01T00:00:00Z", expires_at: "2026-01-02T00:00:00Z",
};
const DONE = { columns: [], rows: [], row_count: 0, truncated: false, version: null, metrics: {} };
const TRANSACTION = { id: "t-1", state: "open", started_at: "2026-01-01T00:00:00Z", used_at: "2026-01-01T00:00:00Z" };

const QUERIES = "/api/v1/catalogs/demo/queries/";
const NO_TABLES = {
  ...Object.fromEntries(["main", "delays"].map((branch) => [`/api/v1/catalogs/demo/branches/${branch}/databases/`, page([])])),
  [QUERIES]: page([]),
};

/** A server with one session, which is where `now` says. */
function sessionServed(now: { place: object }, answer: () => Response = () => json(DONE)): Asked[] {
  return serve({
    ...NO_TABLES,
    "POST /api/v1/sessions/": () => json(SESSION, 201),
    "GET /api/v1/sessions/s-1/": () => json({ ...SESSION, ...now.place }),
    "POST /api/v1/sql/": answer,
  });
}

function bodies(asked: Asked[], address: string): unknown[] {
  return asked.filter((entry) => entry.method === "POST" && entry.address === address).map((entry) => entry.body);
}

beforeEach(() => sessionStorage.clear());

describe("the session of the console", () => {
  it("is opened by the first statement, continues with the next, and says where it is", async () => {
    const now = { place: {} };
    const asked = sessionServed(now);
    const user = userEvent.setup();
    renderAt(`/c/demo/sql?branch=delays&statement=${encodeURIComponent("BEGIN")}`);
    now.place = { branch: "delays", database: "flights", transaction: TRANSACTION };
    await user.click(await screen.findByRole("button", { name: "Run" }));
    expect(await screen.findByText(/demo · delays · flights, in a transaction/)).toBeTruthy();
    now.place = { branch: "delays", database: "flights", transaction: null };
    await user.click(await screen.findByRole("button", { name: "Run" }));
    await waitFor(() => expect(screen.queryByText(/in a transaction/)).toBeNull());
    expect(bodies(asked, "/api/v1/sessions/")).toEqual([{ catalog: "demo", branch: "delays" }]);
    const sent = { session: "s-1", statement: "BEGIN" };
    expect(bodies(asked, "/api/v1/sql/")).toEqual([sent, sent]);
  });

  it("takes the page along where it goes, and goes where the page goes", async () => {
    const now = { place: { branch: "delays" } };
    const asked = sessionServed(now);
    const user = userEvent.setup();
    const router = renderAt(`/c/demo/sql?statement=${encodeURIComponent("USE BRANCH delays")}`);
    await user.click(await screen.findByRole("button", { name: "Run" }));
    await waitFor(() => expect(router.state.location.search).toContain("branch=delays"));
    await act(() => router.navigate("/c/demo/sql?branch=main&statement=USE%20BRANCH%20delays"));
    now.place = { branch: "main" };
    await user.click(await screen.findByRole("button", { name: "Run" }));
    await waitFor(() => expect(bodies(asked, "/api/v1/sql/")).toHaveLength(3));
    expect(bodies(asked, "/api/v1/sql/")[1]).toEqual({ session: "s-1", statement: "USE BRANCH `demo`.`main`" });
    expect(bodies(asked, "/api/v1/sessions/")).toHaveLength(1);
  });

  it("says where the next statement runs as soon as another branch is chosen", async () => {
    sessionStorage.setItem("lakeui.session.demo", JSON.stringify({ id: "s-1", branch: "main" }));
    sessionServed({ place: { database: "flights" } });
    const router = renderAt("/c/demo/sql?branch=main");
    expect(await screen.findByText(/demo · main · flights/)).toBeTruthy();
    await act(() => router.navigate("/c/demo/sql?branch=delays"));
    expect(await screen.findByText(/demo · delays · flights/)).toBeTruthy();
  });

  it("with a transaction keeps the page on its branch, so that COMMIT reaches it", async () => {
    sessionStorage.setItem("lakeui.session.demo", JSON.stringify({ id: "s-1", branch: "delays" }));
    const asked = sessionServed({ place: { branch: "delays", transaction: TRANSACTION } });
    const user = userEvent.setup();
    const router = renderAt("/c/demo/sql?branch=delays&statement=COMMIT");
    expect(await screen.findByText(/The transaction stays on delays/)).toBeTruthy();
    await act(() => router.navigate("/c/demo/sql?branch=main&statement=COMMIT"));
    await waitFor(() => expect(router.state.location.search).toContain("branch=delays"));
    await user.click(await screen.findByRole("button", { name: "Run" }));
    await waitFor(() => expect(bodies(asked, "/api/v1/sql/")).toEqual([{ session: "s-1", statement: "COMMIT" }]));
  });

  it("that ended is said and forgotten; the next statement begins another", async () => {
    sessionStorage.setItem("lakeui.session.demo", JSON.stringify({ id: "s-1", branch: "main" }));
    const gone = () => problem(404, { code: "NOT_FOUND", kind: "session", title: "Not found", detail: "There is no session s-1 of yours." });
    const served = { over: true };
    const asked = serve({
      "POST /api/v1/sessions/": () => json({ ...SESSION, id: "s-2" }, 201),
      "GET /api/v1/sessions/s-1/": gone,
      "GET /api/v1/sessions/s-2/": () => json({ ...SESSION, id: "s-2" }),
      "POST /api/v1/sql/": () => (served.over ? gone() : json(DONE)),
    });
    const user = userEvent.setup();
    renderAt("/c/demo/sql");
    expect(await screen.findByText(/The session of this tab ended/)).toBeTruthy();
    served.over = false;
    await user.click(await screen.findByRole("button", { name: "Run" }));
    await waitFor(() => expect(bodies(asked, "/api/v1/sql/")).toEqual([{ session: "s-2", statement: "SHOW TABLES" }]));
    await waitFor(() => expect(screen.queryByText(/The session of this tab ended/)).toBeNull());
  });
});

describe("the console", () => {
  it("cancels the statement that runs, and shows that it was cancelled", async () => {
    let answer: (response: Response) => void = () => undefined;
    const asked = serve({
      ...NO_TABLES,
      "POST /api/v1/sessions/": () => json(SESSION, 201),
      "GET /api/v1/sessions/s-1/": () => json(SESSION),
      "POST /api/v1/sql/": () => new Promise<Response>((resolve) => (answer = resolve)),
      "/api/v1/tasks/": page([...OTHERS, { ...RUNNING, id: "q-1" }]),
      "POST /api/v1/tasks/q-1/cancel/": () => {
        answer(problem(409, { code: "QUERY_CANCELLED", title: "The query was cancelled", detail: "The query was cancelled." }));
        return new Response(JSON.stringify({ ...RUNNING, id: "q-1", cancel_requested: true }), { headers: { "Content-Type": "application/json" } });
      },
    });
    const user = userEvent.setup();
    renderAt(`/c/demo/sql?statement=${encodeURIComponent(STATEMENT)}`);
    expect(screen.queryByRole("button", { name: "Cancel" })).toBeNull();
    await user.click(await screen.findByRole("button", { name: "Run" }));
    await user.click(await screen.findByRole("button", { name: "Cancel" }));
    expect(await screen.findByText("The query was cancelled. Nothing was changed.")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
    const cancelled = asked.filter(({ address }) => address.endsWith("/cancel/")).map(({ address }) => address);
    expect(cancelled).toEqual(["/api/v1/tasks/q-1/cancel/"]);
    await waitFor(() => expect(screen.queryByRole("button", { name: "Cancel" })).toBeNull());
  });
});

it("puts a name of the list of tables into the text, where the cursor is", async () => {
  const at = "/api/v1/catalogs/demo/branches/main/databases/";
  serve({
    [at]: page([{ name: "flights" }]),
    [`${at}flights/tables/`]: page([{ name: "planes" }, { name: "odd name" }]),
    [`${at}flights/tables/odd%20name/`]: { columns: [{ name: "tail", type: "string" }] },
  });
  const user = userEvent.setup();
  renderAt("/c/demo/sql?statement=%20");
  const tree = within(await screen.findByRole("navigation", { name: "Tables of main" }));
  await user.type(tree.getByRole("searchbox"), "odd");
  expect(tree.queryByText("planes")).toBeNull();
  await user.click(await tree.findByText("odd name"));
  const editor = await screen.findByRole("textbox", { name: "SQL statement" });
  await user.click(tree.getByRole("button", { name: "Insert flights.odd name" }));
  await waitFor(() => expect(editor.textContent).toContain("flights.`odd name`"));
  expect(await tree.findByText("tail")).toBeTruthy();
});

it("draws the tables of a database when somebody opens it", async () => {
  const at = "/api/v1/catalogs/demo/branches/main/databases/";
  serve({ [at]: page([{ name: "flights" }, { name: "ships" }]), [`${at}flights/tables/`]: page([{ name: "planes" }]), [`${at}ships/tables/`]: page([{ name: "ferries" }]) });
  const user = userEvent.setup();
  renderAt("/c/demo/sql?statement=%20");
  const tree = within(await screen.findByRole("navigation", { name: "Tables of main" }));
  await tree.findByText("flights");
  expect(tree.queryByText("planes")).toBeNull();
  await user.click(tree.getByText("flights"));
  expect(await tree.findByText("planes")).toBeTruthy();
  expect(tree.queryByText("ferries")).toBeNull();
});

describe("several statements", () => {
  const ANSWER = { ...DONE, columns: [{ name: "n", type: "bigint" }], rows: [[10], [9], [null]], row_count: 3 };
  const text = "SELECT n FROM d.t; SELECT oops; SELECT 3";

  it("run one after the other, a tab each, until one fails; the others are shown as not run", async () => {
    let asked: Asked[] = [];
    asked = sessionServed({ place: {} }, () => {
      const last = asked.filter(({ address }) => address === "/api/v1/sql/").at(-1);
      const { statement } = last?.body as { statement: string };
      return statement === "SELECT oops" ? problem(400, { code: "NOT_FOUND", title: "Not found", detail: "There is no column oops." }) : json(ANSWER);
    });
    const user = userEvent.setup();
    renderAt(`/c/demo/sql?statement=${encodeURIComponent(text)}`);
    await user.click(await screen.findByRole("button", { name: "Run 3 statements" }));
    expect(await screen.findByText("There is no column oops.")).toBeTruthy();
    expect(screen.getByText("1 of 3 statements ran. 1 statement did not run: the one before failed.")).toBeTruthy();
    expect(bodies(asked, "/api/v1/sql/")).toEqual(["SELECT n FROM d.t", "SELECT oops"].map((statement) => ({ session: "s-1", statement })));
    await user.click(screen.getByRole("tab", { name: /^1 SELECT n FROM d\.t/ }));
    expect(within(screen.getByRole("region", { name: "Result" })).getAllByRole("cell").map((cell) => cell.textContent)).toEqual(["10", "9", "NULL"]);
  });

  it("have results that are sorted, filtered, chosen by the keyboard and copied", async () => {
    sessionServed({ place: {} }, () => json(ANSWER));
    const user = userEvent.setup();
    renderAt("/c/demo/sql?statement=SELECT%201");
    await user.click(await screen.findByRole("button", { name: "Run" }));
    const cells = () => within(screen.getByRole("region", { name: "Result" })).getAllByRole("cell").map((cell) => cell.textContent);
    await user.click(await screen.findByRole("button", { name: /^n/ }));
    expect(cells()).toEqual(["9", "10", "NULL"]);
    expect(screen.getByRole("columnheader", { name: /^n/ }).getAttribute("aria-sort")).toBe("ascending");
    await user.type(screen.getByRole("searchbox", { name: /^Filter rows/ }), "> 8");
    expect(await screen.findByText("2 of 3 rows fit the filter.")).toBeTruthy();
    const grid = screen.getByRole("region", { name: "Result" });
    grid.focus();
    await user.keyboard("{ArrowDown}{Shift>}{ArrowDown}{/Shift}");
    expect(screen.getByText(/2 rows × 1 column chosen/)).toBeTruthy();
    const setData = vi.fn();
    fireEvent.copy(grid, { clipboardData: { setData } });
    expect(setData).toHaveBeenCalledWith("text/plain", "n\n9\n10");
    await user.click(screen.getByRole("button", { name: "Chart" }));
    expect(await screen.findByRole("img", { name: /^Histogram of n, 2 rows/ })).toBeTruthy();
  });

  it("have columns of chosen widths and a first one that stays, kept when another tab was open", async () => {
    const wide = { ...ANSWER, columns: [{ name: "n", type: "bigint" }, { name: "name", type: "string" }], rows: [[10, "ten"], [9, "nine"]], row_count: 2 };
    const offsetWidth = vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(160);
    sessionServed({ place: {} }, () => json(wide));
    const user = userEvent.setup();
    renderAt(`/c/demo/sql?statement=${encodeURIComponent("SELECT 1; SELECT 2")}`);
    await user.click(await screen.findByRole("button", { name: "Run 2 statements" }));
    await screen.findByRole("tab", { name: /^2 SELECT 2/, selected: true });
    const region = () => within(screen.getByRole("region", { name: "Result" }));
    const widths = () => region().getAllByRole("columnheader").map((head) => head.style.width);
    expect(widths()).toEqual(["", ""]);
    act(() => region().getByRole("separator", { name: "Width of name" }).focus());
    await user.keyboard("{ArrowRight}{Shift>}{ArrowRight}{/Shift}");
    expect(widths()).toEqual(["10rem", "16rem"]);
    expect(region().getByRole("table").style.width).toBe("26rem");
    // The arrow keys of the handle choose no cell; those of the grid still do.
    expect(screen.queryByText(/chosen; Ctrl C copies/)).toBeNull();
    screen.getByRole("region", { name: "Result" }).focus();
    await user.keyboard("{ArrowDown}{Shift>}{ArrowRight}{/Shift}");
    expect(screen.getByText("1 row × 2 columns chosen; Ctrl C copies.")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Freeze first column" }));
    expect(region().getByRole("table").className).toMatch(/frozen/);
    await user.click(screen.getByRole("tab", { name: /^1 SELECT 1/ }));
    expect(widths()).toEqual(["", ""]);
    expect(region().getByRole("table").className).not.toMatch(/sized|frozen/);
    await user.click(screen.getByRole("tab", { name: /^2 SELECT 2/ }));
    expect(widths()).toEqual(["10rem", "16rem"]);
    expect(region().getByRole("table").className).toMatch(/sized frozen/);
    offsetWidth.mockRestore();
  });
});

describe("the text of the editor", () => {
  const keep = (person: string, first: string, text: string) => {
    signedInAs(person);
    sessionStorage.setItem(`lakeui.of.${person}.sql-text.demo`, JSON.stringify({ first, text }));
  };

  it("is there again after a reload, but not for another person", async () => {
    keep("ann", "", "SELECT 'hers'");
    const asked = sessionServed({ place: {} });
    const user = userEvent.setup();
    renderAt("/c/demo/sql");
    await user.click(await screen.findByRole("button", { name: "Run" }));
    await waitFor(() => expect(bodies(asked, "/api/v1/sql/")).toEqual([{ session: "s-1", statement: "SELECT 'hers'" }]));
    signedInAs("bob");
    cleanup();
    renderAt("/c/demo/sql");
    await user.click(await screen.findByRole("button", { name: "Run" }));
    await waitFor(() => expect(bodies(asked, "/api/v1/sql/").at(-1)).toEqual({ session: "s-1", statement: "SHOW TABLES" }));
  });

  it("gives way to another statement that the address brings", async () => {
    keep("ann", "SELECT 1", "SELECT 1, 2");
    const asked = sessionServed({ place: {} });
    const user = userEvent.setup();
    renderAt("/c/demo/sql?statement=SELECT%203");
    await user.click(await screen.findByRole("button", { name: "Run" }));
    await waitFor(() => expect(bodies(asked, "/api/v1/sql/")).toEqual([{ session: "s-1", statement: "SELECT 3" }]));
  });
});

describe("saved queries", () => {
  const query = { id: 7, name: "Late", text: "SELECT 1", is_shared: true, owner: "bob", created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
  const own = { ...query, id: 8, name: "Mine", text: "SELECT 2", is_shared: false, owner: "ada" };

  beforeEach(() => {
    signedInAs("ada");
  });

  it("saves the text of the editor under a name, for oneself unless it is shared", async () => {
    const asked = serve({ ...NO_TABLES, [`POST ${QUERIES}`]: () => json(own, 201) });
    const user = userEvent.setup();
    renderAt("/c/demo/sql?statement=SELECT%202");
    await user.click(await screen.findByRole("button", { name: "Save query" }));
    await user.type(screen.getByRole("textbox", { name: "Name" }), " Mine ");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(bodies(asked, QUERIES)).toEqual([{ name: "Mine", text: "SELECT 2", is_shared: false }]));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("lists own and shared ones, and edits own ones alone", async () => {
    const asked = serve({
      ...NO_TABLES,
      [QUERIES]: page([query, own]),
      [`GET ${QUERIES}8/`]: () => json(own),
      [`PATCH ${QUERIES}8/`]: () => json(own),
    });
    const user = userEvent.setup();
    renderAt("/c/demo/sql?statement=SELECT%203");
    expect(await screen.findByText("by bob")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Edit Late" })).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Edit Mine" }));
    await user.click(screen.getByRole("checkbox", { name: "Share it with everybody who can see demo" }));
    await user.click(screen.getByRole("button", { name: "Save" }));
    const sent = () => asked.find(({ method, address }) => method === "PATCH" && address === `${QUERIES}8/`)?.body;
    await waitFor(() => expect(sent()).toEqual({ name: "Mine", text: "SELECT 2", is_shared: true }));
  });

  it("says why a query cannot be saved", async () => {
    serve({ ...NO_TABLES, [`POST ${QUERIES}`]: () => problem(409, { code: "ALREADY_EXISTS", title: "It exists", detail: "There is a query Mine." }) });
    const user = userEvent.setup();
    renderAt("/c/demo/sql?statement=SELECT%202");
    await user.click(await screen.findByRole("button", { name: "Save query" }));
    await user.type(screen.getByRole("textbox", { name: "Name" }), "Mine");
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText(/There is a query Mine/)).toBeTruthy();
  });
});

describe("the history", () => {
  const KEPT = "/api/v1/statements/";
  const ran = {
    id: 3, catalog: "demo", branch: "delays", text: "SELECT 1\n FROM d.t", is_cut: false, created_at: "2026-01-01T00:00:00Z", milliseconds: 12,
    outcome: "OK", row_count: 2, version: 7, task: null,
  };
  const failed = { ...ran, id: 2, text: "SELECT oops", outcome: "NOT_FOUND", row_count: null };
  const long = { ...ran, id: 1, text: "SELECT long", is_cut: true, outcome: "QUERY_CANCELLED", row_count: null };

  function historyServed(more: Parameters<typeof serve>[0] = {}): Asked[] {
    return serve({
      ...NO_TABLES,
      [KEPT]: page([ran, failed, long]),
      "POST /api/v1/sessions/": () => json(SESSION, 201),
      "GET /api/v1/sessions/s-1/": () => json(SESSION),
      "POST /api/v1/sql/": () => json(DONE),
      ...more,
    });
  }

  async function opened() {
    const user = userEvent.setup();
    renderAt("/c/demo/sql?branch=delays&statement=SELECT%203");
    await user.click(await screen.findByRole("button", { name: "Earlier statements" }));
    const list = within(await screen.findByRole("list", { name: "Statements" }));
    await list.findByText("SELECT oops");
    return { user, list };
  }

  it("lists what the server kept of this catalog, and finds some of it", async () => {
    const asked = historyServed();
    const { user, list } = await opened();
    expect(list.getAllByRole("listitem").map((line) => /·.*/.exec(line.textContent)?.[0].split("Run")[0])).toEqual([
      "· delays · 2 rows in 12 ms", "· delays · failed with NOT_FOUND in 12 ms", "· delays · cancelled in 12 ms",
    ]);
    await user.click(screen.getByRole("checkbox", { name: "on delays only" }));
    await user.click(screen.getByRole("checkbox", { name: "without those that failed" }));
    await user.type(screen.getByRole("searchbox", { name: "Find in the statements" }), "from");
    const last = () => new URLSearchParams(asked.filter(({ address }) => address.startsWith(KEPT)).at(-1)?.address.split("?")[1]);
    await waitFor(() => expect(Object.fromEntries(last())).toEqual({ catalog: "demo", branch: "delays", outcome: "OK", search: "from", limit: "50" }));
  });

  it("opens one in the editor, and runs one again", async () => {
    const asked = historyServed();
    const { user, list } = await opened();
    await user.click(list.getByText("SELECT oops"));
    const editor = await screen.findByRole("textbox", { name: "SQL statement" });
    await waitFor(() => expect(editor.textContent).toContain("SELECT oops"));
    expect(bodies(asked, "/api/v1/sql/")).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Earlier statements" }));
    for (const again of (await screen.findAllByRole("button", { name: "Run again" })).slice(0, 1)) await user.click(again);
    await waitFor(() => expect(bodies(asked, "/api/v1/sql/")).toEqual([{ session: "s-1", statement: ran.text }]));
  });

  it("runs and saves nothing of which only the beginning is kept", async () => {
    historyServed();
    const { list } = await opened();
    const usable = (name: string) => list.getAllByRole("button", { name }).map((button) => !(button as HTMLButtonElement).disabled);
    expect([usable("Run again"), usable("Save query")]).toEqual([[true, true, false], [true, true, false]]);
  });

  it("saves one as a query", async () => {
    const asked = historyServed({ [`POST ${QUERIES}`]: () => json({}, 201) });
    const { user, list } = await opened();
    for (const second of list.getAllByRole("button", { name: "Save query" }).slice(1, 2)) await user.click(second);
    await user.type(screen.getByRole("textbox", { name: "Name" }), "Oops");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(bodies(asked, QUERIES)).toEqual([{ name: "Oops", text: "SELECT oops", is_shared: false }]));
  });

  it("deletes one, and all of the catalog after asking", async () => {
    const gone = () => new Response(null, { status: 204 });
    const asked = historyServed({ [`DELETE ${KEPT}2/`]: gone, [`DELETE ${KEPT}`]: gone });
    const { user } = await opened();
    const deleted = () => asked.filter(({ method }) => method === "DELETE").map(({ address }) => address);
    await user.click(screen.getByRole("button", { name: "Delete SELECT oops" }));
    await waitFor(() => expect(deleted()).toEqual([`${KEPT}2/`]));
    await user.click(screen.getByRole("button", { name: "Delete all …" }));
    expect(deleted()).toHaveLength(1);
    await user.click(screen.getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(deleted()).toEqual([`${KEPT}2/`, `${KEPT}?catalog=demo`]));
  });
});

it("shows EXPLAIN as a tree, whose files open and close, and as a table where that is wanted", async () => {
  const rows = [
    ["delete rows", "d.t"],
    ["scan", "d.t at version 7: 1 of 12 files, 30 rows, by `a` = 1"],
    ["keep file", "1/data/a.parquet (30 rows): a row can match"],
    ...Array.from({ length: 11 }, (_, place) => ["skip file", `1/data/b${place}.parquet (5 rows): its statistics rule out every row`]),
  ];
  const columns = ["step", "detail"].map((name) => ({ name, type: "string" }));
  sessionServed({ place: {} }, () => json({ ...DONE, columns, rows, row_count: rows.length }));
  const user = userEvent.setup();
  renderAt(`/c/demo/sql?branch=main&statement=${encodeURIComponent("EXPLAIN DELETE FROM d.t WHERE a = 1")}`);
  await user.click(await screen.findByRole("button", { name: "Run" }));
  const steps = await screen.findByRole("list", { name: "Steps of the statement" });
  expect(within(steps).getByText(/^keeps 1 of 12 files, 30 rows; by/)).toBeTruthy();
  expect(within(steps).getByText("1/data/a.parquet").parentElement?.textContent).toBe("→read1/data/a.parquet30 rows: a row can match");
  expect(steps.querySelectorAll("li li")).toHaveLength(10);
  await user.click(within(steps).getByRole("button", { name: "Show 2 more files" }));
  expect(steps.querySelectorAll("li li.skipped")).toHaveLength(11);
  await user.click(screen.getByRole("button", { name: "Show as a table" }));
  expect(screen.queryByRole("list", { name: "Steps of the statement" })).toBeNull();
  expect(screen.getByRole("button", { name: "Show as a tree" })).toBeTruthy();
});
