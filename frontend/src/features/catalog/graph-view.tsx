import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useNavigate } from "react-router";

import type { Graph, GraphCommit } from "../../api/resources";
import { branchAddress, mergeAddress } from "../../model/addresses";
import { operationName } from "../../model/commit-words";
import { counted, exactTime } from "../../model/format";
import { changedObjects, dotRadius, graphLayout, type GraphEdge, type GraphLayout, type GraphNode } from "../../model/graph";
import { timeMarks } from "../../model/time-marks";
import { useProtectedNames } from "../../queries/protection";
import { useLaneColour } from "../../ui/branch-name";
import { Button } from "../../ui/button";
import { classes } from "../../ui/classes";
import { Icon } from "../../ui/icons";
import { useKeys } from "../frame/use-keys";
import { Muted } from "../../ui/muted";
import styles from "./graph-view.module.css";

const LANE_HEIGHT = 34;
const TOP = 30;
const LEFT = 24;
/** At most so many pixels stand behind the last commit, for the names of lanes and the tags of this commit. */
const NAME_WIDTH = 240;
const LETTER = 8;
const SHIELD = 14;
/** Pixels of the wheel that are one step of the zoom. */
const TURN = 60;
const ZOOMS = [14, 22, 34, 52, 80] as const;

/** Lanes of branches over time, drawn for the eye; the list of commits beneath it is for everybody. */
export function GraphView({
  catalog,
  graph,
  chosen,
  onChoose,
}: {
  catalog: string;
  graph: Graph;
  chosen: number | undefined;
  onChoose: (version: number) => void;
}) {
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const layout = useMemo(() => graphLayout(graph, unfolded), [graph, unfolded]);
  const { box, zoom, zoomBy } = useZoom(layout.columnCount);
  const step = ZOOMS[zoom] ?? 34;
  return (
    <div className={styles.graph}>
      <div className={classes("row", styles.zoom)} role="group" aria-label="Zoom of the time axis">
        <Muted isSmall className="not-narrow">
          Zoom: <kbd>Ctrl</kbd> and the wheel, or <kbd>+</kbd> and <kbd>−</kbd>
        </Muted>
        <Button isSmall disabled={zoom === 0} onClick={() => zoomBy(-1)} aria-label="Zoom out">
          −
        </Button>
        <Button isSmall disabled={zoom === ZOOMS.length - 1} onClick={() => zoomBy(1)} aria-label="Zoom in">
          +
        </Button>
      </div>
      {/* Everything in it is in the list of commits, and in the table of branches. */}
      <div className="scroll" ref={box} aria-hidden="true">
        <Drawing
          catalog={catalog}
          layout={layout}
          step={step}
          chosen={chosen}
          onChoose={onChoose}
          onUnfold={(version) => setUnfolded(new Set([...unfolded, version]))}
        />
      </div>
    </div>
  );
}

/** The zoom of the time axis by buttons, the keys + and −, and Ctrl with the wheel. The commit under the pointer stays there;
 * else the newest one, on the right, where the graph begins. */
function useZoom(columns: number) {
  const box = useRef<HTMLDivElement>(null);
  const turned = useRef(0);
  const [zoom, setZoom] = useState(2);
  const kept = useRef<{ column: number; at: number }>(undefined);
  const zoomBy = useCallback((change: number) => setZoom((now) => Math.min(ZOOMS.length - 1, Math.max(0, now + change))), []);
  const step = ZOOMS[zoom] ?? 34;
  useKeys({ "+": () => zoomBy(1), "=": () => zoomBy(1), "-": () => zoomBy(-1) });
  useLayoutEffect(() => {
    if (!box.current) return;
    const { column, at } = kept.current ?? { column: NaN, at: 0 };
    box.current.scrollLeft = Number.isNaN(column) ? box.current.scrollWidth : LEFT + column * step - at;
    kept.current = undefined;
  }, [columns, step]);
  useEffect(() => {
    const found = box.current;
    if (!found) return undefined;
    const turn = (event: WheelEvent) => {
      if (!event.ctrlKey || event.deltaY === 0) return;
      // Else the browser would zoom the whole page.
      event.preventDefault();
      // A touch pad sends many small turns.
      turned.current += event.deltaY;
      if (Math.abs(turned.current) < TURN) return;
      turned.current = 0;
      const at = event.clientX - found.getBoundingClientRect().left;
      kept.current = { column: (found.scrollLeft + at - LEFT) / step, at };
      zoomBy(event.deltaY < 0 ? 1 : -1);
    };
    found.addEventListener("wheel", turn, { passive: false });
    return () => found.removeEventListener("wheel", turn);
  }, [step, zoomBy]);
  return { box, zoom, zoomBy };
}

/** What the longest name needs, so that a narrow screen shows commits beside it. */
function nameWidth({ lanes, nodes }: GraphLayout): number {
  const names = lanes.filter(({ branch }) => !branch.is_dropped).map(({ branch }) => branch.name);
  const tags = nodes.flatMap((node) => (node.kind === "fold" ? [] : node.tags.map(({ name }) => name)));
  const longest = Math.max(0, ...names.concat(tags).map(({ length }) => length));
  return Math.min(NAME_WIDTH, longest * LETTER + SHIELD + LEFT);
}

