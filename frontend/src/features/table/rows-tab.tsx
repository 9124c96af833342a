import { lazy, Suspense, useState } from "react";

import type { TableDetail } from "../../api/resources";
import { count } from "../../model/format";
import { isNeeded, isTypable, namingColumns } from "../../model/row-statements";
import { ROWS_SHOWN, useRows, type TablePlace } from "../../queries/tables";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { ResultGrid } from "../../ui/result-grid";
import { Empty, Loaded } from "../../ui/states";
import type { RowChange } from "./row-dialogs";

const RowDialog = lazy(() => import("./row-dialogs"));

/** How many rows are shown: `The only row`, `All 3 rows`, `The first 100 rows`. */
function shownRows({ rows, truncated }: { rows: readonly unknown[]; truncated: boolean }): string {
  if (truncated) return `The first ${count(ROWS_SHOWN)} rows`;
  return rows.length === 1 ? "The only row" : `All ${count(rows.length)} rows`;
}

/** Rows of the table. Those of the head can be added, edited and deleted by whoever may write. */
export function RowsTab({ place, table, version, mayChange }: { place: TablePlace; table: TableDetail; version: number | undefined; mayChange: boolean }) {
  const rows = useRows(place, version);
  const [change, setChange] = useState<RowChange>();
  const isNamed = mayChange && namingColumns(table.columns) !== undefined;
  return (
    <>
      {mayChange && table.columns.every((column) => isTypable(column) || !isNeeded(column)) ? (
        <p className="inside">
          <Button isSmall onClick={() => setChange({ kind: "add" })}>
            <Icon name="plus" size={14} />
            Add a row
          </Button>
        </p>
      ) : null}
      <Loaded query={rows} label="rows">
        {(page) =>
          page.rows.length === 0 ? (
            <Empty title="No row in this version" />
          ) : (
            <>
              <ResultGrid
                columns={page.columns}
                rows={page.rows}
                label={`Rows of ${place.table}`}
                {...(isNamed
                  ? {
                      actions: (row, at) => {
                        const held = Object.fromEntries(page.columns.map(({ name }, column) => [name, row[column]]));
                        return (
                          <>
                            <Button look="quiet" isSmall onClick={() => setChange({ kind: "edit", row: held })}>
                              Edit<span className="visually-hidden"> row {at + 1}</span>
                            </Button>
                            <Button look="quiet" isSmall onClick={() => setChange({ kind: "delete", row: held })}>
                              Delete<span className="visually-hidden"> row {at + 1}</span>
                            </Button>
                          </>
                        );
                      },
                    }
                  : {})}
              />
              <Muted as="p" isSmall className="inside">
                {shownRows(page)} on {place.branch} at version {page.version}{page.rows.length > 1 ? ", in no particular order" : ""}.
              </Muted>
            </>
          )
        }
      </Loaded>
      {change ? (
        <Suspense fallback={null}>
          <RowDialog place={place} table={table} change={change} onClose={() => setChange(undefined)} />
        </Suspense>
      ) : null}
    </>
  );
}
