import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";

import type { Comparison } from "../../api/resources";
import { mergeAddress, taskAddress } from "../../model/addresses";
import { counted } from "../../model/format";
import { mergeStatement } from "../../model/sql";
import type { Pair } from "../../queries/compare";
import { statementRun, useTaskStart } from "../../queries/statements";
import { JUST_STARTED } from "../tasks/just-started";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Dialog } from "../../ui/dialog";
import { Icon } from "../../ui/icons";
import { Failure } from "../../ui/states";

/** Dry run, and merge after a last look. */
export function MergeActions({ pair, summary }: { pair: Pair; summary: Comparison }) {
  const [isAsking, setAsking] = useState(false);
  const dryRun = useDryRun(pair);
  return (
    <>
      <button type="button" className="button" disabled={dryRun.isPending} onClick={() => dryRun.mutate()}>
        {dryRun.isPending ? "Dry run …" : "Dry run"}
      </button>
      <button
        type="button"
        className="button primary"
        disabled={!summary.mergeable}
        title={summary.mergeable ? undefined : "Conflicts refuse this merge"}
        onClick={() => setAsking(true)}
      >
        <Icon name="merge" />
        Merge
      </button>
      {isAsking ? <MergeDialog pair={pair} summary={summary} onClose={() => setAsking(false)} /> : null}
      {dryRun.error ? (
        <Dialog title="The dry run failed" onClose={() => dryRun.reset()}>
          <Failure error={dryRun.error} />
          <div className="actions">
            <button type="button" className="button" onClick={() => dryRun.reset()}>
              Close
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

/** A dry run is recorded like any attempt; its record is the page to look at. */
function useDryRun({ catalog, source, destination }: Pair) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const statement = mergeStatement(source, destination, true);
      const outcome = await statementRun({ catalog, branch: destination, statement });
      return outcome.kind === "task" ? taskAddress(outcome.task.id) : mergeAddress(outcome.answer.merge_id ?? "");
    },
    onSuccess: async (address) => {
      await queries.invalidateQueries({ queryKey: ["catalog", catalog, "merges"] });
      await navigate(address);
    },
  });
}

function MergeDialog({ pair, summary, onClose }: { pair: Pair; summary: Comparison; onClose: () => void }) {
  const { catalog, source, destination } = pair;
  const navigate = useNavigate();
  const start = useTaskStart();
  const merge = () =>
    start.mutate(
      { catalog, branch: destination, statement: mergeStatement(source, destination) },
      { onSuccess: (task) => void navigate(taskAddress(task.id), { state: JUST_STARTED }) },
    );
  return (
    <ConfirmDialog
      title={`Merge ${source} into ${destination}`}
      action={`Merge into ${destination}`}
      working="Starting …"
      run={start}
      onConfirm={merge}
      onClose={onClose}
    >
      <p>
        {destination} gets one new commit with {counted(summary.counts.objects, "changed object")}. {source} stays as it is, and the
        merge can be taken back as a whole.
      </p>
      {summary.counts.notes ? (
        <p className="muted">
          {counted(summary.counts.notes, "note")} to know about: something is discarded, skipped or overridden. The list has them.
        </p>
      ) : null}
    </ConfirmDialog>
  );
}
