import { useNavigate } from "react-router";

import type { MergeRecord } from "../../api/resources";
import { branchAddress, taskAddress } from "../../model/addresses";
import { mergeRevert } from "../../model/sql";
import { useStatement } from "../../queries/statements";
import { Dialog } from "../../ui/dialog";
import { Failure } from "../../ui/states";

/** Take a merge back as one unit. */
export function RevertDialog({ record, onClose }: { record: MergeRecord; onClose: () => void }) {
  const navigate = useNavigate();
  const revert = useStatement();
  const { catalog, destination, source } = record;
  const run = () =>
    revert.mutate(
      { catalog, branch: destination, statement: mergeRevert(record.merge_id) },
      {
        onSuccess: (outcome) =>
          void navigate(
            outcome.kind === "task" ? taskAddress(outcome.task.id) : `${branchAddress(catalog, destination)}?tab=history`,
          ),
      },
    );
  return (
    <Dialog title={`Take the merge of ${source} back?`} onClose={onClose}>
      <p>
        A new version of {destination} is written without what this merge brought. {source} stays as it is, and so does everything that
        happened on {destination} since, unless it built on the merge: then the server says so and changes nothing.
      </p>
      {revert.error ? <Failure error={revert.error} /> : null}
      <div className="actions">
        <button type="button" className="button" onClick={onClose}>
          Not now
        </button>
        <button type="button" className="button primary" disabled={revert.isPending} onClick={run}>
          {revert.isPending ? "Taking it back …" : "Take it back"}
        </button>
      </div>
    </Dialog>
  );
}
