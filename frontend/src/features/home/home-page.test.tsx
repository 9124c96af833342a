import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { rendered, renderAt } from "../../testing/render";
import { json, MAIN, page, problem, serve } from "../../testing/server";

it("keeps a place for each branch until the branches have come", async () => {
  let come: () => void = () => undefined;
  const catalog = { name: "lake", comment: "", created_at: MAIN.created_at, branch_count: 3, commit_count: 4, last_commit: MAIN.last_commit };
  serve({
    "/api/v1/catalogs/": page([catalog]),
    "/api/v1/catalogs/lake/branches/": () => new Promise<Response>((answer) => (come = () => answer(json(page([MAIN]))))),
  });
  renderAt("/");
  const loading = await screen.findByText("Loading branches of lake");
  expect(loading.parentElement?.querySelectorAll("[aria-hidden]")).toHaveLength(3);
  come();
  await screen.findByRole("list", { name: "Branches of lake" });
  await waitFor(() => expect(screen.queryByText("Loading branches of lake")).toBeNull());
});

it("has the card of the first steps before it is known what is done, and no step is ticked off", async () => {
  serve({ "/api/v1/catalogs/demo/compare/delays...main/": () => new Promise<Response>(() => undefined) });
  renderAt("/");
  await screen.findByText("First steps");
  expect(screen.queryByRole("link", { name: /See the conflict/ })).toBeNull();
  expect(screen.queryByText("✓")).toBeNull();
});

it("loads a sample where there is no catalog, and leads to its task", async () => {
  const asked = serve({ "/api/v1/catalogs/": page([]), "POST /api/v1/samples/": () => json({ id: "t-1", state: "queued" }, 202) });
  const user = userEvent.setup();
  const router = renderAt("/");
  await user.click(await screen.findByRole("button", { name: /^flights/ }));
  await waitFor(() => expect(router.state.location.pathname).toBe("/tasks/t-1"));
  expect(asked.find(({ method }) => method === "POST")?.body).toEqual({ sample: "flights" });
});

it("says why a sample is refused, and offers no sample that is there", async () => {
  serve({ "POST /api/v1/samples/": () => problem(403, { code: "PERMISSION_DENIED", title: "Permission denied", detail: "Agents do not create catalogs." }) });
  const user = userEvent.setup();
  renderAt("/");
  await user.click(await screen.findByRole("button", { name: "New catalog" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.queryByRole("button", { name: /^flights/ })).toBeNull();
  await user.click(dialog.getByRole("button", { name: /^shop/ }));
  expect((await dialog.findByRole("alert")).textContent).toContain("Agents do not create catalogs.");
});

describe("many catalogs", () => {
  const names = (count: number) => Array.from({ length: count }, (_, place) => `lake_${String(place).padStart(2, "0")}`);
  const lakes = (count: number) =>
    Object.fromEntries([
      ["/api/v1/catalogs/", page(names(count).map((name) => ({ name, comment: name === "lake_07" ? "Harbour data" : "", created_at: MAIN.created_at, branch_count: 0, commit_count: 0, last_commit: null })))],
      ...names(count).map((name) => [`/api/v1/catalogs/${name}/branches/`, page([])] as const),
    ]);
  const shown = () => screen.getAllByRole("link", { name: /^lake_\d\d$/ }).map(({ textContent }) => textContent);

  it("are filtered by name and comment where more than ten are listed", async () => {
    serve(lakes(11));
    const user = userEvent.setup();
    renderAt("/");
    await user.type(await screen.findByRole("searchbox", { name: "Filter catalogs by name or comment" }), "HARB");
    expect(await screen.findByText("1 of 11 catalogs fits the filter.")).toBeTruthy();
    expect(shown()).toEqual(["lake_07"]);
  });

  it("have no filter up to ten", async () => {
    serve(lakes(10));
    renderAt("/");
    await screen.findByRole("link", { name: "lake_09" });
    expect(screen.queryByRole("searchbox")).toBeNull();
  });

  it("stand first when they are pinned, also after the page is opened again", async () => {
    localStorage.clear();
    serve(lakes(3));
    const user = userEvent.setup();
    const { unmount } = rendered("/");
    await user.click(await screen.findByRole("button", { name: "Pin lake_02", pressed: false }));
    expect(shown()).toEqual(["lake_02", "lake_00", "lake_01"]);
    unmount();
    rendered("/");
    await user.click(await screen.findByRole("button", { name: "Pin lake_02", pressed: true }));
    expect(shown()).toEqual(["lake_00", "lake_01", "lake_02"]);
    expect(localStorage.getItem("lakeui pinned catalogs")).toBe("[]");
  });
});
