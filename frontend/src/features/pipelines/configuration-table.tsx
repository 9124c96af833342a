import { useState } from "react";

import type { EffectiveConfiguration } from "../../api/resources";
import { settingText } from "../../model/pipeline-settings";
import { Grid } from "../../ui/grid";
import { Muted } from "../../ui/muted";

const COLUMNS = [{ title: "Field" }, { title: "Value" }, { title: "From" }];

/** The configuration that a run goes by, with what gives each field its value. */
export function ConfigurationTable({ configuration }: { configuration: EffectiveConfiguration }) {
  const [isWhole, setWhole] = useState(false);
  const entries = Object.entries(configuration.fields);
  const given = entries.filter(([, { origin }]) => origin !== "default");
  const shown = isWhole ? entries : given;
  return (
    <div className="stack tight">
      <Warnings configuration={configuration} />
      {shown.length ? (
        <Grid label="Effective configuration" columns={COLUMNS} height="50vh">
          {shown.map(([name, { value, origin, line }]) => (
            <tr key={name}>
              <th scope="row" className="mono">
                {name}
              </th>
              <td className="cell">{settingText(value)}</td>
              <td className={`nowrap ${origin === "default" ? "muted" : ""}`}>
                {origin}
                {line === null ? "" : `, line ${line}`}
              </td>
            </tr>
          ))}
        </Grid>
      ) : (
        <Muted as="p">Every field has its default.</Muted>
      )}
      <label className="row small">
        <input type="checkbox" checked={isWhole} onChange={(event) => setWhole(event.target.checked)} />
        all {entries.length} fields, with their defaults
      </label>
    </div>
  );
}

export function Warnings({ configuration }: { configuration: EffectiveConfiguration }) {
  if (configuration.warnings.length === 0) return null;
  return (
    <div className="notice amber">
      <span className="symbol" aria-hidden="true">
        ▽
      </span>
      {configuration.degraded ? <strong>Degraded: it runs as {configuration.strategy}</strong> : null}
      {configuration.warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
    </div>
  );
}
