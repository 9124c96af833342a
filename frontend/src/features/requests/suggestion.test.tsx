import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { comment, event, PROTECTED, request } from "../../testing/review";
import { json, page, problem, serve, type Asked } from "../../testing/server";
import { signedInAs } from "../../testing/user";

const AT = "/api/v1/catalogs/demo/merge-requests/3/";
const ADDRESS = "/c/demo/requests/3";

function lake(more: Record<string, object>): Asked[] {
  return serve({
    "/api/v1/catalogs/demo/": { name: "demo", role: "owner" },
    "/api/v1/catalogs/demo/branches/main/protection/": PROTECTED,
    "/api/v1/catalogs/demo/members/": page([]),
    [AT]: request(),
    ...Object.fromEntries(["reviews", "resolutions"].map((name) => [`${AT}${name}/`, page([])])),
    [`${AT}checks/`]: { results: [] },
    ...more,
  });
}

describe("suggested values", () => {
  const SUGGESTIONS = `${AT}suggestions/`;
  const open = { was: "UA", value: null, state: "open" as const, version: null, applied_by: null, task: null };
  const place = { place: "value" as const, object_kind: "table", object_id: 5, object_name: "flights.flights", row_key: '{"id":1}', column_id: 2, column_name: "carrier" };
  const suggested = [
    comment({ id: 1, ...place, suggestion: open }),
    comment({ id: 2, ...place, row_key: '{"id":2}', suggestion: open }),
    comment({ id: 3, ...place, suggestion: { ...open, state: "applied", version: 17, applied_by: "alice" } }),
    comment({ id: 4, ...place, suggestion: { ...open, state: "outdated" } }),
  ];
  const talked = suggested.map(({ id }) => event({ number: id, kind: "commented", actor: "bob", details: { comment: id, what: "added" } }));

  function talk(more: Record<string, object> = {}): Asked[] {
    return lake({ [`${AT}timeline/`]: page(talked), [`${AT}comments/`]: page(suggested), ...more });
  }

  it("say what became of them, and are applied one or several at once", async () => {
    signedInAs("alice");
    const asked = talk({ [`POST ${SUGGESTIONS}`]: () => json({ columns: [], rows: [], metrics: { rows_updated: 1 } }) });
    const user = userEvent.setup();
    renderAt(ADDRESS);
    const list = within(await screen.findByRole("list", { name: "What happened" }));
    expect(await list.findByText("applied by alice in v17")).toBeTruthy();
    expect(list.getByText("outdated")).toBeTruthy();
    const applied = () => asked.filter(({ method, address }) => method === "POST" && address === SUGGESTIONS).map(({ body }) => (body as { comments: number[] }).comments);
    const buttons = list.getAllByRole("button", { name: "Apply suggestion" });
    expect(buttons).toHaveLength(2);
    for (const second of buttons.slice(1)) await user.click(second);
    await waitFor(() => expect(applied()).toEqual([[2]]));
    await user.click(await screen.findByRole("button", { name: "Apply 2 suggestions on flights.flights as one commit" }));
    await waitFor(() => expect(applied()).toEqual([[2], [1, 2]]));
  });

  it("say why they cannot be applied", async () => {
    signedInAs("alice");
    talk({ [`POST ${SUGGESTIONS}`]: () => problem(409, { code: "SUGGESTION_OUTDATED", title: "The suggestion is outdated", detail: "A cell has another value." }) });
    const user = userEvent.setup();
    renderAt(ADDRESS);
    const list = within(await screen.findByRole("list", { name: "What happened" }));
    for (const first of (await list.findAllByRole("button", { name: "Apply suggestion" })).slice(0, 1)) await user.click(first);
    expect(await list.findByText("A cell has another value.")).toBeTruthy();
  });

  it("are not applied by who only looks", async () => {
    talk({ "/api/v1/catalogs/demo/": { name: "demo", role: "viewer" } });
    renderAt(ADDRESS);
    const list = within(await screen.findByRole("list", { name: "What happened" }));
    await list.findByText("applied by alice in v17");
    expect(screen.queryByRole("button", { name: /^Apply/ })).toBeNull();
  });
});
