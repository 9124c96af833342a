import { fireEvent, render, screen } from "@testing-library/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { MemoryRouter } from "react-router";
import { describe, expect, it, vi } from "vitest";

import type { Graph, GraphCommit } from "../../api/resources";
import { MAIN, page, serve } from "../../testing/server";
import { LaneColours } from "../../ui/branch-name";
import { GraphView } from "./graph-view";

const commit = (version: number): GraphCommit => ({
  version, branch: "main", branch_id: 1, time: "2026-01-01T00:00:00Z", operation: "INSERT", author: "alice", parent: version - 1, merged: null,
  rows_changed: 2, objects: [], message: "",
}) as unknown as GraphCommit;
const GRAPH = { branches: [MAIN], commits: [3, 2, 1].map(commit), failed_merges: [], tags: [], older: null } as unknown as Graph;

function shown(colours: ReadonlyMap<string, number> = new Map()) {
  serve({ "/api/v1/catalogs/demo/protection-rules/": page([]) });
  const { container } = render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <LaneColours value={colours}>
          <GraphView catalog="demo" graph={GRAPH} chosen={undefined} onChoose={vi.fn()} />
        </LaneColours>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  const width = () => Number(container.querySelector("[aria-hidden] > svg")?.getAttribute("width"));
  const box = container.querySelector(".scroll");
  if (!box) throw new Error("The drawing has no box.");
  return { width, box, container };
}

it("draws a branch in the colour that it has beside its neighbours", () => {
  const { container } = shown(new Map([["main", 5]]));
  const laneOf = (drawn: Element | undefined) => [...(drawn?.parentElement?.classList ?? [])].find((name) => name.startsWith("lane-"));
  expect([...container.querySelectorAll("circle")].map(laneOf)).toEqual(["lane-5", "lane-5", "lane-5"]);
  expect(laneOf([...container.querySelectorAll("text")].find((text) => text.textContent.startsWith("main")))).toBe("lane-5");
});

describe("the zoom of the graph", () => {
  it("is said beside its buttons", () => {
    shown();
    expect(screen.getByRole("group", { name: "Zoom of the time axis" }).textContent).toContain("Zoom: Ctrl and the wheel");
  });

  it("follows Ctrl and the wheel, and leaves the wheel alone without Ctrl", () => {
    const { width, box } = shown();
    const first = width();
    expect(fireEvent.wheel(box, { deltaY: -100 })).toBe(true);
    expect(width()).toBe(first);
    expect(fireEvent.wheel(box, { deltaY: -100, ctrlKey: true })).toBe(false);
    expect(width()).toBeGreaterThan(first);
    fireEvent.wheel(box, { deltaY: 100, ctrlKey: true });
    expect(width()).toBe(first);
  });

  it("has as much room as its names need", () => {
    const { width } = shown();
    // A narrow screen begins at the right end: three commits stand beside the name.
    expect(width()).toBeLessThan(220);
    expect(width()).toBeGreaterThan(24 + 3 * 34 + "main".length * 8);
  });

  it("follows the keys, as far as the buttons go", () => {
    const { width } = shown();
    const first = width();
    fireEvent.keyDown(document.body, { key: "-" });
    expect(width()).toBeLessThan(first);
    for (let press = 0; press < 6; press++) fireEvent.keyDown(document.body, { key: "+" });
    expect(width()).toBeGreaterThan(first);
    expect(screen.getByRole("button", { name: "Zoom in" })).toHaveProperty("disabled", true);
  });
});
