import { useMemo, useState, type ReactNode } from "react";
import { Link } from "react-router";

import type { ComparedDetail, ObjectKind, RuleTable, Rules, SideCommit } from "../../api/resources";
import { sqlAddress } from "../../model/addresses";
import { counted } from "../../model/format";
import { firstPlace, matrixOf, type Place } from "../../model/matrix";
import type { CellAnchor } from "../../model/timeline";
import { objectMark } from "../../model/verdict";
import { useComparedObject, useRules, type Pair } from "../../queries/compare";
import { MarkBadge } from "../../ui/mark";
import { Loaded } from "../../ui/states";
import { Tabs } from "../../ui/tabs";
import { Time } from "../../ui/time";
import { CellDetail } from "./cell-detail";
import { ComparedRows } from "./compared-rows";
import type { RowAdditions } from "./conflicting-rows";
import { FilesTab, PartitionsTab, PropertiesTab, ResultTab, SchemaTab } from "./detail-tabs";
import { MatrixTable } from "./matrix-table";

const ACTIONS: Record<string, string> = {
  create: "would be created",
  drop: "would be dropped",
  alter: "would be changed",
  untouched: "would stay as it is",
};

/** What a page around a comparison adds: beside the judgement of an object, beneath a cell of its matrix, and beneath a
 * row that conflicts. */
export interface Additions {
  object: (detail: ComparedDetail) => ReactNode;
  cell: (detail: ComparedDetail, cell: CellAnchor) => ReactNode;
  rows: RowAdditions;
}

export function ObjectDetail({
  pair,
  kind,
  objectId,
  additions,
}: {
  pair: Pair;
  kind: ObjectKind;
  objectId: number;
  additions?: Additions;
}) {
  const detail = useComparedObject(pair, kind, objectId);
  const rules = useRules();
  return (
    <section className="panel" aria-label="Chosen object">
      <Loaded query={detail} label="what both sides did">
        {(found) => (
          <>
            <header>
              <h2>{found.names.result ?? found.name}</h2>
              <span className="small muted">{ACTIONS[found.action] ?? found.action}</span>
              <MarkBadge mark={objectMark(found.verdict)} />
            </header>
            <div className="sides">
              <Side catalog={pair.catalog} name={pair.source} commits={found.source_commits} />
              <Side catalog={pair.catalog} name={pair.destination} commits={found.dest_commits} />
            </div>
            <div className="inside stack">
              <Loaded query={rules} label="the rules">
                {(known) => <Judgement pair={pair} detail={found} rules={known} cellAddition={additions?.cell} />}
              </Loaded>
              {additions?.object(found)}
              <DetailTabs detail={found} pair={pair} rowAdditions={additions?.rows} />
            </div>
          </>
        )}
      </Loaded>
    </section>
  );
}

function Side({ catalog, name, commits }: { catalog: string; name: string; commits: readonly SideCommit[] }) {
  return (
    <section>
      <h3>{name} did</h3>
      {commits.length === 0 ? <p className="small muted">Nothing to this object since the merge base.</p> : null}
      {commits.map((commit) => (
        <details key={`${commit.branch} ${commit.version}`} className="side-commit">
          <summary>
            <code>v{commit.version}</code> {commit.operation}
            {commit.rows ? ` ${counted(commit.rows, "row")}` : ""}
            {commit.files_touched ? <span className="muted"> in {counted(commit.files_touched, "file")}</span> : null}
          </summary>
          <pre>
            <code>{commit.statement}</code>
          </pre>
          <p className="muted">
            {commit.author || "someone"}, <Time at={commit.time} /> ·{" "}
            <Link to={sqlAddress(catalog, name, commit.statement)}>Run it again</Link>
          </p>
        </details>
      ))}
    </section>
  );
}

type CellAddition = Additions["cell"] | undefined;

function Judgement({
  pair,
  detail,
  rules,
  cellAddition,
}: {
  pair: Pair;
  detail: ComparedDetail;
  rules: Rules;
  cellAddition: CellAddition;
}) {
  const table = rules.tables.find((known) => known.name === detail.rule_table);
  const bySource = detail.cells.filter((cell) => cell.rule_table === "");
  if (!table) return null;
  return (
    <>
      {bySource.map((finding, place) => (
        <CellDetail key={place} pair={pair} rules={rules} findings={[finding]} commits={detail} rule={undefined} />
      ))}
      <JudgedMatrix pair={pair} detail={detail} rules={rules} table={table} cellAddition={cellAddition} />
    </>
  );
}

