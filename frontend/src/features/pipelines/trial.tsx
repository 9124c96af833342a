import { Link } from "react-router";

import { Problem } from "../../api/problem";
import { taskAddress } from "../../model/addresses";
import type { ParentMerge as MergeSaid } from "../../model/parent-merge";
import { figuresOf } from "../../model/run-figures";
import { isFinished, useCancelTask, useTask } from "../../queries/tasks";
import { Button } from "../../ui/button";
import { Grid } from "../../ui/grid";
import { Muted } from "../../ui/muted";
import { ParentMerge } from "../../ui/parent-merge";
import { CellValue } from "../../ui/result-grid";
import { Failure } from "../../ui/states";
import { TaskBadge } from "../tasks/task-badge";
import "../../styles/row-diff.css";

/** What a dry run of a run answers, as far as it is shown. */
interface Tried {
  metrics: Record<string, number>;
  examples: readonly { table: string; change: keyof typeof WORDS; row: Record<string, unknown> }[];
  log: readonly { level: string; message: string }[];
  parent_merge?: MergeSaid;
}

const WORDS = { insert: "+ inserted", delete: "− deleted", update_before: "before", update_after: "after" } as const;

/** A dry run on its way, and what a run would write. */
export function Trial({ taskId }: { taskId: string }) {
  const task = useTask(taskId);
  const cancel = useCancelTask();
  const state = task.data?.state;
  const refusal = task.data?.error as Record<string, unknown> | null | undefined;
  const failure = task.error ?? cancel.error ?? (refusal ? new Problem(refusal, Number(refusal.status ?? 500)) : null);
  return (
    <section className="stack tight inside" aria-label="Dry run">
      <h2 className="row minor">
        What a run would write <TaskBadge state={state} />
        <Link className="small" to={taskAddress(taskId)}>
          Task
        </Link>
        {isFinished(state) ? null : (
          <Button isSmall disabled={cancel.isPending || cancel.isSuccess} onClick={() => cancel.mutate(taskId)}>
            Cancel
          </Button>
        )}
      </h2>
      {failure ? <Failure error={failure} /> : null}
      {state === "succeeded" ? <Outcome tried={task.data?.result as Tried} /> : null}
    </section>
  );
}

function Outcome({ tried }: { tried: Tried }) {
  return (
    <>
      <p className="row" role="status">
        {figuresOf(tried.metrics).map(({ name, text }) => (
          <span key={name}>
            <strong>{text}</strong> {name}
          </span>
        ))}
      </p>
      {tried.log
        .filter(({ level }) => level !== "info")
        .map(({ message }) => (
          <p key={message} className="small">
            ▽ {message}
          </p>
        ))}
      {tried.examples.length ? <Examples examples={tried.examples} /> : <Muted as="p">No row would change. Nothing was written.</Muted>}
      <ParentMerge said={tried.parent_merge} />
    </>
  );
}

/** Some of the rows, by what happens to them. All are of the pipeline's table. */
function Examples({ examples }: { examples: Tried["examples"] }) {
  const names = [...new Set(examples.flatMap(({ row }) => Object.keys(row)))];
  return (
    <>
      <Grid label="Examples of rows" className="diff" columns={["Change", ...names].map((title) => ({ title }))}>
        {examples.map(({ change, row }, place) => (
          // Rows that do not exist yet have no identity but their place.
          <tr key={place} className={change}>
            <th scope="row" className="nowrap">
              {WORDS[change]}
            </th>
            {names.map((name) => (
              <td key={name} className="nowrap">
                <CellValue value={row[name]} />
              </td>
            ))}
          </tr>
        ))}
      </Grid>
      <Muted as="p" isSmall>At most ten rows. Nothing was written.</Muted>
    </>
  );
}
