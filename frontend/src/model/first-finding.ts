/** Which finding the page of an object opens with, and what shows it. */
import type { ComparedDetail, Finding } from "../api/resources";
import { worst } from "./verdict";

/** What shows a conflict: rows of both sides, rows of one side, or the definition. */
export type Evidence =
  | { kind: "conflicting rows" }
  | { kind: "side rows"; side: "source" | "destination"; change?: "insert" | "update" | "delete" }
  | { kind: "columns" | "properties" | "partitions" };

const CONFLICTING: Evidence = { kind: "conflicting rows" };
const BY_CODE: Record<string, Evidence> = {
  PRIMARY_KEY_CLASH: CONFLICTING,
  SAME_FILE_UPDATE_UPDATE: CONFLICTING,
  SAME_FILE_UPDATE_DELETE: CONFLICTING,
  OBJECT_DROPPED_ON_DEST: { kind: "side rows", side: "source" },
  COLUMN_TYPE_NARROWING: { kind: "columns" },
  COLUMN_MISSING: { kind: "columns" },
  COLUMN_NAME_TAKEN: { kind: "columns" },
  COLUMNS_JOINED: { kind: "columns" },
  NO_COLUMN_LEFT: { kind: "columns" },
  NOT_NULL_WITHOUT_VALUE: { kind: "columns" },
  UNSET_SAME_PROPERTY: { kind: "properties" },
  CHECK_DIFFERS: { kind: "properties" },
  CHECK_COLUMN_MISSING: { kind: "properties" },
  LAYOUT_DIFFERS: { kind: "properties" },
  LAYOUT_COLUMN_MISSING: { kind: "properties" },
  PARTITION_DROPPED_ON_DEST: { kind: "partitions" },
  PARTITION_EXISTS: { kind: "partitions" },
};

/** Undefined where the sentence says all that there is to see. */
export function evidenceOf({ code, dest_op }: Pick<Finding, "code" | "dest_op">): Evidence | undefined {
  if (code !== "PREDICATE_DML_VS_INSERT") return BY_CODE[code];
  const change = (["insert", "update", "delete"] as const).find((known) => known === dest_op);
  return { kind: "side rows", side: "destination", ...(change ? { change } : {}) };
}

/** The findings that somebody decides or decided: the open ones first. */
export function disputed({ cells }: Pick<ComparedDetail, "cells">): Finding[] {
  return cells.filter(({ verdict }) => verdict === "conflict" || verdict === "decided").toSorted((one, other) => Number(one.verdict === "decided") - Number(other.verdict === "decided"));
}

/** The finding that the page of an object opens with. */
export function firstFinding(detail: Pick<ComparedDetail, "cells">): Finding | undefined {
  return worst(disputed(detail));
}
