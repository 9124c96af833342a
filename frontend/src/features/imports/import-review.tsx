import { useState } from "react";
import { useNavigate } from "react-router";

import { asProblem } from "../../api/problem";
import type { Column, FileImport } from "../../api/resources";
import { importAddress, taskAddress } from "../../model/addresses";
import { bytes, counted } from "../../model/format";
import { columnsChosen } from "../../model/import-choices";
import { columnsMissing, columnsUnknown, tableNameOf } from "../../model/import-target";
import { useImportDiscard, useImportLoad, useImportReread, useOpenChoices, type ImportPlace } from "../../queries/imports";
import { useDatabases, useTable } from "../../queries/tables";
import { Button } from "../../ui/button";
import { Muted } from "../../ui/muted";
import { Panel } from "../../ui/page";
import { ResultGrid } from "../../ui/result-grid";
import { Failure } from "../../ui/states";
import { Time } from "../../ui/time";
import { MessageField } from "../sql/write-dialog";
import { JUST_STARTED } from "../tasks/just-started";
import { ColumnChoices } from "./column-choices";
import { PlainNames } from "./plain-names";
import { ReadingOptions } from "./reading-options";
import { TargetFields, type Target } from "./target-fields";

/** What was found in a file, how it is read, and where it goes. */
export function ImportReview({
  place,
  file,
  into,
}: {
  place: ImportPlace;
  file: FileImport;
  /** The table that the person came from; empty names where none. */
  into: { database: string; table: string };
}) {
  const databases = useDatabases(place.catalog, place.branch);
  const [chosen, setTarget] = useState<Target>({
    mode: into.table ? "append" : "create",
    database: into.database,
    table: into.table || tableNameOf(file.name),
    key: [],
    partition: [],
  });
  const [only, ...others] = databases.data?.results ?? [];
  const target = { ...chosen, database: chosen.database || (others.length ? "" : (only?.name ?? "")) };
  const isAppend = target.mode === "append";
  const table = useTable({ ...place, database: target.database, table: target.table }, undefined, isAppend && target.table !== "");
  const columns = isAppend && !table.error ? table.data?.columns : undefined;
  const reread = useImportReread(place, file.id);
  const open = useOpenChoices(file.id);
  const chosenFile = { ...file, columns: columnsChosen(file.columns, open) };
  return (
    <>
      <FileFacts place={place} file={file} />
      <Panel title="Where it goes" padded>
        <TargetFields place={place} target={target} onChange={setTarget} />
      </Panel>
      <Panel title="Columns">
        {file.encoding ? <ReadingOptions file={file} open={open} reread={reread} /> : null}
        <PlainNames columns={chosenFile.columns} reread={reread} isOffered={!isAppend} />
        <ColumnChoices file={chosenFile} open={open} reread={reread} target={target} onTarget={setTarget} table={columns} />
      </Panel>
      <Sample file={chosenFile} />
      {isAppend && table.error ? <Obstacle>{asProblem(table.error).message}</Obstacle> : null}
      <LoadButton place={place} file={chosenFile} target={target} table={columns} />
    </>
  );
}

function FileFacts({ place, file }: { place: ImportPlace; file: FileImport }) {
  const navigate = useNavigate();
  const discard = useImportDiscard(place);
  const throwAway = () =>
    discard.mutate(file.id, { onSuccess: () => void navigate(importAddress(place.catalog, place.branch), { replace: true }) });
  return (
    <Panel
      title={file.name}
      actions={
        <Button isSmall disabled={discard.isPending} onClick={throwAway}>
          Discard
        </Button>
      }
    >
      <div className="inside stack tight">
        <Muted as="p" isSmall className="row">
          <span>{file.compression ? `${file.format}, ${file.compression}` : file.format}</span>
          {file.encoding ? <span>{file.encoding}</span> : null}
          <span>{bytes(file.bytes)}</span>
          <span>{counted(file.rows, "row")}</span>
          <span>{counted(file.columns.length, "column")}</span>
          <span>
            expires <Time at={file.expires_at} />
          </span>
        </Muted>
        {file.warnings.map((warning) => (
          <p key={warning} className="notice amber small">
            {warning}
          </p>
        ))}
        {discard.error ? <Failure error={discard.error} /> : null}
      </div>
    </Panel>
  );
}

function Sample({ file }: { file: FileImport }) {
  const taken = file.columns.flatMap((column, place) => (column.include ? [place] : []));
  if (file.sample.length === 0) return null;
  return (
    <Panel title={`The first ${counted(file.sample.length, "row")}`}>
      <ResultGrid
        label="The first rows"
        columns={taken.map((place) => ({ name: file.columns[place]?.name ?? "", type: file.columns[place]?.type ?? "" }))}
        rows={file.sample.map((row) => taken.map((place) => row[place]))}
        height="320px"
      />
    </Panel>
  );
}

/** Loads, or says what stands against it. */
function LoadButton({
  place,
  file,
  target,
  table,
}: {
  place: ImportPlace;
  file: FileImport;
  target: Target;
  table: readonly Column[] | undefined;
}) {
  const navigate = useNavigate();
  const load = useImportLoad(place, file.id);
  const [message, setMessage] = useState("");
  const missing = table ? columnsMissing(file.columns, table) : [];
  const unknown = table ? columnsUnknown(file.columns, table) : [];
  const isNew = target.mode === "create";
  const isKnown = isNew ? target.database !== "" && target.table.trim() !== "" : table !== undefined;
  const isReady = isKnown && missing.length + unknown.length === 0;
  const start = () =>
    load.mutate(
      (read) => ({
        mode: target.mode,
        database: target.database,
        table: target.table.trim(),
        primary_key: isNew ? namesOf(read, target.key) : [],
        partition_by: isNew ? namesOf(read, target.partition) : [],
        ...(message.trim() ? { message: message.trim() } : {}),
      }),
      { onSuccess: (task) => void navigate(taskAddress(task.id), { state: JUST_STARTED }) },
    );
  const where = `${target.database}.${target.table.trim()}`;
  return (
    <div className="stack tight">
      {unknown.length ? <Obstacle>The table has no column {unknown.join(", ")}: rename it above, or leave it out.</Obstacle> : null}
      {missing.length ? <Obstacle>The table needs a value for {missing.join(", ")}, and the file has none.</Obstacle> : null}
      {load.error ? <Failure error={load.error} /> : null}
      <MessageField value={message} onChange={setMessage} />
      <p className="row">
        <Button look="primary" disabled={!isReady || load.isPending} onClick={start}>
          {load.isPending ? "Starting …" : isNew ? `Create ${where}` : `Append to ${where}`}
        </Button>
        <Muted isSmall>
          {counted(file.rows, "row")} are imported to {place.branch} in one commit: all of them or none.
        </Muted>
      </p>
    </div>
  );
}

/** What these columns of the file are called in the table. */
function namesOf(file: FileImport, sources: readonly string[]): string[] {
  return file.columns.filter((column) => column.include && sources.includes(column.source)).map((column) => column.name);
}

function Obstacle({ children }: { children: React.ReactNode }) {
  return (
    <p className="notice conflict">
      <span className="symbol" aria-hidden="true">
        ✕
      </span>
      <span>{children}</span>
    </p>
  );
}
