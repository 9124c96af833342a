import { useLayoutEffect, useRef, useState, type KeyboardEvent, type SyntheticEvent } from "react";
import { Link } from "react-router";

import type { Pipeline, PipelineRun } from "../../api/resources";
import { pipelineRunAddress } from "../../model/addresses";
import { counted, duration, exactTime } from "../../model/format";
import { placeAfterKey } from "../../model/matrix";
import { rowsWords } from "../../model/run-figures";
import { runGrid, runTook, type RunGrid, type StepCell } from "../../model/run-grid";
import { isFinished } from "../../queries/tasks";
import { Muted } from "../../ui/muted";
import { useNow } from "../../ui/time";
import { LOOKS } from "../tasks/task-badge";
import styles from "./run-grid-panel.module.css";

const MOST_RUNS = 40;
/** A bar of a run that took no time is still seen. */
const LEAST_SHARE = 0.04;

/**
 * The last runs as columns and their steps as rows, with a bar for how long each run took. It is one stop of the
 * keyboard; arrows move between cells, Enter opens the run at that step (WAI-ARIA grid pattern).
 */
export function RunGridPanel({ pipeline, runs }: { pipeline: Pipeline; runs: readonly PipelineRun[] }) {
  const isAtWork = runs.some((run) => !isFinished(run.state));
  const now = useNow(isAtWork ? 1000 : Number.POSITIVE_INFINITY);
  const grid = runGrid(runs, MOST_RUNS, now);
  const box = useRef<HTMLDivElement>(null);
  const newest = grid.runs.at(-1)?.id;
  useLayoutEffect(() => {
    if (box.current) box.current.scrollLeft = box.current.scrollWidth;
  }, [newest]);
  const [pointed, setPointed] = useState<string>();
  const [at, setAt] = useState({ row: 0, column: grid.runs.length - 1 });
  const entry = { row: Math.min(at.row, grid.steps.length), column: Math.min(at.column, grid.runs.length - 1) };
  const point = ({ target }: SyntheticEvent) => setPointed((target as Element).closest("[data-at]")?.getAttribute("aria-label") ?? undefined);
  const press = (event: KeyboardEvent) => {
    const [row, column] = (event.target as HTMLElement).dataset.at?.split(" ").map(Number) ?? [];
    if (row === undefined || column === undefined) return;
    const next = placeAfterKey({ rows: ["", ...grid.steps], columns: grid.runs }, { row, column }, event.key);
    if (!next || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    setAt(next);
    box.current?.querySelector<HTMLElement>(`[data-at="${next.row} ${next.column}"]`)?.focus();
  };
  const look = { grid, pipeline, entry, now };
  return (
    <figure className={styles.grid}>
      <figcaption className="small">
        <strong>{grid.runs.length === 1 ? "The run" : `The last ${counted(grid.runs.length, "run")}`}</strong>{" "}
        <Muted>{pointed ?? (grid.runs.length === 1 ? "" : "The newest is on the right.")}</Muted>
      </figcaption>
      <div className="scroll" ref={box}>
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- a grid may be a table (WAI-ARIA) */}
        <table role="grid" aria-label="Runs and their steps" onKeyDown={press} onFocus={point} onMouseOver={point} onMouseLeave={() => setPointed(undefined)}>
          <tbody>
            <tr className={styles.bars}>
              <th scope="row">
                time <Muted>up to {duration(grid.longest)}</Muted>
              </th>
              {grid.runs.map((run, column) => (
                <td key={run.id}>
                  <BarLink {...look} run={run} column={column} />
                </td>
              ))}
            </tr>
            {grid.steps.map((name, place) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {grid.runs.map((run, column) => (
                  <td key={run.id}>
                    <StepLink {...look} run={run} column={column} name={name} row={place + 1} cell={grid.cells[place]?.[column]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

interface CellLook {
  grid: RunGrid;
  pipeline: Pipeline;
  entry: { row: number; column: number };
  now: number;
  run: PipelineRun;
  column: number;
}

function BarLink({ grid, pipeline, entry, now, run, column }: CellLook) {
  const took = runTook(run, now);
  const share = grid.longest > 0 ? Math.max(LEAST_SHARE, took / grid.longest) : LEAST_SHARE;
  const what = [`Run of ${timeOf(run)}`, run.state, run.degraded ? "degraded" : "", run.started_at ? duration(took) : "", rowsWords(run.metrics)];
  return (
    <Link
      to={pipelineRunAddress(pipeline.catalog, pipeline.id, run.id)}
      data-at={`0 ${column}`}
      tabIndex={entry.row === 0 && entry.column === column ? 0 : -1}
      aria-label={what.filter(Boolean).join(", ")}
    >
      <span className={styles.bar} data-state={run.state} style={{ height: `${share * 100}%` }} />
      <span className={styles.sign} data-state={run.state}>{LOOKS[run.state].symbol}</span>
    </Link>
  );
}

function StepLink({ pipeline, entry, run, column, name, row, cell }: CellLook & { name: string; row: number; cell: StepCell | undefined }) {
  const what = cell ? [name, cell.state, duration(cell.milliseconds), `run of ${timeOf(run)}`] : [name, "not reached", `run of ${timeOf(run)}`];
  return (
    <Link
      to={`${pipelineRunAddress(pipeline.catalog, pipeline.id, run.id)}?step=${encodeURIComponent(name)}`}
      data-at={`${row} ${column}`}
      tabIndex={entry.row === row && entry.column === column ? 0 : -1}
      aria-label={what.join(", ")}
    >
      <span className={styles.sign} data-state={cell?.state ?? "none"}>{cell ? LOOKS[cell.state].symbol : "·"}</span>
    </Link>
  );
}

function timeOf(run: PipelineRun): string {
  return exactTime(new Date(run.created_at)).replace(/ \(.*/, "");
}
