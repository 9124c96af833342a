import { useState } from "react";

import type { ComparedDetail } from "../../api/resources";
import { movesRows } from "../../model/first-look";
import { counted } from "../../model/format";
import { diffRows, tellingColumns, type DiffRow } from "../../model/row-diff";
import { useComparedRows, type Pair, type Side } from "../../queries/compare";
import { LaneDot } from "../../ui/branch-name";
import { Button } from "../../ui/button";
import { Muted } from "../../ui/muted";
import { AllColumns, RowDiffTable, talkOfSide, type RowsTalk } from "../../ui/row-diff-table";
import { Loaded } from "../../ui/states";
import styles from "./compared-rows.module.css";

/** Rows that each side changed since the branches split, side by side. */
export function ComparedRows({ pair, detail, talk }: { pair: Pair; detail: ComparedDetail; talk: RowsTalk | undefined }) {
  return (
    <div className={styles.sides}>
      <SideRows pair={pair} detail={detail} side="source" talk={talk} />
      <SideRows pair={pair} detail={detail} side="destination" talk={talk} />
    </div>
  );
}

interface SideProps {
  pair: Pair;
  detail: ComparedDetail;
  side: Side;
  talk: RowsTalk | undefined;
}

function SideRows({ pair, detail, side, talk }: SideProps) {
  const branch = pair[side];
  const commits = side === "source" ? detail.source_commits : detail.dest_commits;
  return (
    <section className="stack tight">
      <h3 className="row">
        <LaneDot branch={branch} />
        {branch}
      </h3>
      {detail.names[side] === null ? (
        <Muted as="p" isSmall>The table is not there.</Muted>
      ) : commits.some(movesRows) ? (
        <ChangedRows pair={pair} detail={detail} side={side} talk={talkOfSide(side, talk)} />
      ) : (
        <Muted as="p" isSmall>No row changed since the branches split (v{detail.merge_base}).</Muted>
      )}
    </section>
  );
}

function ChangedRows({ pair, detail, side, talk }: SideProps) {
  const other = side === "source" ? "destination" : "source";
  const changes = useComparedRows(pair, detail.object_id, side);
  const theirs = useOtherIds(pair, detail, other);
  const [isWhole, setWhole] = useState(false);
  return (
    <Loaded query={changes} label={`rows that ${pair[side]} changed`}>
      {({ pages }) => {
        const columns = pages[0]?.columns.slice(2) ?? [];
        const rows = diffRows({ rows: pages.flatMap((page) => page.rows), keys: pages.flatMap((page) => page.keys) });
        if (rows.length === 0) return <Muted as="p" isSmall>Every row is as it was when the branches split.</Muted>;
        const telling = tellingColumns(columns.map((column) => column.name), rows, keyOf(detail, side));
        return (
          <>
            <RowDiffTable
              columns={columns}
              rows={rows}
              label={`Rows that ${pair[side]} changed`}
              {...(isWhole ? {} : { shown: telling })}
              height="40vh"
              talk={talk}
              alsoChanged={{ ids: theirs, by: pair[other] }}
            />
            <Muted as="p" isSmall className="row">
              {tally(rows)}
              {changes.hasNextPage ? (
                <Button
                  isSmall
                  disabled={changes.isFetchingNextPage}
                  onClick={() => void changes.fetchNextPage()}
                >
                  {changes.isFetchingNextPage ? "Reading …" : "More rows"}
                </Button>
              ) : null}
              {telling.length < columns.length ? (
                <AllColumns count={columns.length} isWhole={isWhole} onChange={setWhole} />
              ) : null}
            </Muted>
          </>
        );
      }}
    </Loaded>
  );
}

/** Ids of the rows that the other side changed, as far as they were read. */
function useOtherIds(pair: Pair, detail: ComparedDetail, side: Side): ReadonlySet<unknown> {
  const commits = side === "source" ? detail.source_commits : detail.dest_commits;
  const isThere = detail.names[side] !== null && commits.some(movesRows);
  const changes = useComparedRows(pair, detail.object_id, side, {}, isThere);
  return new Set(changes.data?.pages.flatMap((page) => page.rows.map((row) => row[1])));
}

function keyOf(detail: ComparedDetail, side: Side): string[] {
  return detail.columns.flatMap(({ [side]: column }) => (column && column.key_position !== null ? [column.name] : []));
}

/** `610 updated rows, 2 inserted rows shown.` */
function tally(rows: readonly DiffRow[]): string {
  const of = (change: DiffRow["change"]) => rows.filter((row) => row.change === change).length;
  const parts = [
    [of("update_after"), "updated"],
    [of("insert"), "inserted"],
    [of("delete"), "deleted"],
  ] as const;
  return `${parts.filter(([number]) => number > 0).map(([number, word]) => counted(number, `${word} row`)).join(", ")} shown.`;
}
