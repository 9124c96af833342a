import { useState } from "react";

import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Field, TextArea } from "../../ui/field";

/** Going past the protection of a branch, with a reason that stays. */
export function BypassDialog({
  branch,
  run,
  onBypass,
  onClose,
}: {
  branch: string;
  run: { isPending: boolean; error: Error | null };
  onBypass: (reason: string) => void;
  onClose: () => void;
}) {
  const [reason, setReason] = useState("");
  return (
    <ConfirmDialog
      title={`Bypass the protection of ${branch}?`}
      action="Merge without what is missing"
      working="Starting …"
      isDangerous
      isReady={reason.trim() !== ""}
      run={run}
      onConfirm={() => onBypass(reason.trim())}
      onClose={onClose}
    >
      <p>
        This merges although approvals or required checks are missing. Conflicts still refuse it. Your name and the reason stay in the audit
        record of the merge. Everybody who can see the catalog can read them.
      </p>
      <Field label="Reason">
        <TextArea required maxLength={1000} value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </ConfirmDialog>
  );
}
