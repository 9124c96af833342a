import { useGroupChange, useGroups, useLink, usePersonChange, useSecondFactorOf, useSecondFactorReset, type Person } from "../../queries/people";
import type { Standing } from "../../queries/user";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Field } from "../../ui/field";
import { Muted } from "../../ui/muted";
import { Select } from "../../ui/select";
import { Failure } from "../../ui/states";
import { LinkShown } from "./link-shown";

const STANDINGS: readonly { standing: Standing; means: string }[] = [
  { standing: "person", means: "has roles in catalogs" },
  { standing: "staff", means: "also invites and disables people" },
  { standing: "superuser", means: "owns every catalog, and manages groups and administrators" },
];

/** What can be done about one account; the server says what is refused. */
export function PersonDialog({ person, isSuperuser, onClose }: { person: Person; isSuperuser: boolean; onClose: () => void }) {
  const change = usePersonChange();
  const link = useLink();
  const choose = (value: string) => {
    const chosen = STANDINGS.find(({ standing }) => standing === value);
    if (chosen) change.mutate({ shown: person, change: { standing: chosen.standing } });
  };
  return (
    <Dialog title={person.username} onClose={onClose}>
      <div className="stack">
        {link.data ? <LinkShown username={person.username} invitation={link.data} /> : null}
        {isSuperuser ? (
          <Field label="Standing on this server">
            <Select value={person.standing} disabled={change.isPending} onChange={(event) => choose(event.target.value)}>
              {STANDINGS.map(({ standing, means }) => (
                <option key={standing} value={standing}>
                  {standing}: {means}
                </option>
              ))}
            </Select>
          </Field>
        ) : null}
        {isSuperuser ? <GroupsOf person={person} /> : null}
        {isSuperuser ? <SecondFactorOf person={person} /> : null}
        {person.is_active ? (
          <div>
            <Button disabled={link.isPending} onClick={() => link.mutate(person.username)}>
              New link for a password
            </Button>
          </div>
        ) : null}
        {person.is_active ? (
          <Muted as="p" isSmall>Disabling ends all sessions, tokens and links of {person.username} at once. Enabling does not bring them back.</Muted>
        ) : null}
        {change.error ? <Failure error={change.error} /> : null}
        {link.error ? <Failure error={link.error} /> : null}
        <div className="actions">
          <Button
            look={person.is_active ? "danger" : undefined}
            disabled={change.isPending}
            onClick={() => change.mutate({ shown: person, change: { is_active: !person.is_active } })}
          >
            {person.is_active ? "Disable" : "Enable"}
          </Button>
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** For somebody who lost app and recovery codes. */
function SecondFactorOf({ person }: { person: Person }) {
  const found = useSecondFactorOf(person.username);
  const reset = useSecondFactorReset();
  if (!found.data?.is_on) return null;
  return (
    <div>
      <Button disabled={reset.isPending} onClick={() => reset.mutate(person.username)}>
        Turn the second factor off
      </Button>
      <Muted as="p" isSmall>For somebody who lost app and recovery codes. Their sessions end.</Muted>
      {reset.error ? <Failure error={reset.error} /> : null}
    </div>
  );
}

function GroupsOf({ person }: { person: Person }) {
  const groups = useGroups();
  const change = useGroupChange();
  const known = groups.data?.pages.flatMap((page) => page.results) ?? [];
  if (known.length === 0) return null;
  return (
    <fieldset className="option-set" disabled={change.isPending}>
      <legend className="small">In the groups</legend>
      {known.map(({ name }) => (
        <label key={name} className="row">
          <input
            type="checkbox"
            checked={person.groups.includes(name)}
            onChange={(event) => {
              const who = { group: name, username: person.username };
              change.mutate(event.target.checked ? { do: "enter", ...who } : { do: "leave", ...who });
            }}
          />
          {name}
        </label>
      ))}
      {change.error ? <Failure error={change.error} /> : null}
    </fieldset>
  );
}
