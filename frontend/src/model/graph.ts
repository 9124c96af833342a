/** The branch graph as places on a grid: columns are moments from left to right, lanes are branches from top to bottom. */
import type { FailedMerge, Graph, GraphBranch, GraphCommit, GraphTag } from "../api/resources";
import { inOrder } from "./reading-order";

/** Stretches of one branch at least this long fold into one node. */
export const FOLD_FROM = 8;
/** The newest columns never fold. */
export const NEVER_FOLDED = 24;

export interface CommitNode {
  kind: "commit";
  column: number;
  lane: number;
  commit: GraphCommit;
  isHead: boolean;
  tags: readonly GraphTag[];
}

export interface FoldNode {
  kind: "fold";
  column: number;
  lane: number;
  branch: string;
  /** Oldest first. */
  commits: readonly GraphCommit[];
}

export type GraphNode = CommitNode | FoldNode;

export interface GraphEdge {
  kind: "lane" | "fork" | "merge";
  /** Whose colour it has. */
  branch: string;
  from: { column: number; lane: number };
  to: { column: number; lane: number };
}

export interface Lane {
  branch: GraphBranch;
  lane: number;
  firstColumn: number;
  lastColumn: number;
}

export interface Attempt {
  column: number;
  lane: number;
  merge: FailedMerge;
}

export interface GraphLayout {
  columnCount: number;
  laneCount: number;
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
  lanes: readonly Lane[];
  attempts: readonly Attempt[];
}

interface Columned {
  nodes: { column: number; commits: GraphCommit[]; branch: string }[];
  columnOf: Map<number, number>;
}

/** `unfolded` names the first versions of folded stretches that are to be shown in full. */
export function graphLayout(graph: Graph, unfolded: ReadonlySet<number> = new Set()): GraphLayout {
  const commits = graph.commits.toSorted((left, right) => left.version - right.version);
  const columned = columnsOf(commits, landmarks(graph), unfolded);
  const branches = branchesInOrder(graph.branches, commits);
  const lanes = lanesOf(branches, commits, columned.columnOf);
  const laneOf = new Map(lanes.map((lane) => [lane.branch.name, lane.lane]));
  const columnAt = (version: number) => columnBefore(commits, columned.columnOf, version);
  return {
    columnCount: columned.nodes.length,
    laneCount: lanes.reduce((most, lane) => Math.max(most, lane.lane + 1), 0),
    nodes: columned.nodes.map((entry) => nodeOf(entry, laneOf, graph)),
    edges: edgesOf(commits, lanes, laneOf, columned.columnOf, columnAt),
    lanes,
    attempts: graph.failed_merges.map((merge) => ({
      merge,
      lane: laneOf.get(merge.destination) ?? 0,
      column: columnAt(Math.max(merge.destination_head, merge.source_head)),
    })),
  };
}

/** Versions that must stay visible: heads, forks, both ends of merges, tags, and where an attempt failed. */
function landmarks(graph: Graph): Set<number> {
  const found = new Set<number>();
  for (const branch of graph.branches) {
    found.add(branch.head_version);
    if (branch.parent) found.add(branch.fork_version);
  }
  for (const commit of graph.commits) {
    if (commit.merge_parent) found.add(commit.version).add(commit.merge_parent.version);
  }
  for (const tag of graph.tags) found.add(tag.version);
  for (const merge of graph.failed_merges) found.add(Math.max(merge.source_head, merge.destination_head));
  return found;
}

function columnsOf(commits: GraphCommit[], kept: ReadonlySet<number>, unfolded: ReadonlySet<number>): Columned {
  const columned: Columned = { nodes: [], columnOf: new Map() };
  const place = (group: GraphCommit[]) => {
    const column = columned.nodes.length;
    columned.nodes.push({ column, commits: group, branch: group[0]?.branch ?? "" });
    for (const commit of group) columned.columnOf.set(commit.version, column);
  };
  for (const stretch of stretches(commits, kept)) {
    const folds = stretch.length >= FOLD_FROM && !unfolded.has(stretch[0]?.version ?? 0);
    if (folds) place(stretch);
    else stretch.forEach((commit) => place([commit]));
  }
  return columned;
}

/** Runs of commits of one branch without a landmark; a landmark and each of the newest commits stand alone. */
function stretches(commits: GraphCommit[], kept: ReadonlySet<number>): GraphCommit[][] {
  const found: GraphCommit[][] = [];
  let open = false;
  commits.forEach((commit, place) => {
    const alone = kept.has(commit.version) || place >= commits.length - NEVER_FOLDED;
    const last = found.at(-1);
    if (!alone && open && last?.[0]?.branch === commit.branch) last.push(commit);
    else found.push([commit]);
    open = !alone;
  });
  return found;
}

/** main first, the others as they were made; dropped branches without a commit here are left out. */
function branchesInOrder(branches: readonly GraphBranch[], commits: readonly GraphCommit[]): GraphBranch[] {
  const active = new Set(commits.map((commit) => commit.branch));
  return branches
    .filter((branch) => !branch.is_dropped || active.has(branch.name))
    .toSorted((left, right) => Number(!right.parent) - Number(!left.parent) || left.branch_id - right.branch_id);
}

