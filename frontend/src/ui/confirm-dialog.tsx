import type { ReactNode } from "react";

import { Button } from "./button";
import { Dialog } from "./dialog";
import { Failure } from "./states";

/** Says what would happen, and does it when it is confirmed; a refusal is shown in place. */
export function ConfirmDialog({
  title,
  action,
  working,
  isDangerous = false,
  isReady = true,
  run,
  came,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  /** What the button says, and what it says while it is being done. */
  action: string;
  working: string;
  isDangerous?: boolean;
  /** Whether everything was said that it needs. */
  isReady?: boolean;
  run: { isPending: boolean; error: Error | null };
  /** What came of it, where nothing else shows that: it stands instead of the question. */
  came?: string | undefined;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      {came === undefined ? children : <p role="status">{came}</p>}
      {run.error ? <Failure error={run.error} /> : null}
      <div className="actions">
        <Button onClick={onClose}>
          {came === undefined ? "Cancel" : "Close"}
        </Button>
        {came === undefined ? (
          <Button look={isDangerous ? "danger" : "primary"} disabled={run.isPending || !isReady} onClick={onConfirm}>
            {run.isPending ? working : action}
          </Button>
        ) : null}
      </div>
    </Dialog>
  );
}
