import { Link } from "react-router";

import type { GraphCommit } from "../../api/resources";
import { branchAddress } from "../../model/addresses";
import { operationName } from "../../model/commit-words";
import { counted } from "../../model/format";
import { changedObjects } from "../../model/graph";
import { LaneDot } from "../../ui/branch-name";
import { Button } from "../../ui/button";
import { classes } from "../../ui/classes";
import { Muted } from "../../ui/muted";
import { useIsNarrow } from "../../ui/narrow";
import { Time } from "../../ui/time";
import { VirtualRows } from "../../ui/virtual-rows";
import styles from "./commit-list.module.css";

const ROW_HEIGHT = 36;
const NARROW_ROW_HEIGHT = 56;

/** The commits of the graph as a list: its accessible form, and the keyboard's. */
export function CommitList({
  catalog,
  commits,
  chosen,
  onChoose,
  onBranchFrom,
  onEnd,
}: {
  catalog: string;
  commits: readonly GraphCommit[];
  chosen: number | undefined;
  onChoose: (version: number) => void;
  onBranchFrom: (commit: GraphCommit) => void;
  onEnd: (() => void) | undefined;
}) {
  const isNarrow = useIsNarrow();
  const place = chosen === undefined ? undefined : commits.findIndex((commit) => commit.version === chosen);
  return (
    <VirtualRows
      items={commits}
      rowHeight={isNarrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT}
      keyOf={(commit) => commit.version}
      label="Commits, newest first"
      height="260px"
      scrollTo={place}
      onEnd={onEnd}
      row={(commit) => (
        <div className={styles.row} aria-current={commit.version === chosen || undefined}>
          <Link
            className="mono"
            onMouseEnter={() => onChoose(commit.version)}
            onFocus={() => onChoose(commit.version)}
            to={`${branchAddress(catalog, commit.branch)}?tab=history&commit=${commit.version}`}
          >
            v{commit.version}
          </Link>
          <span className={classes("row ellipsis", styles.branch)}>
            <LaneDot branch={commit.branch} />
            <bdi className="ellipsis">{commit.branch}</bdi>
          </span>
          <span className={classes("ellipsis", styles.what)}>
            {commit.message ? <><bdi>{commit.message}</bdi> · </> : null}
            <bdi>{operationName(commit)}</bdi>
            {changedObjects(commit)}
            {commit.rows_changed ? <Muted> · {counted(commit.rows_changed, "row")}</Muted> : null}
          </span>
          <Muted className={classes("ellipsis", styles.author)}>{commit.author}</Muted>
          <Muted>
            <Time at={commit.time} />
          </Muted>
          <Button look="quiet" isSmall onClick={() => onBranchFrom(commit)}>
            Branch<span className="visually-hidden"> from version {commit.version}</span>
          </Button>
        </div>
      )}
    />
  );
}
