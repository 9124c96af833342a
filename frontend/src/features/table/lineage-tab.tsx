import { useLayoutEffect, useRef } from "react";
import { Link, useNavigate } from "react-router";

import { pipelineAddress, tableAddress, viewAddress } from "../../model/addresses";
import { counted } from "../../model/format";
import { lineageLayout, lineageLines, type Lineage, type LineageNode, type PlacedNode } from "../../model/lineage";
import { useLineage, type TablePlace } from "../../queries/tables";
import { LaneDot } from "../../ui/branch-name";
import { classes } from "../../ui/classes";
import { Grid } from "../../ui/grid";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { useIsNarrow } from "../../ui/narrow";
import { Loaded } from "../../ui/states";
import { Time } from "../../ui/time";
import styles from "./lineage-tab.module.css";

/** Sizes of the picture; on a narrow page it shows that there is more to the side. */
const WIDE = { box: 200, gap: 64, name: 25 };
const NARROW = { box: 158, gap: 22, name: 15 };
const BOX_HEIGHT = 34;
const ROW_GAP = 14;
const EDGE = 16;
const HEADS = [{ title: "From" }, { title: "Into" }, { title: "Newest commit" }, { title: "Commits", isNumber: true }];
const KINDS = { table: "tables", pipeline: "pipeline", view: "search" } as const;

/** What the rows of the table were made from, and what is made from them: a picture for the eye, a list for everybody. */
export default function LineageTab({ place, version }: { place: TablePlace; version: number | undefined }) {
  return (
    <Loaded query={useLineage(place, version)} label="the lineage">
      {(found) => (
        <>
          {found.edges.length === 0 ? (
            <Muted as="p" className="inside">
              No statement made rows of this table from another table, or of another table from this one. A query leaves no record.
            </Muted>
          ) : (
            <>
              <Picture place={place} lineage={found} />
              <LineageList place={place} lineage={found} />
            </>
          )}
          <Limits lineage={found} />
        </>
      )}
    </Loaded>
  );
}

function Limits({ lineage: { hidden_tables: hidden, is_cut: isCut } }: { lineage: Lineage }) {
  const texts = [
    hidden ? `${counted(hidden, "table")} more that this branch does not know, as of another catalog.` : "",
    isCut ? "There are more tables than are shown. Open one of them to follow it." : "",
  ].filter(Boolean);
  return texts.length ? <Muted as="p" isSmall className="inside">{texts.join(" ")}</Muted> : null;
}

function Picture({ place, lineage }: { place: TablePlace; lineage: Lineage }) {
  const layout = lineageLayout(lineage);
  const size = useIsNarrow() ? NARROW : WIDE;
  const box = useRef<HTMLDivElement>(null);
  const own = layout.nodes.find(({ node }) => node.node === lineage.node);
  const middle = own ? xOf(own, size) + size.box / 2 : 0;
  useLayoutEffect(() => {
    if (box.current) box.current.scrollLeft = middle - box.current.clientWidth / 2;
  }, [middle]);
  const width = 2 * EDGE + layout.layerCount * (size.box + size.gap) - size.gap;
  const height = 2 * EDGE + layout.rowCount * (BOX_HEIGHT + ROW_GAP) - ROW_GAP;
  return (
    // Everything in it is in the list beneath.
    <div className={classes("scroll", styles.lineage)} ref={box} aria-hidden="true">
      <svg width={width} height={height}>
        <marker id="lineage-end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0 0 8 4 0 8z" />
        </marker>
        {layout.edges.map(({ edge, from, to }) => (
          <path
            key={`${edge.origin} ${edge.target}`}
            className={classes(styles.edge, edge.version === null && styles.planned)}
            d={edgePath(from, to, size)}
            markerEnd="url(#lineage-end)"
          />
        ))}
        {layout.nodes.map((placed) => (
          <Box key={placed.node.node} place={place} placed={placed} size={size} isOwn={placed === own} />
        ))}
      </svg>
    </div>
  );
}

type Size = typeof WIDE;

