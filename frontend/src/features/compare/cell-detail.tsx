import type { ComparedDetail, Finding, RuleCell, Rules, SideCommit } from "../../api/resources";
import { keyText } from "../../model/decisions";
import { count, counted } from "../../model/format";
import { findingMark } from "../../model/verdict";
import type { Pair } from "../../queries/compare";
import { MarkBadge } from "../../ui/mark";
import { Muted } from "../../ui/muted";
import styles from "./cell-detail.module.css";

/** Why a cell was judged as it was, and how to get out. */
export function CellDetail({
  pair,
  rules,
  findings,
  rule,
  commits,
}: {
  pair: Pair;
  rules: Rules;
  findings: readonly Finding[];
  /** Undefined for what no cell covers: a name that is taken, a database that is gone. */
  rule: RuleCell | undefined;
  commits: ComparedDetail;
}) {
  return (
    <div className={styles.detail} aria-live="polite">
      {findings.length === 0 && rule ? <p>{rule.sentence}</p> : null}
      {findings.map((finding, place) => (
        <FindingDetail key={place} pair={pair} rules={rules} finding={finding} rule={rule} commits={commits} />
      ))}
      {rule?.origin === "extension" ? (
        <Muted as="p" isSmall>This rule is lakeui’s own.</Muted>
      ) : null}
    </div>
  );
}

function FindingDetail({
  pair,
  rules,
  finding,
  rule,
  commits,
}: {
  pair: Pair;
  rules: Rules;
  finding: Finding;
  rule: RuleCell | undefined;
  commits: ComparedDetail;
}) {
  const code = rules.codes.find((known) => known.code === finding.code);
  return (
    <>
      <p className="row">
        <MarkBadge mark={findingMark(finding, rule)} />
        <strong>
          {finding.source_op}
          {finding.dest_op ? ` × ${finding.dest_op}` : ""}
        </strong>
        {code ? <span>{code.title}</span> : null}
      </p>
      <p>{finding.message}</p>
      <Statements pair={pair} finding={finding} commits={commits} />
      <Details details={finding.details} commits={commits} />
      {finding.remedy && finding.verdict !== "conflict" ? <Muted as="p">{finding.remedy}</Muted> : null}
    </>
  );
}

/** The statements of both sides that met in this cell. */
function Statements({ pair, finding, commits }: { pair: Pair; finding: Finding; commits: ComparedDetail }) {
  const mine = commits.source_commits.filter((commit) => finding.source_versions.includes(commit.version));
  const theirs = commits.dest_commits.filter((commit) => finding.dest_versions.includes(commit.version));
  if (mine.length + theirs.length === 0) return null;
  return (
    <dl className="facts">
      <StatementList name={pair.source} commits={mine} axis={finding.source_op} />
      <StatementList name={pair.destination} commits={theirs} axis={finding.dest_op} />
    </dl>
  );
}

function StatementList({ name, commits, axis }: { name: string; commits: readonly SideCommit[]; axis: string }) {
  return commits.map((commit) => (
    <div key={commit.version} style={{ display: "contents" }}>
      <dt>
        {name} <code>v{commit.version}</code>
      </dt>
      <dd>
        <pre>
          <code>{commit.statement}</code>
        </pre>
        <Touched commit={commit} axis={axis} />
      </dd>
    </div>
  ));
}

/** What the operation of this axis touched: columns, properties and partitions by name, rows by the files they are in. */
function Touched({ commit, axis }: { commit: SideCommit; axis: string }) {
  const changed = commit.operations.filter(({ kind }) => kind === axis).flatMap((operation) => operation.changed);
  if (changed.length) {
    return (
      <p className="small">
        changed <strong>{changed.join(", ")}</strong>
      </p>
    );
  }
  if (commit.files.length === 0) return null;
  const more = commit.files_added + commit.files_touched - commit.files.length;
  return (
    <details className="small">
      <summary>
        {commit.rows ? `${counted(commit.rows, "row")}, ` : ""}
        {commit.files_touched ? `${counted(commit.files_touched, "file")} touched, ` : ""}
        {counted(commit.files_added, "file")} written
      </summary>
      <ul aria-label={`Files of v${commit.version}`}>
        {commit.files.map((file) => (
          <li key={file.file_id}>
            {file.is_new ? "written" : "touched"} <code className="path">{file.path}</code>
          </li>
        ))}
        {more > 0 ? <li className="muted">and {count(more)} more</li> : null}
      </ul>
    </details>
  );
}

/** Details that the sentence of the finding, or the decision beside it, says already, by name where they are ids. */
const TOLD_ELSEWHERE = new Set(["finer", "resolutions", "effect", "taken_by", "part_key", "name"]);

function isForPeople(name: string): boolean {
  return !TOLD_ELSEWHERE.has(name) && !name.endsWith("_id");
}

/** Whether a detail says something: that no file is named, or that none is emptied, is left out. */
function isThere(name: string, value: unknown): boolean {
  return !(Array.isArray(value) && value.length === 0) && !(name.endsWith("files") && value === 0);
}

function Details({ details, commits }: { details: Record<string, unknown>; commits: ComparedDetail }) {
  const entries = Object.entries(details).filter(([name, value]) => isForPeople(name) && isThere(name, value));
  if (entries.length === 0) return null;
  const known = [...commits.source_commits, ...commits.dest_commits].flatMap((commit) => commit.files);
  const paths = new Map<unknown, string>(known.map((file) => [file.file_id, file.path]));
  return (
    <dl className="facts">
      {entries.map(([name, value]) => (
        <div key={name} style={{ display: "contents" }}>
          <dt>{name.replaceAll("_", " ")}</dt>
          <dd>
            <code className="path">{detailText(namedDetail(name, value, paths))}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Files by their paths, rows by what is in their keys. */
function namedDetail(name: string, value: unknown, paths: ReadonlyMap<unknown, string>): unknown {
  if (!Array.isArray(value)) return value;
  if (name === "files") return value.map((id: unknown) => paths.get(id) ?? `file ${String(id)}`);
  return name === "keys" ? value.map((key: unknown) => keyText(String(key))).join("; ") : value;
}

function detailText(value: unknown): string {
  if (Array.isArray(value)) return value.map((item: unknown) => detailText(item)).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
