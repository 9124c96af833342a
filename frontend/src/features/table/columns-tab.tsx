import type { Column, TableDetail } from "../../api/resources";
import { Grid } from "../../ui/grid";

export function ColumnsTab({ table }: { table: TableDetail }) {
  return (
    <>
      <ColumnTable columns={table.columns} label={`Columns of ${table.name}`} />
      <Constraints table={table} />
    </>
  );
}

function Constraints({ table }: { table: TableDetail }) {
  const entries = Object.entries(table.constraints);
  if (entries.length === 0) return null;
  return (
    <section aria-label={`Constraints of ${table.name}`}>
      <Pairs entries={entries.map(([name, condition]) => [name, `CHECK (${condition})`])} />
    </section>
  );
}

function Pairs({ entries }: { entries: readonly (readonly [string, string])[] }) {
  return (
    <dl className="facts inside">
      {entries.map(([key, value]) => (
        <div key={key} style={{ display: "contents" }}>
          <dt className="mono">{key}</dt>
          <dd className="mono">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const COLUMNS = [
  { title: "Id", isNumber: true },
  { title: "Name" },
  { title: "Type" },
  { title: "Nulls" },
  { title: "Default" },
  { title: "Comment" },
];

export function ColumnTable({ columns, label }: { columns: readonly Column[]; label: string }) {
  return (
    <Grid label={label} columns={COLUMNS}>
      {columns.map((column) => (
        <tr key={column.id}>
          <td className="number muted">{column.id}</td>
          <th scope="row">
            {column.name} {column.key_position === null ? null : <span className="badge">key</span>}{" "}
            {column.partition_position === null ? null : <span className="badge">partition</span>}
          </th>
          <td className="mono">{column.type}</td>
          <td className="nowrap">{column.nullable ? "nullable" : "not null"}</td>
          <td className="mono">{column.default ?? <span className="muted">—</span>}</td>
          <td>{column.comment ?? <span className="muted">—</span>}</td>
        </tr>
      ))}
    </Grid>
  );
}

export function PropertiesTab({ table }: { table: TableDetail }) {
  const entries = Object.entries(table.properties);
  if (entries.length === 0) return <p className="inside muted">It has no properties.</p>;
  return <Pairs entries={entries} />;
}
