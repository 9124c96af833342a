import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { page, problem, serve } from "../../testing/server";

const STATEMENT = "SELECT count(*) FROM d.t";
const RUNNING = { kind: "query", state: "running", parameters: { statement: STATEMENT, catalog: "demo", branch: "main", longest_seconds: 300 } };
const OTHERS = [
  { ...RUNNING, id: "elsewhere", parameters: { ...RUNNING.parameters, catalog: "other" } },
  { ...RUNNING, id: "longer", parameters: { ...RUNNING.parameters, statement: `${STATEMENT} WHERE true` } },
  { ...RUNNING, id: "over", state: "failed" },
];

describe("the console", () => {
  it("cancels the statement that runs, and shows that it was cancelled", async () => {
    let answer: (response: Response) => void = () => undefined;
    const asked = serve({
      "POST /api/v1/sql/": () => new Promise<Response>((resolve) => (answer = resolve)),
      "/api/v1/tasks/": page([...OTHERS, { ...RUNNING, id: "q-1" }]),
      "POST /api/v1/tasks/q-1/cancel/": () => {
        answer(problem(409, { code: "QUERY_CANCELLED", title: "The query was cancelled", detail: "The query was cancelled." }));
        return new Response(JSON.stringify({ ...RUNNING, id: "q-1", cancel_requested: true }), { headers: { "Content-Type": "application/json" } });
      },
    });
    const user = userEvent.setup();
    renderAt(`/c/demo/sql?statement=${encodeURIComponent(STATEMENT)}`);
    expect(screen.queryByRole("button", { name: "Cancel" })).toBeNull();
    await user.click(await screen.findByRole("button", { name: "Run" }));
    await user.click(await screen.findByRole("button", { name: "Cancel" }));
    expect(await screen.findByText("The query was cancelled. Nothing was changed.")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
    const cancelled = asked.filter(({ address }) => address.endsWith("/cancel/")).map(({ address }) => address);
    expect(cancelled).toEqual(["/api/v1/tasks/q-1/cancel/"]);
    await waitFor(() => expect(screen.queryByRole("button", { name: "Cancel" })).toBeNull());
  });
});
