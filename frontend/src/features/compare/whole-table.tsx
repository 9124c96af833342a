import { Fragment } from "react";
import { Link } from "react-router";

import type { ComparedDetail } from "../../api/resources";
import { taskAddress } from "../../model/addresses";
import { bothSides, exactProfile, sideProfileStatement, type BothSides } from "../../model/column-profile";
import { counted } from "../../model/format";
import type { Pair } from "../../queries/compare";
import { useRead } from "../../queries/statements";
import { Button } from "../../ui/button";
import { EXACT_HEADS, exactCells } from "../../ui/column-counts";
import { CountsTable, type CountsGroup } from "../../ui/counts-table";
import { Muted } from "../../ui/muted";
import { Failure } from "../../ui/states";

/** What the whole table holds on both branches, by column. Each branch is read once, when somebody asks. */
export function WholeTable({ pair, detail }: { pair: Pair; detail: ComparedDetail }) {
  const before = useSide(pair, detail, "destination");
  const after = useSide(pair, detail, "source");
  if (!before.statement || !after.statement) return null;
  const isPending = before.isPending || after.isPending;
  const ask = () => {
    before.ask();
    after.ask();
  };
  const tasks = [before.task, after.task].filter((task) => task !== undefined);
  return (
    <section className="stack tight" aria-label="Whole table">
      <div className="row apart">
        <Muted as="p" isSmall>
          {before.columns && after.columns
            ? `All rows: ${counted(before.columns[0]?.rows ?? 0, "row")} on ${pair.destination}, ${counted(after.columns[0]?.rows ?? 0, "row")} on ${pair.source}.`
            : "Counting all rows reads the whole table on both branches."}
        </Muted>
        <Button isSmall disabled={isPending} onClick={ask}>
          {isPending ? "Counting …" : before.columns ? "Count again" : "Count all rows"}
        </Button>
      </div>
      {[before, after].map(({ error }, place) => (error ? <Failure key={place} error={error} /> : null))}
      {tasks.length ? (
        <p className="small">
          The count takes longer.{" "}
          {tasks.map((task, place) => (
            <Fragment key={task}>
              {place ? ". " : null}
              <Link to={taskAddress(task)}>{place ? "The second task has the other result" : "Its task has the result"}</Link>
            </Fragment>
          ))}
          .
        </p>
      ) : null}
      {before.columns && after.columns ? (
        <CountsTable
          label="Values of the whole table"
          heads={EXACT_HEADS}
          groups={bothSides(before.columns, after.columns).map((column) => columnGroup(column, pair))}
        />
      ) : null}
    </section>
  );
}

function useSide({ catalog, ...pair }: Pair, detail: ComparedDetail, side: "source" | "destination") {
  const read = useRead();
  const statement = sideProfileStatement(detail, side);
  const outcome = read.data;
  return {
    statement,
    ask: () => {
      if (statement) read.mutate({ catalog, branch: pair[side], statement });
    },
    isPending: read.isPending,
    error: read.error,
    task: outcome?.kind === "task" ? outcome.task.id : undefined,
    columns: outcome?.kind === "answer" ? exactProfile(outcome.answer.rows) : undefined,
  };
}

function columnGroup({ name, before, after }: BothSides, { source, destination }: Pair): CountsGroup {
  // One axis for both branches, so that a shift of the values is seen.
  const axis = [before, after].flatMap((side) => side?.histogram ?? []);
  const line = (branch: string, counts: BothSides["before"]) => ({
    key: branch,
    name: <bdi>{branch}</bdi>,
    cells: counts ? exactCells(counts, axis, `${name} on ${branch}`) : "no such column",
  });
  return { key: name, name: <bdi>{name}</bdi>, lines: [line(destination, before), line(source, after)] };
}
