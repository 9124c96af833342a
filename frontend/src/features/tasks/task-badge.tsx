import type { TaskState } from "../../queries/tasks";

/** The sign of each state, and the colour that goes with it. */
export const LOOKS: Record<TaskState, { symbol: string; kind: string }> = {
  queued: { symbol: "○", kind: "" },
  running: { symbol: "◐", kind: "note" },
  succeeded: { symbol: "✓", kind: "fine" },
  failed: { symbol: "✕", kind: "conflict" },
  cancelled: { symbol: "–", kind: "" },
  lost: { symbol: "?", kind: "amber" },
};

export function TaskBadge({ state }: { state: TaskState | undefined }) {
  if (!state) return null;
  const { symbol, kind } = LOOKS[state];
  return (
    <span className={`badge ${kind}`}>
      <span aria-hidden="true" className={state === "running" ? "working" : ""}>
        {symbol}
      </span>
      {state}
    </span>
  );
}
