import { useState } from "react";

import type { ImportColumn } from "../../api/resources";
import { counted } from "../../model/format";
import { madePlain, plainNames } from "../../model/plain-names";
import type { useImportReread } from "../../queries/imports";
import { ConfirmDialog } from "../../ui/confirm-dialog";

/** Says which names were made plain, with the way back. `isOffered`: offers names that need no backticks, and shows each
 * before it is taken. Nothing where all names are the file's and plain. */
export function PlainNames({ columns, reread, isOffered }: { columns: readonly ImportColumn[]; reread: ReturnType<typeof useImportReread>; isOffered: boolean }) {
  const [isAsking, setAsking] = useState(false);
  const found = plainNames(columns);
  const made = madePlain(columns);
  if (made.length) {
    return (
      <div className="row small inside">
        <span className="muted">{counted(made.length, "name was", "names were")} made plain, so that SQL needs no backticks.</span>
        <button type="button" className="button small" onClick={() => reread.mutate({ columns: made.map(({ source }) => ({ source, name: source })) })}>
          Use the names of the file
        </button>
      </div>
    );
  }
  if (found.length === 0 || !isOffered) return null;
  const take = () => {
    reread.mutate({ columns: found.map(({ source, name }) => ({ source, name })) });
    setAsking(false);
  };
  return (
    <div className="row small inside">
      <span className="muted">{counted(found.length, "name needs", "names need")} backticks in SQL.</span>
      <button type="button" className="button small" onClick={() => setAsking(true)}>
        Make names plain …
      </button>
      {isAsking ? (
        <ConfirmDialog
          title="Make names plain"
          action={`Rename ${counted(found.length, "column")}`}
          working="Saving …"
          run={{ isPending: false, error: null }}
          onConfirm={take}
          onClose={() => setAsking(false)}
        >
          <ul aria-label="New names">
            {found.map(({ source, before, name }) => (
              <li key={source}>
                <bdi>{before}</bdi> <span aria-label="becomes">→</span> <code>{name}</code>
              </li>
            ))}
          </ul>
        </ConfirmDialog>
      ) : null}
    </div>
  );
}
