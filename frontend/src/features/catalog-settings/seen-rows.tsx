import { useState } from "react";

import type { SeenTable } from "../../api/resources";
import { counted } from "../../model/format";
import { whomText, type Whom } from "../../model/restrictions";
import { useSeenTable, type Seen } from "../../queries/restrictions";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { ResultGrid } from "../../ui/result-grid";
import { Loaded } from "../../ui/states";
import { BranchField } from "../compare/branch-field";

/** The rows that others see: how many of how many, and which columns are masked. */
export function SeenRows({ whom, found }: { whom: Whom; found: SeenTable }) {
  return (
    <section className="stack" aria-live="polite">
      <p>
        {seenText(whom, found)}
        {found.masked.length > 0 ? ` Masked: ${found.masked.join(", ")}.` : ""}
      </p>
      {found.rows.length > 0 ? <ResultGrid label="Rows as they are seen" columns={found.columns} rows={found.rows} height="40vh" /> : null}
    </section>
  );
}

function seenText(whom: Whom, { rows, truncated, table_rows: all }: SeenTable): string {
  const who = `The ${whomText(whom)}`;
  if (truncated) return `The first ${counted(rows.length, "row")} that ${whomText(whom)} sees.`;
  if (all === 0) return "The table has no rows.";
  if (rows.length === 0) return all === null ? `${who} sees no row.` : `${who} sees none of ${counted(all, "row")}.`;
  return all === null ? `${who} sees ${counted(rows.length, "row")}.` : `${who} sees ${rows.length} of ${counted(all, "row")}.`;
}

/** What the restrictions that are set leave of a table, on the branch that is chosen. */
export function SeenDialog({ catalog, name, seen, onClose }: { catalog: string; name: string; seen: Seen; onClose: () => void }) {
  const [branch, setBranch] = useState(seen.branch);
  const preview = useSeenTable(catalog, { ...seen, branch });
  return (
    <Dialog title={`${preview.data?.table ?? name} as ${whomText(seen.whom)} sees it`} onClose={onClose} className="wide">
      <div className="stack">
        <BranchField catalog={catalog} label="On branch" value={branch} onChange={setBranch} />
        <Loaded query={preview} label="the rows">
          {(found) => <SeenRows whom={seen.whom} found={found} />}
        </Loaded>
        <div className="actions">
          <Button onClick={onClose}>
            Close
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
