import { useEffect, useRef, useState, type RefObject } from "react";

import type { CellRange } from "../../model/result-table";

const STEPS: Record<string, readonly [row: number, column: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

interface Size {
  rows: number;
  columns: number;
}

/** A range of cells that is chosen in a grid by dragging, Shift and a click, or the arrow keys. Cells say their place by
 * `data-cell`. What the copy key takes is `textOf` the range. */
export function useCellRange(box: RefObject<HTMLElement | null>, size: Size, textOf: (range: CellRange) => string) {
  const [range, setRange] = useState<CellRange>();
  const latest = useRef({ range, size, textOf });
  useEffect(() => {
    latest.current = { range, size, textOf };
  });
  useEffect(() => {
    const place = box.current;
    if (!place) return;
    let isDragging = false;
    const press = (event: MouseEvent) => {
      const cell = cellOf(event);
      if (!cell || event.button !== 0) return;
      const { range: now } = latest.current;
      isDragging = true;
      if (event.shiftKey) event.preventDefault();
      setRange({ from: event.shiftKey && now ? now.from : cell, to: cell });
    };
    const drag = (event: MouseEvent) => {
      const cell = isDragging ? cellOf(event) : undefined;
      const now = latest.current.range;
      if (!cell || !now || (cell.row === now.to.row && cell.column === now.to.column)) return;
      // From here on cells are chosen, and not the text in them.
      window.getSelection()?.removeAllRanges();
      setRange({ from: now.from, to: cell });
    };
    const release = () => {
      isDragging = false;
    };
    const type = (event: KeyboardEvent) => {
      const next = typed(event, latest.current.range, latest.current.size);
      if (next === undefined) return;
      event.preventDefault();
      setRange(next === "none" ? undefined : next);
      if (next !== "none") show(place, next.to);
    };
    const copy = (event: ClipboardEvent) => {
      const { range: chosen, textOf: text } = latest.current;
      if (!chosen || window.getSelection()?.toString()) return;
      event.preventDefault();
      event.clipboardData?.setData("text/plain", text(chosen));
    };
    place.addEventListener("mousedown", press);
    place.addEventListener("mouseover", drag);
    place.addEventListener("keydown", type);
    place.addEventListener("copy", copy);
    window.addEventListener("mouseup", release);
    return () => {
      place.removeEventListener("mousedown", press);
      place.removeEventListener("mouseover", drag);
      place.removeEventListener("keydown", type);
      place.removeEventListener("copy", copy);
      window.removeEventListener("mouseup", release);
    };
  }, [box]);
  return { range, clear: () => setRange(undefined) };
}

/** Scrolls until the cell is seen: right of a first column that does not scroll, below the head. */
function show(place: HTMLElement, { row, column }: CellRange["from"]) {
  const cell = place.querySelector<HTMLElement>(`[data-cell="${row},${column}"]`);
  if (!cell) return;
  const frozen = column > 0 ? place.querySelector<HTMLElement>("table.frozen td:first-child") : null;
  cell.style.scrollMarginLeft = `${frozen?.offsetWidth ?? 0}px`;
  cell.style.scrollMarginTop = `${place.querySelector("thead")?.offsetHeight ?? 0}px`;
  cell.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function cellOf({ target }: Event): CellRange["from"] | undefined {
  const said = target instanceof Element ? target.closest<HTMLElement>("[data-cell]")?.dataset.cell : undefined;
  const [row, column] = said?.split(",").map(Number) ?? [];
  return row === undefined || column === undefined ? undefined : { row, column };
}

function typed(event: KeyboardEvent, range: CellRange | undefined, { rows, columns }: Size): CellRange | "none" | undefined {
  if (rows === 0 || columns === 0 || !(event.target instanceof Element) || event.target.matches("button, input, select, [role=separator]")) return undefined;
  if (event.key === "Escape" && range) return "none";
  if ((event.ctrlKey || event.metaKey) && event.key === "a") return { from: { row: 0, column: 0 }, to: { row: rows - 1, column: columns - 1 } };
  const step = STEPS[event.key];
  if (!step || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const start = range?.to ?? { row: 0, column: 0 };
  const to = range ? { row: within(start.row + step[0], rows), column: within(start.column + step[1], columns) } : start;
  return { from: event.shiftKey && range ? range.from : to, to };
}

function within(place: number, count: number): number {
  return Math.min(count - 1, Math.max(0, place));
}
