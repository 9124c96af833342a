import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { PROTECTED, request } from "../../testing/review";
import { COMPARISON, json, page, problem, serve } from "../../testing/server";
import { signedInAs } from "../../testing/user";

const LIST = "/api/v1/catalogs/demo/merge-requests/";
const NOTHING_WAITS = { "/api/v1/inbox/": page([]) };

beforeEach(() => {
  signedInAs("alice");
});

describe("the list of merge requests", () => {
  it("shows those that are not finished, with how each stands", async () => {
    const asked = serve({ ...NOTHING_WAITS, [LIST]: page([request({ approvals: 1, stale_approvals: 1, open_threads: 2 })]) });
    renderAt("/c/demo/requests");
    const row = await within(await screen.findByRole("list", { name: "Merge requests" })).findByRole("listitem");
    expect(within(row).getByRole("link", { name: "Delay reasons" }).getAttribute("href")).toBe("/c/demo/requests/3");
    expect(within(row).getByText("open")).toBeTruthy();
    expect(within(row).getByText("1 approval, 1 stale, 2 open threads")).toBeTruthy();
    const { address } = asked.find((entry) => entry.address.startsWith(LIST)) ?? { address: "" };
    expect(new URLSearchParams(address.split("?")[1]).getAll("state")).not.toContain("merged");
  });

  it("says of an open request that it conflicts, and of a merged one that it was reverted", async () => {
    const undone_by = { audit_id: "r-1", version: 21, actor: "dora", time: "2026-01-02T00:00:00Z" };
    serve({ ...NOTHING_WAITS, [LIST]: page([request({ conflicts: 2 }), request({ number: 4, state: "merged", undone_by })]) });
    renderAt("/c/demo/requests");
    const [open, merged] = await within(await screen.findByRole("list", { name: "Merge requests" })).findAllByRole("listitem");
    if (!open || !merged) throw new Error("both requests are listed");
    expect(within(open).getByText("conflict")).toBeTruthy();
    expect(within(merged).getByText("reverted by v21")).toBeTruthy();
    expect(within(merged).queryByText("conflict")).toBeNull();
  });

  it("keeps its filter in the address", async () => {
    const asked = serve({ ...NOTHING_WAITS, [LIST]: page([]) });
    const user = userEvent.setup();
    const router = renderAt("/c/demo/requests");
    await user.selectOptions(await screen.findByLabelText("Whose"), "Mine");
    await user.selectOptions(screen.getByLabelText("State"), "merged");
    await user.type(screen.getByLabelText("Find by title, text or number"), "late");
    await waitFor(() => expect(router.state.location.search).toBe("?whose=mine&state=merged&search=late"));
    await waitFor(() => expect(asked.some(({ address }) => address.includes("author=alice") && address.includes("search=late"))).toBe(true));
    expect(await screen.findByText("No merge request of demo is like that")).toBeTruthy();
  });
});

describe("the inbox", () => {
  it("names on the start page what waits, and for what", async () => {
    serve({ "/api/v1/inbox/": page([{ ...request(), catalog: "demo", waits_for: "review" }]) });
    renderAt("/");
    const list = await screen.findByRole("list", { name: "Waiting for you" });
    expect(within(list).getByText(/asks for your review · demo/)).toBeTruthy();
  });

  it("says so when nothing waits", async () => {
    serve(NOTHING_WAITS);
    renderAt("/inbox");
    expect(await screen.findByText("Nothing waits for you")).toBeTruthy();
  });
});

describe("a new merge request", () => {
  const SHOWN = {
    ...NOTHING_WAITS,
    "/api/v1/catalogs/demo/compare/delays...main/": COMPARISON,
    "/api/v1/catalogs/demo/branches/main/protection/": PROTECTED,
    "/api/v1/catalogs/demo/members/": page([
      { username: "alice", full_name: "", is_active: true, role: "owner", created_at: "2026-01-01T00:00:00Z" },
      { username: "bob", full_name: "", is_active: true, role: "reviewer", created_at: "2026-01-01T00:00:00Z" },
      { username: "carol", full_name: "", is_active: true, role: "viewer", created_at: "2026-01-01T00:00:00Z" },
    ]),
  };
  const ADDRESS = "/c/demo/requests/new?source=delays&destination=main";

  it("says what it brings and what the target asks, and is opened", async () => {
    const asked = serve({ ...SHOWN, [`POST ${LIST}`]: () => json(request(), 201) });
    const user = userEvent.setup();
    const router = renderAt(ADDRESS);
    expect(await screen.findByText("1 table in conflict")).toBeTruthy();
    expect(await screen.findByText(/main is protected: 2 approvals/)).toBeTruthy();
    const title = screen.getByLabelText("Title");
    await user.clear(title);
    await user.type(title, "Delay reasons");
    await user.type(screen.getByRole("textbox", { name: "Description" }), "Why.");
    await user.type(screen.getByRole("combobox", { name: "Reviewers" }), "bob{Enter}");
    await user.type(screen.getByRole("combobox", { name: "Labels" }), "weekly{Enter}");
    await user.click(screen.getByRole("checkbox"));
    await user.click(screen.getByRole("button", { name: "Open the merge request" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/c/demo/requests/3"));
    expect(asked.find(({ method }) => method === "POST")?.body).toEqual({
      source: "delays", destination: "main", title: "Delay reasons", description: "Why.", labels: ["weekly"], reviewers: ["bob"], draft: true,
    });
  });

  it("takes as reviewers neither the author nor who may not review", async () => {
    serve(SHOWN);
    const user = userEvent.setup();
    renderAt(ADDRESS);
    for (const name of ["alice", "carol"]) {
      const field = await screen.findByRole("combobox", { name: /^Reviewers/ });
      await user.clear(field);
      await user.type(field, `${name}{Enter}`);
      expect(screen.queryByRole("button", { name: `Remove ${name}` })).toBeNull();
    }
  });

  it("says which request there is already", async () => {
    serve({ ...SHOWN, [`POST ${LIST}`]: () => problem(409, { title: "Already exists", detail: "There is #2.", remedy: "Continue with #2, or close it first." }) });
    const user = userEvent.setup();
    renderAt(ADDRESS);
    await user.click(await screen.findByRole("button", { name: "Open the merge request" }));
    expect(await screen.findByText("Continue with #2, or close it first.")).toBeTruthy();
  });

  it("is the way on where a protection refuses a direct merge", async () => {
    serve({ ...SHOWN, "/api/v1/catalogs/demo/compare/delays...main/": { ...COMPARISON, mergeable: true, results: [], counts: { ...COMPARISON.counts, objects: 0, conflicts: 0 } } });
    renderAt("/c/demo/compare/delays...main");
    expect(await screen.findByText("main takes merge requests only")).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Merge" }).disabled).toBe(true);
    expect(screen.getByRole("link", { name: "Open a merge request" }).getAttribute("href")).toBe(ADDRESS);
  });
});
