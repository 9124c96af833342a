import { useRef, type KeyboardEvent, type PointerEvent } from "react";

import { textScale } from "./narrow";

/** Widths of all columns of a grid, in `rem`; undefined while they follow what the cells hold. */
export type Widths = readonly number[] | undefined;

export interface Sizing {
  /** Of the columns, by place. */
  names: readonly string[];
  widths: Widths;
  onWidths: (widths: Widths) => void;
}

const LEAST = 3;
const MOST = 80;
const STEP = 1;
const LARGE_STEP = 5;
const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

/** The edge of a heading: dragged, or moved by the arrow keys. Enter and a double click let all columns follow their cells. */
export function WidthHandle({ at, sizing: { names, widths, onWidths } }: { at: number; sizing: Sizing }) {
  const drag = useRef<{ x: number; all: readonly number[] }>(undefined);
  const now = (handle: HTMLElement) => widths ?? measured(handle);
  const take = (all: readonly number[], by: number) => onWidths(all.with(at, Math.min(MOST, Math.max(LEAST, (all[at] ?? 0) + by))));
  const press = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { x: event.clientX, all: now(event.currentTarget) };
  };
  const move = ({ clientX }: PointerEvent) => {
    if (drag.current) take(drag.current.all, (clientX - drag.current.x) / remPixels());
  };
  const release = () => {
    drag.current = undefined;
  };
  const type = (event: KeyboardEvent<HTMLElement>) => {
    const direction = STEPS[event.key];
    if (direction !== undefined) take(now(event.currentTarget), direction * (event.shiftKey ? LARGE_STEP : STEP));
    else if (event.key === "Enter") onWidths(undefined);
    else return;
    event.preventDefault();
  };
  const width = widths?.[at];
  // A separator that takes the focus is a control (ARIA 1.2), which the linter does not know.
  /* eslint-disable jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/no-noninteractive-tabindex */
  return (
    <span
      className="width-handle"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={`Width of ${names[at] ?? ""}`}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      aria-valuenow={width ?? LEAST}
      aria-valuetext={width === undefined ? "as its values need" : String(Math.round(width))}
      title="Drag, or press the arrow keys. A double click or Enter resets all columns."
      onPointerDown={press}
      onPointerMove={move}
      onPointerUp={release}
      onPointerCancel={release}
      onDoubleClick={() => onWidths(undefined)}
      onKeyDown={type}
    />
  );
  /* eslint-enable jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/no-noninteractive-tabindex */
}

function measured(handle: HTMLElement): number[] {
  const row = handle.closest("tr");
  return [...(row?.cells ?? [])].map((head) => head.offsetWidth / remPixels());
}

function remPixels(): number {
  return 16 * textScale();
}
