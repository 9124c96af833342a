import type { Statement } from "../../queries/statements";
import { StatementDialog } from "../sql/statement-dialog";

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
  return (
    <StatementDialog
      title={`Restore ${what} to version ${version}?`}
      action="Restore"
      working="Restoring …"
      statement={statement}
      ifNothing={`${what} is already as in version ${version}. No version was written.`}
      onClose={onClose}
    >
      <p>
        A new version is written that reads like version {version}. What came after stays in the history, and can be restored the same
        way.
      </p>
      <pre>
        <code>{statement.statement}</code>
      </pre>
    </StatementDialog>
  );
}
