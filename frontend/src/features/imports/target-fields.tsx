import type { ImportTarget } from "../../api/resources";
import { sqlAddress } from "../../model/addresses";
import { Link } from "react-router";
import type { ImportPlace } from "../../queries/imports";
import { useDatabases, useTables } from "../../queries/tables";
import { Field, Input } from "../../ui/field";
import { Select } from "../../ui/select";
import { Empty, Loaded } from "../../ui/states";
import styles from "./imports.module.css";

/** Where rows go. `key` and `partition` hold names that columns have in the file: those in the table may change. */
export interface Target {
  mode: ImportTarget["mode"];
  database: string;
  table: string;
  key: readonly string[];
  partition: readonly string[];
}

export function TargetFields({ place, target, onChange }: { place: ImportPlace; target: Target; onChange: (target: Target) => void }) {
  const databases = useDatabases(place.catalog, place.branch);
  return (
    <Loaded query={databases} label="databases">
      {({ results }) =>
        results.length === 0 ? (
          <Empty title="The branch has no database yet">
            <p>
              <Link to={sqlAddress(place.catalog, place.branch, "CREATE DATABASE imported")}>Make one with SQL</Link>
            </p>
          </Empty>
        ) : (
          <Fields place={place} databases={results.map(({ name }) => name)} target={target} onChange={onChange} />
        )
      }
    </Loaded>
  );
}

function Fields({
  place,
  databases,
  target,
  onChange,
}: {
  place: ImportPlace;
  databases: readonly string[];
  target: Target;
  onChange: (target: Target) => void;
}) {
  const change = (more: Partial<Target>) => onChange({ ...target, ...more });
  return (
    <div className={styles.targetFields}>
      <fieldset className="row">
        <legend className="visually-hidden">New or existing table</legend>
        <label className="row">
          <input type="radio" name="mode" checked={target.mode === "create"} onChange={() => change({ mode: "create" })} />
          A new table
        </label>
        <label className="row">
          <input type="radio" name="mode" checked={target.mode === "append"} onChange={() => change({ mode: "append", table: "" })} />
          Rows for an existing table
        </label>
      </fieldset>
      <Field label="Database">
        <Select value={target.database} onChange={(event) => change({ database: event.target.value })}>
          {target.database === "" ? <option value="">Choose one</option> : null}
          {databases.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      </Field>
      <TableField place={place} target={target} onTable={(table) => change({ table })} />
    </div>
  );
}

function TableField({ place, target, onTable }: { place: ImportPlace; target: Target; onTable: (table: string) => void }) {
  const isNew = target.mode === "create";
  const search = isNew ? target.table.trim() : "";
  const tables = useTables(place.catalog, place.branch, target.database, search, target.database !== "");
  const names = tables.data?.pages.flatMap((page) => page.results.map(({ name }) => name)) ?? [];
  const taken = isNew && names.some((name) => name.toLowerCase() === search.toLowerCase());
  return (
    <Field label="Table">
      <Input
        value={target.table}
        list={isNew ? undefined : "known-tables"}
        maxLength={255}
        spellCheck={false}
        aria-invalid={taken}
        onChange={(event) => onTable(event.target.value)}
      />
      {isNew ? null : (
        <datalist id="known-tables">
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </datalist>
      )}
      {taken ? <span className={styles.problem}>There is a table of this name: choose another, or add rows to it.</span> : null}
    </Field>
  );
}
