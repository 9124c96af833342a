/** Where the rows of a table came from and went: layers from left to right, and the same as lines of a list. */
import type { components } from "../api/schema";

export type Lineage = components["schemas"]["LineageAnswer"];
export type LineageNode = components["schemas"]["LineageNode"];
export type LineageEdge = components["schemas"]["LineageEdge"];
export type LineageCommit = components["schemas"]["LastChangeAnswer"];

/** A node at its place: layers count from the left, rows from the top. */
export interface PlacedNode {
  node: LineageNode;
  layer: number;
  row: number;
}

export interface LineageLayout {
  nodes: readonly PlacedNode[];
  edges: readonly { edge: LineageEdge; from: PlacedNode; to: PlacedNode }[];
  layerCount: number;
  rowCount: number;
}

/** Each look brings a node nearer to the middle of those that it is joined to. */
const LOOKS = 4;

/**
 * Every edge leads to the right, but for those that close a circle. A node stands as near as it can to what it leads to.
 * Within a layer, nodes stand by the mean row of their neighbours.
 */
export function lineageLayout({ nodes, edges }: Pick<Lineage, "nodes" | "edges">): LineageLayout {
  const known = new Set(nodes.map(({ node }) => node));
  const drawn = edges.filter(({ origin, target }) => known.has(origin) && known.has(target));
  const layerOf = layersOf(nodes, withoutCircles(nodes, drawn));
  const layerCount = Math.max(0, ...[...layerOf.values()].map((layer) => layer + 1));
  const layers = Array.from({ length: layerCount }, (_, layer) => nodes.filter(({ node }) => layerOf.get(node) === layer));
  const rowOf = rowsOf(layers, drawn);
  const placed = nodes.map((node) => ({ node, layer: layerOf.get(node.node) ?? 0, row: rowOf.get(node.node) ?? 0 }));
  const at = new Map(placed.map((entry) => [entry.node.node, entry]));
  return {
    nodes: placed,
    edges: drawn.flatMap((edge) => {
      const [from, to] = [at.get(edge.origin), at.get(edge.target)];
      return from && to ? [{ edge, from, to }] : [];
    }),
    layerCount,
    rowCount: Math.max(0, ...layers.map((layer) => layer.length)),
  };
}

/** The edges but those that lead back to a node from which they were reached. */
function withoutCircles(nodes: readonly LineageNode[], edges: readonly LineageEdge[]): LineageEdge[] {
  const kept: LineageEdge[] = [];
  const state = new Map<string, "open" | "done">();
  const visit = (node: string) => {
    state.set(node, "open");
    for (const edge of edges) {
      if (edge.origin !== node || state.get(edge.target) === "open") continue;
      kept.push(edge);
      if (!state.has(edge.target)) visit(edge.target);
    }
    state.set(node, "done");
  };
  const begins = nodes.filter(({ node }) => edges.every(({ target }) => target !== node));
  for (const { node } of [...begins, ...nodes]) if (!state.has(node)) visit(node);
  return kept;
}

function layersOf(nodes: readonly LineageNode[], edges: readonly LineageEdge[]): Map<string, number> {
  const layers = new Map(nodes.map(({ node }) => [node, 0]));
  // As many looks as there are nodes settle the longest path.
  nodes.forEach(() => {
    for (const { origin, target } of edges) layers.set(target, Math.max(layers.get(target) ?? 0, (layers.get(origin) ?? 0) + 1));
  });
  for (const { node } of nodes) {
    const next = edges.filter(({ origin }) => origin === node).map(({ target }) => layers.get(target) ?? 0);
    const isFirst = edges.every(({ target }) => target !== node);
    if (isFirst && next.length) layers.set(node, Math.min(...next) - 1);
  }
  return layers;
}

function rowsOf(layers: readonly (readonly LineageNode[])[], edges: readonly LineageEdge[]): Map<string, number> {
  const rows = new Map<string, number>();
  const highest = Math.max(0, ...layers.map((layer) => layer.length));
  const put = (layer: readonly LineageNode[]) => layer.forEach(({ node }, row) => rows.set(node, row + (highest - layer.length) / 2));
  const wanted = (node: string) => {
    const near = edges.flatMap(({ origin, target }) => (origin === node ? [target] : target === node ? [origin] : []));
    const of = near.map((other) => rows.get(other) ?? 0);
    return of.length ? of.reduce((sum, row) => sum + row, 0) / of.length : (rows.get(node) ?? 0);
  };
  layers.forEach(put);
  for (let look = 0; look < LOOKS; look += 1)
    for (const layer of look % 2 ? layers.toReversed() : layers) put(layer.toSorted((left, right) => wanted(left.node) - wanted(right.node)));
  return rows;
}

/** One edge as a line of a list. */
export interface LineageLine {
  from: LineageNode;
  into: LineageNode;
  commit: LineageCommit | undefined;
  statements: number;
  /** What stands where there is no commit. */
  without: string;
}

/** The edges in the order of the picture: from left to right, and from top to bottom. */
export function lineageLines(lineage: Lineage): LineageLine[] {
  const commits = new Map(lineage.commits.map((commit) => [commit.version, commit]));
  const { edges } = lineageLayout(lineage);
  const inOrder = edges.toSorted((left, right) => left.from.layer - right.from.layer || left.from.row - right.from.row || left.to.row - right.to.row);
  return inOrder.map(({ edge, from, to }) => ({
    from: from.node,
    into: to.node,
    commit: edge.version === null ? undefined : commits.get(edge.version),
    statements: edge.statements,
    without: to.node.kind === "view" ? "a view reads it anew each time" : "no run yet",
  }));
}
