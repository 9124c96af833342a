import { useState } from "react";

import { asProblem } from "../../api/problem";
import type { EffectiveConfiguration, Pipeline, Rehearsal } from "../../api/resources";
import { usePipelineEdit, useRehearsal, useTrialStart, type PipelineRead } from "../../queries/pipelines";
import { ConfigurationTable } from "./configuration-table";
import type { Draft } from "./draft";
import { LiveMistakes, TextFailure } from "./mistake-list";
import { Texts, type Checked } from "./texts";
import { Trial } from "./trial";
import { isSameText, useValidation } from "./use-validation";
import { Button } from "../../ui/button";
import { classes } from "../../ui/classes";
import { Muted } from "../../ui/muted";
import styles from "./source-tab.module.css";
import shown from "./rendered.module.css";

/** The two texts: edited, tried without running them, and saved as a version. */
export function SourceTab({
  read,
  draft,
  mayEdit,
  onDraft,
}: {
  read: PipelineRead;
  draft: Draft | undefined;
  mayEdit: boolean;
  onDraft: (draft: Draft | undefined) => void;
}) {
  const { pipeline, tag } = read;
  const text = draft ?? pipeline;
  const edit = usePipelineEdit(pipeline.id);
  const rehearsal = useRehearsal(pipeline.id);
  const trial = useTrialStart(pipeline.id);
  const [checked, setChecked] = useState<Checked>();
  const { source, config } = text;
  const validation = useValidation(pipeline, text);
  const live = draft && validation && isSameText(validation.text, text) ? validation : undefined;
  const settle = (error: Error | null) => setChecked({ text: { source, config }, error });
  const rehearse = () => rehearsal.mutate({ source, config }, { onSettled: (_, error) => settle(error) });
  const tryRows = () => trial.mutate({ source, config }, { onError: settle });
  const save = () =>
    edit.mutate(
      { source, config, tag: draft?.tag ?? tag },
      { onSettled: (_, error) => settle(error), onSuccess: () => onDraft(undefined) },
    );
  // What was refused stands until the texts were looked at as they are now.
  const refused = checked?.error && (!live || isSameText(checked.text, text));
  const isStale = edit.error ? asProblem(edit.error).code === "STALE" : false;
  return (
    <>
      <Texts
        target={{ ...pipeline }}
        name={pipeline.name}
        text={text}
        checked={checked}
        validation={validation}
        isReadOnly={!mayEdit}
        onChange={(changed) => onDraft({ source: changed.source, config: changed.config, tag: draft?.tag ?? tag, version: draft?.version ?? pipeline.version })}
        onTry={rehearse}
      />
      <div className="inside row">
        {mayEdit ? (
          <Button look="primary" disabled={!draft || edit.isPending} onClick={save}>
            {edit.isPending ? "Saving …" : "Save"}
          </Button>
        ) : null}
        <Button disabled={rehearsal.isPending} onClick={rehearse}>
          {rehearsal.isPending ? "Rendering …" : "Show SQL"}
        </Button>
        <kbd className="not-narrow">Ctrl Enter</kbd>
        {mayEdit ? (
          <Button disabled={trial.isPending} onClick={tryRows}>
            {trial.isPending ? "Starting …" : "Dry run"}
          </Button>
        ) : null}
        {draft ? (
          <Button look="quiet" onClick={() => onDraft(undefined)}>
            Discard changes
          </Button>
        ) : null}
        <Muted isSmall role="status">
          {draft ? `Not saved; it was made from version ${draft.version}` : `Version ${pipeline.version}`}
        </Muted>
      </div>
      {refused ? (
        <div className="inside">
          <TextFailure error={checked.error} />
        </div>
      ) : (
        <div className="inside">
          <LiveMistakes mistakes={live?.mistakes ?? []} />
        </div>
      )}
      {trial.data && isSameText(trial.variables, text) ? <Trial key={trial.data} taskId={trial.data} /> : null}
      {isStale && draft ? <Stale pipeline={pipeline} draft={draft} tag={tag} onDraft={onDraft} /> : null}
      <Outcome
        pipeline={pipeline}
        rehearsal={checked && !checked.error && isSameText(checked.text, text) ? rehearsal.data : undefined}
        live={live?.configuration ?? undefined}
        isSaved={!draft}
      />
    </>
  );
}

/** Somebody else saved meanwhile: theirs, or one's own on top of it. */
function Stale({ pipeline, draft, tag, onDraft }: { pipeline: Pipeline; draft: Draft; tag: string | null; onDraft: (draft: Draft | undefined) => void }) {
  return (
    <div className="inside row">
      <Button onClick={() => onDraft(undefined)}>
        Take version {pipeline.version}
      </Button>
      <Button onClick={() => onDraft({ ...draft, tag, version: pipeline.version })}>
        Keep mine, to be saved over it
      </Button>
    </div>
  );
}

/** What a run would go by. */
function Outcome({
  pipeline,
  rehearsal,
  live,
  isSaved,
}: {
  pipeline: Pipeline;
  rehearsal: Rehearsal | undefined;
  live: EffectiveConfiguration | undefined;
  isSaved: boolean;
}) {
  return (
    <div className={classes("inside", styles.outcome)}>
      <section className="stack tight">
        <h2 className="minor">
          Effective configuration{" "}
          <Muted isSmall>{rehearsal ? "of the SQL below" : live ? "of the texts above" : isSaved ? "" : `of version ${pipeline.version}`}</Muted>
        </h2>
        <ConfigurationTable configuration={rehearsal?.configuration ?? live ?? pipeline.configuration} />
      </section>
      <section className="stack tight">
        <h2 className="minor">SQL that the template makes</h2>
        {rehearsal ? (
          <>
            <pre className={shown.rendered} role="region" aria-label="Rendered SQL" tabIndex={0}>
              <code>{rehearsal.sql}</code>
            </pre>
            <Muted as="p" isSmall>
              {rehearsal.creates_table
                ? `The first run makes ${pipeline.database}.${pipeline.table}.`
                : `A run writes to ${pipeline.database}.${pipeline.table}.`}
            </Muted>
          </>
        ) : (
          <Muted as="p">Show SQL renders it; nothing is executed.</Muted>
        )}
      </section>
    </div>
  );
}
