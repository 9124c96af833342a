import { useId, useState, type SubmitEvent } from "react";

import { useMailChange, useMailChoice, useMailTest, useMails, type Mail, type MailChoice, type MailEvent } from "../../queries/mail";
import { Button } from "../../ui/button";
import { Field, Input } from "../../ui/field";
import { Muted } from "../../ui/muted";
import { Panel } from "../../ui/page";
import { Failure, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";
import tokens from "../../ui/token-list.module.css";
import styles from "./mail-panel.module.css";

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
    <Panel title="Mail and chat" padded>
      <Loaded query={choice} label="what you get by mail and chat">
        {(held) => <ChoiceForm key={`${held.address} ${held.events.join()} ${held.chat_set_at} ${held.chat_events.join()}`} held={held} />}
      </Loaded>
      <SentMessages />
    </Panel>
  );
}

function ChoiceForm({ held }: { held: MailChoice }) {
  const change = useMailChange();
  const test = useMailTest();
  const [address, setAddress] = useState(held.address);
  const [chatUrl, setChatUrl] = useState("");
  const [events, setEvents] = useState<readonly MailEvent[]>(held.events);
  const [chatEvents, setChatEvents] = useState<readonly MailEvent[]>(held.chat_events);
  const isSame = address === held.address && chatUrl === "" && isSameSet(events, held.events) && isSameSet(chatEvents, held.chat_events);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const chat = chatUrl === "" ? {} : { chat_url: chatUrl.trim() };
    change.mutate({ address: address.trim(), events: [...events], chat_events: [...chatEvents], ...chat });
  };
  return (
    <form className="stack" onSubmit={submit}>
      {held.is_on ? null : <p role="note">This server sends no mail. Whoever runs it sets LAKEUI_MAIL_SERVER.</p>}
      <MailAddress held={held} address={address} onChange={setAddress} />
      <ChatAddress held={held} url={chatUrl} onChange={setChatUrl} onRemove={() => change.mutate({ chat_url: "" })} />
      <EventTable events={events} onEvents={setEvents} chatEvents={chatEvents} onChatEvents={setChatEvents} />
      {change.error ? <Failure error={change.error} /> : null}
      {test.error ? <Failure error={test.error} /> : null}
      {test.isSuccess ? <p role="status">A message was asked for. The list below shows whether the server took it.</p> : null}
      <div className="row">
        <Button type="submit" look="primary" disabled={isSame || change.isPending}>
          Save
        </Button>
        <Button disabled={!held.is_on || !isSame || test.isPending} onClick={() => test.mutate("mail")}>
          Send a test mail
        </Button>
        <Button disabled={!held.chat_server || !isSame || test.isPending} onClick={() => test.mutate("chat")}>
          Send a test to the chat
        </Button>
      </div>
    </form>
  );
}

function isSameSet(one: readonly MailEvent[], other: readonly MailEvent[]): boolean {
  return one.length === other.length && one.every((event) => other.includes(event));
}

function MailAddress({ held, address, onChange }: { held: MailChoice; address: string; onChange: (address: string) => void }) {
  const described = useId();
  return (
    <div className="stack tight">
      <Field label="Address">
        <Input
          type="email"
          maxLength={254}
          aria-describedby={described}
          placeholder={held.account_address}
          value={address}
          onChange={(event) => onChange(event.target.value)}
        />
      </Field>
      <Muted id={described} as="p" isSmall>
        {held.account_address ? `Empty: ${held.account_address}, the address of your account.` : "Your account has no address."}
      </Muted>
    </div>
  );
}

interface ChatAddressProps {
  held: MailChoice;
  url: string;
  onChange: (url: string) => void;
  onRemove: () => void;
}

/** The whole address is a secret: it is typed once, and never shown again. */
function ChatAddress({ held, url, onChange, onRemove }: ChatAddressProps) {
  const described = useId();
  return (
    <div className="stack tight">
      <Field label="Incoming webhook of your chat">
        <Input
          type="password"
          autoComplete="off"
          maxLength={2000}
          aria-describedby={described}
          placeholder={held.chat_server ? `https://${held.chat_server}/…` : "https://hooks.slack.com/services/…"}
          value={url}
          onChange={(event) => onChange(event.target.value)}
        />
      </Field>
      <Muted id={described} as="p" isSmall>
        {held.chat_server ? `Messages go to ${held.chat_server}. A new address replaces it. ` : "Of Slack or Mattermost. It is not shown again."}
        {held.chat_server ? (
          <Button isSmall onClick={onRemove}>
            Remove the chat
          </Button>
        ) : null}
      </Muted>
    </div>
  );
}

interface EventTableProps {
  events: readonly MailEvent[];
  onEvents: (events: readonly MailEvent[]) => void;
  chatEvents: readonly MailEvent[];
  onChatEvents: (events: readonly MailEvent[]) => void;
}

function EventTable({ events, onEvents, chatEvents, onChatEvents }: EventTableProps) {
  return (
    <table className={styles.eventChoices}>
      <caption className="small">Send me a message when</caption>
      <thead>
        <tr>
          <th scope="col">Event</th>
          <th scope="col">Mail</th>
          <th scope="col">Chat</th>
        </tr>
      </thead>
      <tbody>
        {EVENTS.map(({ event, means }) => (
          <tr key={event}>
            <th scope="row">{means}</th>
            <td>
              <Choice label={`${means}: mail`} event={event} chosen={events} onChange={onEvents} />
            </td>
            <td>
              <Choice label={`${means}: chat`} event={event} chosen={chatEvents} onChange={onChatEvents} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ChoiceProps {
  label: string;
  event: MailEvent;
  chosen: readonly MailEvent[];
  onChange: (events: readonly MailEvent[]) => void;
}

function Choice({ label, event, chosen, onChange }: ChoiceProps) {
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={chosen.includes(event)}
      onChange={({ target }) => onChange(target.checked ? [...chosen, event] : chosen.filter((kept) => kept !== event))}
    />
  );
}

function SentMessages() {
  const mails = useMails();
  return (
    <Loaded query={mails} label="messages">
      {({ results }) =>
        results.length === 0 ? null : (
          <ul className={tokens.tokenList} aria-label="Messages">
            {results.map((mail) => (
              <li key={mail.id}>
                <span className="ellipsis" title={mail.subject}>
                  {mail.subject}
                </span>
                <Muted isSmall>
                  <Time at={mail.created_at} />
                  {mail.address ? ` to ${mail.address}` : ""}
                  {mail.error ? `: ${mail.error}` : ""}
                </Muted>
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
