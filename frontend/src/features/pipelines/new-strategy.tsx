import { useState } from "react";

import type { EffectiveConfiguration } from "../../api/resources";
import { configWith } from "../../model/config-text";
import { annotatedLine, fieldsFor, settingsOf, STRATEGY_FIELD, strategyOf, unknownColumns, type Settings, type SettingValue } from "../../model/pipeline-settings";
import { usePipelineFields } from "../../queries/pipelines";
import type { TablePlace } from "../../queries/tables";
import { Loaded } from "../../ui/states";
import { SettingField } from "./setting-field";
import { StrategyChoice } from "./strategy-choice";
import { useTargetColumns } from "./use-surroundings";
import styles from "./settings.module.css";

const NOTHING_SET: { config: string; settings: Settings } = { config: "", settings: {} };

/** The strategy of a pipeline that is being made, and the fields that it reads: each choice is written into config.yaml. */
export function NewStrategy({
  target,
  config,
  configuration,
  onChange,
}: {
  target: TablePlace;
  config: string;
  /** What the server read from the texts a moment ago. */
  configuration: EffectiveConfiguration | null | undefined;
  onChange: (config: string) => void;
}) {
  const fields = usePipelineFields();
  const columns = useTargetColumns(target);
  const [made, setMade] = useState(NOTHING_SET);
  // What was chosen here holds until somebody writes into the file.
  const chosen = made.config === config ? made.settings : {};
  const settings = { ...(configuration ? settingsOf(configuration) : {}), ...chosen };
  const strategy = strategyOf(settings);
  const set = (name: string, value: SettingValue) => {
    const changed = configWith(config, name, value);
    setMade({ config: changed, settings: { ...chosen, [name]: value } });
    onChange(changed);
  };
  const lineOf = (name: string) => (configuration ? annotatedLine(configuration, name) : undefined);
  return (
    <div className="stack">
      <StrategyChoice chosen={strategy} annotated={lineOf(STRATEGY_FIELD)} mayEdit onChoose={(name) => set(STRATEGY_FIELD, name)} />
      <Loaded query={fields} label="the fields of a configuration">
        {(known) => {
          const { own } = fieldsFor(known, strategy);
          const strange = columns ? unknownColumns(known, settings, columns) : {};
          return own.length === 0 ? null : (
            <fieldset className={styles.settings}>
              <legend>Settings for {strategy}</legend>
              {own.map((field) => (
                <SettingField
                  key={field.name}
                  field={field}
                  value={settings[field.name] ?? (field.default as SettingValue)}
                  columns={columns ?? []}
                  annotated={lineOf(field.name)}
                  isRequired={field.required_by.includes(strategy)}
                  strange={strange[field.name] ?? []}
                  target={`${target.database}.${target.table}`}
                  isDisabled={false}
                  onChange={(value) => set(field.name, value)}
                />
              ))}
            </fieldset>
          );
        }}
      </Loaded>
    </div>
  );
}
