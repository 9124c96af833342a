/** A pipeline of the demo lake, its keys and a run of it, for tests. */
import type { EffectiveConfiguration, Pipeline, PipelineField, PipelineRunDetail, PipelineSummary, Strategy } from "../api/resources";
import { STRATEGY_NAMES } from "../model/strategies";

const time = "2026-01-02T00:00:00Z";
const KEYED: Strategy[] = ["incremental", "delete_insert", "scd2"];

function field(name: string, kind: PipelineField["kind"], given: Partial<PipelineField> = {}): PipelineField {
  return { name, kind, default: null, description: `About ${name}.`, choices: [], strategies: STRATEGY_NAMES, required_by: [], ...given };
}

export const FIELDS: PipelineField[] = [
  field("merge_strategy", "a choice", { default: "full_refresh", choices: STRATEGY_NAMES }),
  field("unique_key", "a list of columns", { default: [], strategies: KEYED, required_by: KEYED }),
  field("watermark_column", "a column's name", { strategies: ["incremental", "scd2"] }),
  field("partition_column", "a column's name", { strategies: ["snapshot"], required_by: ["snapshot"] }),
  field("partitions", "a list of values", { default: [], strategies: ["snapshot"] }),
  field("scd_valid_from", "a column's name", { default: "valid_from", strategies: ["scd2"] }),
  field("allow_empty", "true or false", { default: false, strategies: ["full_refresh"] }),
  field("publish", "a choice", { default: "direct", choices: ["direct", "checked"] }),
  field("checks", "a list of conditions", { default: [] }),
  field("strict", "true or false", { default: false }),
  field("description", "text", { default: "" }),
];

export function configuration(given: Record<string, Partial<EffectiveConfiguration["fields"][string]>> = {}, more: Partial<EffectiveConfiguration> = {}): EffectiveConfiguration {
  const fields = FIELDS.map(({ name, default: value }) => [name, { value, origin: "default" as const, line: null, ...given[name] }] as const);
  return { strategy: "full_refresh", asked_strategy: "full_refresh", degraded: false, missing: [], warnings: [], fields: Object.fromEntries(fields), ...more };
}

export const INCREMENTAL = configuration(
  {
    merge_strategy: { value: "incremental", origin: "config.yaml", line: 2 },
    unique_key: { value: ["tailnum"], origin: "source", line: 1 },
    watermark_column: { value: "time_hour", origin: "config.yaml", line: 3 },
  },
  { strategy: "incremental", asked_strategy: "incremental" },
);

export const PIPELINE: Pipeline = {
  id: 7, catalog: "demo", name: "last_seen", layer: "silver", database: "flights", table: "seen", branch: "main",
  source: "-- @unique_key: tailnum\nSELECT * FROM flights.flights", config: "# ours\nmerge_strategy: incremental\nwatermark_column: time_hour\n",
  schedule: "0 6 * * *", schedule_timezone: "Europe/Berlin", owner: "alice", version: 3, created_at: time, updated_at: time, configuration: INCREMENTAL,
};

export function run(given: Partial<PipelineRunDetail> = {}): PipelineRunDetail {
  return {
    id: "r-1", url: "/api/v1/tasks/r-1/", state: "succeeded", progress: 1, message: "", trigger: "manual", due_at: null, version: 3, degraded: false,
    strategy: "incremental", metrics: { rows_inserted: 1200, rows_updated: 30, rows_deleted: 0, files_added: 2, files_removed: 1, bytes_written: 4096 },
    committed_version: 17, created_by: "alice", created_at: time, started_at: "2026-01-02T00:00:01Z", finished_at: "2026-01-02T00:00:04Z",
    configuration: INCREMENTAL, sql: "SELECT 1 AS one", log: [], steps: [], error: null, expected: null, ...given,
  };
}

export function summary(given: Partial<PipelineSummary> = {}): PipelineSummary {
  const { id, catalog, name, layer, database, table, branch, schedule, schedule_timezone, owner } = PIPELINE;
  return { id, catalog, name, layer, database, table, branch, schedule, schedule_timezone, owner, next_run_at: null, strategy: "incremental", degraded: false, last_run: run(), ...given };
}
