import { useState, type SubmitEvent } from "react";
import { Link, useNavigate, useParams, useSearchParams } from "react-router";

import type { Pipeline } from "../../api/resources";
import {
  branchAddress,
  newPipelineAddress,
  pipelineAddress,
  pipelineRunAddress,
  pipelinesAddress,
  tableAddress,
  type PipelineTab,
} from "../../model/addresses";
import { inOrder } from "../../model/reading-order";
import { isAtLeast } from "../../model/roles";
import { useCatalog } from "../../queries/catalogs";
import { usePipeline, usePipelineStart, type PipelineRead } from "../../queries/pipelines";
import { LaneDot } from "../../ui/branch-name";
import { Button, LinkButton } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Muted } from "../../ui/muted";
import { PageHead, Panel } from "../../ui/page";
import { Failure, Loaded } from "../../ui/states";
import { Tabs } from "../../ui/tabs";
import { MessageField } from "../sql/write-dialog";
import { useLeaving, type Draft } from "./draft";
import { NextRun } from "./next-runs";
import { LandingTab } from "./landing-tab";
import { MAY_EDIT } from "./rights";
import { DegradedBadge } from "./run-state";
import { RunsTab } from "./runs-tab";
import { SettingsTab } from "./settings-tab";
import { SourceTab } from "./source-tab";
import { StrategyTab } from "./strategy-tab";
import { VersionsTab } from "./versions-tab";

const TABS: readonly { key: PipelineTab; label: string }[] = [
  { key: "source", label: "Source" },
  { key: "strategy", label: "Strategy" },
  { key: "landing", label: "Landing zones" },
  { key: "runs", label: "Runs" },
  { key: "versions", label: "Versions" },
  { key: "settings", label: "Settings" },
];

export function PipelinePage() {
  const { pipelineId = "" } = useParams();
  const pipeline = usePipeline(Number(pipelineId) || 0);
  return (
    <div className="page">
      <Loaded query={pipeline} label="the pipeline" heading="Pipeline">
        {(read) => <PipelineView key={read.pipeline.id} read={read} />}
      </Loaded>
    </div>
  );
}

function PipelineView({ read }: { read: PipelineRead }) {
  const { pipeline } = read;
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const role = useCatalog(pipeline.catalog).data?.role ?? undefined;
  const mayEdit = isAtLeast(role, MAY_EDIT);
  const [draft, setDraft] = useState<Draft>();
  const leaving = useLeaving(draft !== undefined);
  const chosen = TABS.find(({ key }) => key === query.get("tab"))?.key ?? "source";
  const choose = (key: PipelineTab) => void navigate(pipelineAddress(pipeline.catalog, pipeline.id, key), { replace: true });
  return (
    <>
      <PipelineHead pipeline={pipeline} mayEdit={mayEdit} isUnsaved={draft !== undefined} />
      <Panel>
        <Tabs tabs={TABS} chosen={chosen} onChoose={choose} label="What the pipeline has">
          {chosen === "source" ? <SourceTab read={read} draft={draft} mayEdit={mayEdit} onDraft={setDraft} /> : null}
          {chosen === "strategy" ? <StrategyTab key={pipeline.version} read={read} mayEdit={mayEdit} isUnsaved={draft !== undefined} /> : null}
          {chosen === "landing" ? <LandingTab pipeline={pipeline} mayEdit={mayEdit} /> : null}
          {chosen === "runs" ? <RunsTab pipeline={pipeline} /> : null}
          {chosen === "versions" ? <VersionsTab read={read} mayEdit={mayEdit} /> : null}
          {chosen === "settings" ? <SettingsTab key={pipeline.version} read={read} mayEdit={mayEdit} /> : null}
        </Tabs>
      </Panel>
      {leaving.state === "blocked" ? <LeavingDialog onStay={() => leaving.reset()} onLeave={() => leaving.proceed()} /> : null}
    </>
  );
}

function LeavingDialog({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  return (
    <Dialog title="Leave without saving?" onClose={onStay}>
      <p>What you changed in the source or in config.yaml is not saved yet.</p>
      <div className="actions">
        <Button onClick={onStay}>
          Stay here
        </Button>
        <Button look="danger" onClick={onLeave}>
          Leave
        </Button>
      </div>
    </Dialog>
  );
}

/** What the history says of the commit of the run. */
function MessageDialog({ onRun, onClose }: { onRun: (message: string) => void; onClose: () => void }) {
  const [message, setMessage] = useState("");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onClose();
    onRun(message.trim());
  };
  return (
    <Dialog title="Run with a message" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <MessageField value={message} onChange={setMessage} />
        <div className="actions">
          <Button onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary">
            Run
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function PipelineHead({ pipeline, mayEdit, isUnsaved }: { pipeline: Pipeline; mayEdit: boolean; isUnsaved: boolean }) {
  const { catalog, id, name, layer } = pipeline;
  const navigate = useNavigate();
  const start = usePipelineStart(pipeline);
  const [isSaying, setSaying] = useState(false);
  const run = (message = "") => start.mutate(message, { onSuccess: (runId) => void navigate(pipelineRunAddress(catalog, id, runId)) });
  return (
    <>
      {isSaying ? <MessageDialog onRun={run} onClose={() => setSaying(false)} /> : null}
      <PageHead
        title={name}
        actions={
          mayEdit ? (
            <>
              <LinkButton to={newPipelineAddress(catalog, { from: String(id) })}>
                Copy
              </LinkButton>
              <Button
                look="primary"
                disabled={isUnsaved || start.isPending}
                title={isUnsaved ? "Save first: a run takes what is saved" : undefined}
                onClick={() => run()}
              >
                {start.isPending ? "Starting …" : "Run"}
              </Button>
              <Button disabled={isUnsaved || start.isPending} onClick={() => setSaying(true)}>
                Run with a message …
              </Button>
            </>
          ) : null
        }
      >
        <span className="row">
          {name}
          {layer ? (
            <Link className="badge" to={pipelinesAddress(catalog, { layer })}>
              {layer}
            </Link>
          ) : null}
          {pipeline.configuration.degraded ? <DegradedBadge /> : null}
        </span>
      </PageHead>
      <PipelineFacts pipeline={pipeline} />
      {start.error ? <Failure error={start.error} /> : null}
    </>
  );
}

function PipelineFacts({ pipeline }: { pipeline: Pipeline }) {
  const { catalog, branch, database, table, configuration, schedule, schedule_timezone, owner, version } = pipeline;
  const description = configuration.fields.description?.value;
  return (
    <Muted as="p" isSmall className="row">
      <span>
        <code>{configuration.strategy}</code> into{" "}
        <Link to={tableAddress(catalog, branch, database, table)}>
          {inOrder(`${database}.${table}`)}
        </Link>
      </span>
      <span className="row">
        on <LaneDot branch={branch} />
        <Link to={branchAddress(catalog, branch)}>{branch}</Link>
      </span>
      <span>
        {schedule ? <code>{schedule}</code> : "no schedule"} {schedule ? schedule_timezone : null}
        {schedule && owner ? <NextRun schedule={schedule} zone={schedule_timezone} /> : null}
      </span>
      <span>{owner ? `owned by ${owner}` : schedule ? "no owner: the schedule rests" : "no owner"}</span>
      <span>version {version}</span>
      {typeof description === "string" && description ? <span>{description}</span> : null}
    </Muted>
  );
}
