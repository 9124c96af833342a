import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import type { RequestDetail } from "../../api/resources";
import { CONFLICT } from "../../testing/findings";
import { renderAt } from "../../testing/render";
import { APPROVAL, comment, event, PROTECTED, request, resolution, STALE } from "../../testing/review";
import { comparedObject, COMPARED, COMPARISON, json, page, problem, serve, type Asked } from "../../testing/server";
import { signedInAs } from "../../testing/user";

const AT = "/api/v1/catalogs/demo/merge-requests/3/";
const COMPARE = "/api/v1/catalogs/demo/compare/delays...main/";
const ADDRESS = "/c/demo/requests/3";
const OBJECTS = Object.fromEntries(
  COMPARED.map((object, place) => [`${COMPARE}objects/table/${object.object_id}/`, { ...comparedObject(place) }]),
);
const MERGEABLE = { ...COMPARISON, mergeable: true, counts: { ...COMPARISON.counts, conflict: 0, conflicts: 0, decided: 1 } };

function lake(found: RequestDetail, more: Record<string, object> = {}): Asked[] {
  return serve({
    "/api/v1/catalogs/demo/": { name: "demo", role: "owner" },
    "/api/v1/catalogs/demo/branches/main/protection/": PROTECTED,
    "/api/v1/catalogs/demo/members/": page([]),
    "/api/v1/inbox/": page([]),
    [AT]: found,
    [`${AT}timeline/`]: page([event({})]),
    [`${AT}comments/`]: page([]),
    [`${AT}reviews/`]: page([]),
    [`${AT}resolutions/`]: page([]),
    [`${AT}checks/`]: { results: [] },
    [COMPARE]: COMPARISON,
    [`${COMPARE}objects/table/5/decisions/`]: { source_head: 15, destination_head: 16, results: [] },
    ...OBJECTS,
    ...more,
  });
}

const sent = (asked: Asked[], method: string, address: string) =>
  asked.find((entry) => entry.method === method && entry.address.startsWith(address))?.body;

