import { useState } from "react";

import type { Check, Role } from "../../api/resources";
import { inWords } from "../../model/check-templates";
import { isAtLeast } from "../../model/roles";
import { useCheckChange, useChecks } from "../../queries/checks";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { SettingList, SettingText } from "../../ui/setting-list";
import { Empty, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";
import { CheckDialog } from "./check-dialog";
import { DbtDialog } from "./dbt-dialog";

export function ChecksTab({ catalog, role }: { catalog: string; role: Role }) {
  const checks = useChecks(catalog);
  const [edited, setEdited] = useState<Check | "new">();
  const [readsDbt, setReadsDbt] = useState(false);
  const [removed, setRemoved] = useState<Check>();
  const mayManage = isAtLeast(role, "maintainer");
  return (
    <>
      <p className="inside row apart">
        <Muted>
          A check says what must be true of the merged result.{mayManage ? "" : " Maintainers change them."}
        </Muted>
        {mayManage ? (
          <span className="row">
            <Button onClick={() => setReadsDbt(true)}>
              Import dbt tests
            </Button>
            <Button onClick={() => setEdited("new")}>
              <Icon name="plus" />
              New check
            </Button>
          </span>
        ) : null}
      </p>
      <Loaded query={checks} label="the checks">
        {(found) =>
          found.length === 0 ? (
            <Empty title="No check yet" />
          ) : (
            <SettingList label="Checks">
              {found.map((check) => (
                <CheckRow key={check.name} check={check} mayManage={mayManage} onEdit={() => setEdited(check)} onRemove={() => setRemoved(check)} />
              ))}
            </SettingList>
          )
        }
      </Loaded>
      {edited ? <CheckDialog catalog={catalog} check={edited === "new" ? undefined : edited} onClose={() => setEdited(undefined)} /> : null}
      {readsDbt ? <DbtDialog catalog={catalog} onClose={() => setReadsDbt(false)} /> : null}
      {removed ? <RemoveDialog catalog={catalog} check={removed} onClose={() => setRemoved(undefined)} /> : null}
    </>
  );
}

function CheckRow({ check, mayManage, onEdit, onRemove }: { check: Check; mayManage: boolean; onEdit: () => void; onRemove: () => void }) {
  return (
    <li>
      <span className="row">
        <strong>{check.name}</strong> <span className="badge">{check.is_required ? "required everywhere" : "advisory"}</span>
      </span>
      <span className="small">
        {check.template ? <span title={check.query}>{inWords(check)} </span> : <SettingText>{check.query}</SettingText>}
        <Muted>
          {check.created_by}, <Time at={check.created_at} />
        </Muted>
      </span>
      <span className="row">
        {mayManage ? (
          <>
            <Button isSmall onClick={onEdit}>
              Change<span className="visually-hidden"> {check.name}</span>
            </Button>
            <Button isSmall onClick={onRemove}>
              Remove<span className="visually-hidden"> {check.name}</span>
            </Button>
          </>
        ) : null}
      </span>
    </li>
  );
}

function RemoveDialog({ catalog, check, onClose }: { catalog: string; check: Check; onClose: () => void }) {
  const change = useCheckChange(catalog);
  return (
    <ConfirmDialog
      title={`Remove ${check.name}?`}
      action="Remove the check"
      working="Removing …"
      isDangerous
      run={change}
      onConfirm={() => change.mutate({ remove: check.name }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>Merge requests are not asked to pass it any more. A protection rule that names it still does, and then refuses.</p>
    </ConfirmDialog>
  );
}
