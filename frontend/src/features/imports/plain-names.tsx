import { useState } from "react";

import type { ImportColumn } from "../../api/resources";
import { counted } from "../../model/format";
import { madePlain, plainNames } from "../../model/plain-names";
import type { useImportReread } from "../../queries/imports";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Muted } from "../../ui/muted";

/** Says which names were made plain, with the way back. `isOffered`: offers names that need no backticks, and shows each
 * before it is taken. Nothing where all names are the file's and plain. */
export function PlainNames({ columns, reread, isOffered }: { columns: readonly ImportColumn[]; reread: ReturnType<typeof useImportReread>; isOffered: boolean }) {
  const [isAsking, setAsking] = useState(false);
  const found = plainNames(columns);
  const made = madePlain(columns);
  if (made.length) {
    return (
      <div className="row small inside">
        <Muted>{counted(made.length, "name was", "names were")} made plain, so that SQL needs no backticks.</Muted>
        <Button isSmall onClick={() => reread.mutate({ columns: made.map(({ source }) => ({ source, name: source })) })}>
          Use the names of the file
        </Button>
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
      <Muted>{counted(found.length, "name needs", "names need")} backticks in SQL.</Muted>
      <Button isSmall onClick={() => setAsking(true)}>
        Make names plain …
      </Button>
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
