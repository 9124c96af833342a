import { useRows, type TablePlace } from "../../queries/tables";
import { Panel } from "../../ui/page";
import { ResultGrid } from "../../ui/result-grid";
import { Empty, Loaded } from "../../ui/states";

/** The rows of a table that are not hidden from whoever looks. */
export function RestrictedRows({ place, version }: { place: TablePlace; version: number | undefined }) {
  const rows = useRows(place, version);
  return (
    <Panel title="Rows">
      <Loaded query={rows} label="rows">
        {({ columns, rows: found }) =>
          found.length === 0 ? <Empty title="No row that you see" /> : <ResultGrid columns={columns} rows={found} label={`Rows of ${place.table}`} />
        }
      </Loaded>
    </Panel>
  );
}
