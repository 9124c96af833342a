import { describe, expect, it } from "vitest";

import { lineageLayout, lineageLines, type Lineage, type LineageNode } from "./lineage";

const node = (kind: LineageNode["kind"], id: number, name: string): LineageNode => ({
  node: `${kind}:${id}`, kind, id, name, database: "d", object: name, is_dropped: false,
});
const edge = (origin: string, target: string, version: number | null = null) => ({ origin, target, version, statements: version === null ? 0 : 1 });
const A = node("table", 1, "a");
const B = node("table", 2, "b");
const C = node("table", 3, "c");
const D = node("table", 4, "d");
const RUN = node("pipeline", 1, "run");
const layersOf = (nodes: LineageNode[], edges: ReturnType<typeof edge>[]) =>
  Object.fromEntries(lineageLayout({ nodes, edges }).nodes.map((placed) => [placed.node.name, placed.layer]));

describe("the picture of a lineage", () => {
  it("leads from left to right, with a pipeline between its tables", () => {
    expect(layersOf([B, RUN, A], [edge("table:1", "pipeline:1"), edge("pipeline:1", "table:2")])).toEqual({ a: 0, run: 1, b: 2 });
  });

  it("puts no edge within a layer where a table is read directly and by way of another", () => {
    const edges = [edge("table:1", "table:2"), edge("table:2", "table:3"), edge("table:1", "table:3")];
    expect(layersOf([A, B, C], edges)).toEqual({ a: 0, b: 1, c: 2 });
  });

  it("puts what nothing leads to beside what it leads to", () => {
    const edges = [edge("table:1", "table:2"), edge("table:2", "table:3"), edge("table:4", "table:3")];
    expect(layersOf([A, B, C, D], edges)).toEqual({ a: 0, b: 1, c: 2, d: 1 });
  });

  it("ends where tables are made from each other", () => {
    expect(layersOf([A, B], [edge("table:1", "table:2"), edge("table:2", "table:1")])).toEqual({ a: 0, b: 1 });
  });

  it("gives no two nodes one place, and orders a layer by what it is joined to", () => {
    const edges = [edge("table:1", "table:4"), edge("table:2", "table:3")];
    const layout = lineageLayout({ nodes: [A, B, C, D], edges });
    expect(new Set(layout.nodes.map(({ layer, row }) => `${layer} ${row}`)).size).toBe(4);
    const rowOf = (name: string) => layout.nodes.find((placed) => placed.node.name === name)?.row;
    expect([rowOf("a") === rowOf("d"), rowOf("b") === rowOf("c")]).toEqual([true, true]);
  });

  it("draws a table alone", () => {
    expect(lineageLayout({ nodes: [A], edges: [] })).toMatchObject({ layerCount: 1, rowCount: 1 });
  });
});

describe("the list of a lineage", () => {
  it("says each edge in the order of the picture, with its newest commit", () => {
    const commit = { version: 7, branch: "main", time: "2026-01-01T00:00:00Z", operation: "INSERT", author: "ana" };
    const view = node("view", 1, "seen");
    const found: Lineage = {
      version: 9, node: "table:2", nodes: [A, B, view, RUN], commits: [commit], hidden_tables: 0, is_cut: false,
      edges: [edge("table:2", "view:1"), edge("pipeline:1", "table:2"), edge("table:1", "table:2", 7)],
    };
    const lines = lineageLines(found);
    expect(lines.map((line) => [line.from.name, line.into.name, line.commit?.version ?? line.without])).toEqual([
      ["a", "b", 7],
      ["run", "b", "no run yet"],
      ["b", "seen", "a view reads it anew each time"],
    ]);
  });
});
