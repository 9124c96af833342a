import { Link } from "react-router";

import type { Pipeline, PipelineRun } from "../../api/resources";
import { branchAddress, pipelineRunAddress } from "../../model/addresses";
import { bytes, bytesRound, count, counted, duration } from "../../model/format";
import { plottedRuns, rowsText, rowsTouched, rowsWords, runMilliseconds } from "../../model/run-figures";
import { usePipelineRuns } from "../../queries/pipelines";
import { Muted } from "../../ui/muted";
import { useIsNarrow } from "../../ui/narrow";
import { Plots } from "../../ui/plots";
import { Empty, Loaded } from "../../ui/states";
import { StepPlot } from "../../ui/step-plot";
import { Elapsed, Time } from "../../ui/time";
import { VirtualRows } from "../../ui/virtual-rows";
import { RunGridPanel } from "./run-grid-panel";
import { RunState } from "./run-state";
import styles from "./runs-tab.module.css";

const ROW_HEIGHT = 44;
const NARROW_ROW_HEIGHT = 92;

/** Every run, and how many rows the last ones wrote. */
export function RunsTab({ pipeline }: { pipeline: Pipeline }) {
  const runs = usePipelineRuns(pipeline.id);
  const isNarrow = useIsNarrow();
  return (
    <Loaded query={runs} label="runs">
      {({ pages }) => {
        const found = pages.flatMap((page) => page.results);
        if (found.length === 0) {
          return (
            <Empty title="It never ran">
              <p>A run computes the query once and writes its rows in one commit, or none.</p>
            </Empty>
          );
        }
        return (
          <>
            <RunGridPanel pipeline={pipeline} runs={found} />
            <RunPlots runs={plottedRuns(found)} />
            <VirtualRows
              items={found}
              rowHeight={isNarrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT}
              keyOf={(run) => run.id}
              label="Runs"
              height="60vh"
              onEnd={runs.hasNextPage && !runs.isFetchingNextPage ? () => void runs.fetchNextPage() : undefined}
              row={(run) => <RunRow pipeline={pipeline} run={run} />}
            />
          </>
        );
      }}
    </Loaded>
  );
}

function RunPlots({ runs }: { runs: readonly PipelineRun[] }) {
  if (runs.length < 2) return null;
  const points = (value: (run: PipelineRun) => number) =>
    runs.map((run) => ({ value: value(run), label: run.committed_version === null ? "no commit" : `v${run.committed_version}` }));
  const marked = runs.length - 1;
  return (
    <Plots>
      <StepPlot title={`Rows written by the last ${counted(runs.length, "run")}`} points={points((run) => rowsTouched(run.metrics))} format={count} marked={marked} />
      <StepPlot title="Bytes written" points={points((run) => run.metrics.bytes_written ?? 0)} format={bytes} formatTick={bytesRound} marked={marked} />
      <StepPlot title="Time" points={points(runMilliseconds)} format={duration} marked={marked} />
    </Plots>
  );
}

function RunRow({ pipeline, run }: { pipeline: Pipeline; run: PipelineRun }) {
  const { catalog, branch, id } = pipeline;
  return (
    <div className={styles.row}>
      <Link to={pipelineRunAddress(catalog, id, run.id)} aria-label={`Run: ${run.state}${run.degraded ? ", degraded" : ""}`}>
        <RunState run={run} />
      </Link>
      <span className="small">
        <span className="number" title={rowsWords(run.metrics)}>
          {rowsText(run.metrics) || (run.state === "succeeded" ? "nothing to write" : "")}
        </span>
      </span>
      <Muted isSmall>
        {run.strategy ? <code>{run.strategy}</code> : null} version {run.version}
      </Muted>
      <span className="small">
        {run.committed_version === null ? null : (
          <Link to={`${branchAddress(catalog, branch)}?tab=history&commit=${run.committed_version}`} title={`${branch} after the run`}>
            v{run.committed_version}
          </Link>
        )}
      </span>
      <Muted isSmall className="number">{run.started_at ? <Elapsed from={run.started_at} to={run.finished_at} /> : null}</Muted>
      <Muted isSmall className="number">
        {run.trigger === "schedule" ? "schedule" : (run.created_by ?? "")}, <Time at={run.created_at} />
      </Muted>
    </div>
  );
}
