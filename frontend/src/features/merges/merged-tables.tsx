import { Link } from "react-router";

import type { MergedTable, MergeRecord } from "../../api/resources";
import { tableAddress } from "../../model/addresses";
import { count } from "../../model/format";
import { discardedText } from "../../model/records";
import { Grid } from "../../ui/grid";
import { Panel } from "../../ui/page";

const COLUMNS = [
  { title: "Table" },
  { title: "Done" },
  { title: "New segments", isNumber: true },
  { title: "Rows", isNumber: true },
  { title: "Removed segments", isNumber: true },
  { title: "Discarded updates", isNumber: true },
  { title: "Discarded deletes", isNumber: true },
  { title: "Schema kept visible" },
  { title: "Old schemas kept" },
  { title: "Schemas discarded" },
];

const ACTION_WORDS: Record<string, string> = { create: "created", alter: "changed", drop: "dropped", untouched: "as it was" };

/** What a merge made of each table: segments, schema versions, and work of the source that it left behind. */
export function MergedTables({ record, tables }: { record: MergeRecord; tables: readonly MergedTable[] }) {
  return (
    <Panel title="Result">
      <Grid label="Result" columns={COLUMNS}>
        {tables.map((table) => (
          <tr key={table.table_id}>
            <th scope="row">
              <TableLink record={record} name={table.table} />
            </th>
            <td>{ACTION_WORDS[table.action] ?? table.action}</td>
            <td className="number">{count(table.new_segment_count)}</td>
            <td className="number">{count(table.new_rows)}</td>
            <td className="number">{count(table.removed_segments.length)}</td>
            <td className="number">{discardedText(record.notes, table, "DISCARDED_UPDATE")}</td>
            <td className="number">{discardedText(record.notes, table, "DISCARDED_DELETE")}</td>
            <td>{versions(table.visible_schema_versions)}</td>
            <td>{versions(table.invisible_schema_versions)}</td>
            <td>{versions(table.discarded_schema_versions)}</td>
          </tr>
        ))}
      </Grid>
    </Panel>
  );
}

function TableLink({ record, name }: { record: MergeRecord; name: string }) {
  const [database = "", table = ""] = name.split(".");
  return <Link to={`${tableAddress(record.catalog, record.destination, database, table)}?tab=segments`}>{name}</Link>;
}

function versions(found: readonly number[]): string {
  return found.length ? found.map((version) => `v${version}`).join(", ") : "—";
}
