import { useState, type SubmitEvent } from "react";

import type { Role } from "../../api/resources";
import { counted } from "../../model/format";
import { ROLES } from "../../model/roles";
import { useGroupRoleChange, useGroupRoles, useGroups, type GroupRole } from "../../queries/people";
import { Button } from "../../ui/button";
import { Field, FieldGroup } from "../../ui/field";
import { Muted } from "../../ui/muted";
import { Select } from "../../ui/select";
import { SettingList } from "../../ui/setting-list";
import { Failure, Loaded } from "../../ui/states";

/** Groups that have a role in the catalog; owners give and take them. */
export function GroupRoles({ catalog, mayManage }: { catalog: string; mayManage: boolean }) {
  const roles = useGroupRoles(catalog);
  return (
    <>
      <h2 className="inside">Groups</h2>
      <Loaded query={roles} label="the groups">
        {({ results }) => (
          <>
            {results.length ? (
              <SettingList label="Groups with a role">
                {results.map((shown) => (
                  <GroupRow key={shown.group} catalog={catalog} shown={shown} mayManage={mayManage} />
                ))}
              </SettingList>
            ) : (
              <Muted as="p" className="inside">No group has a role here.</Muted>
            )}
            {mayManage ? <AddGroup catalog={catalog} taken={results.map(({ group }) => group)} /> : null}
          </>
        )}
      </Loaded>
    </>
  );
}

function GroupRow({ catalog, shown, mayManage }: { catalog: string; shown: GroupRole; mayManage: boolean }) {
  const change = useGroupRoleChange(catalog);
  return (
    <li>
      <strong>{shown.group}</strong>
      <Muted isSmall>{counted(shown.member_count, "member")}</Muted>
      <span className="row">
        {mayManage ? (
          <>
            <RoleField
              label={`Role of the group ${shown.group}`}
              role={shown.role}
              isBusy={change.isPending}
              onChange={(role) => change.mutate({ do: "change", shown, role })}
            />
            <Button isSmall disabled={change.isPending} onClick={() => change.mutate({ do: "remove", group: shown.group })}>
              Remove<span className="visually-hidden"> the group {shown.group}</span>
            </Button>
          </>
        ) : (
          <span className="badge">{shown.role}</span>
        )}
      </span>
      {change.error ? <Failure error={change.error} /> : null}
    </li>
  );
}

function AddGroup({ catalog, taken }: { catalog: string; taken: readonly string[] }) {
  const groups = useGroups();
  const add = useGroupRoleChange(catalog);
  const free = groups.data?.pages.flatMap((page) => page.results).filter(({ name }) => !taken.includes(name)) ?? [];
  const [group, setGroup] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  if (free.length === 0) return null;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    add.mutate({ do: "add", group, role }, { onSuccess: () => setGroup("") });
  };
  return (
    <form className="inside row pair-form" onSubmit={submit}>
      <Field label="Group" className="grow">
        <Select required value={group} onChange={(event) => setGroup(event.target.value)}>
          <option value="">Choose a group</option>
          {free.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      </Field>
      <FieldGroup>
        <span>Role</span>
        <RoleField label="Role of the new group" role={role} isBusy={false} onChange={setRole} />
      </FieldGroup>
      <Button type="submit" look="primary" disabled={add.isPending || group === ""}>
        Add
      </Button>
      {add.error ? <Failure error={add.error} /> : null}
    </form>
  );
}

function RoleField({ label, role, isBusy, onChange }: { label: string; role: Role; isBusy: boolean; onChange: (role: Role) => void }) {
  const choose = (value: string) => {
    const chosen = ROLES.find((known) => known === value);
    if (chosen) onChange(chosen);
  };
  return (
    <Select isFitted aria-label={label} value={role} disabled={isBusy} onChange={(event) => choose(event.target.value)}>
      {ROLES.map((known) => (
        <option key={known}>{known}</option>
      ))}
    </Select>
  );
}
