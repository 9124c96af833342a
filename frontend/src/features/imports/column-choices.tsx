import { useState } from "react";

import type { Column, ColumnChange, FileImport, ImportColumn } from "../../api/resources";
import { asProblem } from "../../api/problem";
import { refusalOf, type OpenChoices } from "../../model/import-choices";
import { columnFor } from "../../model/import-target";
import type { useImportReread } from "../../queries/imports";
import { Input } from "../../ui/field";
import { Grid } from "../../ui/grid";
import type { Target } from "./target-fields";
import { Muted } from "../../ui/muted";
import styles from "./imports.module.css";

const TYPES = ["string", "boolean", "int", "bigint", "double", "decimal(18,2)", "date", "timestamp", "timestamp_ntz", "binary"];

type Change = Omit<ColumnChange, "source">;

/** What becomes of each column of the file; a refusal stands in the row that it is about. */
export function ColumnChoices({
  file,
  open,
  reread,
  target,
  onTarget,
  table,
}: {
  /** With its columns as they were chosen last. */
  file: FileImport;
  open: OpenChoices;
  reread: ReturnType<typeof useImportReread>;
  target: Target;
  onTarget: (target: Target) => void;
  /** Columns of the existing table, once it is known. */
  table: readonly Column[] | undefined;
}) {
  const isNew = target.mode === "create";
  const heads = ["Import", "In the file", "In the table", "Type", ...(isNew ? ["Key", "Partition"] : [])].map((title) => ({ title }));
  const toggle = (list: "key" | "partition", source: string) => {
    const held = target[list];
    onTarget({ ...target, [list]: held.includes(source) ? held.filter((other) => other !== source) : [...held, source] });
  };
  return (
    <>
      <datalist id="column-types">
        {TYPES.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </datalist>
      <Grid label="Columns of the file" columns={heads} className={styles.choices}>
        {file.columns.map((column) => {
          const refusal = refusalOf(open, column.source);
          const change = (more: Change) => reread.mutate({ columns: [{ source: column.source, ...more }] });
          return (
            <tr key={column.source} className={column.include ? "" : styles.leftOut}>
              <td>
                <input
                  type="checkbox"
                  aria-label={`Import ${column.source}`}
                  checked={column.include}
                  onChange={(event) => change({ include: event.target.checked })}
                />
              </td>
              <th scope="row">{column.source}</th>
              <td>
                <TextChoice label={`Name of ${column.source}`} value={column.name} onSay={(name) => change({ name })} />
                {refusal ? <Problem text={asProblem(refusal).message} /> : null}
              </td>
              <td>
                {isNew ? <TypeChoice column={column} onSay={(type) => change({ type })} /> : <TypeThere column={column} table={table} />}
              </td>
              {isNew
                ? (["key", "partition"] as const).map((list) => (
                    <td key={list}>
                      <input
                        type="checkbox"
                        aria-label={`${column.source} is part of the ${list}`}
                        checked={target[list].includes(column.source)}
                        disabled={!column.include}
                        onChange={() => toggle(list, column.source)}
                      />
                    </td>
                  ))
                : null}
            </tr>
          );
        })}
      </Grid>
    </>
  );
}

function TypeChoice({ column, onSay }: { column: ImportColumn; onSay: (type: string) => void }) {
  const { misfit } = column;
  return (
    <>
      <TextChoice label={`Type of ${column.source}`} value={column.type} list="column-types" onSay={onSay} />
      {misfit && column.include ? (
        <Problem text={`Row ${misfit.row} has “${misfit.value}”, which is no ${column.type}; ${column.inferred_type} takes every value.`} />
      ) : null}
    </>
  );
}

/** The type that the existing table gives the column, or that it has no such column. */
function TypeThere({ column, table }: { column: ImportColumn; table: readonly Column[] | undefined }) {
  if (!column.include) return <Muted>left out</Muted>;
  if (!table) return <Muted>—</Muted>;
  const there = columnFor(column, table);
  return there ? <code>{there.type}</code> : <Problem text="The table has no such column." />;
}

/** A text that is said when the field is left or Enter is pressed. What is typed stays while `value` is what was said last. */
function TextChoice({ label, value, list, onSay }: { label: string; value: string; list?: string; onSay: (value: string) => void }) {
  const [draft, setDraft] = useState({ of: value, text: value });
  const text = draft.of === value ? draft.text : value;
  const write = (typed: string) => setDraft({ of: value, text: typed });
  const say = () => {
    if (text.trim() === "") write(value);
    else if (text !== value) onSay(text.trim());
  };
  return (
    <Input
      aria-label={label}
      value={text}
      list={list}
      spellCheck={false}
      onChange={(event) => write(event.target.value)}
      onBlur={say}
      onKeyDown={(event) => event.key === "Enter" && say()}
    />
  );
}

function Problem({ text }: { text: string }) {
  return (
    <p className={styles.problem} role="alert">
      {text}
    </p>
  );
}