function JudgedMatrix({
  pair,
  detail,
  rules,
  table,
  cellAddition,
}: {
  pair: Pair;
  detail: ComparedDetail;
  rules: Rules;
  table: RuleTable;
  cellAddition: CellAddition;
}) {
  const [whole, setWhole] = useState(false);
  const done = useMemo(() => operationsDone(detail, table), [detail, table]);
  const matrix = useMemo(
    () => matrixOf(table, detail.cells.filter((cell) => cell.rule_table === table.name), done, whole),
    [table, detail, done, whole],
  );
  const [chosen, setChosen] = useState<{ place: Place; whole: boolean }>();
  const place = chosen?.whole === whole ? chosen.place : firstPlace(matrix);
  const cell = place && matrix.cells[place.row]?.[place.column];
  const neverMet = detail.cells.length === 0;
  return (
    <>
      <div className="row apart">
        <p className="small muted grow">
          {neverMet && !whole ? (
            "Only one side changed it, so no rule had to decide anything."
          ) : (
            <>
              Rows: what <strong>{pair.source}</strong> did. Columns: what <strong>{pair.destination}</strong> did. The table is not
              symmetric.
            </>
          )}
        </p>
        <button type="button" className="button small" aria-pressed={whole} onClick={() => setWhole(!whole)}>
          {whole ? "Only what was hit" : "Whole table"}
        </button>
      </div>
      {neverMet && !whole ? null : (
        <MatrixTable
          matrix={matrix}
          chosen={place}
          onChoose={(next) => setChosen({ place: next, whole })}
          source={pair.source}
          destination={pair.destination}
        />
      )}
      {neverMet && !whole ? null : <Legend />}
      {cell && (cell.isHit || chosen) ? (
        <>
          <CellDetail pair={pair} rules={rules} findings={cell.findings} rule={cell.rule} commits={detail} />
          {cellAddition?.(detail, { rule_table: table.name, source_op: cell.rule.source, dest_op: cell.rule.destination })}
        </>
      ) : null}
    </>
  );
}

function Legend() {
  return (
    <p className="legend">
      <span>✓ no conflict</span>
      <span>≈ depends, decided fine</span>
      <span>✕ conflict</span>
      <span>⤓ for information</span>
      <span>◆ decided by a person</span>
      <span>· not hit</span>
      <span className="dashed">lakeui’s own rule</span>
    </p>
  );
}

/** Axes that each side hit, from its commits: a cell is known only where both met. */
function operationsDone(detail: ComparedDetail, table: RuleTable): { source: string[]; destination: string[] } {
  const axes = new Set(table.axes.map((axis) => axis.key));
  const keys = (commits: readonly SideCommit[]) => [
    ...new Set(commits.flatMap((commit) => commit.operations.map(({ kind }) => kind)).filter((kind) => axes.has(kind))),
  ];
  return { source: keys(detail.source_commits), destination: keys(detail.dest_commits) };
}

type TabKey = "result" | "schema" | "rows" | "files" | "properties" | "partitions";

function DetailTabs({ detail, pair, rowAdditions }: { detail: ComparedDetail; pair: Pair; rowAdditions: RowAdditions | undefined }) {
  const isTable = detail.kind === "table";
  const [chosen, setChosen] = useState<TabKey>(!isTable ? "properties" : detail.preview ? "result" : "schema");
  const changedColumns = detail.columns.filter((column) => column.is_changed).length;
  const tabs = [
    { key: "result" as const, label: "Result" },
    { key: "schema" as const, label: "Schema", count: changedColumns },
    { key: "rows" as const, label: "Rows" },
    { key: "files" as const, label: "Files", count: detail.files ? detail.files.brought_count + detail.files.removed_count : undefined },
    { key: "properties" as const, label: "Properties", count: detail.properties.filter((entry) => entry.is_changed).length },
    { key: "partitions" as const, label: "Partitions", count: detail.partitions.source.length + detail.partitions.destination.length },
  ].filter((tab) => isTable || tab.key === "properties");
  return (
    <Tabs tabs={tabs} chosen={chosen} onChoose={setChosen} label="What changes">
      {chosen === "result" ? <ResultTab detail={detail} /> : null}
      {chosen === "schema" ? <SchemaTab detail={detail} pair={pair} /> : null}
      {chosen === "rows" ? <ComparedRows pair={pair} detail={detail} additions={rowAdditions} /> : null}
      {chosen === "files" ? <FilesTab detail={detail} /> : null}
      {chosen === "properties" ? <PropertiesTab detail={detail} pair={pair} /> : null}
      {chosen === "partitions" ? <PartitionsTab detail={detail} pair={pair} /> : null}
    </Tabs>
  );
}
