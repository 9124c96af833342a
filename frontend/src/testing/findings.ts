/** Findings for tests. */
import type { Finding } from "../api/resources";

export function finding(given: Partial<Finding>): Finding {
  return {
    object: "flights.flights",
    kind: "table",
    object_id: 5,
    rule_table: "table",
    source_op: "update",
    dest_op: "insert",
    verdict: "ok",
    code: "",
    note: "",
    message: "",
    remedy: "",
    source_versions: [15],
    dest_versions: [16],
    details: {},
    decisions: [],
    ...given,
  };
}

export const CONFLICT = finding({
  verdict: "conflict",
  code: "PREDICATE_DML_VS_INSERT",
  message: "On flights.flights: delays updated rows (version 15); main inserted rows (version 16).",
  remedy: "Merge the target into the source, run the statement there again, then merge back.",
});
export const FINE = finding({ source_op: "column", note: "A6.2", source_versions: [14] });
