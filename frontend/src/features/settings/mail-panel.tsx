import { useId, useState, type SubmitEvent } from "react";

import { useMailChange, useMailChoice, useMailTest, useMails, type Mail, type MailChoice, type MailEvent } from "../../queries/mail";
import { Panel } from "../../ui/page";
import { Failure, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";

/** What can be chosen, in the order of the page. */
const EVENTS: readonly { event: MailEvent; means: string }[] = [
  { event: "review_asked", means: "Somebody asks me for a review" },
  { event: "request_reviewed", means: "Somebody reviews my request" },
  { event: "request_commented", means: "Somebody comments on my request" },
  { event: "request_merged", means: "My request is merged" },
  { event: "request_refused", means: "My request conflicts, is not merged, or is closed" },
  { event: "task_succeeded", means: "A task of mine succeeds" },
  { event: "task_failed", means: "A task of mine fails" },
  { event: "pipeline_failed", means: "A pipeline that I own fails" },
  { event: "branch_expires", means: "A branch that I made expires within 24 hours" },
];

export function MailPanel() {
  const choice = useMailChoice();
  return (
    <Panel title="Mail" padded>
      <Loaded query={choice} label="what you get by mail">
        {(held) => <MailForm key={`${held.address} ${held.events.join()}`} held={held} />}
      </Loaded>
      <SentMails />
    </Panel>
  );
}

function MailForm({ held }: { held: MailChoice }) {
  const change = useMailChange();
  const test = useMailTest();
  const [address, setAddress] = useState(held.address);
  const [events, setEvents] = useState<readonly MailEvent[]>(held.events);
  const described = useId();
  const isSame = address === held.address && events.length === held.events.length && events.every((event) => held.events.includes(event));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    change.mutate({ address: address.trim(), events: [...events] });
  };
  return (
    <form className="stack" onSubmit={submit}>
      {held.is_on ? null : <p role="note">This server sends no mail. Whoever runs it sets LAKEUI_MAIL_SERVER.</p>}
      <label className="field">
        <span>Address</span>
        <input
          className="input"
          type="email"
          maxLength={254}
          aria-describedby={described}
          placeholder={held.account_address}
          value={address}
          onChange={(event) => setAddress(event.target.value)}
        />
      </label>
      <p id={described} className="small muted">
        {held.account_address ? `Empty: ${held.account_address}, the address of your account.` : "Your account has no address."}
      </p>
      <fieldset className="option-set">
        <legend className="small">Send me a mail when</legend>
        {EVENTS.map(({ event, means }) => (
          <label key={event} className="row">
            <input
              type="checkbox"
              checked={events.includes(event)}
              onChange={({ target }) => setEvents(target.checked ? [...events, event] : events.filter((kept) => kept !== event))}
            />
            <span>{means}</span>
          </label>
        ))}
      </fieldset>
      {change.error ? <Failure error={change.error} /> : null}
      {test.error ? <Failure error={test.error} /> : null}
      {test.isSuccess ? <p role="status">A mail was asked for. The list below shows whether the mail server took it.</p> : null}
      <div className="actions">
        <button type="button" className="button" disabled={!held.is_on || !isSame || test.isPending} onClick={() => test.mutate()}>
          Send a test
        </button>
        <button type="submit" className="button primary" disabled={isSame || change.isPending}>
          Save
        </button>
      </div>
    </form>
  );
}

function SentMails() {
  const mails = useMails();
  return (
    <Loaded query={mails} label="mails">
      {({ results }) =>
        results.length === 0 ? null : (
          <ul className="token-list" aria-label="Mails">
            {results.map((mail) => (
              <li key={mail.id}>
                <span className="ellipsis" title={mail.subject}>
                  {mail.subject}
                </span>
                <span className="small muted">
                  <Time at={mail.created_at} />
                  {mail.address ? ` to ${mail.address}` : ""}
                  {mail.error ? `: ${mail.error}` : ""}
                </span>
                <StateBadge mail={mail} />
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function StateBadge({ mail }: { mail: Mail }) {
  if (mail.state === "sent") return <span className="badge fine">sent</span>;
  return mail.state === "failed" ? <span className="badge conflict">not sent</span> : <span className="badge amber">waits</span>;
}
