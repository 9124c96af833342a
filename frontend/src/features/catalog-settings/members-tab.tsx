import { useState, type SubmitEvent } from "react";

import type { Member, Role } from "../../api/resources";
import { isAtLeast, ROLE_MEANINGS, ROLES } from "../../model/roles";
import { useCandidates, useMemberChange, useMembers } from "../../queries/members";
import { userName } from "../../queries/user";
import { GroupRoles } from "../people/group-roles";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Field, FieldGroup, Input } from "../../ui/field";
import { Muted } from "../../ui/muted";
import { Select } from "../../ui/select";
import { SettingList } from "../../ui/setting-list";
import { Empty, Failure, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";

export function MembersTab({ catalog, role }: { catalog: string; role: Role }) {
  const [search, setSearch] = useState("");
  const members = useMembers(catalog, search.trim());
  const mayManage = isAtLeast(role, "owner");
  return (
    <>
      <div className="inside stack tight">
        <Muted as="p">
          Your role here is {role}.{mayManage ? "" : " Owners add members and change roles."}
        </Muted>
        {mayManage ? <AddMember catalog={catalog} /> : null}
        <Input type="search" aria-label="Find a member" placeholder="Find a member" value={search} onChange={(event) => setSearch(event.target.value)} />
      </div>
      <Loaded query={members} label="the members">
        {({ pages }) => {
          const found = pages.flatMap((page) => page.results);
          if (found.length === 0) {
            return (
              <Empty title={search ? "No member has that name" : "No members yet"}>
                <p>Administrators are owners of every catalog without being members.</p>
              </Empty>
            );
          }
          return (
            <SettingList label="Members">
              {found.map((member) => (
                <MemberRow key={member.username} catalog={catalog} member={member} mayManage={mayManage} />
              ))}
            </SettingList>
          );
        }}
      </Loaded>
      {members.hasNextPage ? (
        <p className="inside">
          <Button isSmall onClick={() => void members.fetchNextPage()}>
            More members
          </Button>
        </p>
      ) : null}
      <GroupRoles catalog={catalog} mayManage={mayManage} />
      <RoleMeanings />
    </>
  );
}

function MemberRow({ catalog, member, mayManage }: { catalog: string; member: Member; mayManage: boolean }) {
  const change = useMemberChange(catalog);
  const remove = useMemberChange(catalog);
  const [isRemoving, setRemoving] = useState(false);
  const isMe = member.username === userName();
  return (
    <li>
      <span>
        <strong>
          <bdi>{member.username}</bdi>
        </strong>{" "}
        <bdi className="muted">{member.full_name}</bdi>
        {member.is_active ? null : <span className="badge amber">cannot sign in</span>}
      </span>
      <Muted isSmall>
        since <Time at={member.created_at} />
      </Muted>
      <span className="row">
        {mayManage ? (
          <RoleField
            label={`Role of ${member.username}`}
            role={member.role}
            isBusy={change.isPending}
            onChange={(role) => change.mutate({ do: "change", shown: member, role })}
          />
        ) : (
          <span className="badge">{member.role}</span>
        )}
        {mayManage || isMe ? (
          <Button isSmall onClick={() => setRemoving(true)}>
            {isMe ? "Leave" : "Remove"}
            <span className="visually-hidden"> {isMe ? catalog : member.username}</span>
          </Button>
        ) : null}
      </span>
      {change.error ? <Failure error={change.error} /> : null}
      {isRemoving ? (
        <ConfirmDialog
          title={isMe ? `Leave ${catalog}?` : `Remove ${member.username}?`}
          action={isMe ? "Leave" : "Remove"}
          working="Removing …"
          isDangerous
          run={remove}
          onConfirm={() => remove.mutate({ do: "remove", username: member.username }, { onSuccess: () => setRemoving(false) })}
          onClose={() => setRemoving(false)}
        >
          <p>The catalog then does not exist for {isMe ? "you" : member.username} any more. What was written stays.</p>
        </ConfirmDialog>
      ) : null}
    </li>
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

function AddMember({ catalog }: { catalog: string }) {
  const add = useMemberChange(catalog);
  const [username, setUsername] = useState("");
  const [role, setRole] = useState<Role>("contributor");
  const candidates = useCandidates(catalog, username.trim());
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    add.mutate({ do: "add", username: username.trim(), role }, { onSuccess: () => setUsername("") });
  };
  return (
    <form className="row pair-form" onSubmit={submit}>
      <Field label="User name" className="grow">
        <Input list="candidates" required maxLength={150} value={username} onChange={(event) => setUsername(event.target.value)} />
      </Field>
      <datalist id="candidates">
        {candidates.data?.map((user) => (
          <option key={user.username} value={user.username}>
            {user.full_name}
          </option>
        ))}
      </datalist>
      <FieldGroup>
        <span>Role</span>
        <RoleField label="Role of the new member" role={role} isBusy={false} onChange={setRole} />
      </FieldGroup>
      <Button type="submit" look="primary" disabled={add.isPending || username.trim() === ""}>
        Add
      </Button>
      {add.error ? <Failure error={add.error} /> : null}
    </form>
  );
}

function RoleMeanings() {
  return (
    <details className="inside small">
      <summary>What each role can do (each includes the ones above)</summary>
      <dl className="facts">
        {ROLES.map((role) => (
          <div key={role} style={{ display: "contents" }}>
            <dt>{role}</dt>
            <dd>{ROLE_MEANINGS[role]}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
