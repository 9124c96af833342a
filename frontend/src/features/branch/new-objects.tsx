import { useState } from "react";

import { branchAddress, tableAddress } from "../../model/addresses";
import { COLUMN_TYPES, databaseCreate, tableCreate, type NewColumn } from "../../model/sql";
import { useDatabases } from "../../queries/tables";
import { Button } from "../../ui/button";
import { Field, Input } from "../../ui/field";
import { Muted } from "../../ui/muted";
import { Select } from "../../ui/select";
import { Loaded } from "../../ui/states";
import { TextField, WriteDialog } from "../sql/write-dialog";

interface PlaceProps {
  catalog: string;
  branch: string;
  onClose: () => void;
}

export function NewDatabaseDialog({ catalog, branch, onClose }: PlaceProps) {
  const [name, setName] = useState("");
  const [comment, setComment] = useState("");
  const wanted = name.trim();
  return (
    <WriteDialog
      title={`New database on ${branch}`}
      action="Create the database"
      place={{ catalog, branch }}
      statement={wanted ? databaseCreate(wanted, comment.trim()) : undefined}
      leadsTo={`${branchAddress(catalog, branch)}?database=${encodeURIComponent(wanted)}`}
      onClose={onClose}
    >
      <Muted as="p">A database groups tables. It comes to other branches by a merge.</Muted>
      <TextField label="Name" value={name} onChange={setName} isFirst />
      <TextField label="What it is for (optional)" value={comment} onChange={setComment} maxLength={1000} />
    </WriteDialog>
  );
}

const EMPTY: NewColumn = { name: "", type: "STRING", isRequired: false, isKey: false };

export function NewTableDialog({ catalog, branch, database, onClose }: PlaceProps & { database: string | undefined }) {
  const databases = useDatabases(catalog, branch);
  return (
    <Loaded query={databases} label="databases">
      {({ results }) => <TableForm catalog={catalog} branch={branch} databases={results.map(({ name }) => name)} chosen={database} onClose={onClose} />}
    </Loaded>
  );
}

function TableForm({ catalog, branch, databases, chosen, onClose }: PlaceProps & { databases: readonly string[]; chosen: string | undefined }) {
  const [database, setDatabase] = useState(chosen ?? databases[0] ?? "");
  const [name, setName] = useState("");
  const [columns, setColumns] = useState<readonly NewColumn[]>([{ ...EMPTY, name: "id", type: "BIGINT", isKey: true }, EMPTY]);
  const change = (at: number, changes: Partial<NewColumn>) => setColumns(columns.map((column, place) => (place === at ? { ...column, ...changes } : column)));
  const wanted = name.trim();
  return (
    <WriteDialog
      title={`New table on ${branch}`}
      action="Create the table"
      place={{ catalog, branch }}
      statement={database && wanted ? tableCreate(database, wanted, columns) : undefined}
      leadsTo={tableAddress(catalog, branch, database, wanted)}
      onClose={onClose}
      wide
    >
      {databases.length === 0 ? <p>There is no database on {branch} yet. Make one first, by the button New database.</p> : null}
      <Field label="Database">
        <Select value={database} onChange={(event) => setDatabase(event.target.value)}>
          {databases.map((known) => (
            <option key={known}>{known}</option>
          ))}
        </Select>
      </Field>
      <TextField label="Name" value={name} onChange={setName} isFirst />
      <fieldset className="new-columns">
        <legend className="small">Columns</legend>
        {columns.map((column, at) => (
          // Columns have no identity but their place until they are made.
          <ColumnFields key={at} column={column} number={at + 1} onChange={(changes) => change(at, changes)} onRemove={columns.length > 1 ? () => setColumns(columns.filter((_, place) => place !== at)) : undefined} />
        ))}
        <p>
          <Button isSmall onClick={() => setColumns([...columns, EMPTY])}>
            Add a column
          </Button>
        </p>
        <Muted as="p" isSmall>Rows with one key are compared and merged row by row. A table without a key is compared by its statements.</Muted>
      </fieldset>
      <datalist id="column-types">
        {COLUMN_TYPES.map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
    </WriteDialog>
  );
}

function ColumnFields({ column, number, onChange, onRemove }: { column: NewColumn; number: number; onChange: (changes: Partial<NewColumn>) => void; onRemove: (() => void) | undefined }) {
  const of = `of column ${String(number)}`;
  return (
    <div className="row">
      <Input aria-label={`Name ${of}`} placeholder="Name" value={column.name} maxLength={255} spellCheck={false} onChange={(event) => onChange({ name: event.target.value })} />
      <Input aria-label={`Type ${of}`} list="column-types" value={column.type} spellCheck={false} onChange={(event) => onChange({ type: event.target.value })} />
      <label className="row small">
        <input type="checkbox" checked={column.isKey} onChange={(event) => onChange({ isKey: event.target.checked })} />
        key<span className="visually-hidden"> {of}</span>
      </label>
      <label className="row small">
        <input type="checkbox" checked={column.isRequired || column.isKey} disabled={column.isKey} onChange={(event) => onChange({ isRequired: event.target.checked })} />
        required<span className="visually-hidden"> {of}</span>
      </label>
      {onRemove ? (
        <Button look="quiet" isSmall onClick={onRemove}>
          Remove<span className="visually-hidden"> column {number}</span>
        </Button>
      ) : null}
    </div>
  );
}
