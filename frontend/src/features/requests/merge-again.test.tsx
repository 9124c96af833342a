import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { event, PROTECTED, request } from "../../testing/review";
import { json, page, problem, serve, type Asked } from "../../testing/server";

const AT = "/api/v1/catalogs/demo/merge-requests/3/";

describe("a merge that was reverted", () => {
  it("is merged again by a request that reverts the revert, from the step that failed", async () => {
    const undone_by = { audit_id: "r-1", version: 21, actor: "dora", time: "2026-01-02T00:00:00Z" };
    const restores = [problem(503, { title: "Away", detail: "Spark is away." }), json({ columns: [], rows: [], row_count: 0, truncated: false, version: 22, metrics: {} })];
    const asked = serve({
      "/api/v1/catalogs/demo/": { name: "demo", role: "owner" },
      "/api/v1/catalogs/demo/branches/main/protection/": PROTECTED,
      "/api/v1/catalogs/demo/members/": page([]),
      "/api/v1/inbox/": page([]),
      [AT]: request({ state: "merged", merge_id: "m-1", undone_by, title: "Reasons of delays" }),
      [`${AT}timeline/`]: page([event({})]),
      "POST /api/v1/sql/": ({ body }: Asked) => ((body as { statement: string }).statement.startsWith("RESTORE") ? (restores.shift() ?? problem(500, {})) : json({ columns: [], rows: [], row_count: 0, truncated: false, version: null, metrics: {} })),
      "POST /api/v1/catalogs/demo/merge-requests/": () => json(request({ number: 9 }), 201),
    });
    const user = userEvent.setup();
    const router = renderAt("/c/demo/requests/3");
    await user.click(await screen.findByRole("button", { name: "Merge again …" }));
    const dialog = await screen.findByRole("dialog", { name: "Merge delays again?" });
    expect(dialog.textContent).toContain("restored to v20, the version before the revert");
    await user.click(within(dialog).getByRole("button", { name: "Open the merge request" }));
    expect(await within(dialog).findByText("Spark is away.")).toBeTruthy();
    await user.click(within(dialog).getByRole("button", { name: "Open the merge request" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/c/demo/requests/9"));
    const sent = asked.filter(({ method, address }) => method === "POST" && address === "/api/v1/sql/").map(({ body }) => (body as { statement: string }).statement);
    expect(sent).toEqual(["CREATE BRANCH `delays-again` FROM `main` VERSION AS OF 21", ...Array<string>(2).fill("RESTORE BRANCH `delays-again` TO VERSION AS OF 20")]);
    const opened = asked.find(({ method, address }) => method === "POST" && address.endsWith("/merge-requests/"))?.body;
    expect(opened).toMatchObject({ source: "delays-again", destination: "main", title: "Reasons of delays" });
    expect((opened as { description: string }).description).toContain("Merges #3 again");
  });
});
