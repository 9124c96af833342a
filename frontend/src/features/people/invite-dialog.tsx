import { useState, type SubmitEvent } from "react";

import { useGroups, useInvite } from "../../queries/people";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Field, Input } from "../../ui/field";
import { Failure } from "../../ui/states";
import { LinkShown } from "./link-shown";

export function InviteDialog({ isSuperuser, onClose }: { isSuperuser: boolean; onClose: () => void }) {
  const invite = useInvite();
  const groups = useGroups();
  const [username, setUsername] = useState("");
  const [email, setEmail] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  if (invite.data) {
    return (
      <Dialog title={`${invite.data.username} is invited`} onClose={onClose}>
        <LinkShown username={invite.data.username} invitation={invite.data.invitation} />
        <div className="actions">
          <Button look="primary" onClick={onClose}>
            I have it
          </Button>
        </div>
      </Dialog>
    );
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    invite.mutate({ username: username.trim(), email: email.trim(), ...(chosen.length ? { groups: [...chosen] } : {}) });
  };
  const known = groups.data?.pages.flatMap((page) => page.results) ?? [];
  return (
    <Dialog title="Invite somebody" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Field label="User name">
          <Input
            value={username}
            onChange={(event) => setUsername(event.target.value)}
            required
            maxLength={150}
            autoComplete="off"
            // eslint-disable-next-line jsx-a11y/no-autofocus -- a dialog that was opened to type in
            autoFocus
          />
        </Field>
        <Field label="E-mail address (optional)">
          <Input type="email" value={email} onChange={(event) => setEmail(event.target.value)} maxLength={254} />
        </Field>
        {isSuperuser && known.length ? (
          <fieldset className="option-set">
            <legend className="small">In the groups</legend>
            {known.map(({ name }) => (
              <label key={name} className="row">
                <input
                  type="checkbox"
                  checked={chosen.includes(name)}
                  onChange={(event) => setChosen(event.target.checked ? [...chosen, name] : chosen.filter((kept) => kept !== name))}
                />
                {name}
              </label>
            ))}
          </fieldset>
        ) : null}
        {invite.error ? <Failure error={invite.error} /> : null}
        <div className="actions">
          <Button onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" disabled={invite.isPending || username.trim() === ""}>
            Invite
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
