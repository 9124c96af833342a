import type { RowAdditions } from "../compare/conflicting-rows";
import type { Pair } from "../../queries/compare";
import type { RequestPlace } from "../../queries/requests";
import { ManyRows } from "./many-rows";
import { RowDecisions } from "./row-decisions";

/** How rows in conflict are decided, each and several at once. */
export function rowAdditions(pair: Pair, place: RequestPlace | undefined, mayDecide: boolean): Pick<RowAdditions, "row" | "rows"> {
  return {
    row: (detail, row, columns) => <RowDecisions place={place} detail={detail} pair={pair} row={row} columns={columns} mayDecide={mayDecide} />,
    rows: (detail, rows, columns) => (mayDecide ? <ManyRows place={place} detail={detail} pair={pair} rows={rows} columns={columns} /> : null),
  };
}
