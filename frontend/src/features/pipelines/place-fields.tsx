import { useId } from "react";

import type { PipelineBody } from "../../api/resources";
import { useDatabases } from "../../queries/tables";
import { BranchField } from "../compare/branch-field";
import { NextRuns } from "./next-runs";
import { FieldGroup, Input } from "../../ui/field";
import { Select } from "../../ui/select";
import styles from "./place-fields.module.css";

export type PipelinePlace = Required<Pick<PipelineBody, "name" | "layer" | "database" | "table" | "branch" | "schedule" | "schedule_timezone">>;

const LONGEST = 255;
const OWN = "own";
const PRESETS: readonly { schedule: string; text: string }[] = [
  { schedule: "", text: "only by hand" },
  { schedule: "0 * * * *", text: "every hour" },
  { schedule: "0 6 * * *", text: "every day at 06:00" },
  { schedule: "0 6 * * mon-fri", text: "Monday to Friday at 06:00" },
  { schedule: "0 6 * * mon", text: "every Monday at 06:00" },
  { schedule: "0 6 1 * *", text: "on the first of each month at 06:00" },
];
const ZONES = ["UTC", ...Intl.supportedValuesOf("timeZone")];

/** What a pipeline is called, where its rows go, and when it runs. */
export function PlaceFields({ catalog, value, isDisabled = false, onChange }: { catalog: string; value: PipelinePlace; isDisabled?: boolean; onChange: (value: PipelinePlace) => void }) {
  const set = (change: Partial<PipelinePlace>) => onChange({ ...value, ...change });
  const databases = useDatabases(catalog, value.branch);
  const names = databases.data?.results.map(({ name }) => name) ?? [];
  return (
    <fieldset className={styles.place} disabled={isDisabled}>
      <TextField label="Name" value={value.name} isRequired onChange={(name) => set({ name })} />
      <TextField label="Layer" hint="any word that groups pipelines" value={value.layer} onChange={(layer) => set({ layer })} />
      <BranchField catalog={catalog} label="Branch" value={value.branch} onChange={(branch) => set({ branch })} />
      <TextField label="Database" value={value.database} suggestions={names} isRequired onChange={(database) => set({ database })} />
      <TextField label="Table" hint="the first run makes it" value={value.table} isRequired onChange={(table) => set({ table })} />
      <PresetField value={value.schedule} onChange={(schedule) => set({ schedule })} />
      <TextField label="Schedule" hint="cron, as 0 6 * * mon-fri" value={value.schedule} onChange={(schedule) => set({ schedule })} />
      <TextField
        label="Time zone of the schedule"
        hint="as Europe/Berlin"
        value={value.schedule_timezone}
        suggestions={ZONES}
        isRequired
        onChange={(schedule_timezone) => set({ schedule_timezone })}
      />
      <NextRuns schedule={value.schedule.trim()} zone={value.schedule_timezone.trim()} />
    </fieldset>
  );
}

/** Schedules that most pipelines have; each writes its cron line into the field beside it. */
function PresetField({ value, onChange }: { value: string; onChange: (schedule: string) => void }) {
  const field = useId();
  const known = PRESETS.find(({ schedule }) => schedule === value.trim());
  return (
    <FieldGroup>
      <label htmlFor={field} className="small">
        When it runs
      </label>
      <Select id={field} value={known ? known.schedule : OWN} onChange={(event) => onChange(event.target.value)}>
        {PRESETS.map(({ schedule, text }) => (
          <option key={schedule} value={schedule}>
            {text}
          </option>
        ))}
        {known ? null : <option value={OWN}>as the schedule says</option>}
      </Select>
    </FieldGroup>
  );
}

/** Whether everything is said that a pipeline needs. */
export function isPlaced({ name, database, table }: PipelinePlace): boolean {
  return name.trim() !== "" && database.trim() !== "" && table.trim() !== "";
}

function TextField({
  label,
  hint,
  value,
  suggestions = [],
  isRequired = false,
  onChange,
}: {
  label: string;
  hint?: string;
  value: string;
  suggestions?: readonly string[];
  isRequired?: boolean;
  onChange: (value: string) => void;
}) {
  const [field, list] = [useId(), useId()];
  return (
    <FieldGroup>
      <label htmlFor={field} className="small">
        {label}
      </label>
      <Input
        id={field}
        required={isRequired}
        maxLength={LONGEST}
        list={suggestions.length ? list : undefined}
        placeholder={hint}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {suggestions.length ? (
        <datalist id={list}>
          {suggestions.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      ) : null}
    </FieldGroup>
  );
}
