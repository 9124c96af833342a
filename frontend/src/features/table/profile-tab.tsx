import { Link } from "react-router";

import type { KnownColumn, TableDetail } from "../../api/resources";
import { taskAddress } from "../../model/addresses";
import { exactProfile, profileStatement, type ExactColumn } from "../../model/column-profile";
import { count, counted } from "../../model/format";
import { shareText } from "../../model/profile";
import { useRead } from "../../queries/statements";
import { useTableProfile, type TablePlace } from "../../queries/tables";
import { Button } from "../../ui/button";
import { Bound, EXACT_HEADS, exactCells, Unknown } from "../../ui/column-counts";
import { CountsTable, type CountsGroup } from "../../ui/counts-table";
import { Muted } from "../../ui/muted";
import { Failure, Loaded } from "../../ui/states";

/** What statistics of files do not know has no column. */
const BOUND_HEADS = EXACT_HEADS.filter(({ title }) => ["NULL", "Minimum", "Maximum"].includes(title));

/** What each column holds: at first what the statistics of the files say, and counts of all rows when somebody asks. */
export default function ProfileTab({ place, table, version }: { place: TablePlace; table: TableDetail; version: number | undefined }) {
  const known = useTableProfile(place, version);
  const read = useRead();
  const outcome = read.data;
  const answer = outcome?.kind === "answer" ? outcome.answer : undefined;
  const exact = answer ? exactProfile(answer.rows) : undefined;
  // A count is of the version that was looked at: at the head another write may come.
  const ask = () => read.mutate({ catalog: place.catalog, branch: place.branch, statement: profileStatement(place.database, place.table, table.version) });
  return (
    <Loaded query={known} label="the statistics">
      {(found) => (
        <>
          <div className="inside row apart">
            <Muted as="p" isSmall>
              {exact
                ? `Counted in ${counted(exact[0]?.rows ?? 0, "row")} of version ${table.version}.`
                : `From the statistics of the files, on ${place.branch} at version ${found.version}; no row was read.${found.deleted_rows ? ` Up to ${counted(found.deleted_rows, "deleted row")} still count.` : ""}`}
            </Muted>
            <Button isSmall disabled={read.isPending} onClick={ask}>
              {read.isPending ? "Counting …" : exact ? "Count again" : "Count all rows"}
            </Button>
          </div>
          {read.error ? <Failure error={read.error} /> : null}
          {outcome?.kind === "task" ? (
            <p className="inside small">
              The count takes longer. <Link to={taskAddress(outcome.task.id)}>Its task has the result</Link>.
            </p>
          ) : null}
          <CountsTable label={`Profile of ${table.name}`} heads={exact ? EXACT_HEADS : BOUND_HEADS} groups={found.columns.map((column) => columnGroup(column, found.rows, exact))} />
        </>
      )}
    </Loaded>
  );
}

function columnGroup(column: KnownColumn, rows: number, exact: readonly ExactColumn[] | undefined): CountsGroup {
  const counts = exact?.find(({ name }) => name === column.name);
  const nulls = column.nulls === null ? <Unknown /> : `${column.is_exact ? "" : "≤ "}${count(column.nulls)} (${shareText(column.nulls, rows)})`;
  const bounds = [<Bound value={column.minimum} />, <Bound value={column.maximum} />];
  const known = exact ? [nulls, <Unknown />, ...bounds, null, null] : [nulls, ...bounds];
  return {
    key: column.column_id,
    name: (
      <>
        <bdi>{column.name}</bdi> <Muted>{column.type}</Muted>
      </>
    ),
    lines: [{ key: column.column_id, cells: counts ? exactCells(counts) : known }],
  };
}
