import { useState } from "react";

import type { Column } from "../../api/resources";
import { COLUMN_TYPES } from "../../model/sql";
import { columnAdd, columnAlter, type ColumnChange } from "../../model/table-changes";
import { TextField, WriteDialog } from "../sql/write-dialog";
import type { TableChangeProps } from "./table-dialogs";
import { Field, Input } from "../../ui/field";
import { Muted } from "../../ui/muted";
import { Select } from "../../ui/select";

export function AddColumnDialog({ place, table, onClose }: TableChangeProps) {
  const [column, setColumn] = useState({ name: "", type: "STRING", comment: "", default: "", isRequired: false });
  const [after, setAfter] = useState<string | null>("");
  const change = (changes: Partial<typeof column>) => setColumn({ ...column, ...changes });
  const added = { ...column, name: column.name.trim(), type: column.type.trim(), comment: column.comment.trim(), default: column.default.trim(), after };
  return (
    <WriteDialog
      title={`Add a column to ${place.database}.${table.name}`}
      action="Add the column"
      place={place}
      statement={added.name && added.type ? columnAdd(place, added) : undefined}
      onClose={onClose}
    >
      <TextField label="Name" value={column.name} onChange={(name) => change({ name })} isFirst />
      <TypeField value={column.type} onChange={(type) => change({ type })} />
      <TextField label="Default (optional, as SQL writes it: 0, 'new')" value={column.default} onChange={(value) => change({ default: value })} />
      <TextField label="Comment (optional)" value={column.comment} onChange={(comment) => change({ comment })} maxLength={1000} />
      <PlaceField columns={table.columns} value={after} onChange={setAfter} last="At the end" />
      <RequiredField value={column.isRequired} onChange={(isRequired) => change({ isRequired })} />
    </WriteDialog>
  );
}

const KINDS: readonly (readonly [ColumnChange["kind"], string])[] = [
  ["rename", "Name"],
  ["type", "Type"],
  ["comment", "Comment"],
  ["nulls", "Whether it may be NULL"],
  ["default", "Default"],
  ["move", "Place"],
  ["drop", "Drop it"],
];

/** One respect of a column at a time: each is a statement of its own. */
export function ChangeColumnDialog({ place, table, onClose, column }: TableChangeProps & { column: Column }) {
  const [change, setChange] = useState<ColumnChange>({ kind: "rename", name: column.name });
  return (
    <WriteDialog
      title={`Change the column ${column.name}`}
      action={change.kind === "drop" ? "Drop the column" : "Change the column"}
      place={place}
      statement={columnAlter(place, column.name, change)}
      onClose={onClose}
      isDangerous={change.kind === "drop"}
    >
      <Field label="What to change">
        <Select value={change.kind} onChange={(event) => setChange(beginning(event.target.value as ColumnChange["kind"], column))}>
          {KINDS.map(([kind, label]) => (
            <option key={kind} value={kind}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      <ChangeField change={change} onChange={setChange} columns={table.columns.filter(({ id }) => id !== column.id)} />
    </WriteDialog>
  );
}

/** The form begins with the column as it is. */
function beginning(kind: ColumnChange["kind"], column: Column): ColumnChange {
  switch (kind) {
    case "rename":
      return { kind, name: column.name };
    case "type":
      return { kind, type: column.type };
    case "comment":
      return { kind, comment: column.comment ?? "" };
    case "nulls":
      return { kind, isRequired: column.nullable };
    case "default":
      return { kind, default: column.default ?? "" };
    case "move":
      return { kind, after: "" };
    case "drop":
      return { kind };
  }
}

function ChangeField({ change, onChange, columns }: { change: ColumnChange; onChange: (change: ColumnChange) => void; columns: readonly Column[] }) {
  switch (change.kind) {
    case "rename":
      return <TextField label="New name" value={change.name} onChange={(name) => onChange({ ...change, name })} />;
    case "type":
      return (
        <>
          <TypeField value={change.type} onChange={(type) => onChange({ ...change, type })} />
          <Muted as="p" isSmall>A type can become wider: INT to BIGINT, BIGINT to DECIMAL. No value is rewritten.</Muted>
        </>
      );
    case "comment":
      return <TextField label="Comment" value={change.comment} onChange={(comment) => onChange({ ...change, comment })} maxLength={1000} />;
    case "nulls":
      return <RequiredField value={change.isRequired} onChange={(isRequired) => onChange({ ...change, isRequired })} />;
    case "default":
      return (
        <>
          <TextField label="Default, as SQL writes it: 0, 'new'" value={change.default} onChange={(value) => onChange({ ...change, default: value })} />
          <Muted as="p" isSmall>It is for rows that come. Left empty, the column has none.</Muted>
        </>
      );
    case "move":
      return <PlaceField columns={columns} value={change.after} onChange={(after) => onChange({ ...change, after })} last="As it is" />;
    case "drop":
      return <p>Its values leave the table on this branch. Earlier versions keep them.</p>;
  }
}

function TypeField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <Field label="Type">
      <Input list="types-of-columns" value={value} maxLength={1000} spellCheck={false} onChange={(event) => onChange(event.target.value)} />
      <datalist id="types-of-columns">
        {COLUMN_TYPES.map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
    </Field>
  );
}

const FIRST = "first";

/** Columns are known by their ids: one may be called like a choice. */
function PlaceField({ columns, value, onChange, last }: { columns: readonly Column[]; value: string | null; onChange: (after: string | null) => void; last: string }) {
  const chosen = value === null ? FIRST : String(columns.find(({ name }) => name === value)?.id ?? "");
  const choose = (key: string) => onChange(key === FIRST ? null : (columns.find(({ id }) => String(id) === key)?.name ?? ""));
  return (
    <Field label="Place">
      <Select value={chosen} onChange={(event) => choose(event.target.value)}>
        <option value="">{last}</option>
        <option value={FIRST}>First</option>
        {columns.map(({ id, name }) => (
          <option key={id} value={String(id)}>
            After {name}
          </option>
        ))}
      </Select>
    </Field>
  );
}

function RequiredField({ value, onChange }: { value: boolean; onChange: (value: boolean) => void }) {
  return (
    <label className="row">
      <input type="checkbox" checked={value} onChange={(event) => onChange(event.target.checked)} />
      It must have a value (NOT NULL)
    </label>
  );
}
