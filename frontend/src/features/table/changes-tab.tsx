import { useState } from "react";

import type { RowPage, TableDetail } from "../../api/resources";
import { counted } from "../../model/format";
import { diffRows, tellingColumns } from "../../model/row-diff";
import { useChanges, useTableHistory, type TablePlace } from "../../queries/tables";
import { AllColumns, RowDiffTable } from "../../ui/row-diff-table";
import { Empty, Loaded } from "../../ui/states";

/** What became of which row between two versions, with changed cells coloured. */
export function ChangesTab({ place, table }: { place: TablePlace; table: TableDetail }) {
  const history = useTableHistory(place);
  return (
    <Loaded query={history} label="versions">
      {({ pages }) => {
        const versions = pages.flatMap((page) => page.results).map((commit) => commit.version);
        if (versions.length < 2) return <Empty title="It has only one version so far" />;
        return <VersionPair key={table.head_version} place={place} table={table} versions={versions} />;
      }}
    </Loaded>
  );
}

function VersionPair({ place, table, versions }: { place: TablePlace; table: TableDetail; versions: readonly number[] }) {
  const [from, setFrom] = useState(versions[1] ?? 0);
  const [to, setTo] = useState(versions[0] ?? 0);
  const changes = useChanges(place, from, to);
  return (
    <>
      <div className="inside row">
        <VersionField label="From" value={from} versions={versions} onChange={setFrom} />
        <VersionField label="to" value={to} versions={versions} onChange={setTo} />
      </div>
      <Loaded query={changes} label="the row diff">
        {(page) =>
          page.rows.length === 0 ? <Empty title="No row differs between these versions" /> : <Diff page={page} table={table} />
        }
      </Loaded>
    </>
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
