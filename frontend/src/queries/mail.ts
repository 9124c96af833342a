import { useMutation, useQuery, useQueryClient, type QueryKey } from "@tanstack/react-query";

import { body, client } from "../api/client";
import type { components } from "../api/schema";
import { refresh } from "./refresh";

export type Mail = components["schemas"]["MailAnswer"];
export type MailChoice = components["schemas"]["MailChoiceAnswer"];
export type MailChange = components["schemas"]["PatchedMailChoiceChange"];
export type MessageChannel = components["schemas"]["MessageChannel"];
export type MailEvent = components["schemas"]["ChosenMailEvent"];

const MAIL: QueryKey = ["account", "mail"];
/** While a mail waits, its state is asked for again. */
const POLL_MS = 3000;
const SHOWN = 10;

export function useMailChoice() {
  return useQuery({ queryKey: [...MAIL, "choice"], queryFn: ({ signal }) => body(client.GET("/api/v1/account/mail/", { signal })) });
}

export function useMails() {
  return useQuery({
    queryKey: [...MAIL, "sent"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/account/mail/sent/", { params: { query: { limit: SHOWN } }, signal })),
    refetchInterval: ({ state }) => (state.data?.results.some((mail) => mail.state === "pending") ? POLL_MS : false),
  });
}

export function useMailChange() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: MailChange) => body(client.PATCH("/api/v1/account/mail/", { body: change })),
    onSettled: () => refresh(queries, MAIL),
  });
}

export function useMailTest() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (channel: MessageChannel) => body(client.POST("/api/v1/account/mail/test/", { body: { channel } })),
    onSettled: () => refresh(queries, MAIL),
  });
}
