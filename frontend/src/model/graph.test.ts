import { describe, expect, it } from "vitest";

import type { Graph, GraphBranch, GraphCommit } from "../api/resources";
import { changedObjects, dotRadius, graphLayout, NEVER_FOLDED, type GraphLayout } from "./graph";

function commit(version: number, branch = "main", more: Partial<GraphCommit> = {}): GraphCommit {
  return {
    version,
    branch,
    branch_id: 1,
    parent: { branch, version: version - 1 },
    merge_parent: null,
    operation: "INSERT",
    object: "d.t",
    object_count: 1,
    message: "",
    author: "alice",
    time: "2026-01-01T00:00:00Z",
    pipeline: "", rows_changed: 10,
    ...more,
  };
}

function branch(name: string, fork: number | null, head: number, more: Partial<GraphBranch> = {}): GraphBranch {
  const branch_id = name === "main" ? 1 : 10 + (fork ?? 0);
  const parent = fork === null ? null : "main";
  return { name, branch_id, parent, parent_id: parent ? 1 : null, fork_version: fork ?? 0, head_version: head, created_at: "", is_dropped: false, ...more };
}

function graph(branches: GraphBranch[], commits: GraphCommit[], more: Partial<Graph> = {}): Graph {
  return { branches, commits: commits.toReversed(), failed_merges: [], tags: [], next_before: null, ...more };
}

function lanesByName(layout: GraphLayout): Record<string, number> {
  return Object.fromEntries(layout.lanes.map((lane) => [lane.branch.name, lane.lane]));
}

const DEMO = graph(
  [branch("main", null, 16), branch("delays", 11, 15), branch("airlines_2014", 11, 13, { branch_id: 22 })],
  [10, 11].map((v) => commit(v)).concat([12, 13].map((v) => commit(v, "airlines_2014")), [14, 15].map((v) => commit(v, "delays")), commit(16)),
);

describe("the branch graph", () => {
  it("puts commits in columns by version, and main in the first lane", () => {
    const layout = graphLayout(DEMO);
    expect(layout.nodes.map((node) => node.kind === "commit" && [node.commit.version, node.column, node.lane])).toEqual([
      [10, 0, 0],
      [11, 1, 0],
      [12, 2, 2],
      [13, 3, 2],
      [14, 4, 1],
      [15, 5, 1],
      [16, 6, 0],
    ]);
    expect(lanesByName(layout)).toEqual({ main: 0, delays: 1, airlines_2014: 2 });
    expect(layout.laneCount).toBe(3);
  });

  it("joins a branch to the commit that it was cut from", () => {
    const fork = graphLayout(DEMO).edges.find((edge) => edge.kind === "fork" && edge.branch === "delays");
    expect(fork).toEqual({ kind: "fork", branch: "delays", from: { column: 1, lane: 0 }, to: { column: 4, lane: 1 } });
  });

  it("marks heads only", () => {
    const heads = graphLayout(DEMO).nodes.filter((node) => node.kind === "commit" && node.isHead);
    expect(heads.map((node) => node.kind === "commit" && node.commit.version)).toEqual([13, 15, 16]);
  });

  it("draws a merge from the source's commit to the commit that it made", () => {
    const merged = commit(17, "main", { merge_parent: { branch: "delays", version: 15 }, operation: "MERGE" });
    const layout = graphLayout({ ...DEMO, commits: [merged, ...DEMO.commits] });
    expect(layout.edges.filter((edge) => edge.kind === "merge")).toEqual([
      { kind: "merge", branch: "delays", from: { column: 5, lane: 1 }, to: { column: 7, lane: 0 } },
    ]);
  });

  it("gives a branch without commits a stub beside its fork", () => {
    const layout = graphLayout(graph([branch("main", null, 2), branch("idea", 1, 1)], [commit(1), commit(2)]));
    expect(layout.edges.find((edge) => edge.kind === "fork")).toEqual({
      kind: "fork",
      branch: "idea",
      from: { column: 0, lane: 0 },
      to: { column: 1, lane: 1 },
    });
  });

  it("uses a lane again once a dropped branch has ended, and never while it is in use", () => {
    const gone = { is_dropped: true };
    const layout = graphLayout(
      graph(
        [branch("main", null, 9), branch("one", 1, 3, gone), branch("two", 2, 4, gone), branch("three", 5, 7, gone)],
        [commit(1), commit(2), commit(3, "one"), commit(4, "two"), commit(5), commit(6), commit(7, "three"), commit(9)],
      ),
    );
    expect(lanesByName(layout)).toEqual({ main: 0, one: 1, two: 2, three: 1 });
  });

  it("leaves out a dropped branch that has nothing in this stretch", () => {
    const layout = graphLayout(graph([branch("main", null, 2), branch("gone", 1, 1, { is_dropped: true })], [commit(1), commit(2)]));
    expect(layout.lanes.map((lane) => lane.branch.name)).toEqual(["main"]);
  });

  it("begins outside when the fork is older than what is shown", () => {
    const layout = graphLayout(graph([branch("main", null, 99), branch("old", 5, 100)], [commit(99), commit(100, "old")]));
    expect(layout.edges.find((edge) => edge.kind === "fork")?.from).toEqual({ column: -1, lane: 0 });
  });

  it("puts a failed attempt to merge at the later of both heads", () => {
    const failed = {
      merge_id: "m", source: "delays", destination: "main", outcome: "refused",
      source_head: 15, destination_head: 11, time: "", conflict_count: 1,
    };
    expect(graphLayout({ ...DEMO, failed_merges: [failed] }).attempts).toEqual([{ column: 5, lane: 0, merge: failed }]);
  });
});

