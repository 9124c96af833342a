import { useState, type DragEvent, type ReactNode } from "react";

import { bytes } from "../model/format";
import { Button } from "./button";
import { classes } from "./classes";
import { Icon } from "./icons";
import { Muted } from "./muted";
import styles from "./drop-zone.module.css";

const ACCEPTED = ".csv,.tsv,.txt,.json,.jsonl,.ndjson,.parquet,.arrow,.arrows,.feather,.gz,.zst,.bz2";

/** A file field that is also a place to drop on. */
export function DropZone({ onFiles, takesSeveral = false, children }: { onFiles: (files: File[]) => void; takesSeveral?: boolean; children: ReactNode }) {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onFiles([...event.dataTransfer.files]);
  };
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- dropping is a second way; the field in it has the keyboard's
    <label className={classes(styles.dropZone, isOver && styles.over)} onDragOver={over} onDragLeave={() => setOver(false)} onDrop={drop}>
      <Icon name="import" size={28} />
      <span>
        <strong>{takesSeveral ? "Drop files here" : "Drop a file here"}</strong>, or <span className={styles.choose}>{takesSeveral ? "choose them" : "choose one"}</span>
      </span>
      <Muted isSmall>{children}</Muted>
      <input
        type="file"
        className="visually-hidden"
        aria-label={takesSeveral ? "Choose files" : "Choose a file"}
        accept={ACCEPTED}
        multiple={takesSeveral}
        onChange={(event) => onFiles([...(event.target.files ?? [])])}
      />
    </label>
  );
}

export function SendProgress({ file, share, onCancel }: { file: File; share: number; onCancel: () => void }) {
  const percent = Math.round(share * 100);
  return (
    <div className="stack tight" role="status">
      <p className="row apart">
        <span>
          {share < 1 ? "Sending" : "Looking through"} <strong>{file.name}</strong> <Muted>{bytes(file.size)}</Muted>
        </span>
        <Button isSmall onClick={onCancel}>
          Give up
        </Button>
      </p>
      <div className="bar-line" role="progressbar" aria-valuenow={percent} aria-valuemin={0} aria-valuemax={100} aria-label="Sent">
        <span style={{ width: `${percent}%` }} />
      </div>
    </div>
  );
}