function Drawing({
  catalog,
  layout,
  step,
  chosen,
  onChoose,
  onUnfold,
}: {
  catalog: string;
  layout: GraphLayout;
  step: number;
  chosen: number | undefined;
  onChoose: (version: number) => void;
  onUnfold: (version: number) => void;
}) {
  const x = (column: number) => LEFT + column * step;
  const y = (lane: number) => TOP + lane * LANE_HEIGHT;
  const width = LEFT + layout.columnCount * step + nameWidth(layout);
  const height = TOP + layout.laneCount * LANE_HEIGHT;
  const navigate = useNavigate();
  const laneColour = useLaneColour();
  const isProtected = useProtectedNames(catalog);
  const open = (commit: GraphCommit) =>
    void navigate(`${branchAddress(catalog, commit.branch)}?tab=history&commit=${commit.version}`);
  return (
    <svg width={width} height={height} className={styles.drawing}>
      {timeMarks(layout.nodes).map((mark) => (
        <g key={mark.column} className={styles.timeMark}>
          <line x1={x(mark.column) - step / 2} x2={x(mark.column) - step / 2} y1={4} y2={height} />
          <text x={x(mark.column) - step / 2 + 4} y={12}>
            {mark.label}
          </text>
        </g>
      ))}
      {layout.edges.map((edge, place) => (
        <path key={place} className={classes(styles.edge, `lane-${laneColour(edge.branch)}`)} data-kind={edge.kind} d={edgePath(edge, x, y)} />
      ))}
      {layout.nodes.map((node) => (
        <Node key={node.column} node={node} x={x(node.column)} y={y(node.lane)} chosen={chosen} onChoose={onChoose} onOpen={open} onUnfold={onUnfold} />
      ))}
      {layout.attempts.map(({ merge, column, lane }) => (
        <g key={merge.merge_id} className={styles.attempt} onClick={() => void navigate(mergeAddress(merge.merge_id))}>
          <title>{`${merge.source} into ${merge.destination}: ${merge.outcome}, ${counted(merge.conflict_count, "conflict")}`}</title>
          <path d={`M${x(column) + step * 0.3} ${y(lane) - 15}v9`} />
        </g>
      ))}
      {layout.lanes
        .filter((lane) => !lane.branch.is_dropped)
        .map((lane) => (
          <LaneName
            key={lane.branch.branch_id}
            catalog={catalog}
            name={lane.branch.name}
            isProtected={isProtected(lane.branch.name)}
            x={x(layout.columnCount) + 4}
            y={y(lane.lane)}
          />
        ))}
    </svg>
  );
}

function LaneName({
  catalog,
  name,
  isProtected,
  x,
  y,
}: {
  catalog: string;
  name: string;
  isProtected: boolean;
  x: number;
  y: number;
}) {
  const navigate = useNavigate();
  const laneColour = useLaneColour();
  return (
    <g className={classes(styles.laneName, `lane-${laneColour(name)}`)} onClick={() => void navigate(branchAddress(catalog, name))}>
      {isProtected ? (
        <g transform={`translate(${x} ${y - SHIELD / 2})`}>
          <Icon name="shield" size={SHIELD} />
        </g>
      ) : null}
      <text x={isProtected ? x + SHIELD + 4 : x} y={y + 4}>
        {name.length > 24 ? `${name.slice(0, 23)}…` : name}
        <title>{isProtected ? `${name}, protected` : name}</title>
      </text>
    </g>
  );
}

function Node({
  node,
  x,
  y,
  chosen,
  onChoose,
  onOpen,
  onUnfold,
}: {
  node: GraphNode;
  x: number;
  y: number;
  chosen: number | undefined;
  onChoose: (version: number) => void;
  onOpen: (commit: GraphCommit) => void;
  onUnfold: (version: number) => void;
}) {
  const laneColour = useLaneColour();
  if (node.kind === "fold") {
    const text = counted(node.commits.length, "commit");
    return (
      <g className={classes(styles.fold, `lane-${laneColour(node.branch)}`)} onClick={() => onUnfold(node.commits[0]?.version ?? 0)}>
        <title>{`${text} on ${node.branch}; click to unfold`}</title>
        <rect x={x - 12} y={y - 9} width={24} height={18} rx={9} />
        <text x={x} y={y + 4}>
          {node.commits.length}
        </text>
      </g>
    );
  }
  const { commit } = node;
  const rows = commit.rows_changed ? `, ${counted(commit.rows_changed, "row")}` : "";
  const said = commit.message ? `${commit.message}\n` : "";
  return (
    <g
      className={classes(styles.commit, `lane-${laneColour(commit.branch)}`, node.isHead && styles.head, commit.version === chosen && styles.chosen)}
      onMouseEnter={() => onChoose(commit.version)}
      onClick={() => onOpen(commit)}
    >
      <title>{`${said}v${commit.version} ${operationName(commit)}${changedObjects(commit)} on ${commit.branch}${rows}, ${exactTime(new Date(commit.time))}`}</title>
      <circle cx={x} cy={y} r={dotRadius(commit.rows_changed)} />
      {node.tags.map((tag, place) => (
        <g key={tag.name} className={styles.tag}>
          <path d={`M${x} ${y - 6}v-${12 + place * 12}h8`} />
          <text x={x + 10} y={y - 14 - place * 12}>
            {tag.name}
          </text>
        </g>
      ))}
    </g>
  );
}

/** Straight within a lane; between lanes it leaves or arrives in a curve near the younger end. */
function edgePath(edge: GraphEdge, x: (column: number) => number, y: (lane: number) => number): string {
  const [x1, y1, x2, y2] = [x(edge.from.column), y(edge.from.lane), x(edge.to.column), y(edge.to.lane)];
  if (y1 === y2) return `M${x1} ${y1}H${x2}`;
  const bend = Math.min(28, Math.max(8, (x2 - x1) / 2));
  if (edge.kind === "fork") {
    return `M${x1} ${y1}C${x1 + bend} ${y1} ${x1} ${y2} ${x1 + bend} ${y2}H${x2}`;
  }
  return `M${x1} ${y1}H${x2 - bend}C${x2} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}
