import { useState, type SubmitEvent } from "react";

import { useGroups, useInvite } from "../../queries/people";
import { Dialog } from "../../ui/dialog";
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
          <button type="button" className="button primary" onClick={onClose}>
            I have it
          </button>
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
        <label className="field">
          <span>User name</span>
          <input
            className="input"
            value={username}
            onChange={(event) => setUsername(event.target.value)}
            required
            maxLength={150}
            autoComplete="off"
            // eslint-disable-next-line jsx-a11y/no-autofocus -- a dialog that was opened to type in
            autoFocus
          />
        </label>
        <label className="field">
          <span>E-mail address (optional)</span>
          <input className="input" type="email" value={email} onChange={(event) => setEmail(event.target.value)} maxLength={254} />
        </label>
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
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={invite.isPending || username.trim() === ""}>
            Invite
          </button>
        </div>
      </form>
    </Dialog>
  );
}
