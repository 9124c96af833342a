/** What a webhook gets, and how a message to it fares, in words. */
import type { Delivery, WebhookEvent } from "../api/resources";

export const EVENTS: readonly { event: WebhookEvent; label: string }[] = [
  { event: "merge_request", label: "Merge requests: everything that happens to one" },
  { event: "merge", label: "Merges: each attempt, refused ones too" },
  { event: "commit", label: "Commits, on every branch" },
  { event: "bypass", label: "Bypasses of a protection" },
  { event: "check", label: "Checks: what each run found" },
  { event: "reference", label: "Branches and tags that are made or renamed" },
  { event: "drop", label: "Drops of branches, and of the catalog" },
  { event: "expiry", label: "Branches that expire within a day" },
  { event: "run", label: "Pipelines: each run that ended" },
  { event: "task", label: "Tasks that ended" },
  { event: "record", label: "Settings, restores and all else that the audit records" },
  { event: "checkpoint", label: "Signed checkpoints of the audit" },
];

export interface DeliveryLook {
  symbol: string;
  kind: "fine" | "conflict" | "note";
  word: string;
}

/** A message that failed and is sent again is no failure yet. */
export function deliveryLook({ state, attempts }: Pick<Delivery, "state" | "attempts">): DeliveryLook {
  if (state === "delivered") return { symbol: "✓", kind: "fine", word: "delivered" };
  if (state === "failed") return { symbol: "✕", kind: "conflict", word: "given up" };
  return { symbol: "◌", kind: "note", word: attempts === 0 ? "on its way" : "to be sent again" };
}

/** The body as it is sent, laid out for reading; as it is where it is no JSON. */
export function bodyText(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
