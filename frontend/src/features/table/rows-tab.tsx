import { count } from "../../model/format";
import { ROWS_SHOWN, useRows, type TablePlace } from "../../queries/tables";
import { ResultGrid } from "../../ui/result-grid";
import { Empty, Loaded } from "../../ui/states";

export function RowsTab({ place, version }: { place: TablePlace; version: number | undefined }) {
  const rows = useRows(place, version);
  return (
    <Loaded query={rows} label="rows">
      {(page) =>
        page.rows.length === 0 ? (
          <Empty title="No row in this version" />
        ) : (
          <>
            <ResultGrid columns={page.columns} rows={page.rows} label={`Rows of ${place.table}`} />
            <p className="inside small muted">
              {page.truncated ? `The first ${count(ROWS_SHOWN)} rows` : `All ${count(page.rows.length)} rows`} at version {page.version}, in no
              particular order.
            </p>
          </>
        )
      }
    </Loaded>
  );
}
