import { useNavigate } from "react-router";

import { taskAddress } from "../../model/addresses";
import { useStatement, type Statement } from "../../queries/statements";
import { ConfirmDialog } from "../../ui/confirm-dialog";

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
    <ConfirmDialog
      title={`Restore ${what} to version ${version}?`}
      action="Restore"
      working="Restoring …"
      run={restore}
      onConfirm={run}
      onClose={onClose}
    >
      <p>
        A new version is written that reads like version {version}. What came after stays in the history, and can be restored the same
        way.
      </p>
      <pre>
        <code>{statement.statement}</code>
      </pre>
    </ConfirmDialog>
  );
}
