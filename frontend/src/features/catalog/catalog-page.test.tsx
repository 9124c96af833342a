import { screen } from "@testing-library/react";
import { expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { serve } from "../../testing/server";

it("leads from a catalog without commits to its first table and to an import", async () => {
  serve({ "/api/v1/catalogs/demo/graph/": { commits: [], branches: [], failed_merges: [], tags: [], next_before: null } });
  renderAt("/c/demo");
  await screen.findByText("No commit yet");
  expect(screen.getByRole("link", { name: "Make a database and a table" }).getAttribute("href")).toBe("/c/demo/b/main");
  expect(screen.getByRole("link", { name: "Import a file" }).getAttribute("href")).toMatch(/^\/c\/demo\/import\?branch=main/);
});
