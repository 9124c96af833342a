import type { ReactNode } from "react";
import { useNavigate } from "react-router";

import { taskAddress } from "../../model/addresses";
import { useStatement, type Statement } from "../../queries/statements";
import { ConfirmDialog } from "../../ui/confirm-dialog";

/** Asks before a statement is run. One that takes long leads to its task. */
export function StatementDialog({
  statement,
  leadsTo,
  onClose,
  ...look
}: {
  title: string;
  action: string;
  working: string;
  statement: Statement;
  /** Where to go when it is done; nowhere else without. */
  leadsTo?: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const navigate = useNavigate();
  const run = useStatement();
  const confirm = () =>
    run.mutate(statement, {
      onSuccess: (outcome) => {
        onClose();
        const next = outcome.kind === "task" ? taskAddress(outcome.task.id) : leadsTo;
        if (next) void navigate(next);
      },
    });
  return <ConfirmDialog {...look} run={run} onConfirm={confirm} onClose={onClose} />;
}
