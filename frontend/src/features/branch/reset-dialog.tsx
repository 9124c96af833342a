import { rowsAndColumns, type Brought } from "../../model/brings";
import { counted } from "../../model/format";
import { useReset, useResetRehearsal } from "../../queries/resets";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Muted } from "../../ui/muted";
import { Loaded } from "../../ui/states";

/** So many discarded objects are named; all are counted. */
const SHOWN = 20;

/** Its rows and columns; of what changed none, what was done to it. */
function changeText(item: Brought & { operations: string[] }): string {
  const counted = rowsAndColumns(item);
  return (counted.length ? counted : item.operations).join(", ");
}

/** Asks before a branch becomes what its parent is, and names what that discards. */
export function ResetDialog({ catalog, branch, parent, onClose }: { catalog: string; branch: string; parent: string; onClose: () => void }) {
  const rehearsal = useResetRehearsal(catalog, branch);
  const run = useReset(catalog, branch);
  const found = rehearsal.data;
  return (
    <ConfirmDialog
      title={`Reset ${branch} to ${parent}?`}
      action="Reset"
      working="Resetting …"
      isDangerous
      isReady={found?.is_done === true && !rehearsal.isFetching}
      run={run}
      onConfirm={() => found && run.mutate(found.discarded.head_version, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Loaded query={rehearsal} label="what a reset discards">
        {({ is_done, discarded }) =>
          is_done ? (
            <>
              <p>
                {branch} becomes what {parent} is now.{" "}
                {discarded.commits + discarded.object_count === 0 ? "It has nothing of its own." : <strong>It loses {counted(discarded.commits, "commit")}:</strong>}
              </p>
              <ul aria-label="What is discarded">
                {discarded.objects.slice(0, SHOWN).map((item) => (
                  <li key={`${item.kind} ${item.object}`}>
                    <code>{item.object}</code> {changeText(item)}
                  </li>
                ))}
                {discarded.object_count > SHOWN ? <li>and {counted(discarded.object_count - SHOWN, "other object")}</li> : null}
              </ul>
              <Muted as="p" isSmall>What {branch} is now goes to the list of dropped branches, and can be undropped under another name.</Muted>
            </>
          ) : (
            <p>
              {branch} is what {parent} is already.
            </p>
          )
        }
      </Loaded>
    </ConfirmDialog>
  );
}
