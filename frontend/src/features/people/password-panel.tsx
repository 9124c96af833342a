import { useId, useState, type SubmitEvent } from "react";

import { useAccount, useOwnSecondFactor, usePasswordChange } from "../../queries/people";
import { Button } from "../../ui/button";
import { Field, Input } from "../../ui/field";
import { Panel } from "../../ui/page";
import { Failure, Loaded } from "../../ui/states";

/** Change one's password; nothing where one has none, since one signs in elsewhere. */
export function PasswordPanel() {
  const account = useAccount();
  if (account.data?.has_password === false) return null;
  return (
    <Panel title="Password" padded>
      <Loaded query={account} label="the password's rules">
        {({ password_rules }) => <PasswordForm rules={password_rules} />}
      </Loaded>
      <SecondFactor />
    </Panel>
  );
}

function SecondFactor() {
  const found = useOwnSecondFactor();
  return (
    <Loaded query={found} label="the second factor">
      {({ is_on, recovery_codes }) => (
        <p>
          {is_on ? `A code of your app is asked for too. Recovery codes left: ${recovery_codes}. ` : "Your password alone signs you in. "}
          <a href="/second-factor/">{is_on ? "Change the second factor" : "Set up a second factor"}</a>
        </p>
      )}
    </Loaded>
  );
}

function PasswordForm({ rules }: { rules: readonly string[] }) {
  const change = usePasswordChange();
  const [present, setPresent] = useState("");
  const [chosen, setChosen] = useState("");
  const described = useId();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const forget = () => {
      setPresent("");
      setChosen("");
    };
    change.mutate({ present, new: chosen }, { onSuccess: forget });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <Field label="Present password">
        <Input type="password" autoComplete="current-password" required value={present} onChange={(event) => setPresent(event.target.value)} />
      </Field>
      <Field label="New password">
        <Input
          type="password"
          autoComplete="new-password"
          aria-describedby={described}
          required
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
        />
      </Field>
      <ul id={described} className="small muted">
        {rules.map((rule) => (
          <li key={rule}>{rule}</li>
        ))}
      </ul>
      {change.error ? <Failure error={change.error} /> : null}
      {change.isSuccess ? <p role="status">The new password holds. Your other sessions are ended.</p> : null}
      <div className="actions">
        <Button type="submit" look="primary" disabled={change.isPending || present === "" || chosen === ""}>
          Change it
        </Button>
      </div>
    </form>
  );
}
