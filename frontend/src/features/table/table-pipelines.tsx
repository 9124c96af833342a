import { Link } from "react-router";

import { pipelineAddress } from "../../model/addresses";
import { usePipelines } from "../../queries/pipelines";
import type { TablePlace } from "../../queries/tables";
import { Icon } from "../../ui/icons";
import { TaskBadge } from "../tasks/task-badge";
import { Muted } from "../../ui/muted";

/** The pipelines that write to the table on this branch; nothing where there is none. */
export function TablePipelines({ place: { catalog, branch, database, table } }: { place: TablePlace }) {
  const pages = usePipelines({ catalog, branch, search: table }).data?.pages;
  const same = (left: string, right: string) => left.toLowerCase() === right.toLowerCase();
  const writing = pages?.flatMap((page) => page.results).filter((found) => same(found.table, table) && same(found.database, database)) ?? [];
  if (writing.length === 0) return null;
  return (
    <p className="row small">
      <Icon name="pipeline" />
      <Muted>written by</Muted>
      {writing.map(({ id, name, strategy, last_run: run }) => (
        <span key={id} className="row">
          <Link to={pipelineAddress(catalog, id, "runs")}>{name}</Link> <code>{strategy}</code> <TaskBadge state={run?.state} />
        </span>
      ))}
    </p>
  );
}
