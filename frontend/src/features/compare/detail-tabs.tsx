import type { ReactNode } from "react";

import type { Column, ComparedDetail } from "../../api/resources";
import { bytes, count, counted } from "../../model/format";
import { isOpenPart } from "../../model/first-look";
import type { Pair } from "../../queries/compare";
import { FILE_COLUMNS, FileCells } from "../../ui/file-cells";
import { Grid, type GridColumn } from "../../ui/grid";
import { Muted } from "../../ui/muted";

/** What the target would be after the merge. */
export function ResultTab({ detail }: { detail: ComparedDetail }) {
  const { preview, files } = detail;
  if (!preview || !files) return <Muted as="p">There is a result once the conflicts are solved.</Muted>;
  const rows = `${preview.rows_are_exact ? "" : "about "}${count(preview.rows_after)}`;
  return (
    <>
      <dl className="five">
        <Change label="rows" before={count(preview.rows_before)} after={rows} />
        <Change label="files" before={count(preview.files_before)} after={count(preview.files_after)} />
        <Change label="size" before={bytes(preview.bytes_before)} after={bytes(preview.bytes_after)} />
        <div>
          <dt>new files</dt>
          <dd>{count(files.brought_count)}</dd>
        </div>
        <div>
          <dt>rewritten files</dt>
          <dd>{count(files.rewrites)}</dd>
        </div>
      </dl>
      <dl className="facts">
        <dt>Schema</dt>
        <dd>
          {preview.schema_changes ? "gets a new version" : "stays as it is"}:{" "}
          <code>{detail.columns.flatMap(({ result }) => (result ? [result.name] : [])).join(", ")}</code>
        </dd>
        <dt>Old schemas kept for old files</dt>
        <dd>{versions(preview.invisible_schema_versions)}</dd>
        <dt>Dropped</dt>
        <dd>{versions(preview.discarded_schema_versions)}</dd>
      </dl>
    </>
  );
}

function versions(found: readonly number[]): string {
  return found.length ? `schema ${found.map((version) => `v${version}`).join(", ")}` : "no schema version";
}

function Change({ label, before, after }: { label: string; before: string; after: string }) {
  return (
    <div>
      <dt>
        {label}
        {before === after ? ", unchanged" : `, was ${before}`}
      </dt>
      <dd>{after}</dd>
    </div>
  );
}

/** A grid of the four states of the object: what it was, what each side made of it, and what a merge would leave. */
function FourStates({ first, label, pair, children }: { first: GridColumn; label: string; pair: Pair; children: ReactNode }) {
  const columns = [first, ...["Base", pair.source, pair.destination, "Result"].map((title) => ({ title }))];
  return (
    <Grid label={label} columns={columns}>
      {children}
    </Grid>
  );
}

/** Columns in rows aligned by their id, so that a renamed one is one row. */
export function SchemaTab({ detail, pair, label = "Columns side by side" }: { detail: ComparedDetail; pair: Pair; label?: string }) {
  return (
    <FourStates first={{ title: "Id", isNumber: true }} label={label} pair={pair}>
      {detail.columns.map((column) => (
        <tr key={column.id}>
          <th scope="row" className="number">
            {column.id}
          </th>
          <ColumnCell column={column.base} />
          <ColumnCell column={column.source} before={column.base} />
          <ColumnCell column={column.destination} before={column.base} />
          {isOpenPart(detail, { column: column.id }) ? <OpenCell /> : <ColumnCell column={column.result} before={column.destination} />}
        </tr>
      ))}
    </FourStates>
  );
}

/** The result of what no person has decided yet. */
function OpenCell() {
  return <td className="muted">to decide</td>;
}

function ColumnCell({ column, before }: { column: Column | null; before?: Column | null }) {
  const isChanged = before !== undefined && columnText(column) !== columnText(before);
  if (!column) return <td className={isChanged ? "changed" : "gone"}>{isChanged ? "dropped" : "—"}</td>;
  return (
    <td className={isChanged ? "changed" : ""}>
      {column.name} <Muted>{columnType(column)}</Muted>
    </td>
  );
}

function columnType(column: Column): string {
  return `${column.type}${column.nullable ? "" : " NOT NULL"}${column.default === null ? "" : ` DEFAULT ${column.default}`}`;
}

function columnText(column: Column | null): string {
  return column ? `${column.name} ${columnType(column)} ${column.comment ?? ""}` : "";
}

export function FilesTab({ detail }: { detail: ComparedDetail }) {
  const { files } = detail;
  if (!files) return <Muted as="p">Which files come and go is known once the conflicts are solved.</Muted>;
  if (files.brought_count + files.removed_count + files.delete_files_attached === 0) {
    return <Muted as="p">No file comes or goes.</Muted>;
  }
  return (
    <>
      <p className="small">
        {counted(files.brought_count, "file")} brought, {count(files.removed_count)} removed,{" "}
        {counted(files.delete_files_attached, "delete file")} attached, {count(files.rewrites)} rewritten.
      </p>
      <Grid label="Files" columns={CHANGED_FILE_COLUMNS}>
        {files.brought.map((file) => (
          <ChangedFile key={`+${file.path}`} file={file} what="brought" />
        ))}
        {files.removed.map((file) => (
          <ChangedFile key={`-${file.path}`} file={file} what="removed" />
        ))}
      </Grid>
    </>
  );
}

const CHANGED_FILE_COLUMNS = [{ title: <span className="visually-hidden">Change</span> }, ...FILE_COLUMNS];

function ChangedFile({ file, what }: { file: NonNullable<ComparedDetail["files"]>["brought"][number]; what: string }) {
  return (
    <tr>
      <th scope="row">{what}</th>
      <FileCells file={file} />
    </tr>
  );
}

export function PropertiesTab({ detail, pair, label = "Properties side by side" }: { detail: ComparedDetail; pair: Pair; label?: string }) {
  if (detail.properties.length === 0) return <Muted as="p">It has no properties.</Muted>;
  return (
    <FourStates first={{ title: "Property" }} label={label} pair={pair}>
      {detail.properties.map((entry) => (
        <tr key={entry.key}>
          <th scope="row">{entry.key}</th>
          <td>{entry.base ?? "—"}</td>
          <td className={entry.source === entry.base ? "" : "changed"}>{entry.source ?? "—"}</td>
          <td className={entry.destination === entry.base ? "" : "changed"}>{entry.destination ?? "—"}</td>
          {isOpenPart(detail, { property: entry.key }) ? <OpenCell /> : <td>{entry.result ?? "—"}</td>}
        </tr>
      ))}
    </FourStates>
  );
}

export function PartitionsTab({ detail, pair }: { detail: ComparedDetail; pair: Pair }) {
  const { source, destination } = detail.partitions;
  if (source.length + destination.length === 0) return <Muted as="p">Neither side changed partitions.</Muted>;
  const lines = [
    ...source.map((change) => ({ who: pair.source, change })),
    ...destination.map((change) => ({ who: pair.destination, change })),
  ];
  return (
    <ul className="stack tight">
      {lines.map(({ who, change }, place) => (
        <li key={place}>
          {who}: {change.before ? partitionText(change.before) : "nothing"} →{" "}
          {change.after ? partitionText(change.after) : "dropped"}
        </li>
      ))}
    </ul>
  );
}

function partitionText(values: Record<string, string | null>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value ?? "null"}`)
    .join("/");
}
