import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";

import { summary } from "../../testing/pipelines";
import { renderAt } from "../../testing/render";
import { page, serve } from "../../testing/server";

const SEEN = {
  name: "seen", table_id: 9, columns: [], partition_by: [], primary_key: [], properties: {}, constraints: {}, rows: 3, bytes: 10, files: 1, deleted_rows: 0, schema_version: 1,
  version: 16, head_version: 16, comment: "", sort_by: [],
};

describe("a table", () => {
  it("names the pipelines that write to it, and none that only has a name like it", async () => {
    serve({
      "/api/v1/catalogs/demo/branches/main/databases/flights/tables/seen/": SEEN,
      "/api/v1/pipelines/": page([summary({ name: "last_seen", table: "SEEN" }), summary({ id: 8, name: "other", table: "seen_copy" })]),
    });
    renderAt("/c/demo/b/main/t/flights/seen");
    expect((await screen.findByRole("link", { name: "last_seen" })).getAttribute("href")).toBe("/c/demo/pipelines/7?tab=runs");
    expect(screen.queryByRole("link", { name: "other" })).toBeNull();
  });
});
