import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { BRINGS_NOTHING, DELAYS, json, page, problem, serve, type Asked } from "../../testing/server";

const BRANCH = "/api/v1/catalogs/demo/branches/delays/";
const FLIGHTS = { ...BRINGS_NOTHING, kind: "table", object: "flights.flights", operations: ["update"], rows_updated: 610 };
const DISCARDED = { branch_id: 2, head_version: 15, commits: 2, object_count: 1, objects: [FLIGHTS] };
const RESET = { branch: "delays", branch_id: null, parent: "main", head_version: 16, is_done: true, dry_run: true, discarded: DISCARDED };

function branch(answer: (asked: Asked) => Response) {
  return serve({ [BRANCH]: DELAYS, [`${BRANCH}databases/`]: page([]), "/api/v1/catalogs/demo/": { name: "demo", role: "owner" }, [`POST ${BRANCH}reset/`]: answer });
}

const isDryRun = ({ body }: Asked) => (body as { dry_run: boolean }).dry_run;

it("names what is lost, and resets the branch only while it is at the version that was looked at", async () => {
  const asked = branch((entry) => json(isDryRun(entry) ? RESET : { ...RESET, branch_id: 9, dry_run: false }));
  const user = userEvent.setup();
  renderAt("/c/demo/b/delays");
  await user.click(await screen.findByRole("button", { name: "Reset to main" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Reset delays to main?" }));
  expect((await dialog.findByText(/It loses 2 commits/)).textContent).toBe("It loses 2 commits:");
  expect(within(dialog.getByRole("list", { name: "What is discarded" })).getByRole("listitem").textContent).toBe("flights.flights 610 updated rows");
  await user.click(dialog.getByRole("button", { name: "Reset" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  const sent = asked.filter(({ method, address }) => method === "POST" && address === `${BRANCH}reset/`).map(({ body }) => body);
  expect(sent).toEqual([expect.objectContaining({ dry_run: true }), expect.objectContaining({ dry_run: false, expected_head: 15 })]);
});

it("looks again where somebody committed meanwhile", async () => {
  const asked = branch((entry) => (isDryRun(entry) ? json(RESET) : problem(409, { code: "BRANCH_MOVED", title: "The branch moved", detail: "Branch delays moved: it is at version 17, not 15." })));
  const user = userEvent.setup();
  renderAt("/c/demo/b/delays");
  await user.click(await screen.findByRole("button", { name: "Reset to main" }));
  const dialog = within(await screen.findByRole("dialog"));
  await dialog.findByText(/It loses/);
  await user.click(dialog.getByRole("button", { name: "Reset" }));
  expect((await dialog.findByRole("alert")).textContent).toContain("it is at version 17, not 15");
  await waitFor(() => expect(asked.filter((entry) => entry.address === `${BRANCH}reset/` && isDryRun(entry))).toHaveLength(2));
});

it("has nothing to do where the branch is what its parent is", async () => {
  branch(() => json({ ...RESET, is_done: false, discarded: { ...DISCARDED, commits: 0, object_count: 0, objects: [] } }));
  const user = userEvent.setup();
  renderAt("/c/demo/b/delays");
  await user.click(await screen.findByRole("button", { name: "Reset to main" }));
  const dialog = within(await screen.findByRole("dialog"));
  await dialog.findByText("delays is what main is already.");
  expect(dialog.getByRole<HTMLButtonElement>("button", { name: "Reset" }).disabled).toBe(true);
});
