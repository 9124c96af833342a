import { useState, type ChangeEvent } from "react";

import type { Column, TableDetail } from "../../api/resources";
import { typedOf, type Typed } from "../../model/edited-row";
import { count, textOr } from "../../model/format";
import { givenColumns, isNeeded, isTypable, literal, rowDelete, rowInsert, rowUpdate, type HeldRow, type TypedRow } from "../../model/row-statements";
import type { TablePlace } from "../../queries/tables";
import { WriteDialog } from "../sql/write-dialog";
import { classes } from "../../ui/classes";
import { Field, Input, TextArea } from "../../ui/field";
import { Muted } from "../../ui/muted";
import styles from "../../ui/edited-field.module.css";

/** What is done with a row: one is added, or the one that is there is changed or deleted. */
export type RowChange = { kind: "add" } | { kind: "edit" | "delete"; row: HeldRow };

interface Props {
  place: TablePlace;
  table: TableDetail;
  change: RowChange;
  onClose: () => void;
}

/** A form for one row. It writes one statement, and says so where that met another number of rows. */
export default function RowDialog({ place, table, change, onClose }: Props) {
  const [typed, setTyped] = useState<TypedRow>({});
  const { columns } = table;
  const given = givenColumns(table);
  const name = `${place.database}.${place.table}`;
  const shared = { place, onClose, wide: true, takesMessage: true };
  if (change.kind === "delete") {
    return (
      <WriteDialog {...shared} title={`Delete a row of ${name}`} action="Delete the row" statement={rowDelete(place, columns, change.row)} isDangerous surprise={(metrics) => surpriseOf(metrics.rows_deleted, "deleted")}>
        <p>Earlier versions of the table keep the row.</p>
        <OfAlike table={table} />
      </WriteDialog>
    );
  }
  const row = change.kind === "edit" ? change.row : undefined;
  const statement = row ? rowUpdate(place, columns, row, typed) : rowInsert(place, given, typed);
  return (
    <WriteDialog
      {...shared}
      title={row ? `Edit a row of ${name}` : `Add a row to ${name}`}
      action={row ? "Save the row" : "Add the row"}
      statement={statement}
      {...(row ? { surprise: (metrics: Metrics) => surpriseOf(metrics.rows_updated, "updated") } : {})}
    >
      {row ? <OfAlike table={table} /> : null}
      {columns.map((column) => (
        <RowField key={column.id} column={column} isGiven={given.includes(column)} row={row} value={typed[column.name]} onChange={(value) => setTyped({ ...typed, [column.name]: value })} />
      ))}
    </WriteDialog>
  );
}

type Metrics = Readonly<Record<string, unknown>>;

function surpriseOf(found: unknown, done: string): string | undefined {
  const rows = Number(found ?? 0);
  if (rows === 1) return undefined;
  if (!rows) return "No row was changed: somebody has changed or deleted the row since it was shown.";
  return `${count(rows)} rows were ${done}: they held the same values.`;
}

/** A row without a key is named by its values. */
function OfAlike({ table }: { table: TableDetail }) {
  if (table.primary_key.length) return null;
  return <Muted as="p">The table has no primary key: other rows with exactly the same values change as well.</Muted>;
}

function RowField({ column, isGiven, row, value, onChange }: { column: Column; isGiven: boolean; row: HeldRow | undefined; value: Typed | undefined; onChange: (value: Typed) => void }) {
  const { name, type, nullable } = column;
  const held = row ? typedOf(row[name]) : undefined;
  const shown = value === undefined ? held : value;
  if (!isGiven) {
    return (
      <Muted as="p" isSmall>
        <bdi>{name}</bdi> ({type}) is filled by the table.
      </Muted>
    );
  }
  if (!isTypable(column)) {
    return (
      <Muted as="p" isSmall>
        <bdi>{name}</bdi> ({type}) {row ? "stays as it is" : "is left empty"}: only SQL can write it.
      </Muted>
    );
  }
  const isWrong = value !== undefined && literal(value, type) === undefined;
  // A field of one line would take the ends of lines out of a text.
  const control = {
    value: shown ?? "",
    placeholder: shown === null ? "NULL" : shown === undefined ? withoutValue(column) : "",
    spellCheck: false,
    "aria-invalid": isWrong,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onChange(event.target.value),
  };
  return (
    <div className={styles.editedField}>
      <Field
        label={
          <>
            {name} <Muted>{type}</Muted>
          </>
        }
      >
        {held?.includes("\n") ? <TextArea {...control} /> : <Input {...control} />}
      </Field>
      {nullable ? (
        <label className="row small">
          <input type="checkbox" checked={shown === null} onChange={(event) => onChange(event.target.checked ? null : "")} />
          NULL<span className="visually-hidden"> for {name}</span>
        </label>
      ) : null}
      {isWrong ? <p className={classes("small", styles.conflictInk)}>It is no {type}.</p> : null}
    </div>
  );
}

/** What a new row gets in a column whose field is left alone. */
function withoutValue(column: Column): string {
  return isNeeded(column) ? "needs a value" : textOr(column.default, "NULL");
}
