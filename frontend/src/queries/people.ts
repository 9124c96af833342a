import { useInfiniteQuery, useMutation, useQuery, useQueryClient, type QueryKey } from "@tanstack/react-query";

import { body, client, cursorOf } from "../api/client";
import type { Role } from "../api/resources";
import type { components } from "../api/schema";
import { unlessChanged } from "./edits";
import { refresh } from "./refresh";

export type Person = components["schemas"]["PersonAnswer"];
export type PersonChange = components["schemas"]["PatchedPersonChange"];
export type Invitation = components["schemas"]["LinkAnswer"];
export type RightsRecord = components["schemas"]["RightsRecordAnswer"];
export type GroupRole = components["schemas"]["GroupRoleAnswer"];
export type OwnSession = components["schemas"]["SignInAnswer"];
export type Agent = components["schemas"]["AgentAnswer"];
export type PersonState = components["schemas"]["PersonState"];

export interface PeopleFilter {
  search?: string;
  state?: PersonState;
  group?: string;
}

const PEOPLE: QueryKey = ["people"];
const ACCOUNT: QueryKey = ["account"];
const AGENTS: QueryKey = ["agents"];

function useChange<Sent, Answered>(send: (sent: Sent) => Promise<Answered>, key: QueryKey = PEOPLE) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: send, onSettled: () => refresh(queries, key) });
}

export function usePeople(filter: PeopleFilter) {
  return useInfiniteQuery({
    queryKey: [...PEOPLE, "list", filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filter, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET("/api/v1/people/", { params: { query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
    placeholderData: (before) => before,
  });
}

export function useInvite() {
  return useChange((person: { username: string; email: string; groups?: string[] }) => body(client.POST("/api/v1/people/", { body: person })));
}

export function usePersonChange() {
  return useChange(async ({ shown, change }: { shown: Person; change: PersonChange }) => {
    const path = { username: shown.username };
    const header = await unlessChanged(shown, change as Partial<Person>, client.GET("/api/v1/people/{username}/", { params: { path } }));
    return body(client.PATCH("/api/v1/people/{username}/", { params: { path, header }, body: change }));
  });
}

export function useLink() {
  return useChange((username: string) => body(client.POST("/api/v1/people/{username}/link/", { params: { path: { username } } })));
}

export function useSecondFactorOf(username: string) {
  return useQuery({
    queryKey: [...PEOPLE, "second factor", username],
    queryFn: ({ signal }) => body(client.GET("/api/v1/people/{username}/second-factor/", { params: { path: { username } }, signal })),
  });
}

export function useSecondFactorReset() {
  return useChange(async (username: string): Promise<void> => {
    await client.DELETE("/api/v1/people/{username}/second-factor/", { params: { path: { username } } });
  });
}

export function useGroups() {
  return useInfiniteQuery({
    queryKey: [...PEOPLE, "groups"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: 200, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET("/api/v1/groups/", { params: { query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
  });
}

export type GroupChange =
  | { do: "add"; group: string }
  | { do: "remove"; group: string }
  | { do: "enter"; group: string; username: string }
  | { do: "leave"; group: string; username: string };

export function useGroupChange() {
  return useChange(async (change: GroupChange): Promise<void> => {
    const { group } = change;
    if (change.do === "add") await client.POST("/api/v1/groups/", { body: { name: group } });
    else if (change.do === "remove") await client.DELETE("/api/v1/groups/{group}/", { params: { path: { group } } });
    else {
      const at = { params: { path: { group, username: change.username } } };
      if (change.do === "enter") await client.PUT("/api/v1/groups/{group}/members/{username}/", at);
      else await client.DELETE("/api/v1/groups/{group}/members/{username}/", at);
    }
  });
}

export function useRightsRecords(name: string) {
  return useInfiniteQuery({
    queryKey: [...PEOPLE, "records", name],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...(name ? { name } : {}), ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET("/api/v1/rights-records/", { params: { query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
    placeholderData: (before) => before,
  });
}

const ROLES_OF_GROUPS = "/api/v1/catalogs/{catalog}/groups";

export function useGroupRoles(catalog: string) {
  return useQuery({
    queryKey: ["catalog", catalog, "groups"],
    queryFn: ({ signal }) => body(client.GET(`${ROLES_OF_GROUPS}/`, { params: { path: { catalog }, query: { limit: 200 } }, signal })),
  });
}

export type GroupRoleChange = { do: "add"; group: string; role: Role } | { do: "change"; shown: GroupRole; role: Role } | { do: "remove"; group: string };

export function useGroupRoleChange(catalog: string) {
  return useChange(
    async (change: GroupRoleChange): Promise<void> => {
      if (change.do === "add") {
        await client.POST(`${ROLES_OF_GROUPS}/`, { params: { path: { catalog } }, body: { group: change.group, role: change.role } });
      } else if (change.do === "remove") {
        await client.DELETE(`${ROLES_OF_GROUPS}/{group}/`, { params: { path: { catalog, group: change.group } } });
      } else {
        const path = { catalog, group: change.shown.group };
        const header = await unlessChanged(change.shown, { role: change.role }, client.GET(`${ROLES_OF_GROUPS}/{group}/`, { params: { path } }));
        await client.PATCH(`${ROLES_OF_GROUPS}/{group}/`, { params: { path, header }, body: { role: change.role } });
      }
    },
    ["catalog", catalog],
  );
}

export function useAccount() {
  return useQuery({ queryKey: [...ACCOUNT, "own"], queryFn: ({ signal }) => body(client.GET("/api/v1/account/", { signal })) });
}

export function usePasswordChange() {
  return useChange(async (sent: { present: string; new: string }): Promise<void> => {
    await client.PUT("/api/v1/account/password/", { body: sent });
  }, ACCOUNT);
}

export function useAgents() {
  return useQuery({ queryKey: AGENTS, queryFn: ({ signal }) => body(client.GET("/api/v1/agents/", { signal })) });
}

/** The newest tokens of an agent, as many as a page holds. */
export function useAgentTokens(name: string) {
  return useQuery({
    queryKey: [...AGENTS, name, "tokens"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/agents/{name}/tokens/", { params: { path: { name }, query: { limit: 200 } }, signal })),
  });
}

export function useAgentChange() {
  return useChange(async ({ name, ...change }: { do: "end" | "revoke"; name: string }): Promise<void> => {
    const params = { path: { name } };
    if (change.do === "end") await client.DELETE("/api/v1/agents/{name}/", { params });
    else await client.DELETE("/api/v1/agents/{name}/tokens/", { params });
  }, AGENTS);
}

export function useOwnSecondFactor() {
  return useQuery({
    queryKey: [...ACCOUNT, "second factor"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/account/second-factor/", { signal })),
  });
}

export function useOwnSessions() {
  return useQuery({
    queryKey: [...ACCOUNT, "sessions"],
    queryFn: ({ signal }) => body(client.GET("/api/v1/account/sessions/", { params: { query: { limit: 200 } }, signal })),
  });
}

export function useSessionEnd() {
  return useChange(async (id: string): Promise<void> => {
    await client.DELETE("/api/v1/account/sessions/{sign_in_id}/", { params: { path: { sign_in_id: id } } });
  }, ACCOUNT);
}
