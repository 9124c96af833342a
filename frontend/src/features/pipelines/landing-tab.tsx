import { useState } from "react";

import type { LandingFile, LandingZone, Pipeline } from "../../api/resources";
import { bytes, counted } from "../../model/format";
import { useLandingFileDelete, useLandingFileReturn, useLandingFiles, useLandingSend, useLandingZones } from "../../queries/landing-zones";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { DropZone, SendProgress } from "../../ui/drop-zone";
import { Field } from "../../ui/field";
import { Muted } from "../../ui/muted";
import { useIsNarrow } from "../../ui/narrow";
import { Select } from "../../ui/select";
import { Empty, Failure, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";
import { VirtualRows } from "../../ui/virtual-rows";
import styles from "./landing-tab.module.css";

const ROW_HEIGHT = 48;
const NARROW_ROW_HEIGHT = 104;

/** Files that wait for the next run, and those that runs read. */
export function LandingTab({ pipeline, mayEdit }: { pipeline: Pipeline; mayEdit: boolean }) {
  const zones = useLandingZones(pipeline.id);
  const [chosen, setChosen] = useState<string>();
  return (
    <Loaded query={zones} label="landing zones">
      {(found) => {
        const zone = found.find(({ name }) => name === chosen) ?? found[0];
        if (!zone) {
          return (
            <Empty title="The source reads no landing zone">
              <p>
                Write <code>{"SELECT * FROM {{ landing('orders') }}"}</code> in the source. A run then reads the files that people and programs send to <code>orders</code>.
              </p>
            </Empty>
          );
        }
        return (
          <div className="inside stack">
            <ZoneChoice zones={found} chosen={zone} onChoose={setChosen} />
            <ArchiveWord pipeline={pipeline} zone={zone} />
            {mayEdit ? <SendFiles key={zone.name} pipelineId={pipeline.id} zone={zone.name} /> : null}
            <ZoneFiles key={`files ${zone.name}`} pipeline={pipeline} zone={zone.name} mayEdit={mayEdit} />
          </div>
        );
      }}
    </Loaded>
  );
}

function ZoneChoice({ zones, chosen, onChoose }: { zones: readonly LandingZone[]; chosen: LandingZone; onChoose: (name: string) => void }) {
  return (
    <Field label="Landing zone">
      <Select value={chosen.name} onChange={(event) => onChoose(event.target.value)}>
        {zones.map((zone) => (
          <option key={zone.name} value={zone.name}>
            {zone.name}: {counted(zone.waiting, "file")} waiting, {zone.archived} archived
          </option>
        ))}
      </Select>
    </Field>
  );
}

/** What the next run does with the files. */
function ArchiveWord({ pipeline, zone }: { pipeline: Pipeline; zone: LandingZone }) {
  const archives = pipeline.configuration.fields.archive_landing_zones?.value === true;
  if (!zone.is_read) {
    return <Muted as="p" isSmall>The source does not name this zone, so no run reads it.</Muted>;
  }
  return (
    <Muted as="p" isSmall>
      {archives ? (
        "A run reads all files that wait. If it succeeds, they go to the archive."
      ) : (
        <>
          Each run reads all files again. With <code>archive_landing_zones: true</code> they go to the archive after a run that succeeds.
        </>
      )}
    </Muted>
  );
}

function SendFiles({ pipelineId, zone }: { pipelineId: number; zone: string }) {
  const send = useLandingSend({ pipelineId, zone });
  const start = (files: readonly File[]) => {
    if (files.length > 0) send.mutate(files);
  };
  return (
    <>
      {send.sending ? (
        <SendProgress file={send.sending.file} share={send.sending.share} onCancel={send.cancel} />
      ) : (
        <DropZone onFiles={start} takesSeveral>
          CSV, JSON, Parquet or Arrow. The next run reads them.
        </DropZone>
      )}
      {send.error && !send.isPending ? <Failure error={send.error} /> : null}
    </>
  );
}

function ZoneFiles({ pipeline, zone, mayEdit }: { pipeline: Pipeline; zone: string; mayEdit: boolean }) {
  const files = useLandingFiles({ pipelineId: pipeline.id, zone });
  const isNarrow = useIsNarrow();
  const again = useLandingFileReturn(pipeline.id);
  const remove = useLandingFileDelete(pipeline.id);
  const [removing, setRemoving] = useState<LandingFile>();
  return (
    <Loaded query={files} label="files">
      {({ pages }) => {
        const found = pages.flatMap((page) => page.results);
        if (found.length === 0) return <Muted as="p">No file was sent to this zone yet.</Muted>;
        return (
          <>
            {again.error ? <Failure error={again.error} /> : null}
            <VirtualRows
              items={found}
              rowHeight={isNarrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT}
              keyOf={({ id }) => id}
              label="Files of the zone"
              height="50vh"
              onEnd={files.hasNextPage && !files.isFetchingNextPage ? () => void files.fetchNextPage() : undefined}
              row={(file) => <FileRow file={file} mayEdit={mayEdit} onAgain={() => again.mutate(file)} onRemove={() => setRemoving(file)} />}
            />
            {removing ? (
              <ConfirmDialog
                title={`Delete ${removing.name}?`}
                action="Delete"
                working="Deleting …"
                isDangerous
                run={remove}
                onConfirm={() => remove.mutate(removing, { onSuccess: () => setRemoving(undefined) })}
                onClose={() => setRemoving(undefined)}
              >
                <p>{removing.state === "waiting" ? `No run reads its ${counted(removing.rows, "row")} then.` : "Rows that a run wrote of it stay in the table."}</p>
              </ConfirmDialog>
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}

function FileRow({ file, mayEdit, onAgain, onRemove }: { file: LandingFile; mayEdit: boolean; onAgain: () => void; onRemove: () => void }) {
  const columns = file.columns.map(({ name, type }) => `${name} ${type}`).join(", ");
  const isArchived = file.state === "archived";
  return (
    <div className={styles.row}>
      <span className="ellipsis" title={[file.name, ...file.warnings].join("\n")}>
        <bdi>{file.name}</bdi>
      </span>
      <span className={isArchived ? "badge" : "badge fine"}>{file.state}</span>
      <Muted isSmall className="ellipsis" title={columns}>
        {file.format}, {bytes(file.bytes)}, {counted(file.rows, "row")}, {counted(file.columns.length, "column")}
      </Muted>
      <Muted isSmall>
        {isArchived ? "read" : "sent"} <Time at={file.archived_at ?? file.created_at} />
        {!isArchived && file.created_by ? ` by ${file.created_by}` : null}
      </Muted>
      {mayEdit ? (
        <span className="row">
          {isArchived ? (
            <Button isSmall aria-label={`Read ${file.name} again`} onClick={onAgain}>
              Read again
            </Button>
          ) : null}
          <Button isSmall aria-label={`Delete ${file.name}`} onClick={onRemove}>
            Delete
          </Button>
        </span>
      ) : null}
    </div>
  );
}
