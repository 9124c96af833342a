import { useState, type SubmitEvent } from "react";

import type { Check } from "../../api/resources";
import { taskAddress } from "../../model/addresses";
import { TEMPLATES, TEMPLATE_NAMES, parametersOf, textsOf, type Template } from "../../model/check-templates";
import { counted } from "../../model/format";
import { useCheckChange } from "../../queries/checks";
import { useStatement } from "../../queries/statements";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Field, Input, TextArea } from "../../ui/field";
import { ResultGrid } from "../../ui/result-grid";
import { Select } from "../../ui/select";
import { Failure } from "../../ui/states";
import { CheckTemplateFields } from "./check-template-fields";

/** A check of a template, or a query with a way to try it on main before it is kept. */
export function CheckDialog({ catalog, check, onClose }: { catalog: string; check: Check | undefined; onClose: () => void }) {
  const change = useCheckChange(catalog);
  const [name, setName] = useState(check?.name ?? "");
  const [template, setTemplate] = useState<Template | "">(check ? check.template : "not_null");
  const [texts, setTexts] = useState(check ? textsOf(check) : {});
  const [ofChangedRows, setOfChangedRows] = useState(check?.parameters.rows === "changed");
  const [query, setQuery] = useState(check?.template ? "" : (check?.query ?? ""));
  const [is_required, setRequired] = useState(check?.is_required ?? false);
  const parameters = template ? parametersOf(template, texts, ofChangedRows) : undefined;
  const asked = template && parameters ? { template, parameters } : !template && query.trim() ? { query } : undefined;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (asked) change.mutate({ save: { name: name.trim(), ...asked, is_required }, shown: check }, { onSuccess: onClose });
  };
  return (
    <Dialog title={check ? `The check ${check.name}` : "New check"} onClose={onClose} className="wide">
      <form className="stack" onSubmit={submit}>
        {check ? null : (
          <Field label="Name">
            <Input required maxLength={100} pattern="[^\/]+" value={name} onChange={(event) => setName(event.target.value)} />
          </Field>
        )}
        <Field label="What it checks">
          <Select value={template} onChange={(event) => setTemplate(event.target.value as Template | "")}>
            {TEMPLATE_NAMES.map((one) => (
              <option key={one} value={one}>
                {TEMPLATES[one].label}
              </option>
            ))}
            <option value="">A query of my own</option>
          </Select>
        </Field>
        {template ? (
          <CheckTemplateFields
            key={template}
            catalog={catalog}
            template={template}
            texts={texts}
            ofChangedRows={ofChangedRows}
            onTexts={setTexts}
            onRows={setOfChangedRows}
          />
        ) : (
          <Field label="A query over the merged result. The check fails if it returns rows.">
            <TextArea
              className="mono"
              required
              spellCheck={false}
              placeholder="SELECT * FROM flights.flights WHERE distance <= 0"
              value={query}
              onChange={(event) => setQuery(event.target.value)}
            />
          </Field>
        )}
        <label className="row">
          <input type="checkbox" checked={is_required} onChange={(event) => setRequired(event.target.checked)} />
          <span>Required of every merge request of the catalog</span>
        </label>
        {template ? null : <Trial key={query} catalog={catalog} query={query} />}
        {change.error ? <Failure error={change.error} /> : null}
        <div className="actions">
          <Button onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" disabled={change.isPending || name.trim() === "" || asked === undefined}>
            {change.isPending ? "Saving …" : "Save"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Trial({ catalog, query }: { catalog: string; query: string }) {
  const run = useStatement();
  return (
    <>
      <p className="row">
        <Button disabled={run.isPending || query.trim() === ""} onClick={() => run.mutate({ catalog, branch: "main", statement: query })}>
          {run.isPending ? "Trying …" : "Try it on main"}
        </Button>
        {run.data?.kind === "answer" ? (
          <span role="status">{run.data.answer.row_count ? `✕ It finds ${counted(run.data.answer.row_count, "row")}.` : "✓ It finds no rows."}</span>
        ) : null}
        {run.data?.kind === "task" ? <a href={taskAddress(run.data.task.id)}>It takes longer: see the task</a> : null}
      </p>
      {run.error ? <Failure error={run.error} /> : null}
      {run.data?.kind === "answer" && run.data.answer.row_count ? (
        <ResultGrid label="Rows that it finds" columns={run.data.answer.columns} rows={run.data.answer.rows.slice(0, 20)} height="240px" />
      ) : null}
    </>
  );
}
