import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { json, MAIN, page, serve } from "../../testing/server";

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
