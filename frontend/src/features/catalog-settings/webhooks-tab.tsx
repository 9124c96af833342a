import { useState } from "react";

import type { Webhook } from "../../api/resources";
import { useWebhookChange, useWebhooks } from "../../queries/webhooks";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { SettingList, SettingText } from "../../ui/setting-list";
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
        <Muted>A webhook sends what happens here to another server. Each message is signed, and sent again until it arrives.</Muted>
        {webhooks.data ? (
          <Button onClick={() => setEdited("new")}>
            <Icon name="plus" />
            New webhook
          </Button>
        ) : null}
      </p>
      <Loaded query={webhooks} label="the webhooks">
        {(found) =>
          found.length === 0 ? (
            <Empty title="No webhook yet" />
          ) : (
            <SettingList label="Webhooks">
              {found.map((webhook) => (
                <WebhookRow key={webhook.id} catalog={catalog} webhook={webhook} onEdit={() => setEdited(webhook)} onRemove={() => setRemoved(webhook)} />
              ))}
            </SettingList>
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
        <SettingText>{webhook.url}</SettingText> {webhook.is_active ? null : <span className="badge amber">switched off</span>}
      </span>
      <Muted isSmall>
        gets {webhook.events.map((event) => `${event.replace("_", " ")}s`).join(" and ")}; made by {webhook.created_by}, <Time at={webhook.created_at} />
      </Muted>
      <span className="row">
        <Button isSmall aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Messages{of}
        </Button>
        <Button isSmall disabled={change.isPending} onClick={() => change.mutate({ change: { is_active: !webhook.is_active } })}>
          {webhook.is_active ? "Switch off" : "Switch on"}
          {of}
        </Button>
        <Button isSmall onClick={onEdit}>
          Change{of}
        </Button>
        <Button isSmall onClick={onRemove}>
          Remove{of}
        </Button>
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
