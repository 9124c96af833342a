import { useState, type SubmitEvent } from "react";

import type { PipelineField, Strategy } from "../../api/resources";
import {
  annotatedLine,
  changedSettings,
  fieldsFor,
  idleKeys,
  missingFields,
  settingsOf,
  settingText,
  STRATEGY_FIELD,
  strategyOf,
  unknownColumns,
  type Settings,
} from "../../model/pipeline-settings";
import { usePipelineEdit, usePipelineFields, type PipelineRead } from "../../queries/pipelines";
import { Button } from "../../ui/button";
import { Muted } from "../../ui/muted";
import { Loaded } from "../../ui/states";
import { TextFailure } from "./mistake-list";
import { SettingField } from "./setting-field";
import { StrategyChoice } from "./strategy-choice";
import { useTargetColumns } from "./use-surroundings";
import styles from "./settings.module.css";

/** How the rows of a run get into the table: each strategy in a picture, and the fields that the chosen one reads. */
export function StrategyTab({ read, mayEdit, isUnsaved }: { read: PipelineRead; mayEdit: boolean; isUnsaved: boolean }) {
  const fields = usePipelineFields();
  return (
    <div className="inside">
      {isUnsaved ? <p className="notice amber">The texts have changes that are not saved. Save or discard them first.</p> : null}
      <Loaded query={fields} label="the fields of a configuration">
        {(found) => <StrategyForm read={read} fields={found} mayEdit={mayEdit && !isUnsaved} />}
      </Loaded>
    </div>
  );
}

function StrategyForm({ read, fields, mayEdit }: { read: PipelineRead; fields: readonly PipelineField[]; mayEdit: boolean }) {
  const { pipeline, tag } = read;
  const { configuration } = pipeline;
  const edit = usePipelineEdit(pipeline.id);
  const columns = useTargetColumns(pipeline);
  const [settings, setSettings] = useState<Settings>(() => settingsOf(configuration));
  const [chosen, setTidies] = useState<boolean>();
  const strategy = strategyOf(settings);
  // Another strategy leaves nothing behind, unless a person keeps it.
  const tidies = chosen ?? strategy !== strategyOf(settingsOf(configuration));
  const idle = idleKeys(fields, strategy, configuration);
  const changes = changedSettings(fields, configuration, settings, tidies ? idle : []);
  const strange = columns ? unknownColumns(fields, settings, columns) : {};
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    edit.mutate({ settings: changes, tag });
  };
  const look = { pipeline, settings, columns: columns ?? [], strange, mayEdit, onChange: setSettings };
  const { own, common } = fieldsFor(fields, strategy);
  return (
    <form className="stack" onSubmit={submit}>
      <StrategyChoice chosen={strategy} annotated={annotatedLine(configuration, STRATEGY_FIELD)} mayEdit={mayEdit} onChoose={(name) => setSettings({ ...settings, [STRATEGY_FIELD]: name })} />
      {own.length ? (
        <fieldset className={styles.settings}>
          <legend>Settings for {strategy}</legend>
          <FieldList {...look} fields={own} strategy={strategy} />
        </fieldset>
      ) : null}
      <Missing fields={fields} settings={settings} />
      <details>
        <summary>General settings</summary>
        <div className={styles.settings}>
          <FieldList {...look} fields={common} strategy={strategy} />
        </div>
      </details>
      {idle.length ? (
        <label className="row small">
          <input type="checkbox" checked={tidies} disabled={!mayEdit} onChange={(event) => setTidies(event.target.checked)} />
          <span>Remove from config.yaml what is not used by {strategy}: {idle.join(", ")}</span>
        </label>
      ) : null}
      {edit.error ? <TextFailure error={edit.error} /> : null}
      {mayEdit ? <SaveLine changes={changes} isRefused={Object.keys(strange).length > 0} isPending={edit.isPending} /> : null}
    </form>
  );
}

function FieldList({
  fields,
  strategy,
  pipeline,
  settings,
  columns,
  strange,
  mayEdit,
  onChange,
}: {
  fields: readonly PipelineField[];
  strategy: Strategy;
  pipeline: PipelineRead["pipeline"];
  settings: Settings;
  columns: readonly string[];
  strange: Record<string, string[]>;
  mayEdit: boolean;
  onChange: (settings: Settings) => void;
}) {
  return fields.map((field) => (
    <SettingField
      key={field.name}
      field={field}
      value={settings[field.name] ?? null}
      columns={columns}
      annotated={annotatedLine(pipeline.configuration, field.name)}
      isRequired={field.required_by.includes(strategy)}
      strange={strange[field.name] ?? []}
      target={`${pipeline.database}.${pipeline.table}`}
      isDisabled={!mayEdit}
      onChange={(value) => onChange({ ...settings, [field.name]: value })}
    />
  ));
}

/** What the seed decided for what is missing, said before it happens. */
function Missing({ fields, settings }: { fields: readonly PipelineField[]; settings: Settings }) {
  const missing = missingFields(fields, settings);
  if (missing.length === 0) return null;
  const strategy = strategyOf(settings);
  return (
    <div className="notice amber" role="status">
      <span className="symbol" aria-hidden="true">
        ▽
      </span>
      <p>
        {strategy} requires {missing.join(" and ")}.{" "}
        {settings.strict === true ? "It is strict: this cannot be saved." : "Without it a run falls back to full_refresh, and is marked degraded."}
      </p>
    </div>
  );
}

function SaveLine({ changes, isRefused, isPending }: { changes: Settings; isRefused: boolean; isPending: boolean }) {
  const names = Object.keys(changes);
  return (
    <div className="row">
      <Button type="submit" look="primary" disabled={names.length === 0 || isRefused || isPending}>
        {isPending ? "Saving …" : "Save to config.yaml"}
      </Button>
      <Muted isSmall role="status">
        {names.length ? names.map((name) => `${name}: ${changes[name] === null ? "taken out" : settingText(changes[name])}`).join(" · ") : "Nothing is changed."}
      </Muted>
    </div>
  );
}
