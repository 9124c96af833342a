import { useNavigate } from "react-router";

import { taskAddress } from "../../model/addresses";
import { compactionAdvice, type Compaction } from "../../model/compaction";
import { tableOptimize } from "../../model/sql";
import { useTaskStart } from "../../queries/statements";
import type { TablePlace } from "../../queries/tables";
import { Button } from "../../ui/button";
import { Muted } from "../../ui/muted";
import { Failure } from "../../ui/states";
import { JUST_STARTED } from "../tasks/just-started";

/** What OPTIMIZE would do with the files, and the button that runs it as a task. */
export function CompactionAdvice({ place, found, mayChange }: { place: TablePlace; found: Compaction; mayChange: boolean }) {
  const { catalog, branch, database, table } = place;
  const start = useTaskStart();
  const navigate = useNavigate();
  const advice = compactionAdvice(found);
  if (!advice) return <Muted as="p" isSmall className="inside">No file needs OPTIMIZE.</Muted>;
  const statement = tableOptimize(database, table);
  const run = () => start.mutate({ catalog, branch, statement }, { onSuccess: (task) => void navigate(taskAddress(task.id), { state: JUST_STARTED }) });
  return (
    <div className="inside">
      <div className="notice">
        <p className="row apart">
          <span>{advice.what}</span>
          {mayChange ? (
            <Button isSmall disabled={start.isPending} onClick={run}>
              {start.isPending ? "Starting …" : "Optimize"}
            </Button>
          ) : null}
        </p>
        <p className="small">
          {advice.why} Statement: <code>{statement}</code>
        </p>
      </div>
      {start.error ? <Failure error={start.error} /> : null}
    </div>
  );
}
