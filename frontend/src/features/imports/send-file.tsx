import { useState, type DragEvent } from "react";
import { Link } from "react-router";

import { importAddress } from "../../model/addresses";
import { bytes, counted } from "../../model/format";
import { useImports, useImportSend, type ImportPlace } from "../../queries/imports";
import { Icon } from "../../ui/icons";
import { Panel } from "../../ui/page";
import { Failure } from "../../ui/states";
import { Time } from "../../ui/time";

const ACCEPTED = ".csv,.tsv,.txt,.json,.jsonl,.ndjson,.parquet,.arrow,.arrows,.feather,.gz,.zst,.bz2";

export function SendFile({ place, onSent }: { place: ImportPlace; onSent: (importId: string) => void }) {
  const send = useImportSend(place);
  const start = (file: File | undefined) => {
    if (file) send.mutate(file, { onSuccess: (made) => onSent(made.id) });
  };
  return (
    <>
      <Panel padded>
        {send.isPending ? (
          <SendProgress file={send.variables} share={send.share} onCancel={send.cancel} />
        ) : (
          <DropZone onFile={start} />
        )}
      </Panel>
      {send.error && !send.isPending ? <Failure error={send.error} /> : null}
      <WaitingFiles place={place} />
    </>
  );
}

/** A file field that is also a place to drop on. */
function DropZone({ onFile }: { onFile: (file: File | undefined) => void }) {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onFile(event.dataTransfer.files[0]);
  };
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- dropping is a second way; the field in it has the keyboard's
    <label className={`drop-zone ${isOver ? "over" : ""}`} onDragOver={over} onDragLeave={() => setOver(false)} onDrop={drop}>
      <Icon name="import" size={28} />
      <span>
        <strong>Drop a file here</strong>, or <span className="choose">choose one</span>
      </span>
      <span className="small muted">CSV, JSON (an array of objects, or one a line), Parquet or Arrow. Nothing is written before you say so.</span>
      <input
        type="file"
        className="visually-hidden"
        aria-label="Choose a file"
        accept={ACCEPTED}
        onChange={(event) => onFile(event.target.files?.[0])}
      />
    </label>
  );
}

function SendProgress({ file, share, onCancel }: { file: File; share: number; onCancel: () => void }) {
  const percent = Math.round(share * 100);
  return (
    <div className="stack tight" role="status">
      <p className="row apart">
        <span>
          {share < 1 ? "Sending" : "Looking through"} <strong>{file.name}</strong> <span className="muted">{bytes(file.size)}</span>
        </span>
        <button type="button" className="button small" onClick={onCancel}>
          Give up
        </button>
      </p>
      <div className="bar-line" role="progressbar" aria-valuenow={percent} aria-valuemin={0} aria-valuemax={100} aria-label="Sent">
        <span style={{ width: `${percent}%` }} />
      </div>
    </div>
  );
}

/** Files that were sent and not loaded yet. */
function WaitingFiles({ place }: { place: ImportPlace }) {
  const files = useImports(place);
  if (files.error) return <Failure error={files.error} retry={() => void files.refetch()} />;
  const found = files.data?.results ?? [];
  if (found.length === 0) return null;
  return (
    <Panel title="Files that wait">
      <ul className="waiting-files">
        {found.map((file) => (
          <li key={file.id}>
            <Link to={importAddress(place.catalog, place.branch, { import: file.id })}>{file.name}</Link>
            <span className="small muted">
              {file.format}, {bytes(file.bytes)}, {counted(file.rows, "row")}
            </span>
            <span className="small muted">
              sent <Time at={file.created_at} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
