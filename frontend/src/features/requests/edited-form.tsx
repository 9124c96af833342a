import { useState, type SubmitEvent } from "react";

import type { ComparedRow, SidesColumn } from "../../api/resources";
import { beginning, jsonOf, rowJson, typedOf, type Typed } from "../../model/edited-row";
import { cellText } from "../../model/format";
import type { Pair } from "../../queries/compare";
import { Button } from "../../ui/button";
import { classes } from "../../ui/classes";
import { Dialog } from "../../ui/dialog";
import { Field, Input } from "../../ui/field";
import { Muted } from "../../ui/muted";
import styles from "../../ui/edited-field.module.css";

/** A row in conflict, and the columns of which values can be typed. `all` are those that the row has values of. */
export interface EditedPlace {
  row: ComparedRow;
  all: readonly SidesColumn[];
  columns: readonly SidesColumn[];
  /** Whether the value of the one column is wanted, and not a row. */
  isCell: boolean;
}

/** Values of a row, typed by a person: a field for each column, and what each branch has there. */
export default function EditedForm({ edited, pair, title, onGiven, onClose }: { edited: EditedPlace; pair: Pair; title: string; onGiven: (json: string) => void; onClose: () => void }) {
  const { row, all, columns, isCell } = edited;
  const [typed, setTyped] = useState(() => beginning(row, all));
  const [only] = columns;
  const json = isCell && only ? jsonOf(typed[only.id] ?? null, only.type) : rowJson(typed, columns, row, all);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (json === undefined) return;
    onGiven(json);
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose} className="wide">
      <form className="stack" onSubmit={submit}>
        <Muted as="p">The fields begin with what one branch has. A button takes the value of a branch.</Muted>
        {columns.map((column) => (
          <EditedField key={column.id} column={column} place={all.indexOf(column)} row={row} pair={pair} value={typed[column.id] ?? null} onChange={(value) => setTyped({ ...typed, [column.id]: value })} />
        ))}
        <div className="actions">
          <Button onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" disabled={json === undefined}>
            Keep {isCell ? "this value" : "this row"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface FieldProps {
  column: SidesColumn;
  place: number;
  row: ComparedRow;
  pair: Pair;
  value: Typed;
  onChange: (value: Typed) => void;
}

function EditedField({ column, place, row, pair, value, onChange }: FieldProps) {
  const isWrong = jsonOf(value, column.type) === undefined;
  const offers = (["source", "destination"] as const).flatMap((side) => {
    const values = row[side];
    return values ? [{ branch: pair[side], held: values[place] }] : [];
  });
  const areApart = offers.some(({ held }) => JSON.stringify(held) !== JSON.stringify(offers[0]?.held));
  return (
    <div className={styles.editedField}>
      <Field
        label={
          <>
            {column.name} <Muted>{column.type}</Muted>
          </>
        }
      >
        <Input
          value={value ?? ""}
          placeholder={value === null ? "NULL" : ""}
          spellCheck={false}
          aria-invalid={isWrong}
          onChange={(event) => onChange(event.target.value)}
        />
      </Field>
      <span className="row">
        {areApart
          ? offers.map(({ branch, held }) => (
              <Button key={branch} isSmall onClick={() => onChange(typedOf(held))}>
                {branch}: {cellText(held)}
                <span className="visually-hidden"> for {column.name}</span>
              </Button>
            ))
          : null}
        <label className="row small">
          <input type="checkbox" checked={value === null} onChange={(event) => onChange(event.target.checked ? null : "")} />
          NULL<span className="visually-hidden"> for {column.name}</span>
        </label>
      </span>
      {isWrong ? <p className={classes("small", styles.conflictInk)}>It is no {column.type}.</p> : null}
    </div>
  );
}
