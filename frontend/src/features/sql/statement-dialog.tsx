import type { ReactNode } from "react";
import { useNavigate } from "react-router";

import { taskAddress } from "../../model/addresses";
import { useStatement, type Outcome, type Statement } from "../../queries/statements";
import { ConfirmDialog } from "../../ui/confirm-dialog";

/** Asks before a statement is run. One that takes long leads to its task. */
export function StatementDialog({
  statement,
  leadsTo,
  ifNothing,
  onClose,
  ...look
}: {
  title: string;
  action: string;
  working: string;
  statement: Statement;
  /** Where to go when it is done; nowhere else without. */
  leadsTo?: string;
  /** Why nothing had to be done, where the answer says so: no commit shows it. */
  ifNothing?: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const navigate = useNavigate();
  const run = useStatement();
  const confirm = () =>
    run.mutate(statement, {
      onSuccess: (outcome) => {
        if (ifNothing !== undefined && didNothing(outcome)) return;
        onClose();
        const next = outcome.kind === "task" ? taskAddress(outcome.task.id) : leadsTo;
        if (next) void navigate(next);
      },
    });
  const came = ifNothing !== undefined && run.data && didNothing(run.data) ? ifNothing : undefined;
  return <ConfirmDialog {...look} run={run} came={came} onConfirm={confirm} onClose={onClose} />;
}

function didNothing(outcome: Outcome): boolean {
  return outcome.kind === "answer" && outcome.answer.outcome === "nothing to do";
}
