import { useState } from "react";
import { Link } from "react-router";

import type { RowPage, TableDetail } from "../../api/resources";
import { taskAddress } from "../../model/addresses";
import { counted } from "../../model/format";
import { asChanges, diffRows, tellingColumns } from "../../model/row-diff";
import { useBranches, useTags } from "../../queries/catalogs";
import { useChanges, useDifference, useTableHistory, type TablePlace } from "../../queries/tables";
import { AllColumns, RowDiffTable } from "../../ui/row-diff-table";
import { Empty, Loaded } from "../../ui/states";

const OF_VERSION = "v";

/** What became of which row between two versions, or since another branch or a tag, with changed cells coloured. */
export function ChangesTab({ place, table }: { place: TablePlace; table: TableDetail }) {
  const history = useTableHistory(place);
  const branches = useBranches(place.catalog);
  const tags = useTags(place.catalog);
  const others = {
    branches: (branches.data?.pages.flatMap((page) => page.results) ?? []).map(({ name }) => name).filter((name) => name !== place.branch),
    tags: tags.data?.results.map(({ name }) => name) ?? [],
  };
  return (
    <Loaded query={history} label="versions">
      {({ pages }) => {
        const versions = pages.flatMap((page) => page.results).map((commit) => commit.version);
        if (versions.length < 2 && others.branches.length + others.tags.length === 0) return <Empty title="It has only one version so far" />;
        return <Pair key={table.head_version} place={place} table={table} versions={versions.length ? versions : [table.version]} others={others} />;
      }}
    </Loaded>
  );
}

interface Others {
  branches: readonly string[];
  tags: readonly string[];
}

/** Numbers are versions of the branch, texts name a tag or another branch. */
type From = number | string;

function Pair({ place, table, versions, others }: { place: TablePlace; table: TableDetail; versions: readonly number[]; others: Others }) {
  const [chosen, setFrom] = useState<From>();
  const [to, setTo] = useState(versions[0] ?? 0);
  const from = chosen ?? versions[1] ?? others.branches[0] ?? others.tags[0] ?? 0;
  return (
    <>
      <div className="inside row">
        <FromField value={from} versions={versions} others={others} branch={place.branch} onChange={setFrom} />
        <VersionField label="to" value={to} versions={versions} onChange={setTo} />
      </div>
      {typeof from === "number" ? <BetweenVersions place={place} table={table} from={from} to={to} /> : <SinceOther place={place} table={table} from={from} to={to} />}
    </>
  );
}

function BetweenVersions({ place, table, from, to }: { place: TablePlace; table: TableDetail; from: number; to: number }) {
  return (
    <Loaded query={useChanges(place, from, to)} label="the row diff">
      {(page) => <Found page={page} table={table} none="No row differs between these versions" />}
    </Loaded>
  );
}

function SinceOther({ place, table, from, to }: { place: TablePlace; table: TableDetail; from: string; to: number }) {
  return (
    <Loaded query={useDifference(place, from, to)} label="the row diff">
      {(outcome) =>
        outcome.kind === "task" ? (
          <p className="inside small">
            The comparison takes longer: <Link to={taskAddress(outcome.task.id)}>its task</Link> has the rows when it ends.
          </p>
        ) : (
          <Found page={asChanges(outcome.answer)} table={table} none={`No row differs from ${from}`} />
        )
      }
    </Loaded>
  );
}

function Found({ page, table, none }: { page: RowPage; table: TableDetail; none: string }) {
  return page.rows.length === 0 ? <Empty title={none} /> : <Diff page={page} table={table} />;
}

function FromField({ value, versions, others, branch, onChange }: { value: From; versions: readonly number[]; others: Others; branch: string; onChange: (from: From) => void }) {
  const named = others.tags.concat(others.branches.filter((name) => !others.tags.includes(name)));
  const choose = (said: string) => onChange(said.startsWith(OF_VERSION) ? Number(said.slice(OF_VERSION.length)) : (named[Number(said)] ?? ""));
  const option = (name: string) => (
    <option key={name} value={named.indexOf(name)}>
      {name}
    </option>
  );
  return (
    <label className="row">
      From
      <select className="input state-filter" value={typeof value === "number" ? `${OF_VERSION}${value}` : named.indexOf(value)} onChange={(event) => choose(event.target.value)}>
        <optgroup label={`Versions of ${branch}`}>
          {versions.map((version) => (
            <option key={version} value={`${OF_VERSION}${version}`}>
              v{version}
            </option>
          ))}
        </optgroup>
        {others.branches.length ? <optgroup label="Branches">{others.branches.filter((name) => !others.tags.includes(name)).map(option)}</optgroup> : null}
        {others.tags.length ? <optgroup label="Tags">{others.tags.map(option)}</optgroup> : null}
      </select>
    </label>
  );
}

function VersionField({
  label,
  value,
  versions,
  onChange,
}: {
  label: string;
  value: number;
  versions: readonly number[];
  onChange: (version: number) => void;
}) {
  return (
    <label className="row">
      {label}
      <select className="input state-filter" value={value} onChange={(event) => onChange(Number(event.target.value))}>
        {versions.map((version) => (
          <option key={version} value={version}>
            v{version}
          </option>
        ))}
      </select>
    </label>
  );
}

function Diff({ page, table }: { page: RowPage; table: TableDetail }) {
  const [isWhole, setWhole] = useState(false);
  const rows = diffRows(page);
  const columns = page.columns.slice(2);
  const keys = table.columns.filter((column) => column.key_position !== null).map((column) => column.name);
  const telling = tellingColumns(columns.map((column) => column.name), rows, keys);
  return (
    <>
      <RowDiffTable columns={columns} rows={rows} label="Changed rows" {...(isWhole ? {} : { shown: telling })} />
      <p className="inside row small muted">
        {counted(rows.filter(({ change }) => change !== "update_before").length, "row")}{page.truncated ? "; there are more than are shown" : ""}.
        {telling.length < columns.length ? <AllColumns count={columns.length} isWhole={isWhole} onChange={setWhole} /> : null}
      </p>
    </>
  );
}
