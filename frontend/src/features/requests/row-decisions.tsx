import type { ComparedDetail, ComparedRow, SidesColumn } from "../../api/resources";
import { cellPart, decisionOf, rowEffects, rowPart } from "../../model/decisions";
import { clashingColumns } from "../../model/compared-rows";
import type { Pair } from "../../queries/compare";
import type { RequestPlace } from "../../queries/requests";
import { useResolutions } from "../../queries/resolutions";
import { PartDecision } from "./decisions";

/** How one row that conflicts is decided: as a whole, or cell by cell. */
export function RowDecisions({
  place,
  detail,
  pair,
  row,
  columns,
  mayDecide,
}: {
  place: RequestPlace | undefined;
  detail: ComparedDetail;
  pair: Pair;
  row: ComparedRow;
  columns: readonly SidesColumn[];
  mayDecide: boolean;
}) {
  const resolutions = useResolutions(place);
  const made = resolutions.data ?? [];
  const clashing = clashingColumns(row, columns);
  const cells = clashing.map((column) => cellPart(row, column));
  const shared = { place, detail, pair, mayDecide };
  const whole = rowPart(row);
  const areDecided = cells.some((part) => decisionOf(made, detail, part) !== undefined);
  return (
    <div className="stack tight">
      <PartDecision {...shared} part={whole} made={decisionOf(made, detail, whole)} effects={rowEffects(row, columns, pair)} isBrief />
      {cells.length > 0 && (mayDecide || areDecided) ? (
        <details open={areDecided}>
          <summary className="small">Cell by cell ({cells.length})</summary>
          {cells.map((part) => (
            <PartDecision key={part.part_key} {...shared} part={part} made={decisionOf(made, detail, part)} />
          ))}
        </details>
      ) : null}
    </div>
  );
}
