import { useId, useState, type SubmitEvent } from "react";

import { counted } from "../../model/format";
import { useDbtTests, type DbtTestsRead } from "../../queries/checks";
import { useDatabases } from "../../queries/tables";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Field, Input, TextArea } from "../../ui/field";
import { Muted } from "../../ui/muted";
import { SettingList, SettingText } from "../../ui/setting-list";
import { Failure } from "../../ui/states";

/** Tests of a dbt project become checks. What would come of them is shown first. */
export function DbtDialog({ catalog, onClose }: { catalog: string; onClose: () => void }) {
  const read = useDbtTests(catalog);
  const list = useId();
  const databases = useDatabases(catalog, "main");
  const [text, setText] = useState("");
  const [database, setDatabase] = useState("");
  const [is_required, setRequired] = useState(false);
  const asked = { text, database: database.trim(), is_required };
  const canAsk = text.trim() !== "" && asked.database !== "" && !read.isPending;
  const changed = () => read.reset();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    read.mutate({ ...asked, dry_run: true });
  };
  const made = read.data?.checks.filter(({ outcome }) => outcome === "made").length ?? 0;
  return (
    <Dialog title="Import dbt tests" onClose={onClose} className="wide">
      <form className="stack" onSubmit={submit}>
        <Field label="A schema.yml of the project">
          <input
            type="file"
            accept=".yml,.yaml"
            onChange={(event) => {
              changed();
              void event.target.files?.[0]?.text().then(setText);
            }}
          />
        </Field>
        <Field label="Its text">
          <TextArea
            className="mono"
            required
            spellCheck={false}
            placeholder={"models:\n  - name: orders\n    columns:\n      - name: id\n        data_tests: [unique, not_null]"}
            value={text}
            onChange={(event) => {
              changed();
              setText(event.target.value);
            }}
          />
        </Field>
        <Field label="Database of its models">
          <Input
            required
            list={list}
            value={database}
            onChange={(event) => {
              changed();
              setDatabase(event.target.value);
            }}
          />
          <datalist id={list}>
            {databases.data?.results.map(({ name }) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </Field>
        <label className="row">
          <input
            type="checkbox"
            checked={is_required}
            onChange={(event) => {
              changed();
              setRequired(event.target.checked);
            }}
          />
          <span>Tests of severity error are required of every merge request</span>
        </label>
        {read.error ? <Failure error={read.error} /> : null}
        {read.data ? <Read read={read.data} /> : null}
        <div className="actions">
          <Button onClick={onClose}>
            {read.data?.dry_run === false ? "Close" : "Cancel"}
          </Button>
          {read.data?.dry_run === false ? null : read.data ? (
            <Button look="primary" disabled={!canAsk || made === 0} onClick={() => read.mutate({ ...asked, dry_run: false })}>
              Make {counted(made, "check")}
            </Button>
          ) : (
            <Button type="submit" look="primary" disabled={!canAsk}>
              {read.isPending ? "Reading …" : "Read the tests"}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

function Read({ read: { checks, not_read, dry_run } }: { read: DbtTestsRead }) {
  const outcomes = {
    made: dry_run ? "+ to be made" : "✓ made",
    present: "= there already",
    differs: "✕ another check has this name",
  };
  return (
    <div role="status" className="stack tight">
      {checks.length ? (
        <SettingList label="Checks">
          {checks.map((check) => (
            <li key={check.name}>
              <span>
                <strong>{check.name}</strong> <span className="badge">{outcomes[check.outcome]}</span>
              </span>
              <span className="small">
                <SettingText>{check.query}</SettingText>
                {check.note ? <Muted>{check.note}</Muted> : null}
              </span>
            </li>
          ))}
        </SettingList>
      ) : (
        <p>No test of this file becomes a check.</p>
      )}
      {not_read.length ? (
        <>
          <p>{counted(not_read.length, "test is", "tests are")} not read:</p>
          <ul className="small" aria-label="Tests that are not read">
            {not_read.map((one) => (
              <li key={`${one.line} ${one.test}`}>
                Line {one.line}, <strong>{one.test}</strong>: {one.reason}
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </div>
  );
}