describe("a merge request", () => {
  beforeEach(() => signedInAs("bob"));

  it("says how it stands and who must still do what", async () => {
    lake(request({ votes: [STALE], stale_approvals: 1 }));
    renderAt(ADDRESS);
    expect(await screen.findByText("0 of 2 approvals, 1 stale")).toBeTruthy();
    await screen.findByText(/Anyone with write access/);
    const steps = within(screen.getByRole("list", { name: "What is left to do" })).getAllByRole("listitem");
    expect(steps.map((step) => step.textContent.trim())).toEqual([
      "bob looks again.",
      "1 more reviewer approves it.",
      "1 table in conflict. Anyone with write access can resolve that. Resolve",
    ]);
    expect(screen.getByText("Not ready to merge")).toBeTruthy();
    expect(screen.getByText("saw the target at version 13, it is at 16")).toBeTruthy();
  });

  it("shows what changed since a stale approval when asked", async () => {
    const commit = { version: 16, branch: "main", operation: "INSERT", author: "carol", time: "2026-01-01T00:00:00Z" };
    lake(request({ votes: [STALE] }), {
      [`${AT}reviews/1/changes/`]: { summary: "1 commit on main changes d.t.", source: [], destination: [commit], rules_changed: false, resolutions_changed: true },
    });
    const user = userEvent.setup();
    renderAt(ADDRESS);
    await user.click(await screen.findByText("What changed since"));
    expect(await screen.findByText("carol")).toBeTruthy();
    expect(screen.getByText("Decisions about conflicts changed.")).toBeTruthy();
    expect(screen.getByText("1 commit on main changes d.t.")).toBeTruthy();
  });

  it("shows a reviewer the objects alone that changed since their review", async () => {
    const objects = [
      { kind: "table", object_id: 5, name: "flights.flights", change: "changed" },
      { kind: "table", object_id: 99, name: "flights.old", change: "gone" },
    ];
    const asked = lake(request({ votes: [STALE] }), {
      [`${AT}reviews/1/changes/`]: { summary: "2 commits on delays change flights.flights.", reviewed_at: "2026-01-02T00:00:00Z", objects, decisions: [], source: [], destination: [], rules_changed: false, resolutions_changed: false },
      [COMPARE]: ({ address }: Asked) =>
        json(address.includes("since_review=1") ? { ...COMPARISON, results: [{ ...COMPARED[0], since_review: "changed" }] } : COMPARISON),
    });
    const user = userEvent.setup();
    renderAt(`${ADDRESS}?tab=compare`);
    expect(await screen.findByText(/2 commits on delays change flights.flights. The request no longer changes flights.old./)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Show only these objects" }));
    expect(await screen.findByText("changed since your review")).toBeTruthy();
    expect(asked.some(({ address }) => address.startsWith(COMPARE) && address.includes("since_review=1"))).toBe(true);
    await user.click(screen.getByRole("button", { name: "Show all objects" }));
    await waitFor(() => expect(screen.queryByText("changed since your review")).toBeNull());
  });

  it("says whose approval is missing for which tables", async () => {
    const message = "d.r: an approval of an owner is missing (carol or a member of stewards).";
    const owner = { branches: "main", version: 1, pattern: "d.*", people: ["carol"], groups: ["stewards"], tables: ["d.r"], table_count: 1, is_required: true, approved_by: ["dora"] };
    lake(request({ blockers: [{ code: "OWNER_MISSING", message }], owners: [owner] }));
    renderAt(ADDRESS);
    const steps = within(await screen.findByRole("list", { name: "What is left to do" }));
    expect(steps.getByText(message)).toBeTruthy();
    expect(screen.getByRole("list", { name: "Owners of changed tables" }).textContent).toBe("d.r: owned by carol, @stewards, approved by dora");
  });

  it("approves the plan that is on the page, and says which", async () => {
    const asked = lake(request({ spot_code: "code" }), { [`POST ${AT}reviews/`]: () => json({}, 201) });
    const user = userEvent.setup();
    renderAt(ADDRESS);
    await user.type(await screen.findByRole("textbox", { name: "Comment on the request" }), "Good.");
    await screen.findByText(/A new commit on either branch cancels it/);
    await user.click(screen.getByRole("button", { name: "✓ Approve" }));
    await waitFor(() => expect(sent(asked, "POST", `${AT}reviews/`)).toEqual({ verdict: "approve", fingerprint: "f", body: "Good.", spot_code: "code" }));
    expect(asked.some(({ address }) => address.startsWith(COMPARE) && address.includes("merge_request=3"))).toBe(true);
  });

  it("does not let its author approve it, but request changes", async () => {
    signedInAs("alice");
    lake(request());
    renderAt(ADDRESS);
    const approve = await screen.findByRole<HTMLButtonElement>("button", { name: "✓ Approve" });
    expect(approve.disabled).toBe(true);
    expect(screen.getByText("You cannot approve your own request.")).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "↩ Request changes" }).disabled).toBe(false);
  });

  it("offers a viewer neither a review nor a merge", async () => {
    lake(request(), { "/api/v1/catalogs/demo/": { name: "demo", role: "viewer" } });
    renderAt(ADDRESS);
    expect(await screen.findByText(/Minimum role to merge into main: maintainer/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "✓ Approve" })).toBeNull();
    expect(screen.getByText(/^Reviewers approve a request\. Your role here is (viewer|contributor)/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Close" })).toBeNull();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Merge into main" }).disabled).toBe(true);
  });

  it("lists what blocks the merge, conflicts of the live comparison too", async () => {
    lake(request(), { [COMPARE]: { ...COMPARISON, counts: { ...COMPARISON.counts, conflict: 2, tables_in_conflict: 2, conflicts: 3, conflicting_rows: 4 } } });
    renderAt(ADDRESS);
    const blockers = await screen.findByRole("list", { name: "What is left to do" });
    await within(blockers).findByRole("link", { name: "Resolve" });
    expect(within(blockers).getByText(/2 tables, 4 rows in conflict/)).toBeTruthy();
    expect(within(blockers).getAllByRole("listitem")).toHaveLength(3);
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Merge into main" }).disabled).toBe(true);
  });

  it("says what merge policies say of the plan, why, and which rows to look at", async () => {
    const message = "No policy lets this merge through, so it needs 1 approval: small (it has 3 changed rows, and 2 is the most).";
    const reasons = [
      { limit: "max_rows", is_met: false, message: "it has 3 changed rows, and 2 is the most" },
      { limit: "conflicts", is_met: true, message: "it has 0 conflicts, decided ones too" },
    ];
    const verdict = {
      pattern: "main", version: 4, policy: "", required_approvals: 1, approvers: [], merges: false, spot_check: 1, message,
      judgements: [{ policy: "small", lets_through: false, reasons }],
    };
    lake(request({ policies: [verdict], spot_rows: [{ table: "d.t", change: "update", key: '{"id":7}', old: { id: 7, v: 1 }, new: { id: 7, v: null } }] }));
    renderAt(ADDRESS);
    expect(await screen.findByText(message, { exact: false })).toBeTruthy();
    expect(screen.getByText(/version 4 of the rule main/)).toBeTruthy();
    const said = screen.getByRole("list", { name: "What small says", hidden: true });
    expect(within(said).getAllByRole("listitem", { hidden: true })[0]?.textContent).toBe("✗ Changed rows: it has 3 changed rows, and 2 is the most");
    expect(screen.getByRole("list", { name: "Rows to look at" }).textContent).toBe("d.t: updated row id = 7v: 1 → NULL");
  });

  it("merges, and shows the steps where it stands", async () => {
    const ready = request({ state: "approved", approvals: 2, blockers: [], mergeable: true, votes: [APPROVAL] });
    let found = ready;
    const steps = [{ name: "plan", detail: "", started: "2026-01-01T00:00:00Z", finished: null }];
    const asked = lake(ready, {
      [AT]: () => json(found),
      [COMPARE]: MERGEABLE,
      [`POST ${AT}merge/`]: () => {
        found = { ...ready, state: "merging", task_id: "0123" };
        return json({ id: "0123", kind: "request", state: "queued" }, 202);
      },
      "/api/v1/tasks/0123/": { id: "0123", kind: "request", state: "running", created_at: "2026-01-01T00:00:00Z", steps, progress: 0.5, message: "" },
    });
    const user = userEvent.setup();
    const router = renderAt(ADDRESS);
    const merge = await screen.findByRole<HTMLButtonElement>("button", { name: "Merge into main" });
    await waitFor(() => expect(merge.disabled).toBe(false));
    await user.click(merge);
    expect(await screen.findByText("It is being merged into main")).toBeTruthy();
    expect((await screen.findByRole("list", { name: "Steps" })).textContent).toContain("plan");
    expect(router.state.location.pathname).toBe(ADDRESS);
    expect(sent(asked, "POST", `${AT}merge/`)).toEqual({ fingerprint: "", bypass_reason: "" });
  });

  it("lets an owner past the protection only with a reason", async () => {
    const asked = lake(request(), { [`POST ${AT}merge/`]: () => json({ id: "0123", kind: "request", state: "queued" }, 202) });
    const user = userEvent.setup();
    renderAt(ADDRESS);
    await user.click(await screen.findByRole("button", { name: "Emergency bypass" }));
    const go = screen.getByRole<HTMLButtonElement>("button", { name: "Merge without what is missing" });
    expect(go.disabled).toBe(true);
    await user.type(screen.getByLabelText("Reason"), "The night run waits.");
    await user.click(go);
    await waitFor(() => expect(sent(asked, "POST", `${AT}merge/`)).toEqual({ fingerprint: "", bypass_reason: "The night run waits." }));
  });

  it("offers no bypass to a maintainer", async () => {
    lake(request(), { "/api/v1/catalogs/demo/": { name: "demo", role: "maintainer" } });
    renderAt(ADDRESS);
    await screen.findByRole("list", { name: "What is left to do" });
    expect(screen.queryByRole("button", { name: "Emergency bypass" })).toBeNull();
  });

  it("is taken out of the merge queue", async () => {
    const asked = lake(request({ state: "queued", queued_at: "2026-01-01T00:00:00Z" }), { [`DELETE ${AT}queue/`]: request() });
    const user = userEvent.setup();
    renderAt(ADDRESS);
    await user.click(await screen.findByRole("button", { name: "Take it out of the queue" }));
    await waitFor(() => expect(asked.some(({ method, address }) => method === "DELETE" && address === `${AT}queue/`)).toBe(true));
  });

  it("sends the revision that was read when it is closed", async () => {
    const asked = lake(request(), { [`PATCH ${AT}`]: request({ state: "closed" }) });
    const user = userEvent.setup();
    renderAt(ADDRESS);
    await user.click(await screen.findByRole("button", { name: "Close" }));
    await user.click(screen.getByRole("button", { name: "Close the request" }));
    await waitFor(() => expect(sent(asked, "PATCH", AT)).toEqual({ state: "closed" }));
    expect(asked.find(({ method }) => method === "PATCH")?.headers.get("If-Match")).toBe('"4-0"');
  });

  it("says when there is no such request", async () => {
    lake(request(), { [AT]: () => problem(404, { title: "Not found", detail: "There is no merge request #3." }) });
    renderAt(ADDRESS);
    expect(await screen.findByText("There is no merge request #3.")).toBeTruthy();
  });
});

