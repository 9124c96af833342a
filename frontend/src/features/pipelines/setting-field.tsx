import { useId } from "react";

import type { PipelineField } from "../../api/resources";
import { isEmpty, settingText, type SettingValue } from "../../model/pipeline-settings";
import { classes } from "../../ui/classes";
import { Field, Input } from "../../ui/field";
import { Muted } from "../../ui/muted";
import { NamesField } from "../../ui/names-field";
import { Select } from "../../ui/select";
import styles from "./setting-field.module.css";

interface FieldLook {
  field: PipelineField;
  value: SettingValue;
  columns: readonly string[];
  isDisabled: boolean;
  onChange: (value: SettingValue) => void;
}

/** One key of the configuration: what it is for, a control of its kind, and what is wrong with it. */
export function SettingField({
  annotated,
  isRequired,
  strange,
  target,
  ...look
}: FieldLook & {
  /** The line of the source whose annotation decides, where there is one. */
  annotated: number | undefined;
  isRequired: boolean;
  /** Columns that the target does not have. */
  strange: readonly string[];
  target: string;
}) {
  const { field, value } = look;
  return (
    <div className={styles.setting}>
      <Control {...look} isDisabled={look.isDisabled || annotated !== undefined} />
      <Muted as="p" isSmall>
        {field.description}
        {isRequired && isEmpty(value) ? " Required." : ""}
      </Muted>
      {annotated === undefined ? null : (
        <p className="small">
          ◆ Line {annotated} of the source says so: an annotation wins over config.yaml.
        </p>
      )}
      {strange.length ? (
        <p className={classes("small", styles.wrong)} role="alert">
          ✕ {target} has no column {strange.join(", ")}.
        </p>
      ) : null}
    </div>
  );
}

function Control(look: FieldLook) {
  const { field, value, columns, isDisabled, onChange } = look;
  if (isDisabled) return <Fixed field={field} value={value} />;
  switch (field.kind) {
    case "a list of columns":
      return <NamesField label={field.name} names={namesOf(value)} suggestions={columns} onChange={onChange} />;
    case "a list of conditions":
    case "a list of values":
      return <NamesField label={field.name} names={namesOf(value)} onChange={onChange} />;
    case "true or false":
      return (
        <label className="row">
          <input type="checkbox" checked={value === true} onChange={(event) => onChange(event.target.checked)} />
          <span className="mono">{field.name}</span>
        </label>
      );
    case "a choice":
      return <ChoiceControl {...look} />;
    default:
      return <TextControl {...look} />;
  }
}

function Fixed({ field, value }: Pick<FieldLook, "field" | "value">) {
  return (
    <p className="row">
      <span className="mono">{field.name}</span> <code>{settingText(value)}</code>
    </p>
  );
}

function ChoiceControl({ field, value, onChange }: FieldLook) {
  return (
    <Field>
      <span className="mono">{field.name}</span>
      <Select value={String(value)} onChange={(event) => onChange(event.target.value)}>
        {field.choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </Select>
    </Field>
  );
}

function TextControl({ field, value, columns, onChange }: FieldLook) {
  const list = useId();
  const isColumn = field.kind === "a column's name";
  return (
    <Field>
      <span className="mono">{field.name}</span>
      <Input
        list={isColumn ? list : undefined}
        value={typeof value === "string" ? value : ""}
        onChange={(event) => onChange(event.target.value)}
      />
      {isColumn ? (
        <datalist id={list}>
          {columns.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      ) : null}
    </Field>
  );
}

function namesOf(value: SettingValue): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : [];
}
