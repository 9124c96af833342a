import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { page, serve } from "../../testing/server";

const ID = "6f0c9a3e-0000-4000-8000-000000000001";
const AT = `/api/v1/merges/${ID}/`;
const HEAD = {
  merge_id: ID, catalog: "demo", source: "", destination: "main", version: null, source_head: 3, destination_head: 3, merge_base: 3,
  fingerprint: "", actor: "dora", task_id: null, time: "2026-01-01T00:00:00Z", digest: "d".repeat(64),
};
const BYPASS = {
  ...HEAD, kind: "bypass", outcome: "bypassed", version: 17, reason: "the pager rang", refused: "it takes merge requests only",
  patterns: ["main", "m*"], statement: "DROP TABLE d.t",
};
const SETTING = {
  ...HEAD, kind: "settings", outcome: "changed", destination: "protection rule main", setting: "protection rule", name: "main",
  before: { required_approvals: 2, pattern: "main", allow_bypass: true }, after: { required_approvals: 1, pattern: "main", allow_bypass: false },
};

describe("a record of the audit", () => {
  it("says who went past which protection, why, and what came of it", async () => {
    serve({ [AT]: BYPASS });
    renderAt(`/merges/${ID}`);
    expect(await screen.findByText(/dora went past the protection of main\. The reason that was given: the pager rang/)).toBeTruthy();
    expect(screen.getByText("it takes merge requests only")).toBeTruthy();
    expect(screen.getByText("main, m*")).toBeTruthy();
    expect(screen.getByText("DROP TABLE d.t")).toBeTruthy();
    expect(screen.getByRole("link", { name: "v17" }).getAttribute("href")).toBe("/c/demo/b/main?tab=history&commit=17");
  });

  it("says what a setting was and is, and nothing of what stayed", async () => {
    serve({ [AT]: SETTING });
    renderAt(`/merges/${ID}`);
    const table = within(await screen.findByRole("region", { name: "What changed" }));
    expect(table.getAllByRole("row").map((row) => row.textContent)).toEqual(["FieldBeforeAfter", "allow bypassyesno", "required approvals21"]);
  });

  it("says why a protection refused a merge that has no conflict", async () => {
    const refused = { ...HEAD, kind: "merge", source: "b", outcome: "refused", findings: [], conflicts: [], notes: [], message: "Branch main is protected." };
    serve({ [AT]: refused });
    renderAt(`/merges/${ID}`);
    expect(await screen.findByText(/Branch main is protected\./)).toBeTruthy();
    expect(screen.queryByText(/would merge cleanly/)).toBeNull();
  });

  it("says in the list that a merge was reverted, and that a dry run found a conflict", async () => {
    const undone_by = { audit_id: "r-1", version: 21, actor: "dora", time: "2026-01-02T00:00:00Z" };
    const merge = { ...HEAD, kind: "merge", source: "b", outcome: "merged", status: "merged", undone_by };
    serve({ "/api/v1/merges/": page([merge, { ...merge, merge_id: "m-2", outcome: "dry run", status: "conflicted", undone_by: null }]) });
    renderAt("/c/demo/merges");
    const [merged, tried] = await within(await screen.findByRole("list", { name: "Merges" })).findAllByRole("listitem");
    if (!merged || !tried) throw new Error("both records are listed");
    expect(within(merged).getByText("reverted by v21")).toBeTruthy();
    expect(within(tried).getByText("conflict")).toBeTruthy();
  });

  it("stands in a list of its kind", async () => {
    const asked = serve({ "/api/v1/merges/": page([]), "/api/v1/merges/?catalog=demo&kind=bypass&limit=50": page([BYPASS]) });
    const user = userEvent.setup();
    renderAt("/c/demo/merges");
    await screen.findByText("No merge was tried yet");
    await user.selectOptions(screen.getByLabelText("Kind of records"), "Bypassed protections");
    const item = within(await screen.findByRole("list", { name: "Bypassed protections" })).getByRole("listitem");
    expect(within(item).getByRole("link", { name: "main" }).getAttribute("href")).toBe(`/merges/${ID}`);
    expect(asked.some(({ address }) => address.includes("kind=merge&"))).toBe(true);
  });
});
