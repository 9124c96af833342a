import { useState, type SubmitEvent } from "react";

import type { Webhook, WebhookChoice, WebhookEvent } from "../../api/resources";
import { EVENTS } from "../../model/webhooks";
import { useWebhookChange, useWebhookCreate } from "../../queries/webhooks";
import { Button } from "../../ui/button";
import { Copyable } from "../../ui/copyable";
import { Dialog } from "../../ui/dialog";
import { Field, Input } from "../../ui/field";
import { Select } from "../../ui/select";
import { Failure } from "../../ui/states";

/** A new webhook, whose secret is shown once; or where another one leads and which messages it gets. */
export function WebhookDialog({ catalog, webhook, onClose }: { catalog: string; webhook: Webhook | undefined; onClose: () => void }) {
  return webhook ? <ChangeDialog catalog={catalog} webhook={webhook} onClose={onClose} /> : <CreateDialog catalog={catalog} onClose={onClose} />;
}

function CreateDialog({ catalog, onClose }: { catalog: string; onClose: () => void }) {
  const create = useWebhookCreate(catalog);
  if (create.data) {
    return (
      <Dialog title="The webhook's secret" onClose={onClose}>
        <p>It is shown only now. The other server needs it to tell messages of lakeui from those of anybody else.</p>
        <Copyable text={create.data.secret} label="the secret" />
        <div className="actions">
          <Button look="primary" onClick={onClose}>
            I have it
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="New webhook" onClose={onClose}>
      <WebhookForm start={{ url: "", events: ["merge_request"], form: "event" }} run={create} onSubmit={(choice) => create.mutate(choice)} onClose={onClose} />
    </Dialog>
  );
}

function ChangeDialog({ catalog, webhook, onClose }: { catalog: string; webhook: Webhook; onClose: () => void }) {
  const change = useWebhookChange(catalog, webhook);
  const start = { url: webhook.url, form: webhook.form, events: EVENTS.map(({ event }) => event).filter((event) => webhook.events.includes(event)) };
  return (
    <Dialog title="Change the webhook" onClose={onClose}>
      <WebhookForm start={start} run={change} onSubmit={(choice) => change.mutate({ change: choice }, { onSuccess: onClose })} onClose={onClose} />
    </Dialog>
  );
}

function WebhookForm({
  start,
  run,
  onSubmit,
  onClose,
}: {
  start: WebhookChoice;
  run: { isPending: boolean; error: Error | null };
  onSubmit: (choice: WebhookChoice) => void;
  onClose: () => void;
}) {
  const [url, setUrl] = useState(start.url);
  const [form, setForm] = useState(start.form);
  const [events, setEvents] = useState<readonly WebhookEvent[]>(start.events);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit({ url: url.trim(), events: [...events], form });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <Field label="Address">
        <Input
          type="url"
          required
          maxLength={2000}
          placeholder="https://example.org/hooks/lake"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
      </Field>
      <Field label="Form">
        <Select value={form} onChange={(event) => setForm(event.target.value === "chat" ? "chat" : "event")}>
          <option value="event">Events as JSON, for programs</option>
          <option value="chat">A line of text, for Slack, Mattermost and other chats</option>
        </Select>
      </Field>
      <fieldset className="option-set">
        <legend className="small">It gets messages of</legend>
        {EVENTS.map(({ event, label }) => (
          <label key={event} className="row">
            <input
              type="checkbox"
              checked={events.includes(event)}
              onChange={(changed) => setEvents(changed.target.checked ? [...events, event] : events.filter((kept) => kept !== event))}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      {run.error ? <Failure error={run.error} /> : null}
      <div className="actions">
        <Button onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" look="primary" disabled={run.isPending || url.trim() === "" || events.length === 0}>
          {run.isPending ? "Saving …" : "Save"}
        </Button>
      </div>
    </form>
  );
}
