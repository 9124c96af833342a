import { Link } from "react-router";

import type { TableDetail } from "../../api/resources";
import { taskAddress } from "../../model/addresses";
import { exactProfile, profileStatement } from "../../model/column-profile";
import { count, counted } from "../../model/format";
import { shareText } from "../../model/profile";
import { useRead } from "../../queries/statements";
import { useTableProfile, type TablePlace } from "../../queries/tables";
import { Button } from "../../ui/button";
import { Bound, EXACT_HEADS, ExactCells, Unknown } from "../../ui/column-counts";
import { Grid } from "../../ui/grid";
import { Muted } from "../../ui/muted";
import { Failure, Loaded } from "../../ui/states";

const HEADS = [{ title: "Column" }, ...EXACT_HEADS];
/** What statistics of files do not know has no column. */
const BOUND_HEADS = [{ title: "Column" }, ...EXACT_HEADS.filter(({ title }) => ["NULL", "Least", "Largest"].includes(title))];

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
                : `From the statistics of the files, at version ${found.version}; no row was read.${found.deleted_rows ? ` Up to ${counted(found.deleted_rows, "deleted row")} still count.` : ""}`}
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
          <Grid label={`Profile of ${table.name}`} columns={exact ? HEADS : BOUND_HEADS}>
            {found.columns.map((column) => {
              const counts = exact?.find(({ name }) => name === column.name);
              return (
                <tr key={column.column_id}>
                  <th scope="row">
                    <bdi>{column.name}</bdi> <Muted>{column.type}</Muted>
                  </th>
                  {counts ? (
                    <ExactCells counts={counts} />
                  ) : (
                    <>
                      <td className="number">{column.nulls === null ? <Unknown /> : `${column.is_exact ? "" : "≤ "}${count(column.nulls)} (${shareText(column.nulls, found.rows)})`}</td>
                      {exact ? <Bound value={undefined} /> : null}
                      <Bound value={column.minimum} />
                      <Bound value={column.maximum} />
                      {exact ? <td colSpan={2} /> : null}
                    </>
                  )}
                </tr>
              );
            })}
          </Grid>
        </>
      )}
    </Loaded>
  );
}
