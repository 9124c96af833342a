import type { MergeRecord } from "../../api/resources";
import { branchAddress } from "../../model/addresses";
import { mergeRevert } from "../../model/sql";
import { StatementDialog } from "../sql/statement-dialog";

/** Reverts a merge as one unit. */
export function RevertDialog({ record, onClose }: { record: MergeRecord; onClose: () => void }) {
  const { catalog, destination, source } = record;
  return (
    <StatementDialog
      title={`Revert the merge of ${source}?`}
      action="Revert"
      working="Reverting …"
      statement={{ catalog, branch: destination, statement: mergeRevert(record.merge_id) }}
      leadsTo={`${branchAddress(catalog, destination)}?tab=history`}
      ifNothing={`${destination} holds nothing of what this merge brought. No version was written.`}
      onClose={onClose}
    >
      <p>
        A new version of {destination} is written without what this merge brought. {source} stays as it is, and so does everything that
        happened on {destination} since, unless it built on the merge: then the server says so and changes nothing.
      </p>
    </StatementDialog>
  );
}