const SHAPES = { table: undefined, pipeline: styles.pipeline, view: styles.view };
const xOf = ({ layer }: PlacedNode, { box, gap }: Size) => EDGE + layer * (box + gap);
const yOf = ({ row }: PlacedNode) => EDGE + row * (BOX_HEIGHT + ROW_GAP);

/** From the right side of a box to the left side of the next; one that leads back goes round below. */
function edgePath(from: PlacedNode, to: PlacedNode, size: Size): string {
  const bend = size.gap / 2;
  const [x1, y1] = [xOf(from, size) + size.box, yOf(from) + BOX_HEIGHT / 2];
  const [x2, y2] = [xOf(to, size) - 2, yOf(to) + BOX_HEIGHT / 2];
  if (from.layer < to.layer) return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  const low = Math.max(y1, y2) + BOX_HEIGHT / 2 + ROW_GAP / 2;
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x1 + bend} ${low} ${x1} ${low}H${x2}C${x2 - bend} ${low} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

function Box({ place, placed, size, isOwn }: { place: TablePlace; placed: PlacedNode; size: Size; isOwn: boolean }) {
  const navigate = useNavigate();
  const { node } = placed;
  const address = isOwn ? undefined : addressOf(place, node);
  const [x, y] = [xOf(placed, size), yOf(placed)];
  const name = node.name.length > size.name ? `${node.name.slice(0, size.name - 1)}…` : node.name;
  return (
    <g
      className={classes(styles.box, SHAPES[node.kind], isOwn && styles.own, node.is_dropped && styles.dropped, Boolean(address) && styles.link)}
      onClick={address ? () => void navigate(address) : undefined}
    >
      <title>{`${node.kind} ${node.name}${goneWord(node)}`}</title>
      <rect x={x} y={y} width={size.box} height={BOX_HEIGHT} rx={node.kind === "pipeline" ? BOX_HEIGHT / 2 : 4} />
      <g transform={`translate(${x + 12} ${y + 9})`}>
        <Icon name={KINDS[node.kind]} />
      </g>
      <text x={x + 34} y={y + BOX_HEIGHT / 2 + 4}>
        {name}
      </text>
    </g>
  );
}

/** Where a node leads; nowhere where it is gone. A view has no page of its own, so it is read. */
function addressOf({ catalog, branch }: TablePlace, node: LineageNode): string | undefined {
  if (node.is_dropped) return undefined;
  if (node.kind === "pipeline") return pipelineAddress(catalog, node.id, "runs");
  if (node.kind === "view") return viewAddress(catalog, branch, node.database, node.object);
  return `${tableAddress(catalog, branch, node.database, node.object)}?tab=lineage`;
}

function goneWord(node: LineageNode): string {
  return node.is_dropped ? (node.kind === "pipeline" ? ", deleted" : ", dropped") : "";
}

function LineageList({ place, lineage }: { place: TablePlace; lineage: Lineage }) {
  return (
    <Grid label="Lineage" columns={HEADS}>
      {lineageLines(lineage).map(({ from, into, commit, statements, without }) => (
        <tr key={`${from.node} ${into.node}`}>
          <td>
            <NodeName place={place} node={from} own={lineage.node} />
          </td>
          <td>
            <NodeName place={place} node={into} own={lineage.node} />
          </td>
          <td>
            {commit ? (
              <span className="row nowrap-row nowrap">
                <code>v{commit.version}</code> {commit.operation} on <LaneDot branch={commit.branch} /> <bdi>{commit.branch}</bdi> <Time at={commit.time} />
              </span>
            ) : (
              <Muted>{without}</Muted>
            )}
          </td>
          <td className="number">{commit ? statements : "—"}</td>
        </tr>
      ))}
    </Grid>
  );
}

function NodeName({ place, node, own }: { place: TablePlace; node: LineageNode; own: string }) {
  const address = node.node === own ? undefined : addressOf(place, node);
  const name = <bdi>{node.name}</bdi>;
  return (
    <span className="nowrap">
      <Muted>{node.kind}</Muted> {address ? <Link to={address}>{name}</Link> : node.node === own ? <strong>{name}</strong> : name}
      <Muted>{goneWord(node)}</Muted>
    </span>
  );
}
