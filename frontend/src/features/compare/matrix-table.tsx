import { useLayoutEffect, useRef, type KeyboardEvent } from "react";

import { placeAfterKey, type Matrix, type MatrixCell, type Place } from "../../model/matrix";
import type { RuleAxis } from "../../api/resources";
import { classes } from "../../ui/classes";
import styles from "./matrix-table.module.css";

/**
 * The rule table as a grid: rows are what the source did, columns what the target did. It is one stop of the
 * keyboard; arrows move between cells, Enter opens one (WAI-ARIA grid pattern).
 */
export function MatrixTable({
  matrix,
  chosen,
  onChoose,
  source,
  destination,
}: {
  matrix: Matrix;
  chosen: Place | undefined;
  onChoose: (place: Place) => void;
  source: string;
  destination: string;
}) {
  const table = useRef<HTMLTableElement>(null);
  const entry = chosen ?? { row: 0, column: 0 };
  const at = chosen && `${chosen.row} ${chosen.column}`;
  // On a narrow page the grid is wider than its place: the chosen cell stands in the middle of it, beside the names of the rows.
  useLayoutEffect(() => {
    const cell = at === undefined ? null : table.current?.querySelector<HTMLElement>(`[data-at="${at}"]`);
    const box = table.current?.parentElement;
    const heads = table.current?.querySelector("tbody th");
    if (!cell || !box || !heads) return;
    const start = heads.getBoundingClientRect().width;
    box.scrollLeft += cell.getBoundingClientRect().left - box.getBoundingClientRect().left - start - (box.clientWidth - start - cell.clientWidth) / 2;
  }, [at, matrix.columns.length]);
  const press = (event: KeyboardEvent, at: Place) => {
    const next = placeAfterKey(matrix, at, event.key);
    if (!next || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    table.current?.querySelector<HTMLElement>(`[data-at="${next.row} ${next.column}"]`)?.focus();
  };
  return (
    <div className="scroll">
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- a grid may be a table (WAI-ARIA) */}
      <table ref={table} className={styles.matrix} role="grid" aria-label="Conflict matrix">
        <thead>
          <tr>
            <td className={classes("small muted", styles.corner)}>
              {source} ↓ · {destination} →
            </td>
            {matrix.columns.map((axis) => (
              <th key={axis.key} scope="col">
                {axis.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {matrix.rows.map((axis, row) => (
            <tr key={axis.key}>
              <th scope="row">{axis.label}</th>
              {(matrix.cells[row] ?? []).map((cell, column) => (
                <Cell
                  key={matrix.columns[column]?.key}
                  cell={cell}
                  axes={[axis, matrix.columns[column] ?? axis]}
                  at={{ row, column }}
                  isChosen={chosen?.row === row && chosen.column === column}
                  isEntry={entry.row === row && entry.column === column}
                  onChoose={onChoose}
                  onKey={press}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({
  cell,
  axes,
  at,
  isChosen,
  isEntry,
  onChoose,
  onKey,
}: {
  cell: MatrixCell;
  axes: [RuleAxis, RuleAxis];
  at: Place;
  isChosen: boolean;
  isEntry: boolean;
  onChoose: (place: Place) => void;
  onKey: (event: KeyboardEvent, at: Place) => void;
}) {
  const kind = cell.isMet ? cell.mark.kind : "unmet";
  const more = cell.isMet ? "" : ", not used";
  return (
    <td role="gridcell" aria-selected={isChosen} data-kind={kind} data-origin={cell.rule.origin}>
      <button
        type="button"
        data-at={`${at.row} ${at.column}`}
        tabIndex={isEntry ? 0 : -1}
        aria-label={`${axes[0].label} × ${axes[1].label}: ${cell.mark.word}${more}`}
        title={`${axes[0].label} × ${axes[1].label}: ${cell.mark.word}${more}`}
        onClick={() => onChoose(at)}
        onKeyDown={(event) => onKey(event, at)}
      >
        <span aria-hidden="true" className="symbol">
          {cell.mark.symbol}
        </span>
        <span aria-hidden="true" className={styles.word}>
          {cell.isMet ? cell.mark.word : ""}
        </span>
      </button>
    </td>
  );
}
