import { useNavigate } from "react-router";

import type { MergeRecord } from "../../api/resources";
import { branchAddress, taskAddress } from "../../model/addresses";
import { mergeRevert } from "../../model/sql";
import { useStatement } from "../../queries/statements";
import { ConfirmDialog } from "../../ui/confirm-dialog";

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
    <ConfirmDialog
      title={`Take the merge of ${source} back?`}
      action="Take it back"
      working="Taking it back …"
      run={revert}
      onConfirm={run}
      onClose={onClose}
    >
      <p>
        A new version of {destination} is written without what this merge brought. {source} stays as it is, and so does everything that
        happened on {destination} since, unless it built on the merge: then the server says so and changes nothing.
      </p>
    </ConfirmDialog>
  );
}
