import { useState, type SubmitEvent } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";

import type { Pipeline, PipelineText } from "../../api/resources";
import { pipelineAddress } from "../../model/addresses";
import { PREVIEW_ROWS, usePipeline, usePipelineCreate, usePipelinePreview } from "../../queries/pipelines";
import { Button } from "../../ui/button";
import { Muted } from "../../ui/muted";
import { PageHead, Panel } from "../../ui/page";
import { Loaded } from "../../ui/states";
import { ConfigurationTable } from "./configuration-table";
import { LiveMistakes, TextFailure } from "./mistake-list";
import { NewStrategy } from "./new-strategy";
import { isPlaced, PlaceFields, type PipelinePlace } from "./place-fields";
import { Preview, TemplateHelp } from "./preview";
import { Texts, type Checked } from "./texts";
import { isSameText, useValidation } from "./use-validation";

const FIRST: PipelineText = {
  source: "SELECT *\nFROM {{ source('database', 'table') }}\n",
  config: "merge_strategy: full_refresh\n",
};

interface Start {
  place: PipelinePlace;
  text: PipelineText;
}

/** A new pipeline: from nothing, for a table, or as a copy; which stands in the address. */
export function NewPipelinePage() {
  const { catalog = "" } = useParams();
  const [query] = useSearchParams();
  const from = query.get("from");
  return (
    <div className="page">
      <PageHead title="New pipeline" />
      {from === null ? <PipelineForm catalog={catalog} start={startAt(query)} /> : <CopyForm catalog={catalog} from={Number(from) || 0} />}
    </div>
  );
}

function CopyForm({ catalog, from }: { catalog: string; from: number }) {
  const original = usePipeline(from);
  return (
    <Loaded query={original} label="the pipeline that is copied">
      {({ pipeline }) => <PipelineForm key={pipeline.id} catalog={catalog} start={copyOf(pipeline)} />}
    </Loaded>
  );
}

function startAt(query: URLSearchParams): Start {
  const given = (name: string) => query.get(name) ?? "";
  const place = { name: given("table"), layer: "", database: given("database"), table: given("table"), branch: query.get("branch") ?? "main", schedule: "", schedule_timezone: "UTC" };
  return { place, text: FIRST };
}

/** Two pipelines that write one table would get into each other's way, so that a copy names a table of its own. */
function copyOf({ name, layer, database, table, branch, source, config }: Pipeline): Start {
  return { place: { name: `${name}_copy`, layer, database, table: `${table}_copy`, branch, schedule: "", schedule_timezone: "UTC" }, text: { source, config } };
}

function PipelineForm({ catalog, start }: { catalog: string; start: Start }) {
  const navigate = useNavigate();
  const create = usePipelineCreate(catalog);
  const [place, setPlace] = useState(start.place);
  const [text, setText] = useState(start.text);
  const [checked, setChecked] = useState<Checked>();
  const validation = useValidation({ catalog, ...place }, text);
  const live = validation && isSameText(validation.text, text) ? validation : undefined;
  const refused = create.error && (!live || !checked || isSameText(checked.text, text)) ? create.error : null;
  const preview = usePipelinePreview(catalog);
  const draft = { branch: place.branch, database: place.database.trim(), table: place.table.trim(), ...text };
  const isShown = preview.variables !== undefined && JSON.stringify(preview.variables) === JSON.stringify(draft);
  const canPreview = draft.database !== "" && draft.table !== "" && text.source.trim() !== "";
  const isComplete = isPlaced(place) && text.source.trim() !== "";
  const save = () => {
    if (!isComplete || create.isPending) return;
    create.mutate(
      { catalog, ...place, name: place.name.trim(), database: place.database.trim(), table: place.table.trim(), ...text },
      {
        onSettled: (_, error) => setChecked({ text, error }),
        onSuccess: (made) => void navigate(pipelineAddress(catalog, made.id)),
      },
    );
  };
  const show = () => {
    if (canPreview && !preview.isPending) preview.mutate(draft);
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    save();
  };
  return (
    <form className="stack" onSubmit={submit}>
      <Panel padded>
        <NewStrategy target={{ catalog, ...place }} config={text.config} configuration={validation?.configuration} onChange={(config) => setText({ ...text, config })} />
      </Panel>
      <Panel padded>
        <PlaceFields catalog={catalog} value={place} onChange={setPlace} />
      </Panel>
      <Panel>
        <Texts target={{ catalog, ...place }} name={place.name} text={text} checked={checked} validation={validation} isConfigFolded onChange={setText} onTry={show} />
        <TemplateHelp />
        <div className="inside stack tight">
          <div className="row">
            <Button disabled={!canPreview || preview.isPending} onClick={show}>
              {preview.isPending ? "Reading …" : `Preview ${PREVIEW_ROWS} rows`}
            </Button>
            <kbd className="not-narrow">Ctrl Enter</kbd>
            <Muted isSmall>{canPreview ? "The query runs with your rights; nothing is written." : "Name the database and the table first."}</Muted>
          </div>
          {isShown && preview.error ? <TextFailure error={preview.error} /> : null}
          {isShown && preview.data ? <Preview seen={preview.data} /> : null}
        </div>
      </Panel>
      {refused ? <TextFailure error={refused} /> : <LiveMistakes mistakes={live?.mistakes ?? []} />}
      <div className="row">
        <Button type="submit" look="primary" disabled={!isComplete || create.isPending}>
          {create.isPending ? "Creating …" : "Create the pipeline"}
        </Button>
        <Muted isSmall>Creating runs nothing; it can be tried before its first run.</Muted>
      </div>
      {live?.configuration ? (
        <Panel title="Effective configuration" padded>
          <ConfigurationTable configuration={live.configuration} />
        </Panel>
      ) : null}
    </form>
  );
}
