import { useState } from "react";

import type { Webhook } from "../../api/resources";
import { useWebhookChange, useWebhooks } from "../../queries/webhooks";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Icon } from "../../ui/icons";
import { Empty, Failure, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";
import { DeliveryLog } from "./delivery-log";
import { WebhookDialog } from "./webhook-dialog";

/** Asked of the server by everybody, shown to owners: it says to the others whom to ask. */
export function WebhooksTab({ catalog }: { catalog: string }) {
  const webhooks = useWebhooks(catalog);
  const [edited, setEdited] = useState<Webhook | "new">();
  const [removed, setRemoved] = useState<Webhook>();
  return (
    <>
      <p className="inside row apart">
        <span className="muted">A webhook sends what happens here to another server. Each message is signed, and sent again until it arrives.</span>
        {webhooks.data ? (
          <button type="button" className="button" onClick={() => setEdited("new")}>
            <Icon name="plus" />
            New webhook
          </button>
        ) : null}
      </p>
      <Loaded query={webhooks} label="the webhooks">
        {(found) =>
          found.length === 0 ? (
            <Empty title="No webhook yet" />
          ) : (
            <ul className="setting-list" aria-label="Webhooks">
              {found.map((webhook) => (
                <WebhookRow key={webhook.id} catalog={catalog} webhook={webhook} onEdit={() => setEdited(webhook)} onRemove={() => setRemoved(webhook)} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {edited ? <WebhookDialog catalog={catalog} webhook={edited === "new" ? undefined : edited} onClose={() => setEdited(undefined)} /> : null}
      {removed ? <RemoveDialog catalog={catalog} webhook={removed} onClose={() => setRemoved(undefined)} /> : null}
    </>
  );
}

function WebhookRow({ catalog, webhook, onEdit, onRemove }: { catalog: string; webhook: Webhook; onEdit: () => void; onRemove: () => void }) {
  const change = useWebhookChange(catalog, webhook);
  const [isOpen, setOpen] = useState(false);
  const of = <span className="visually-hidden"> {webhook.url}</span>;
  return (
    <li>
      <span>
        <code className="query">{webhook.url}</code> {webhook.is_active ? null : <span className="badge amber">switched off</span>}
      </span>
      <span className="small muted">
        gets {webhook.events.map((event) => `${event.replace("_", " ")}s`).join(" and ")}; made by {webhook.created_by}, <Time at={webhook.created_at} />
      </span>
      <span className="row">
        <button type="button" className="button small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Messages{of}
        </button>
        <button type="button" className="button small" disabled={change.isPending} onClick={() => change.mutate({ change: { is_active: !webhook.is_active } })}>
          {webhook.is_active ? "Switch off" : "Switch on"}
          {of}
        </button>
        <button type="button" className="button small" onClick={onEdit}>
          Change{of}
        </button>
        <button type="button" className="button small" onClick={onRemove}>
          Remove{of}
        </button>
      </span>
      {change.error ? <Failure error={change.error} /> : null}
      {isOpen ? <DeliveryLog catalog={catalog} webhook={webhook} /> : null}
    </li>
  );
}

function RemoveDialog({ catalog, webhook, onClose }: { catalog: string; webhook: Webhook; onClose: () => void }) {
  const change = useWebhookChange(catalog, webhook);
  return (
    <ConfirmDialog
      title="Remove the webhook?"
      action="Remove the webhook"
      working="Removing …"
      isDangerous
      run={change}
      onConfirm={() => change.mutate("remove", { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        <code>{webhook.url}</code> gets no more messages, and the log of its messages goes with it. The audit records who removed it.
      </p>
    </ConfirmDialog>
  );
}
