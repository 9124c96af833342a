import { Link } from "react-router";

import type { MergedTable, MergeRecord } from "../../api/resources";
import { tableAddress } from "../../model/addresses";
import { count } from "../../model/format";
import { discardedText } from "../../model/records";
import { Grid } from "../../ui/grid";
import { Panel } from "../../ui/page";

interface Fact {
  title: string;
  isNumber?: boolean;
  of: (table: MergedTable, record: MergeRecord) => string;
}

const FACTS: readonly Fact[] = [
  { title: "New files", isNumber: true, of: (table) => count(table.new_segment_count) },
  { title: "Rows in them", isNumber: true, of: (table) => count(table.new_rows) },
  { title: "Removed files", isNumber: true, of: (table) => count(table.removed_segments.length) },
  { title: "Discarded updates", isNumber: true, of: (table, { notes }) => discardedText(notes, table, "DISCARDED_UPDATE") },
  { title: "Discarded deletes", isNumber: true, of: (table, { notes }) => discardedText(notes, table, "DISCARDED_DELETE") },
  { title: "Visible schema", of: (table) => versions(table.visible_schema_versions) },
  { title: "Hidden schemas", of: (table) => versions(table.invisible_schema_versions) },
  { title: "Discarded schemas", of: (table) => versions(table.discarded_schema_versions) },
];
/** What says nothing about a table. */
const NOTHING: readonly string[] = ["—", "0"];

const ACTION_WORDS: Record<string, string> = { create: "created", alter: "changed", drop: "dropped", untouched: "as it was" };

/** What a merge made of each table: files, schema versions, and work of the source that it left behind. What no table has, has no column. */
export function MergedTables({ record, tables }: { record: MergeRecord; tables: readonly MergedTable[] }) {
  const facts = FACTS.filter(({ of }) => tables.some((table) => !NOTHING.includes(of(table, record))));
  return (
    <Panel title="Result">
      <Grid label="Result" columns={[{ title: "Table" }, { title: "Done" }, ...facts]}>
        {tables.map((table) => (
          <tr key={table.table_id}>
            <th scope="row">
              <TableLink record={record} name={table.table} />
            </th>
            <td>{ACTION_WORDS[table.action] ?? table.action}</td>
            {facts.map(({ title, isNumber, of }) => (
              <td key={title} className={isNumber ? "number" : ""}>
                {of(table, record)}
              </td>
            ))}
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
