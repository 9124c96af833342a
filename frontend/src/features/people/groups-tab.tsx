import { useState, type SubmitEvent } from "react";

import { counted } from "../../model/format";
import { useGroupChange, useGroups } from "../../queries/people";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Field, Input } from "../../ui/field";
import { Muted } from "../../ui/muted";
import { SettingList } from "../../ui/setting-list";
import { Empty, Failure, Loaded } from "../../ui/states";

export function GroupsTab({ isSuperuser }: { isSuperuser: boolean }) {
  const groups = useGroups();
  const add = useGroupChange();
  const remove = useGroupChange();
  const [name, setName] = useState("");
  const [removed, setRemoved] = useState<string>();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    add.mutate({ do: "add", group: name.trim() }, { onSuccess: () => setName("") });
  };
  return (
    <>
      <div className="inside stack tight">
        <Muted as="p">Owners of a catalog give a group a role there; each of its members has at least that role.</Muted>
        {isSuperuser ? (
          <form className="row pair-form" onSubmit={submit}>
            <Field label="New group" className="grow">
              <Input required maxLength={150} value={name} onChange={(event) => setName(event.target.value)} />
            </Field>
            <Button type="submit" look="primary" disabled={add.isPending || name.trim() === ""}>
              Add
            </Button>
          </form>
        ) : (
          <Muted as="p" isSmall>Superusers make groups and say who is in them.</Muted>
        )}
        {add.error ? <Failure error={add.error} /> : null}
      </div>
      <Loaded query={groups} label="groups">
        {({ pages }) => {
          const found = pages.flatMap((page) => page.results);
          if (found.length === 0) return <Empty title="No groups yet" />;
          return (
            <SettingList label="Groups">
              {found.map((group) => (
                <li key={group.name}>
                  <strong>{group.name}</strong>
                  <Muted isSmall>{counted(group.member_count, "member")}</Muted>
                  {isSuperuser ? (
                    <Button isSmall onClick={() => setRemoved(group.name)}>
                      Remove<span className="visually-hidden"> {group.name}</span>
                    </Button>
                  ) : null}
                </li>
              ))}
            </SettingList>
          );
        }}
      </Loaded>
      {groups.hasNextPage ? (
        <p className="inside">
          <Button isSmall onClick={() => void groups.fetchNextPage()}>
            More groups
          </Button>
        </p>
      ) : null}
      {removed === undefined ? null : (
        <ConfirmDialog
          title={`Remove ${removed}?`}
          action="Remove"
          working="Removing …"
          isDangerous
          run={remove}
          onConfirm={() => remove.mutate({ do: "remove", group: removed }, { onSuccess: () => setRemoved(undefined) })}
          onClose={() => setRemoved(undefined)}
        >
          <p>It loses all its members. A group that has a role in a catalog is kept.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
