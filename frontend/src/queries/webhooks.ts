import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { Delivery, Webhook, WebhookChoice } from "../api/resources";
import { unlessChanged } from "./edits";
import { refresh } from "./refresh";

const AT = "/api/v1/catalogs/{catalog}/webhooks";
const UNDER_WAY_POLL_MS = 2000;
const POLL_MS = 15_000;
/** The second and the third attempt come within this time. */
const UNDER_WAY_MS = 60_000;

/** While a message is under way its log follows closely; else it only has to notice new ones. A message is counted as
 * attempted while its attempt still runs. */
export function deliveriesPollAfter(sent: readonly Delivery[], now: number): number {
  const isUnderWay = ({ state, attempts, attempted_at }: Delivery) =>
    state === "pending" && (attempts === 0 || now - Date.parse(attempted_at ?? "") < UNDER_WAY_MS);
  return sent.some(isUnderWay) ? UNDER_WAY_POLL_MS : POLL_MS;
}

/** Who gets messages about a catalog. Owners see them. */
export function useWebhooks(catalog: string) {
  return useQuery({
    queryKey: webhooksKey(catalog),
    queryFn: async ({ signal }) => (await body(client.GET(`${AT}/`, { params: { path: { catalog } }, signal }))).results,
  });
}

/** The answer carries the secret, which is never shown again. */
export function useWebhookCreate(catalog: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (choice: WebhookChoice) => body(client.POST(`${AT}/`, { params: { path: { catalog } }, body: choice })),
    onSuccess: () => refresh(queries, webhooksKey(catalog)),
  });
}

export type WebhookChange = { change: Partial<WebhookChoice> & { is_active?: boolean } } | "remove";

export function useWebhookChange(catalog: string, webhook: Webhook) {
  const queries = useQueryClient();
  const path = { catalog, webhook_id: webhook.id };
  return useMutation({
    mutationFn: async (wanted: WebhookChange): Promise<void> => {
      if (wanted === "remove") {
        await client.DELETE(`${AT}/{webhook_id}/`, { params: { path } });
        return;
      }
      const header = await unlessChanged(webhook, wanted.change, client.GET(`${AT}/{webhook_id}/`, { params: { path } }));
      await client.PATCH(`${AT}/{webhook_id}/`, { params: { path, header }, body: wanted.change });
    },
    onSettled: () => refresh(queries, webhooksKey(catalog)),
  });
}

/** What was sent, newest first. */
export function useDeliveries(catalog: string, webhook: Webhook) {
  return useInfiniteQuery({
    queryKey: deliveriesKey(catalog, webhook),
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: 20, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET(`${AT}/{webhook_id}/deliveries/`, { params: { path: { catalog, webhook_id: webhook.id }, query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
    refetchInterval: ({ state }) => deliveriesPollAfter(state.data?.pages.flatMap((page) => page.results) ?? [], Date.now()),
  });
}

/** Sends a message that says nothing, or one of the log once more. */
export function useDeliverySend(catalog: string, webhook: Webhook) {
  const queries = useQueryClient();
  const path = { catalog, webhook_id: webhook.id };
  return useMutation({
    mutationFn: (wanted: "test" | Delivery) =>
      wanted === "test"
        ? body(client.POST(`${AT}/{webhook_id}/test/`, { params: { path } }))
        : body(client.POST(`${AT}/{webhook_id}/deliveries/{delivery_id}/repeat/`, { params: { path: { ...path, delivery_id: wanted.id } } })),
    onSettled: () => refresh(queries, deliveriesKey(catalog, webhook)),
  });
}

function webhooksKey(catalog: string) {
  return ["catalog", catalog, "webhooks"] as const;
}

/** Not below the webhooks' own: when one was removed, its log is not asked for again. */
function deliveriesKey(catalog: string, webhook: Webhook) {
  return ["catalog", catalog, "deliveries", webhook.id] as const;
}
