import { useState } from "react";

import type { Column, TableDetail } from "../../api/resources";
import type { TablePlace } from "../../queries/tables";
import { Button } from "../../ui/button";
import { Copyable } from "../../ui/copyable";
import { Grid } from "../../ui/grid";
import { Icon } from "../../ui/icons";
import { AddColumnDialog, ChangeColumnDialog } from "./column-dialogs";
import { PropertyDialog, PropertyRemoval } from "./table-dialogs";
import { Muted } from "../../ui/muted";

interface TabProps {
  place: TablePlace;
  table: TableDetail;
  /** Whether the forms are offered: at the head, to somebody who may write. */
  mayChange: boolean;
}

export function ColumnsTab({ place, table, mayChange }: TabProps) {
  const [asked, setAsked] = useState<Column | "new">();
  const close = () => setAsked(undefined);
  return (
    <>
      <ColumnTable columns={table.columns} label={`Columns of ${table.name}`} onChange={mayChange ? setAsked : undefined} />
      {mayChange ? (
        <p className="inside">
          <Button isSmall onClick={() => setAsked("new")}>
            <Icon name="plus" size={14} />
            Add a column
          </Button>
        </p>
      ) : null}
      <Constraints table={table} />
      {asked === "new" ? <AddColumnDialog place={place} table={table} onClose={close} /> : null}
      {asked && asked !== "new" ? <ChangeColumnDialog place={place} table={table} column={asked} onClose={close} /> : null}
    </>
  );
}

function Constraints({ table }: { table: TableDetail }) {
  const entries = Object.entries(table.constraints);
  if (entries.length === 0) return null;
  return (
    <section aria-label={`Constraints of ${table.name}`}>
      <dl className="facts inside">
        {entries.map(([name, condition]) => (
          <div key={name} style={{ display: "contents" }}>
            <dt className="mono">{name}</dt>
            <dd className="mono">CHECK ({condition})</dd>
          </div>
        ))}
      </dl>
    </section>
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
const CHANGE = { title: <span className="visually-hidden">Change</span> };

export function ColumnTable({ columns, label, onChange }: { columns: readonly Column[]; label: string; onChange?: ((column: Column) => void) | undefined }) {
  return (
    <Grid label={label} columns={onChange ? [...COLUMNS, CHANGE] : COLUMNS}>
      {columns.map((column) => (
        <tr key={column.id}>
          <td className="number muted">{column.id}</td>
          <th scope="row" className="name">
            <bdi>{column.name}</bdi> {column.key_position === null ? null : <span className="badge">key</span>}{" "}
            {column.partition_position === null ? null : <span className="badge">partition</span>}
          </th>
          <td className="mono">{column.type}</td>
          <td className="nowrap">{column.nullable ? "nullable" : "not null"}</td>
          <td className={column.default === null ? "" : "mono"}>{column.default ?? <Muted>—</Muted>}</td>
          <td>{column.comment ?? <Muted>—</Muted>}</td>
          {onChange ? (
            <td className="actions">
              <Button isSmall onClick={() => onChange(column)}>
                Change<span className="visually-hidden"> {column.name}</span>
              </Button>
            </td>
          ) : null}
        </tr>
      ))}
    </Grid>
  );
}

const PROPERTY_COLUMNS = [{ title: "Property" }, { title: "Value" }];

export function PropertiesTab({ place, table, mayChange }: TabProps) {
  const [asked, setAsked] = useState<{ property: string; isRemoval: boolean }>();
  const close = () => setAsked(undefined);
  const entries = Object.entries(table.properties);
  return (
    <>
      {entries.length === 0 ? (
        <Muted as="p" className="inside">This table has no properties.</Muted>
      ) : (
        <Grid label={`Properties of ${table.name}`} columns={mayChange ? [...PROPERTY_COLUMNS, CHANGE] : PROPERTY_COLUMNS}>
          {entries.map(([key, value]) => (
            <tr key={key}>
              <th scope="row" className="mono">
                {key}
              </th>
              <td className="mono">{value}</td>
              {mayChange ? (
                <td className="actions">
                  <span className="row">
                    <Button isSmall onClick={() => setAsked({ property: key, isRemoval: false })}>
                      Change<span className="visually-hidden"> {key}</span>
                    </Button>
                    <Button isSmall onClick={() => setAsked({ property: key, isRemoval: true })}>
                      Remove<span className="visually-hidden"> {key}</span>
                    </Button>
                  </span>
                </td>
              ) : null}
            </tr>
          ))}
        </Grid>
      )}
      {mayChange ? (
        <p className="inside">
          <Button isSmall onClick={() => setAsked({ property: "", isRemoval: false })}>
            <Icon name="plus" size={14} />
            Set a property
          </Button>
        </p>
      ) : null}
      <dl className="facts inside">
        <dt>Table id</dt>
        <dd>
          <Copyable text={String(table.table_id)} label="the table's id" />
        </dd>
      </dl>
      {asked?.isRemoval ? <PropertyRemoval place={place} property={asked.property} onClose={close} /> : null}
      {asked && !asked.isRemoval ? <PropertyDialog place={place} table={table} property={asked.property} onClose={close} /> : null}
    </>
  );
}
