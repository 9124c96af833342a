import { useState, type SubmitEvent } from "react";

import { counted } from "../../model/format";
import { useGroupChange, useGroups } from "../../queries/people";
import { ConfirmDialog } from "../../ui/confirm-dialog";
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
        <p className="muted">Owners of a catalog give a group a role there; each of its members has at least that role.</p>
        {isSuperuser ? (
          <form className="row pair-form" onSubmit={submit}>
            <label className="field grow">
              <span>New group</span>
              <input className="input" required maxLength={150} value={name} onChange={(event) => setName(event.target.value)} />
            </label>
            <button type="submit" className="button primary" disabled={add.isPending || name.trim() === ""}>
              Add
            </button>
          </form>
        ) : (
          <p className="small muted">Superusers make groups and say who is in them.</p>
        )}
        {add.error ? <Failure error={add.error} /> : null}
      </div>
      <Loaded query={groups} label="groups">
        {({ pages }) => {
          const found = pages.flatMap((page) => page.results);
          if (found.length === 0) return <Empty title="No groups yet" />;
          return (
            <ul className="setting-list" aria-label="Groups">
              {found.map((group) => (
                <li key={group.name}>
                  <strong>{group.name}</strong>
                  <span className="small muted">{counted(group.member_count, "member")}</span>
                  {isSuperuser ? (
                    <button type="button" className="button small" onClick={() => setRemoved(group.name)}>
                      Remove<span className="visually-hidden"> {group.name}</span>
                    </button>
                  ) : null}
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      {groups.hasNextPage ? (
        <p className="inside">
          <button type="button" className="button small" onClick={() => void groups.fetchNextPage()}>
            More groups
          </button>
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
