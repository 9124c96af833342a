import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { json, MAIN, page, problem, serve } from "../../testing/server";

it("keeps a place for each branch until the branches have come", async () => {
  let come: () => void = () => undefined;
  const catalog = { name: "lake", comment: "", created_at: MAIN.created_at, branch_count: 3, commit_count: 4, last_commit: MAIN.last_commit };
  serve({
    "/api/v1/catalogs/": page([catalog]),
    "/api/v1/catalogs/lake/branches/": () => new Promise<Response>((answer) => (come = () => answer(json(page([MAIN]))))),
  });
  renderAt("/");
  await screen.findByText("Loading branches of lake");
  expect(document.querySelectorAll(".branch-places .branch-row")).toHaveLength(3);
  come();
  await screen.findByRole("list", { name: "Branches of lake" });
  await waitFor(() => expect(document.querySelector(".branch-places")).toBeNull());
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
