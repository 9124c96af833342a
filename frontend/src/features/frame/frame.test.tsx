import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { renderAt, rendered } from "../../testing/render";
import { DELAYS, json, page, problem, serve } from "../../testing/server";

const GRAPH = { commits: [], branches: [], failed_merges: [], tags: [], next_before: null };
const LAKE = {
  "/api/v1/catalogs/demo/graph/": GRAPH,
  "/api/v1/catalogs/demo/branches/main/databases/": page([{ name: "flights", database_id: 1, comment: "", properties: {} }]),
  "/api/v1/catalogs/demo/branches/main/databases/flights/tables/": page([{ name: "planes", table_id: 7, database: "flights" }]),
  "/api/v1/merges/": page([]),
};

describe("the frame", () => {
  it("names the catalogs, and each branch with how far it is from its parent", async () => {
    serve(LAKE);
    renderAt("/");
    const branches = await screen.findByRole("list", { name: "Branches of demo" });
    expect(within(branches).getAllByRole("listitem")).toHaveLength(2);
    expect(within(branches).getByText("2 ahead, 1 behind")).toBeTruthy();
    expect(document.title).toBe("Catalogs · lakeui");
  });

  it("cuts a long name of a catalog in its menu, and has the whole as a title", async () => {
    const name = "n".repeat(255);
    const catalogs = page(["demo", name].map((each) => ({ name: each, comment: "", branch_count: 0, commit_count: 0, last_commit: null })));
    serve({ ...LAKE, "/api/v1/catalogs/": catalogs, [`/api/v1/catalogs/${name}/branches/`]: page([]) });
    renderAt("/c/demo/b/main");
    const shown = await screen.findByTitle(name);
    expect(shown.className).toBe("grow ellipsis");
    expect(shown.closest("a")?.getAttribute("href")).toBe(`/c/${name}`);
  });

  it("keeps the branch from page to page, and says which it is", async () => {
    localStorage.clear();
    serve({
      ...LAKE,
      "/api/v1/catalogs/demo/branches/delays/": DELAYS,
      "/api/v1/catalogs/demo/branches/delays/databases/": page([]),
    });
    const router = renderAt("/c/demo/b/delays");
    const rail = await screen.findByRole("navigation", { name: "Main" });
    await waitFor(() => expect(within(rail).getByText("on delays")).toBeTruthy());
    await act(() => router.navigate("/c/demo/merges"));
    expect(within(rail).getByRole("link", { name: "Tables" }).getAttribute("href")).toBe("/c/demo/b/delays");
    expect(within(rail).getByRole("link", { name: "SQL" }).getAttribute("href")).toContain("branch=delays");
  });

  it("has links of a catalog from the start page where it is the only one, or was looked at last", async () => {
    localStorage.clear();
    const demo = { name: "demo", catalog_id: 1, comment: "", branch_count: 0, commit_count: 0, role: "owner" };
    const catalogs = page([{ ...demo, name: "another", catalog_id: 2 }, demo]);
    serve({ ...LAKE, "/api/v1/catalogs/": catalogs, "/api/v1/catalogs/another/branches/": page([]), "/api/v1/catalogs/another/merge-requests/": page([]) });
    const { unmount } = rendered("/");
    await screen.findByRole("link", { name: "another" });
    const links = () => within(screen.getByRole("navigation", { name: "Main" })).queryAllByRole("link", { name: /^Merge requests/ });
    expect(links()).toEqual([]);
    unmount();
    localStorage.setItem("lakeui.catalog", "demo");
    rendered("/");
    await waitFor(() => expect(links().map((link) => link.getAttribute("href"))).toEqual(["/c/demo/requests"]));
    localStorage.clear();
  });

  it("leads to main where the branch that was looked at last is gone", async () => {
    localStorage.setItem("lakeui.branch.demo", "gone");
    serve(LAKE);
    renderAt("/c/demo/merges");
    const rail = await screen.findByRole("navigation", { name: "Main" });
    await waitFor(() => expect(within(rail).getByText("on main")).toBeTruthy());
    localStorage.clear();
  });

  it("gives the focus back to what opened a dialog", async () => {
    serve(LAKE);
    const user = userEvent.setup();
    renderAt("/");
    const search = await screen.findByRole("button", { name: /Search/ });
    search.focus();
    await user.keyboard("{Enter}");
    await user.type(await screen.findByRole("combobox"), "x");
    fireEvent(screen.getByRole("dialog"), new Event("cancel"));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(document.activeElement).toBe(search);
  });

  it("names on the start page what happened last, how many reviews are open, and what runs", async () => {
    const running = { id: "t-1", kind: "sql", state: "running", message: "compare both branches", parameters: { catalog: "demo", branch: "main" }, started_at: "2026-01-01T00:00:00Z" };
    serve({ ...LAKE, "/api/v1/catalogs/demo/merge-requests/": page([{ number: 1 }, { number: 2 }]), "/api/v1/tasks/": page([running]) });
    renderAt("/");
    const [first] = within(await screen.findByRole("list", { name: "Branches of demo" })).getAllByRole("listitem");
    expect(first?.textContent).toMatch(/main.*v16.*INSERT/);
    expect((await screen.findByRole("link", { name: "2 open merge requests of demo" })).getAttribute("href")).toBe("/c/demo/requests");
    expect((await screen.findByRole("link", { name: "compare both branches" })).getAttribute("href")).toBe("/tasks/t-1");
  });

  it("shows three commands where there is no catalog", async () => {
    serve({ ...LAKE, "/api/v1/catalogs/": page([]) });
    renderAt("/");
    expect(await screen.findByText("There is no catalog yet")).toBeTruthy();
    expect(screen.getAllByRole("button", { name: "Copy the command" })).toHaveLength(3);
  });

  it("finds a table and a column by the palette and goes there", async () => {
    const of = { catalog: "demo", branch: "main", database: "flights", table: "planes", view: null, column: null, tag: null, merge_id: null, version: null, former_name: null, until_version: null, is_dropped: false, in_trash: false };
    const asked = serve({
      ...LAKE,
      "/api/v1/search/": {
        results: [
          { ...of, kind: "table", label: "flights.planes" },
          { ...of, kind: "column", label: "flights.planes.planes_seen", column: "planes_seen" },
        ],
      },
    });
    const user = userEvent.setup();
    const router = renderAt("/c/demo");
    await screen.findByRole("heading", { name: "demo" });
    await user.keyboard("{Control>}k{/Control}");
    await user.type(screen.getByRole("combobox"), "planes");
    expect(await screen.findByRole("option", { name: /planes.*table in flights on main/ })).toBeTruthy();
    expect(screen.getByRole("option", { name: /planes_seen.*column of planes in flights on main/ })).toBeTruthy();
    expect(asked.some(({ address }) => address.startsWith("/api/v1/search/?q=planes&limit=50&catalog=demo&branch=main&kind=branch"))).toBe(true);
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.pathname).toBe("/c/demo/b/main/t/flights/planes"));
  });

  it("goes to the best match of what is typed when Enter comes before the search has answered", async () => {
    const of = { catalog: "demo", branch: "main", column: null, tag: null, merge_id: null, version: null, former_name: null, until_version: null, is_dropped: false, in_trash: false };
    const found = { results: [{ ...of, kind: "table", label: "flights.compare_runs", database: "flights", table: "compare_runs" }] };
    let answer: () => void = () => undefined;
    const late = new Promise<void>((done) => (answer = done));
    serve({ ...LAKE, "/api/v1/search/": () => late.then(() => json(found)) });
    const user = userEvent.setup();
    const router = renderAt("/c/demo");
    await screen.findByRole("heading", { name: "demo" });
    await user.keyboard("{Control>}k{/Control}");
    await screen.findByRole("option", { name: /^Compare/ });
    await user.type(screen.getByRole("combobox"), "compare_runs{Enter}");
    expect(screen.queryByText("Nothing has that name.")).toBeNull();
    expect(router.state.location.pathname).toBe("/c/demo");
    answer();
    await waitFor(() => expect(router.state.location.pathname).toBe("/c/demo/b/main/t/flights/compare_runs"));
  });

  it("lists the keys on a question mark, but not while somebody types one", async () => {
    serve(LAKE);
    const user = userEvent.setup();
    renderAt("/c/demo");
    await user.type(await screen.findByLabelText("Find a branch by name"), "?");
    expect(screen.queryByRole("dialog", { name: "Keys" })).toBeNull();
    await user.click(screen.getByRole("heading", { name: "demo" }));
    await user.keyboard("?");
    expect(screen.getByRole("dialog", { name: "Keys" })).toBeTruthy();
  });

  it("creates a branch with the statement that a person would type", async () => {
    const asked = serve({ ...LAKE, "/api/v1/sql/": { columns: [], rows: [], row_count: 0, truncated: false, version: 16, metrics: {} } });
    const user = userEvent.setup();
    const router = renderAt("/c/demo");
    await user.click(await screen.findByRole("button", { name: "New branch" }));
    await user.type(screen.getByLabelText("Name"), "fix `x`");
    await user.click(screen.getByRole("button", { name: "Create" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/c/demo/b/fix%20%60x%60"));
    expect(asked.find(({ method }) => method === "POST")?.body).toMatchObject({ statement: "CREATE BRANCH `fix ``x``` FROM `main`" });
  });

  it("keeps what a person typed when the server refuses it", async () => {
    serve({ ...LAKE, "/api/v1/sql/": () => problem(409, { code: "ALREADY_EXISTS", title: "Already exists", detail: "There is a branch delays." }) });
    const user = userEvent.setup();
    renderAt("/c/demo");
    await user.click(await screen.findByRole("button", { name: "New branch" }));
    await user.type(screen.getByLabelText("Name"), "delays");
    await user.click(screen.getByRole("button", { name: "Create" }));
    expect((await screen.findByRole("alert")).textContent).toContain("There is a branch delays.");
    expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("delays");
  });

  it("says so at an address that is no page", async () => {
    serve(LAKE);
    renderAt("/c/demo/nothing/here");
    expect(await screen.findByText("There is no page at this address")).toBeTruthy();
  });
});
