import type { Delivery, Webhook } from "../../api/resources";
import { duration } from "../../model/format";
import { bodyText, deliveryLook } from "../../model/webhooks";
import { useDeliveries, useDeliverySend } from "../../queries/webhooks";
import { Button } from "../../ui/button";
import { classes } from "../../ui/classes";
import { Muted } from "../../ui/muted";
import { Empty, Failure, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";
import styles from "./delivery-log.module.css";

/** What was sent to a webhook, how that went, and a button to try it. */
export function DeliveryLog({ catalog, webhook }: { catalog: string; webhook: Webhook }) {
  const deliveries = useDeliveries(catalog, webhook);
  const send = useDeliverySend(catalog, webhook);
  return (
    <section className={classes(styles.log, "stack")} aria-label={`Messages to ${webhook.url}`}>
      <p className="row">
        <Button isSmall disabled={send.isPending || !webhook.is_active} onClick={() => send.mutate("test")}>
          Send a test message
        </Button>
        {webhook.is_active ? null : <Muted isSmall>Switch it on first.</Muted>}
      </p>
      {send.error ? <Failure error={send.error} /> : null}
      <Loaded query={deliveries} label="the messages">
        {({ pages }) => {
          const found = pages.flatMap((page) => page.results);
          if (found.length === 0) return <Empty title="Nothing was sent yet" />;
          return (
            <ul className={styles.messages} aria-label={`Messages to ${webhook.url}`}>
              {found.map((delivery) => (
                <DeliveryRow key={delivery.id} delivery={delivery} isBusy={send.isPending} onRepeat={() => send.mutate(delivery)} />
              ))}
            </ul>
          );
        }}
      </Loaded>
      {deliveries.hasNextPage ? (
        <p>
          <Button isSmall onClick={() => void deliveries.fetchNextPage()}>
            Older messages
          </Button>
        </p>
      ) : null}
    </section>
  );
}

function DeliveryRow({ delivery, isBusy, onRepeat }: { delivery: Delivery; isBusy: boolean; onRepeat: () => void }) {
  const { symbol, kind, word } = deliveryLook(delivery);
  return (
    <li>
      <p className="row">
        <span className={`badge ${kind}`}>
          <span aria-hidden="true">{symbol}</span>
          {word}
        </span>
        <span>{delivery.event.replace("_", " ")}</span>
        <Muted isSmall>
          <Time at={delivery.created_at} />
        </Muted>
        {delivery.state === "pending" ? null : (
          <Button isSmall disabled={isBusy} onClick={onRepeat}>
            Send it again
          </Button>
        )}
      </p>
      <Muted as="p" isSmall>
        {delivery.attempts === 0 ? "not sent yet" : `attempt ${delivery.attempts}`}
        {delivery.status === null ? "" : `, answered ${delivery.status}`}
        {delivery.duration_ms === null ? "" : ` in ${duration(delivery.duration_ms)}`}
        {delivery.next_attempt_at && delivery.attempts > 0 ? (
          <>
            , next <Time at={delivery.next_attempt_at} />
          </>
        ) : null}
      </Muted>
      {delivery.error ? <p className="small">{delivery.error}</p> : null}
      <details className="small">
        <summary>What is sent</summary>
        <pre className={styles.body}>{bodyText(delivery.body)}</pre>
      </details>
    </li>
  );
}