/** First fit: a branch takes the highest lane that is free from its fork to its last commit or merge. */
function lanesOf(
  branches: readonly GraphBranch[],
  commits: readonly GraphCommit[],
  columnOf: ReadonlyMap<number, number>,
): Lane[] {
  const taken: Lane[][] = [];
  const found: Lane[] = [];
  for (const branch of branches) {
    const [firstColumn, lastColumn] = reach(branch, commits, columnOf);
    let lane = branch.parent ? 1 : 0;
    while (taken[lane]?.some((other) => other.firstColumn <= lastColumn && firstColumn <= other.lastColumn)) lane += 1;
    const placed = { branch, lane, firstColumn, lastColumn };
    (taken[lane] ??= []).push(placed);
    found.push(placed);
  }
  return found;
}

function reach(
  branch: GraphBranch,
  commits: readonly GraphCommit[],
  columnOf: ReadonlyMap<number, number>,
): [number, number] {
  const mine = commits.filter(
    (commit) => commit.branch === branch.name || commit.merge_parent?.branch === branch.name,
  );
  const columns = mine.map((commit) => columnOf.get(commit.version) ?? 0);
  const fork = branch.parent ? columnBefore(commits, columnOf, branch.fork_version) : 0;
  // A branch that still lives keeps its lane to the end, so that its name has a place.
  const end = branch.is_dropped ? Math.max(fork, ...columns) : columnOf.size;
  return [fork, end];
}

/** Column of the newest shown commit up to that version; -1 when all shown ones are younger. */
function columnBefore(
  commits: readonly GraphCommit[],
  columnOf: ReadonlyMap<number, number>,
  version: number,
): number {
  const found = commits.findLast((commit) => commit.version <= version);
  return found ? (columnOf.get(found.version) ?? -1) : -1;
}

function nodeOf(
  entry: { column: number; commits: GraphCommit[]; branch: string },
  laneOf: ReadonlyMap<string, number>,
  graph: Graph,
): GraphNode {
  const lane = laneOf.get(entry.branch) ?? 0;
  const [commit, ...more] = entry.commits;
  if (!commit || more.length) {
    return { kind: "fold", column: entry.column, lane, branch: entry.branch, commits: entry.commits };
  }
  const isHead = graph.branches.some((branch) => branch.name === commit.branch && branch.head_version === commit.version);
  const tags = graph.tags.filter((tag) => tag.branch === commit.branch && tag.version === commit.version);
  return { kind: "commit", column: entry.column, lane, commit, isHead, tags };
}

function edgesOf(
  commits: readonly GraphCommit[],
  lanes: readonly Lane[],
  laneOf: ReadonlyMap<string, number>,
  columnOf: ReadonlyMap<number, number>,
  columnAt: (version: number) => number,
): GraphEdge[] {
  const edges: GraphEdge[] = [];
  const lastColumn = new Map<string, number>();
  for (const lane of lanes) {
    const { branch } = lane;
    const own = commits.filter((commit) => commit.branch === branch.name).map((c) => columnOf.get(c.version) ?? 0);
    const columns = [...new Set(own)];
    const first = columns[0];
    if (branch.parent) {
      const from = { column: columnAt(branch.fork_version), lane: laneOf.get(branch.parent) ?? 0 };
      // Without a commit of its own a branch is a stub beside its fork.
      edges.push({ kind: "fork", branch: branch.name, from, to: { column: first ?? from.column + 1, lane: lane.lane } });
    }
    columns.forEach((column, place) => {
      const before = columns[place - 1];
      if (before !== undefined) edges.push(laneEdge(branch.name, lane.lane, before, column));
    });
    lastColumn.set(branch.name, columns.at(-1) ?? lane.firstColumn);
  }
  for (const commit of commits) {
    if (!commit.merge_parent) continue;
    const { branch, version } = commit.merge_parent;
    edges.push({
      kind: "merge",
      branch,
      from: { column: columnAt(version), lane: laneOf.get(branch) ?? 0 },
      to: { column: columnOf.get(commit.version) ?? 0, lane: laneOf.get(commit.branch) ?? 0 },
    });
  }
  return edges;
}

function laneEdge(branch: string, lane: number, from: number, to: number): GraphEdge {
  return { kind: "lane", branch, from: { column: from, lane }, to: { column: to, lane } };
}

/** Radius of a commit's dot in pixels: grows with the logarithm of the rows that it changed. */
export function dotRadius(rowsChanged: number): number {
  return 4 + Math.min(5, Math.log10(rowsChanged + 1) * 0.9);
}

/** What the commit changed, or whose changes it merged, to stand behind its operation. */
export function changedObjects({ merge_parent: source, object, object_count: objects }: GraphCommit): string {
  if (source) return ` of ${inOrder(source.branch)}`;
  if (!object) return "";
  return objects > 1 ? ` ${inOrder(object)} and ${objects - 1} more` : ` ${inOrder(object)}`;
}
