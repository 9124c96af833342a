import { useState } from "react";

import type { RowPage, TableDetail } from "../../api/resources";
import { counted } from "../../model/format";
import { diffRows, tellingColumns } from "../../model/row-diff";
import { useBranches, useTags } from "../../queries/catalogs";
import { useChanges, useTableHistory, type ChangePoint, type TablePlace } from "../../queries/tables";
import { Muted } from "../../ui/muted";
import { AllColumns, RowDiffTable } from "../../ui/row-diff-table";
import { Select } from "../../ui/select";
import { Empty, Loaded } from "../../ui/states";

/** What became of which row between two versions, branches or tags, with changed cells coloured. */
export function ChangesTab({ place, table }: { place: TablePlace; table: TableDetail }) {
  const history = useTableHistory(place);
  const branches = useBranches(place.catalog);
  const tags = useTags(place.catalog);
  const others: readonly ChangePoint[] = [
    ...(branches.data?.pages.flatMap((page) => page.results) ?? []).map(({ name }) => ({ branch: name })).filter(({ branch }) => branch !== place.branch),
    ...(tags.data?.results ?? []).map(({ name }) => ({ tag: name })),
  ];
  return (
    <Loaded query={history} label="versions">
      {({ pages }) => {
        const versions = pages.flatMap((page) => page.results).map(({ version }) => ({ version }));
        if (versions.length < 2 && others.length === 0) return <Empty title="It has only one version so far" />;
        return <Pair key={table.head_version} place={place} table={table} versions={versions.length ? versions : [{ version: table.version }]} others={others} />;
      }}
    </Loaded>
  );
}

interface Points {
  versions: readonly { version: number }[];
  others: readonly ChangePoint[];
}

function Pair({ place, table, versions, others }: { place: TablePlace; table: TableDetail } & Points) {
  const [chosen, setFrom] = useState<ChangePoint>();
  const [to, setTo] = useState<ChangePoint>(versions[0] ?? { version: 0 });
  const from = chosen ?? versions[1] ?? others[0] ?? { version: 0 };
  return (
    <>
      <div className="inside row">
        <PointField label="From" value={from} branch={place.branch} onChange={setFrom} {...{ versions, others }} />
        <PointField label="to" value={to} branch={place.branch} onChange={setTo} {...{ versions, others }} />
      </div>
      <Loaded query={useChanges(place, from, to)} label="the row diff">
        {(page) => (page.rows.length === 0 ? <Empty title={`No row differs between ${named(from)} and ${named(to)}`} /> : <Diff page={page} table={table} />)}
      </Loaded>
    </>
  );
}

function PointField({ label, value, branch, versions, others, onChange }: { label: string; value: ChangePoint; branch: string; onChange: (point: ChangePoint) => void } & Points) {
  const groups: [string, readonly ChangePoint[]][] = [
    [`Versions of ${branch}`, versions],
    ["Branches", others.filter((point) => "branch" in point)],
    ["Tags", others.filter((point) => "tag" in point)],
  ];
  return (
    <label className="row">
      {label}
      <Select className="state-filter" value={JSON.stringify(value)} onChange={(event) => onChange(JSON.parse(event.target.value) as ChangePoint)}>
        {groups
          .filter(([, points]) => points.length > 0)
          .map(([group, points]) => (
            <optgroup key={group} label={group}>
              {points.map((point) => (
                <option key={named(point)} value={JSON.stringify(point)}>
                  {named(point)}
                </option>
              ))}
            </optgroup>
          ))}
      </Select>
    </label>
  );
}

function named(point: ChangePoint): string {
  if ("version" in point) return `v${point.version}`;
  return "branch" in point ? point.branch : point.tag;
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
      <Muted as="p" isSmall className="inside row">
        {counted(rows.filter(({ change }) => change !== "update_before").length, "row")}{page.truncated ? "; there are more than are shown" : ""}.
        {telling.length < columns.length ? <AllColumns count={columns.length} isWhole={isWhole} onChange={setWhole} /> : null}
      </Muted>
    </>
  );
}