describe("talk on a merge request", () => {
  beforeEach(() => signedInAs("bob"));

  it("stands in the timeline, with its answers", async () => {
    lake(request({ comments: 2 }), {
      [`${AT}timeline/`]: page([event({}), event({ number: 2, kind: "commented", actor: "bob", details: { comment: 1, what: "added" } })]),
      [`${AT}comments/`]: page([comment({ id: 1 }), comment({ id: 2, thread: 1, author: "alice", body_html: "<p>Because.</p>" })]),
    });
    renderAt(ADDRESS);
    const list = await screen.findByRole("list", { name: "What happened" });
    await within(list).findByText("Because.");
    expect(within(list).getAllByRole("article").map((article) => article.getAttribute("aria-label"))).toEqual(["Comment of bob", "Comment of alice"]);
  });

  it("is settled as a thread", async () => {
    const asked = lake(request(), {
      [`${AT}timeline/`]: page([event({ number: 2, kind: "commented", details: { comment: 1, what: "added" } })]),
      [`${AT}comments/`]: page([comment({ id: 1 })]),
      [`PUT ${AT}comments/1/resolved/`]: comment({ id: 1 }),
    });
    const user = userEvent.setup();
    renderAt(ADDRESS);
    await user.click(await screen.findByRole("button", { name: "Resolve" }));
    await waitFor(() => expect(asked.some(({ method }) => method === "PUT")).toBe(true));
  });

  it("goes to the cell of the matrix that it is about", async () => {
    const asked = lake(request(), { [`POST ${AT}comments/`]: () => json(comment({}), 201) });
    const user = userEvent.setup();
    renderAt(`${ADDRESS}?tab=compare`);
    await user.click(await screen.findByText("Which rule decided this?"));
    await user.click(await screen.findByRole("button", { name: "Comment on update × insert" }));
    await user.type(screen.getByRole("textbox", { name: "Comment on update × insert" }), "Which rows?");
    await user.click(screen.getByRole("button", { name: "Comment" }));
    await waitFor(() =>
      expect(sent(asked, "POST", `${AT}comments/`)).toEqual({
        body: "Which rows?", reply_to: null, object_kind: "table", object_id: 5, rule_table: "table", source_op: "update", dest_op: "insert", row_key: "", column_id: null,
      }),
    );
  });

  it("is shown by the server before it is sent", async () => {
    lake(request(), { "POST /api/v1/markdown/": { html: "<p>so <em>late</em></p>" } });
    const user = userEvent.setup();
    renderAt(ADDRESS);
    await user.type(await screen.findByRole("textbox", { name: "Comment on the request" }), "so *late*");
    const [preview] = screen.getAllByRole("button", { name: "Preview" });
    if (preview) await user.click(preview);
    expect((await screen.findByText("late")).tagName).toBe("EM");
  });
});

