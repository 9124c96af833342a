import { useState, type SubmitEvent } from "react";

import type { ProtectionChoice, ProtectionRule } from "../../api/resources";
import { policiesSent } from "../../model/policies";
import { NEW_RULE, ownersOf, ownersText } from "../../model/protection";
import { ROLES } from "../../model/roles";
import { useChecks } from "../../queries/checks";
import { useRuleChange } from "../../queries/protection";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Field, Input, TextArea } from "../../ui/field";
import { Muted } from "../../ui/muted";
import { NamesField } from "../../ui/names-field";
import { Select } from "../../ui/select";
import { Failure } from "../../ui/states";
import { PoliciesField } from "./policies-field";

type Flag = "refuse_direct_writes" | "refuse_direct_merges" | "refuse_deletion" | "refuse_stale_reads" | "allow_queue_unchanged" | "allow_bypass";

const FLAGS: readonly { flag: Flag; label: string }[] = [
  { flag: "refuse_direct_merges", label: "Merge requests only: MERGE BRANCH is refused" },
  { flag: "refuse_direct_writes", label: "No direct writes: merges are the only commits" },
  { flag: "refuse_deletion", label: "Cannot be dropped or renamed" },
  { flag: "refuse_stale_reads", label: "No stale reads: merged rows come from no table that the branch changed since" },
  { flag: "allow_queue_unchanged", label: "A queued request still merges after a new commit on the branch, if that commit changes no verdict" },
  { flag: "allow_bypass", label: "Owners may go past all this in an emergency, with a reason" },
];

export function RuleDialog({ catalog, rule, onClose }: { catalog: string; rule: ProtectionRule | undefined; onClose: () => void }) {
  const change = useRuleChange(catalog);
  const [choice, setChoice] = useState<ProtectionChoice>(() => (rule ? choiceOf(rule) : NEW_RULE));
  const set = (some: Partial<ProtectionChoice>) => setChoice({ ...choice, ...some });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const save = { ...choice, pattern: choice.pattern.trim(), policies: policiesSent(choice.policies ?? []) };
    change.mutate({ save, shown: rule }, { onSuccess: onClose });
  };
  return (
    <Dialog title={rule ? `The rule of ${rule.pattern}` : "Protect branches"} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Field label="Branches whose name is like">
          <Input required maxLength={200} value={choice.pattern} onChange={(event) => set({ pattern: event.target.value })} />
          <Muted isSmall>* stands for any characters, ? for one</Muted>
        </Field>
        <Demands catalog={catalog} choice={choice} onChange={set} />
        <fieldset className="option-set">
          <legend className="small">Also</legend>
          {FLAGS.map(({ flag, label }) => (
            <label key={flag} className="row">
              <input type="checkbox" checked={choice[flag]} onChange={(event) => set({ [flag]: event.target.checked })} />
              <span>{label}</span>
            </label>
          ))}
        </fieldset>
        <Owners choice={choice} onChange={set} />
        <PoliciesField policies={choice.policies ?? []} onChange={(policies) => set({ policies })} />
        {change.error ? <Failure error={change.error} /> : null}
        <div className="actions">
          <Button onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" disabled={change.isPending || choice.pattern.trim() === ""}>
            {change.isPending ? "Saving …" : "Save"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** What a merge request has to have before it gets in. */
function Demands({ catalog, choice, onChange }: { catalog: string; choice: ProtectionChoice; onChange: (some: Partial<ProtectionChoice>) => void }) {
  const checks = useChecks(catalog);
  const chooseRole = (value: string) => {
    const merge_role = ROLES.find((role) => role === value);
    if (merge_role) onChange({ merge_role });
  };
  return (
    <>
      <Field label="Approvals, of distinct people">
        <Input
          type="number"
          min={0}
          max={100}
          required
          value={choice.required_approvals}
          onChange={(event) => onChange({ required_approvals: Number(event.target.value) })}
        />
      </Field>
      <NamesField
        label="Checks that must have passed"
        names={choice.required_checks ?? []}
        suggestions={checks.data?.map(({ name }) => name) ?? []}
        onlySuggested
        onChange={(required_checks) => onChange({ required_checks })}
      />
      <NamesField
        label="Statuses from other systems that must be a success"
        names={choice.required_statuses ?? []}
        suggestions={[]}
        onChange={(required_statuses) => onChange({ required_statuses })}
      />
      <Field label="Minimum role to merge">
        <Select value={choice.merge_role} onChange={(event) => chooseRole(event.target.value)}>
          {ROLES.map((role) => (
            <option key={role}>{role}</option>
          ))}
        </Select>
      </Field>
    </>
  );
}

/** Who owns which tables, a line each. The text is kept as it is typed. */
function Owners({ choice, onChange }: { choice: ProtectionChoice; onChange: (some: Partial<ProtectionChoice>) => void }) {
  const [text, setText] = useState(() => ownersText(choice.owners ?? []));
  const write = (value: string) => {
    setText(value);
    onChange({ owners: ownersOf(value) });
  };
  return (
    <fieldset className="option-set">
      <legend className="small">Owners of tables</legend>
      <Field label="Tables and their owners, a line each">
        <TextArea rows={3} placeholder="sales.* ada @stewards" value={text} onChange={(event) => write(event.target.value)} />
        <Muted isSmall>First database.table with * and ?, then people and @groups. Of a table the last line that matches counts.</Muted>
      </Field>
      <label className="row">
        <input type="checkbox" checked={choice.require_owner_approval} onChange={(event) => onChange({ require_owner_approval: event.target.checked })} />
        <span>One owner of each changed table has to approve</span>
      </label>
    </fieldset>
  );
}

function choiceOf({ id, version, policies_by, created_at, created_by, ...choice }: ProtectionRule): ProtectionChoice {
  return choice;
}
