import type { MergePolicy } from "../../api/resources";
import { DAYS, LIMITS, NEW_POLICY, OPERATIONS, withRules } from "../../model/policies";
import { Button } from "../../ui/button";
import { Field, Input, TextArea } from "../../ui/field";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { NamesField } from "../../ui/names-field";

/** The merge policies of a rule, in order: the first one that lets a merge through says what it needs. */
export function PoliciesField({ policies, onChange }: { policies: readonly MergePolicy[]; onChange: (policies: MergePolicy[]) => void }) {
  const put = (at: number, policy: MergePolicy) => onChange(policies.map((kept, place) => (place === at ? policy : kept)));
  return (
    <fieldset className="option-set">
      <legend className="small">Merge policies</legend>
      <Muted as="p" isSmall>
        They judge what a merge would do. The first one that lets it through says how many approvals it needs; without one, those above are needed.
      </Muted>
      {policies.map((policy, at) => (
        <PolicyForm key={at} policy={policy} onChange={(changed) => put(at, changed)} onRemove={() => onChange(policies.filter((_, place) => place !== at))} />
      ))}
      <p>
        <Button isSmall onClick={() => onChange([...policies, NEW_POLICY])}>
          <Icon name="plus" />
          Add a policy
        </Button>
      </p>
    </fieldset>
  );
}

function PolicyForm({ policy, onChange, onRemove }: { policy: MergePolicy; onChange: (policy: MergePolicy) => void; onRemove: () => void }) {
  const set = (some: Partial<MergePolicy>) => onChange({ ...policy, ...some });
  const name = policy.name || "the new policy";
  const toggle = (kind: (typeof OPERATIONS)[number], isOn: boolean) => {
    const others = (policy.operations ?? []).filter((kept) => kept !== kind);
    set({ operations: isOn ? [...others, kind] : others });
  };
  return (
    <div className="stack" role="group" aria-label={`Policy ${name}`}>
      <Field label="Name of the policy">
        <Input required maxLength={100} value={policy.name} onChange={(event) => set({ name: event.target.value })} />
      </Field>
      <NamesField label="Only these tables (database.table, * for any characters)" names={policy.tables ?? []} onChange={(tables) => set({ tables })} />
      <fieldset className="option-set">
        <legend className="small">Only these operations; none chosen is all</legend>
        {OPERATIONS.map((kind) => (
          <label key={kind} className="row">
            <input type="checkbox" checked={(policy.operations ?? []).includes(kind)} onChange={(event) => toggle(kind, event.target.checked)} />
            <span>{kind}</span>
          </label>
        ))}
      </fieldset>
      {LIMITS.map(({ limit, label }) => (
        <NumberField key={limit} label={label} value={policy[limit] ?? null} onChange={(value) => set({ [limit]: value })} />
      ))}
      <NumberField
        label="At most this share of a table's rows, in percent"
        value={policy.max_share === null || policy.max_share === undefined ? null : Math.round(policy.max_share * 10_000) / 100}
        most={100}
        step={0.01}
        onChange={(value) => set({ max_share: value === null ? null : value / 100 })}
      />
      <Field label="Conditions that each changed row fulfils, one a line">
        <TextArea
          rows={3}
          placeholder="new.price <= old.price * 1.1"
          value={(policy.rules ?? []).map(({ condition }) => condition).join("\n")}
          onChange={(event) => set({ rules: withRules(policy.rules ?? [], event.target.value) })}
        />
      </Field>
      <label className="row">
        <input type="checkbox" checked={policy.refuse_stale_reads} onChange={(event) => set({ refuse_stale_reads: event.target.checked })} />
        <span>No stale reads: its merged rows come from no table that the branch changed since</span>
      </label>
      <HoursFields policy={policy} onChange={set} />
      <NumberField label="Changed rows that are drawn for a person to look at" value={policy.spot_check} most={50} onChange={(value) => set({ spot_check: value ?? 0 })} />
      <NumberField label="Approvals that it needs; 0 is no person" value={policy.approvals} most={100} onChange={(value) => set({ approvals: value ?? 0 })} />
      <NamesField label="Only approvals of these people count" names={policy.approvers ?? []} onChange={(approvers) => set({ approvers })} />
      <label className="row">
        <input type="checkbox" checked={policy.merges} onChange={(event) => set({ merges: event.target.checked })} />
        <span>lakeui merges by itself as soon as nothing is in the way, in the name of who saves this rule</span>
      </label>
      <p>
        <Button isSmall onClick={onRemove}>
          Remove<span className="visually-hidden"> {name}</span>
        </Button>
      </p>
    </div>
  );
}

function HoursFields({ policy, onChange }: { policy: MergePolicy; onChange: (some: Partial<MergePolicy>) => void }) {
  const hours = policy.hours;
  return (
    <>
      <label className="row">
        <input
          type="checkbox"
          checked={Boolean(hours)}
          onChange={(event) => onChange({ hours: event.target.checked ? { begin: "08:00", end: "18:00", zone: "UTC", days: [...DAYS] } : null })}
        />
        <span>Only at some hours</span>
      </label>
      {hours ? (
        <p className="row">
          <Input type="time" aria-label="From" value={hours.begin} onChange={(event) => onChange({ hours: { ...hours, begin: event.target.value } })} />
          <Input type="time" aria-label="To" value={hours.end} onChange={(event) => onChange({ hours: { ...hours, end: event.target.value } })} />
          <Input aria-label="Time zone" value={hours.zone} onChange={(event) => onChange({ hours: { ...hours, zone: event.target.value } })} />
        </p>
      ) : null}
    </>
  );
}

/** A whole number, or nothing: no limit. */
function NumberField({
  label,
  value,
  most,
  step = 1,
  onChange,
}: {
  label: string;
  value: number | null;
  most?: number;
  step?: number;
  onChange: (value: number | null) => void;
}) {
  return (
    <Field label={label}>
      <Input
        type="number"
        min={0}
        max={most}
        step={step}
        value={value ?? ""}
        onChange={(event) => onChange(event.target.value === "" ? null : Number(event.target.value))}
      />
    </Field>
  );
}
