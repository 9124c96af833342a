/** What a page will ask for, asked while its code is still on its way: neither has to wait for the other.
 *
 * The page asks for the same by the same options, and joins what runs. A failure is left for the page to meet and to show. */
import type { QueryClient } from "@tanstack/react-query";

import type { ComparedObject, ObjectKind, Role } from "../api/resources";
import { pairParse } from "../model/addresses";
import { compareFilterOf } from "../model/compare-filter";
import { evidenceOf, firstFinding } from "../model/first-finding";
import { isAtLeast } from "../model/roles";
import { isFinishedState, sourceName } from "../model/review";
import { branchQuery, catalogQuery } from "./catalogs";
import { commentsQuery } from "./comments";
import { comparedObjectQuery, comparisonQuery, conflictingRowsQuery, decisionEffectsQuery, rulesQuery, type Pair } from "./compare";
import { requestQuery, timelineQuery } from "./requests";
import { reviewsQuery } from "./reviews";
import { databasesQuery, tablesQuery } from "./tables";

/** An address of the application: its named parts, and its query. */
export interface Address {
  params: Readonly<Record<string, string | undefined>>;
  query: URLSearchParams;
}

/** A branch with its databases, and the tables of the one that is open at first. */
export async function branchAhead(queries: QueryClient, { params, query }: Address): Promise<void> {
  const { catalog = "", branch = "" } = params;
  const tables = async () => {
    const [first, ...others] = (await queries.query(databasesQuery(catalog, branch))).results;
    const opened = query.get("database") ?? (others.length === 0 ? first?.name : undefined);
    if (opened !== undefined) await queries.infiniteQuery(tablesQuery(catalog, branch, opened));
  };
  await Promise.allSettled([queries.query(branchQuery(catalog, branch)), query.get("tab") === "history" ? undefined : tables()]);
}

/**
 * A comparison with the rules that its matrix shows, and the object that is open at first: the one that the address names,
 * else the first, with its rows in conflict. What its decisions do is counted by the server, so it is asked for behind these.
 */
export async function comparisonAhead(queries: QueryClient, { params, query }: Address): Promise<void> {
  const branches = pairParse(params.pair ?? "");
  if (!branches || branches.source === branches.destination) return;
  const pair = { catalog: params.catalog ?? "", ...branches };
  const comparison = queries.infiniteQuery(comparisonQuery(pair, compareFilterOf(query)));
  const role = queries.query(catalogQuery(pair.catalog)).then((catalog) => catalog.role);
  const [kind, id] = (query.get("object") ?? "").split(":");
  const opened = async () => {
    if (isObjectKind(kind) && id) return queries.query(comparedObjectQuery(pair, kind, Number(id)));
    const first = (await comparison).pages[0]?.results[0];
    return first && conflictAhead(queries, pair, first, role);
  };
  await Promise.allSettled([comparison, role, queries.query(rulesQuery()), opened()]);
}

/** An object; of one in conflict the rows that it is about, and then what decisions about it do, for whom they are shown. */
async function conflictAhead(queries: QueryClient, pair: Pair, { kind, object_id: id, verdict }: ComparedObject, role: Promise<Role>): Promise<void> {
  const detail = await queries.query(comparedObjectQuery(pair, kind, id));
  if (verdict !== "conflict") return;
  const finding = firstFinding(detail);
  if (finding && evidenceOf(finding)?.kind === "conflicting rows") await Promise.allSettled([queries.infiniteQuery(conflictingRowsQuery(pair, id))]);
  if (isAtLeast(await role, "contributor")) await queries.query(decisionEffectsQuery(pair, kind, id));
}

/** A merge request with what was said and done, and the comparison of its branches as soon as they are known. */
export async function requestAhead(queries: QueryClient, { params, query }: Address): Promise<void> {
  const place = { catalog: params.catalog ?? "", number: Number(params.number) };
  const isConversation = !query.has("tab");
  const comparison = async () => {
    const request = await queries.query(requestQuery(place));
    if (isFinishedState(request.state) || request.source.is_dropped || request.destination.is_dropped) return;
    const pair = { catalog: place.catalog, source: sourceName(request), destination: request.destination.name, request: place.number };
    await queries.infiniteQuery(comparisonQuery(pair, {}));
  };
  await Promise.allSettled([
    comparison(),
    queries.query(catalogQuery(place.catalog)),
    queries.infiniteQuery(commentsQuery(place)),
    isConversation ? queries.infiniteQuery(timelineQuery(place)) : undefined,
    isConversation ? queries.infiniteQuery(reviewsQuery(place)) : undefined,
  ]);
}

function isObjectKind(kind: string | undefined): kind is ObjectKind {
  return kind === "table" || kind === "database";
}
