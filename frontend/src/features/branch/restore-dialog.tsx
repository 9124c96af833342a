import { useNavigate } from "react-router";

import { taskAddress } from "../../model/addresses";
import { useStatement, type Statement } from "../../queries/statements";
import { Dialog } from "../../ui/dialog";
import { Failure } from "../../ui/states";

/** Restoring writes a new version; nothing that was is lost. */
export function RestoreDialog({
  what,
  version,
  statement,
  onClose,
}: {
  what: string;
  version: number;
  statement: Statement;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  const restore = useStatement();
  const run = () =>
    restore.mutate(statement, {
      onSuccess: (outcome) => {
        onClose();
        if (outcome.kind === "task") void navigate(taskAddress(outcome.task.id));
      },
    });
  return (
    <Dialog title={`Restore ${what} to version ${version}?`} onClose={onClose}>
      <p>
        A new version is written that reads like version {version}. What came after stays in the history, and can be restored the same
        way.
      </p>
      <pre>
        <code>{statement.statement}</code>
      </pre>
      {restore.error ? <Failure error={restore.error} /> : null}
      <div className="actions">
        <button type="button" className="button" onClick={onClose}>
          Not now
        </button>
        <button type="button" className="button primary" disabled={restore.isPending} onClick={run}>
          {restore.isPending ? "Restoring …" : "Restore"}
        </button>
      </div>
    </Dialog>
  );
}