describe("folding", () => {
  const long = graph([branch("main", null, 100), branch("x", 50, 50)], Array.from({ length: 100 }, (_, i) => commit(i + 1)));

  it("folds old stretches between landmarks, and keeps the newest", () => {
    const folds = graphLayout(long).nodes.filter((node) => node.kind === "fold");
    expect(folds.map((node) => [node.commits[0]?.version, node.commits.at(-1)?.version])).toEqual([
      [1, 49],
      [51, 100 - NEVER_FOLDED],
    ]);
  });
  it("loses no commit", () => {
    const shown = graphLayout(long).nodes.flatMap((node) => (node.kind === "fold" ? node.commits : [node.commit]));
    expect(shown.map((entry) => entry.version)).toEqual(long.commits.map((entry) => entry.version).toReversed());
  });
  it("unfolds the stretch that was asked for", () => {
    const layout = graphLayout(long, new Set([1]));
    expect(layout.nodes.filter((node) => node.kind === "fold")).toHaveLength(1);
    expect(layout.columnCount).toBe(49 + 1 + 1 + NEVER_FOLDED);
  });
  it("leaves short stretches alone", () => {
    const short = graph([branch("main", null, 30)], Array.from({ length: 30 }, (_, i) => commit(i + 1)));
    expect(graphLayout(short).nodes.some((node) => node.kind === "fold")).toBe(false);
  });
  it("lays out 10,000 commits in well under a second", () => {
    const names = ["main", ...Array.from({ length: 20 }, (_, n) => `b${n}`)];
    const commits = Array.from({ length: 10_000 }, (_, i) => commit(i + 1, names[i % 7]));
    const branches = names.map((name, n) => branch(name, n ? n : null, 10_000 - 7 + (n % 7), { branch_id: n }));
    const begun = performance.now();
    graphLayout(graph(branches, commits));
    expect(performance.now() - begun).toBeLessThan(1000);
  });
});

describe("dots", () => {
  it("grow with the rows that changed, within bounds", () => {
    const sizes = [0, 10, 1000, 1e6, 1e12].map(dotRadius);
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    expect(sizes[0]).toBe(4);
    expect(sizes.at(-1)).toBe(9);
  });
});

it("names what a commit changed", () => {
  expect(changedObjects(commit(1))).toBe(" d.t");
  expect(changedObjects(commit(1, "main", { object_count: 3 }))).toBe(" d.t and 2 more");
  expect(changedObjects(commit(1, "main", { merge_parent: { branch: "b", version: 4 }, object_count: 3 }))).toBe(" of b");
  expect(changedObjects(commit(1, "main", { object: "", object_count: 0 }))).toBe("");
});
