import type { ComparedDetail, ComparedRow, SidesColumn } from "../../api/resources";
import { cellPart, decisionOf, rowEffects, rowPart } from "../../model/decisions";
import { editable } from "../../model/edited-row";
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
  const shared = { place, detail, pair, mayDecide };
  const whole = rowPart(row);
  const areDecided = clashing.some((column) => decisionOf(made, detail, cellPart(row, column)) !== undefined);
  return (
    <div className="stack tight">
      <PartDecision {...shared} part={whole} made={decisionOf(made, detail, whole)} effects={rowEffects(row, columns, pair)} edited={{ row, all: columns, columns: editable(columns), isCell: false }} isBrief />
      {clashing.length > 0 && (mayDecide || areDecided) ? (
        <details open={areDecided}>
          <summary className="small">Cell by cell ({clashing.length})</summary>
          {clashing.map((column) => {
            const part = cellPart(row, column);
            return <PartDecision key={part.part_key} {...shared} part={part} made={decisionOf(made, detail, part)} edited={{ row, all: columns, columns: [column], isCell: true }} />;
          })}
        </details>
      ) : null}
    </div>
  );
}
