import { useState, type SubmitEvent } from "react";
import { useNavigate } from "react-router";

import { pipelinesAddress } from "../../model/addresses";
import { usePipelineDelete, usePipelineEdit, type PipelineRead } from "../../queries/pipelines";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { TextFailure } from "./mistake-list";
import { PlaceFields, isPlaced, type PipelinePlace } from "./place-fields";
import { Muted } from "../../ui/muted";

/** What the pipeline is called, where it writes, when it runs; and its end. */
export function SettingsTab({ read, mayEdit }: { read: PipelineRead; mayEdit: boolean }) {
  const { pipeline, tag } = read;
  const edit = usePipelineEdit(pipeline.id);
  const [place, setPlace] = useState<PipelinePlace>(() => placeOf(pipeline));
  const [isDeleting, setDeleting] = useState(false);
  const isChanged = (Object.keys(placeOf(place)) as (keyof PipelinePlace)[]).some((name) => place[name] !== pipeline[name]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    edit.mutate({ ...placeOf(place), tag });
  };
  return (
    <form className="inside stack" onSubmit={submit}>
      <PlaceFields catalog={pipeline.catalog} value={place} isDisabled={!mayEdit} onChange={setPlace} />
      <Muted as="p" isSmall>Who edits a pipeline owns it from then on; scheduled runs are made in the name of the owner.</Muted>
      {edit.error ? <TextFailure error={edit.error} /> : null}
      {mayEdit ? (
        <div className="row apart">
          <Button type="submit" look="primary" disabled={!isChanged || !isPlaced(place) || edit.isPending}>
            {edit.isPending ? "Saving …" : "Save"}
          </Button>
          <Button look="danger" onClick={() => setDeleting(true)}>
            Delete the pipeline
          </Button>
        </div>
      ) : (
        <Muted as="p" isSmall>Contributors of the catalog change it.</Muted>
      )}
      {isDeleting ? <DeleteDialog read={read} onClose={() => setDeleting(false)} /> : null}
    </form>
  );
}

function placeOf({ name, layer, database, table, branch, schedule, schedule_timezone }: PipelinePlace): PipelinePlace {
  return { name: name.trim(), layer: layer.trim(), database: database.trim(), table: table.trim(), branch, schedule: schedule.trim(), schedule_timezone: schedule_timezone.trim() };
}

function DeleteDialog({ read: { pipeline, tag }, onClose }: { read: PipelineRead; onClose: () => void }) {
  const navigate = useNavigate();
  const remove = usePipelineDelete(pipeline);
  return (
    <ConfirmDialog
      title={`Delete ${pipeline.name}?`}
      action="Delete the pipeline"
      working="Deleting …"
      isDangerous
      run={remove}
      onConfirm={() => remove.mutate(tag, { onSuccess: () => void navigate(pipelinesAddress(pipeline.catalog)) })}
      onClose={onClose}
    >
      <p>
        It runs no more. {pipeline.database}.{pipeline.table} and its rows stay.
      </p>
    </ConfirmDialog>
  );
}
