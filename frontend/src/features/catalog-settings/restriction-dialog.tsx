import { useState, type SubmitEvent } from "react";

import { restrictionStatement, type Whom } from "../../model/restrictions";
import { ROLES } from "../../model/roles";
import { tableName } from "../../model/sql";
import { useGroupRoles } from "../../queries/people";
import { useRestrictionPreview, type Seen } from "../../queries/restrictions";
import { useStatement } from "../../queries/statements";
import { useDatabases, useTable, useTables } from "../../queries/tables";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Field, TextArea } from "../../ui/field";
import { Select } from "../../ui/select";
import { Failure } from "../../ui/states";
import { SeenRows } from "./seen-rows";

const BRANCH = "main";

/** A row filter, or the mask of a column, for a role or a group; the statement that sets it is shown. */
export function RestrictionDialog({ catalog, onClose }: { catalog: string; onClose: () => void }) {
  const run = useStatement();
  const preview = useRestrictionPreview(catalog);
  const [database, setDatabase] = useState("");
  const [table, setTable] = useState("");
  const [column, setColumn] = useState("");
  const [whom, setWhom] = useState("role viewer");
  const [expression, setExpression] = useState("");
  const databases = useDatabases(catalog, BRANCH).data?.results ?? [];
  const tables = useTables(catalog, BRANCH, database, "", database !== "").data?.pages.flatMap((page) => page.results) ?? [];
  const columns = useTable({ catalog, branch: BRANCH, database, table }, undefined, table !== "").data?.columns ?? [];
  const groups = useGroupRoles(catalog).data?.results ?? [];
  const isComplete = database !== "" && table !== "" && expression.trim() !== "";
  const people = whomOf(whom);
  const text = expression.trim();
  const statement = restrictionStatement({ table: tableName(database, table), whom: people, column: column || null, expression: text });
  const seen: Seen = { branch: BRANCH, table: { database, table }, whom: people, ...(column ? { masks: { [column]: text } } : { row_filter: text }) };
  // Rows of something else that was asked for are not shown as those of this.
  const isOfThis = isComplete && JSON.stringify(preview.variables) === JSON.stringify(seen);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    run.mutate({ catalog, branch: BRANCH, statement }, { onSuccess: onClose });
  };
  return (
    <Dialog title="Hide rows or a column" onClose={onClose} className="wide">
      <form className="stack" onSubmit={submit}>
        <Choice
          label="Database"
          value={database}
          options={databases.map(({ name }) => [name, name])}
          onChoose={(name) => {
            setDatabase(name);
            setTable("");
            setColumn("");
          }}
        />
        <Choice
          label="Table"
          value={table}
          options={tables.map(({ name }) => [name, name])}
          onChoose={(name) => {
            setTable(name);
            setColumn("");
          }}
        />
        <Choice label="What is hidden" value={column} empty="rows" options={columns.map(({ name }) => [name, `column ${name}`])} onChoose={setColumn} />
        <Choice
          label="From whom"
          value={whom}
          options={[
            ...ROLES.filter((role) => role !== "owner").map((role) => [`role ${role}`, `role ${role} and below`] as const),
            ...groups.map(({ group }) => [`group ${group}`, `group ${group}`] as const),
          ]}
          onChoose={setWhom}
        />
        <Field label={column ? "What is read in its place" : "Rows for which this is true are seen"}>
          <TextArea
            className="mono"
            required
            maxLength={10_000}
            spellCheck={false}
            placeholder={column ? "NULL" : "region = 'EU'"}
            value={expression}
            onChange={(event) => setExpression(event.target.value)}
          />
        </Field>
        {isComplete ? (
          <pre className="statement" aria-label="The statement that runs">
            {statement}
          </pre>
        ) : null}
        {isOfThis && preview.data ? <SeenRows whom={people} found={preview.data} /> : null}
        {isOfThis && preview.error ? <Failure error={preview.error} /> : null}
        {run.error ? <Failure error={run.error} /> : null}
        <div className="actions">
          <Button onClick={onClose}>
            Cancel
          </Button>
          <Button disabled={preview.isPending || !isComplete} onClick={() => preview.mutate(seen)}>
            {preview.isPending ? "Reading …" : "Preview"}
          </Button>
          <Button type="submit" look="primary" disabled={run.isPending || !isComplete}>
            {run.isPending ? "Hiding …" : "Hide"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Of the choice that is shown, the role or the group. */
function whomOf(chosen: string): Whom {
  return chosen.startsWith("group ") ? { group: chosen.slice("group ".length) } : { role: chosen.slice("role ".length) };
}

function Choice({
  label,
  value,
  options,
  empty = "choose …",
  onChoose,
}: {
  label: string;
  value: string;
  options: readonly (readonly [string, string])[];
  empty?: string;
  onChoose: (value: string) => void;
}) {
  return (
    <Field label={label}>
      <Select value={value} onChange={(event) => onChoose(event.target.value)}>
        {value === "" || empty !== "choose …" ? <option value="">{empty}</option> : null}
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </Select>
    </Field>
  );
}