describe("deciding conflicts", () => {
  beforeEach(() => signedInAs("alice"));

  it("takes the source of a whole object, for the heads that were looked at", async () => {
    const asked = lake(request(), { [`POST ${AT}resolutions/`]: () => json(resolution({}), 201) });
    const user = userEvent.setup();
    renderAt(`${ADDRESS}?tab=compare`);
    const section = await screen.findByRole("region", { name: "Decide the conflict" });
    await user.click(within(section).getByRole("button", { name: "Keep delays" }));
    await waitFor(() =>
      expect(sent(asked, "POST", `${AT}resolutions/`)).toEqual({
        object_kind: "table", object_id: 5, part: "object", part_key: "", decision: "source", name: "", value: "", confirm: null, source_head: 15, destination_head: 16,
      }),
    );
  });

  it("says what each choice leaves out, and asks once where rows are lost", async () => {
    const effect = { part: "object", part_key: "", left_out: [], refused: "" };
    const results = [
      { ...effect, decision: "both", rows_left_out: 0, text: "Keeps both; leaves out nothing." },
      { ...effect, decision: "source", rows_left_out: 1, text: "Keeps the table as delays has it; leaves out 1 row inserted on main: id 5." },
      { ...effect, decision: "rerun", rows_left_out: 0, text: "", refused: "The MERGE of version 12 is no UPDATE." },
    ];
    const options = results.map(({ decision, part, part_key }) => ({ decision, part, part_key }));
    const detail = comparedObject(0);
    const object = "/api/v1/catalogs/demo/compare/delays...main/objects/table/5/";
    const asked = lake(request(), {
      [object]: { ...detail, cells: [{ ...CONFLICT, decisions: options }] },
      [`${object}decisions/`]: { source_head: 15, destination_head: 16, results },
      [`POST ${AT}resolutions/`]: () => json(resolution({}), 201),
    });
    const user = userEvent.setup();
    renderAt(`${ADDRESS}?tab=compare`);
    const section = await screen.findByRole("region", { name: "Decide the conflict" });
    expect(await within(section).findByText(/leaves out 1 row inserted on main: id 5/)).toBeTruthy();
    expect(within(section).getByRole<HTMLButtonElement>("button", { name: "Keep both, and run again on new rows" }).disabled).toBe(true);
    await user.click(within(section).getByRole("button", { name: "Keep delays" }));
    expect(asked.some(({ method }) => method === "POST")).toBe(false);
    await user.click(await screen.findByRole("button", { name: "Leave out 1 changed row" }));
    await waitFor(() => expect(sent(asked, "POST", `${AT}resolutions/`)).toMatchObject({ decision: "source", confirm: 1 }));
  });

  it("shows in its head what decisions leave out, and no text of an object anywhere", async () => {
    const made = { decision: "source", part: "object", part_key: "", name: "" };
    const detail = comparedObject(0);
    lake(request({ left_out: [{ object: "flights.flights", decision: "source", text: "Keeps the table; leaves out 1 row.", rows: 1 }] }), {
      "/api/v1/catalogs/demo/compare/delays...main/objects/table/5/": {
        ...detail,
        verdict: "decided",
        cells: [{ ...CONFLICT, verdict: "decided", details: { resolutions: [made, made], examples: [{ id: 5 }] } }],
      },
    });
    renderAt(`${ADDRESS}?tab=compare`);
    expect(await screen.findByText(/Keeps the table; leaves out 1 row/)).toBeTruthy();
    await userEvent.setup().click(await screen.findByText("Which rule decided this?"));
    await screen.findByText(/"id":5/);
    expect(document.body.textContent).not.toContain("[object Object]");
  });

  it("asks for a name before it renames", async () => {
    const object = "/api/v1/catalogs/demo/compare/delays...main/objects/table/5/";
    const taken = { ...CONFLICT, decisions: [{ decision: "rename", part: "object", part_key: "" }] };
    const asked = lake(request(), { [object]: { ...comparedObject(0), cells: [taken] }, [`POST ${AT}resolutions/`]: () => json(resolution({}), 201) });
    const user = userEvent.setup();
    renderAt(`${ADDRESS}?tab=compare`);
    await user.click(await screen.findByRole("button", { name: "Rename …" }));
    expect(asked.some(({ method }) => method === "POST")).toBe(false);
    await user.type(screen.getByLabelText("New name, without its database"), "flights_delays");
    await user.click(screen.getByRole("button", { name: "Rename" }));
    await waitFor(() => expect(sent(asked, "POST", `${AT}resolutions/`)).toMatchObject({ decision: "rename", name: "flights_delays" }));
  });

  it("shows who decided, that a moved branch voids it, and removes it", async () => {
    const asked = lake(request(), {
      [`${AT}resolutions/`]: page([resolution({ is_current: false, author: "carol" })]),
      [`DELETE ${AT}resolutions/8/`]: () => new Response(null, { status: 204 }),
    });
    const user = userEvent.setup();
    renderAt(`${ADDRESS}?tab=compare`);
    expect(await screen.findByText(/A branch has moved since/)).toBeTruthy();
    expect(screen.getByText(/carol/)).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Remove decision" }));
    await waitFor(() => expect(asked.some(({ method, address }) => method === "DELETE" && address === `${AT}resolutions/8/`)).toBe(true));
  });

  it("is said to be reverted where it was", async () => {
    const undone_by = { audit_id: "r-1", version: 21, actor: "dora", time: "2026-01-02T00:00:00Z" };
    lake(request({ state: "merged", merge_id: "m-1", undone_by }));
    renderAt("/c/demo/requests/3");
    expect(await screen.findByText(/This merge was reverted by/)).toBeTruthy();
  });

  it("is nothing that is offered once the request was merged, and can still be read", async () => {
    lake(request({ state: "merged", merge_id: "m-1", source: { ...request().source, is_dropped: true } }), { [`${AT}resolutions/`]: page([resolution({})]) });
    renderAt(`${ADDRESS}?tab=compare`);
    expect(await screen.findByText(/^delays brought 610 updated rows/)).toBeTruthy();
    await screen.findByRole("region", { name: "Decide the conflict" });
    expect(screen.queryByRole("button", { name: "Keep delays" })).toBeNull();
  });
});

describe("checks on a merge request", () => {
  it("show the rows that they found, and that an older result does not count", async () => {
    signedInAs("alice");
    const result = {
      state: "failed", columns: [{ name: "flight", type: "int" }], sample: [[1545]], problem: "", source_head: 14, destination_head: 16,
      checked_at: "2026-01-01T00:00:00Z", duration_ms: 900, task_id: "t",
    };
    lake(request(), { [`${AT}checks/`]: { results: [{ name: "no_nulls", query: "SELECT 1", is_required: true, is_current: false, result }] } });
    renderAt(`${ADDRESS}?tab=checks`);
    expect(await screen.findByRole("cell", { name: "1545" })).toBeTruthy();
    expect(screen.getByText(/so that it does not count/)).toBeTruthy();
    expect(screen.getByText("required")).toBeTruthy();
  });
});
