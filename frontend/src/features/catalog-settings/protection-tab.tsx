import { useState } from "react";

import type { ProtectionRule, Role } from "../../api/resources";
import { protectionText } from "../../model/protection";
import { isAtLeast } from "../../model/roles";
import { useProtectionRules, useRuleChange } from "../../queries/protection";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { SettingList } from "../../ui/setting-list";
import { Empty, Loaded } from "../../ui/states";
import { RuleDialog } from "./rule-dialog";

export function ProtectionTab({ catalog, role }: { catalog: string; role: Role }) {
  const rules = useProtectionRules(catalog);
  const [edited, setEdited] = useState<ProtectionRule | "new">();
  const [removed, setRemoved] = useState<ProtectionRule>();
  const mayManage = isAtLeast(role, "owner");
  return (
    <>
      <p className="inside row apart">
        <Muted>Where several rules match a branch, the strictest of each setting holds.{mayManage ? "" : " Owners change them."}</Muted>
        {mayManage ? (
          <Button onClick={() => setEdited("new")}>
            <Icon name="plus" />
            Protect branches
          </Button>
        ) : null}
      </p>
      <Loaded query={rules} label="the protection rules">
        {({ pages }) => {
          const found = pages.flatMap((page) => page.results);
          if (found.length === 0) {
            return (
              <Empty title="No branch is protected">
                <p>A rule asks for approvals and checks before anything gets into the branches that it names.</p>
              </Empty>
            );
          }
          return (
            <SettingList label="Protection rules">
              {found.map((rule) => (
                <RuleRow key={rule.id} rule={rule} mayManage={mayManage} onEdit={() => setEdited(rule)} onRemove={() => setRemoved(rule)} />
              ))}
            </SettingList>
          );
        }}
      </Loaded>
      {rules.hasNextPage ? (
        <p className="inside">
          <Button isSmall onClick={() => void rules.fetchNextPage()}>
            More rules
          </Button>
        </p>
      ) : null}
      {edited ? <RuleDialog catalog={catalog} rule={edited === "new" ? undefined : edited} onClose={() => setEdited(undefined)} /> : null}
      {removed ? <RemoveDialog catalog={catalog} rule={removed} onClose={() => setRemoved(undefined)} /> : null}
    </>
  );
}

function RuleRow({ rule, mayManage, onEdit, onRemove }: { rule: ProtectionRule; mayManage: boolean; onEdit: () => void; onRemove: () => void }) {
  return (
    <li>
      <span className="row">
        <Icon name="shield" />
        <code>{rule.pattern}</code>
      </span>
      <Muted isSmall>{protectionText(rule)}</Muted>
      <span className="row">
        {mayManage ? (
          <>
            <Button isSmall onClick={onEdit}>
              Change<span className="visually-hidden"> the rule of {rule.pattern}</span>
            </Button>
            <Button isSmall onClick={onRemove}>
              Remove<span className="visually-hidden"> the rule of {rule.pattern}</span>
            </Button>
          </>
        ) : null}
      </span>
    </li>
  );
}

function RemoveDialog({ catalog, rule, onClose }: { catalog: string; rule: ProtectionRule; onClose: () => void }) {
  const change = useRuleChange(catalog);
  return (
    <ConfirmDialog
      title={`Remove the rule of ${rule.pattern}?`}
      action="Remove the rule"
      working="Removing …"
      isDangerous
      run={change}
      onConfirm={() => change.mutate({ remove: rule.id }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>From then on nothing of this is asked any more: {protectionText(rule)}. The audit records who removed it.</p>
    </ConfirmDialog>
  );
}
