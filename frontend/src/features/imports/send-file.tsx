import { Link } from "react-router";

import { importAddress } from "../../model/addresses";
import { bytes, counted } from "../../model/format";
import { useImports, useImportSend, type ImportPlace } from "../../queries/imports";
import { DropZone, SendProgress } from "../../ui/drop-zone";
import { Muted } from "../../ui/muted";
import { Panel } from "../../ui/page";
import { Failure } from "../../ui/states";
import { Time } from "../../ui/time";
import styles from "./imports.module.css";

export function SendFile({ place, isPlain, onSent }: { place: ImportPlace; isPlain: boolean; onSent: (importId: string) => void }) {
  const send = useImportSend(place, isPlain);
  const start = (file: File | undefined) => {
    if (file) send.mutate(file, { onSuccess: (made) => onSent(made.id) });
  };
  return (
    <>
      <Panel padded>
        {send.isPending ? (
          <SendProgress file={send.variables} share={send.share} onCancel={send.cancel} />
        ) : (
          <DropZone onFiles={([file]) => start(file)}>CSV, JSON (an array of objects, or one a line), Parquet or Arrow. Nothing is written before you say so.</DropZone>
        )}
      </Panel>
      {send.error && !send.isPending ? <Failure error={send.error} /> : null}
      <WaitingFiles place={place} />
    </>
  );
}

/** Files that were sent and not loaded yet. */
function WaitingFiles({ place }: { place: ImportPlace }) {
  const files = useImports(place);
  if (files.error) return <Failure error={files.error} retry={() => void files.refetch()} />;
  const found = files.data?.results ?? [];
  if (found.length === 0) return null;
  return (
    <Panel title="Files not imported yet">
      <ul className={styles.waitingFiles}>
        {found.map((file) => (
          <li key={file.id}>
            <Link to={importAddress(place.catalog, place.branch, { import: file.id })}>{file.name}</Link>
            <Muted isSmall>
              {file.format}, {bytes(file.bytes)}, {counted(file.rows, "row")}
            </Muted>
            <Muted isSmall>
              sent <Time at={file.created_at} />
            </Muted>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
