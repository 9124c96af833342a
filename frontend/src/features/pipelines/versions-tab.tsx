import { useState } from "react";
import { useSearchParams } from "react-router";

import type { Pipeline, PipelineBody, PipelineVersion } from "../../api/resources";
import { usePipelineEdit, usePipelineVersion, usePipelineVersions, type PipelineRead } from "../../queries/pipelines";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Muted } from "../../ui/muted";
import { Failure, Loaded, Loading } from "../../ui/states";
import { Time } from "../../ui/time";
import { VirtualRows } from "../../ui/virtual-rows";
import { VersionDiff } from "./version-diff";
import styles from "./versions-tab.module.css";

const ROW_HEIGHT = 48;

/** Every version, what it changed, and the way back to it. Which one is looked at stands in the address. */
export function VersionsTab({ read, mayEdit }: { read: PipelineRead; mayEdit: boolean }) {
  const { pipeline } = read;
  const [query, setQuery] = useSearchParams();
  const versions = usePipelineVersions(pipeline.id);
  const chosen = Number(query.get("version")) || pipeline.version;
  const choose = (version: number) => setQuery({ tab: "versions", version: String(version) }, { replace: true });
  return (
    <div className={styles.versions}>
      <Loaded query={versions} label="versions">
        {({ pages }) => (
          <VirtualRows
            items={pages.flatMap((page) => page.results)}
            rowHeight={ROW_HEIGHT}
            keyOf={({ version }) => version}
            label="Versions"
            height="60vh"
            onEnd={versions.hasNextPage && !versions.isFetchingNextPage ? () => void versions.fetchNextPage() : undefined}
            row={(version) => <VersionRow version={version} isChosen={version.version === chosen} onChoose={choose} />}
          />
        )}
      </Loaded>
      <div className="inside stack">
        <ChosenVersion key={chosen} read={read} version={chosen} mayEdit={mayEdit} />
      </div>
    </div>
  );
}

function VersionRow({ version: { version, author, created_at }, isChosen, onChoose }: { version: PipelineVersion; isChosen: boolean; onChoose: (version: number) => void }) {
  return (
    <button type="button" className={styles.row} aria-current={isChosen} onClick={() => onChoose(version)}>
      <strong>Version {version}</strong>
      <Muted isSmall>
        {author ? `${author}, ` : ""}
        <Time at={created_at} />
      </Muted>
    </button>
  );
}

function ChosenVersion({ read, version, mayEdit }: { read: PipelineRead; version: number; mayEdit: boolean }) {
  const { pipeline } = read;
  const [againstNow, setAgainstNow] = useState(false);
  const [isRestoring, setRestoring] = useState(false);
  const after = usePipelineVersion(pipeline.id, version);
  const earlier = usePipelineVersion(pipeline.id, version > 1 ? version - 1 : undefined);
  const isNow = version === pipeline.version;
  return (
    <>
      <div className="row apart">
        <h2 className="minor">{againstNow ? `From version ${version} to version ${pipeline.version}, which is in force` : version === 1 ? "Version 1, the first" : `What version ${version} changed`}</h2>
        {isNow ? <span className="badge fine">in force</span> : null}
      </div>
      {isNow ? null : (
        <div className="row">
          <label className="row small">
            <input type="checkbox" checked={againstNow} onChange={(event) => setAgainstNow(event.target.checked)} />
            compare it with what is in force
          </label>
          {mayEdit ? (
            <Button isSmall onClick={() => setRestoring(true)}>
              Restore version {version}
            </Button>
          ) : null}
        </div>
      )}
      <Loaded query={after} label={`version ${version}`}>
        {({ body }) =>
          againstNow ? (
            <VersionDiff before={body} after={bodyOf(pipeline)} />
          ) : earlier.error ? (
            <Failure error={earlier.error} retry={() => void earlier.refetch()} />
          ) : version > 1 && !earlier.data ? (
            <Loading label={`version ${version - 1}`} />
          ) : (
            <VersionDiff before={earlier.data?.body} after={body} />
          )
        }
      </Loaded>
      {isRestoring && after.data ? <RestoreDialog read={read} version={version} body={after.data.body} onClose={() => setRestoring(false)} /> : null}
    </>
  );
}

function bodyOf({ name, layer, database, table, branch, source, config, schedule, schedule_timezone }: Pipeline): PipelineBody {
  return { name, layer, database, table, branch, source, config, schedule, schedule_timezone };
}

/** What was said then is said again, as a new version; nothing that was is lost. */
function RestoreDialog({ read, version, body, onClose }: { read: PipelineRead; version: number; body: PipelineBody; onClose: () => void }) {
  const { pipeline, tag } = read;
  const [, setQuery] = useSearchParams();
  const edit = usePipelineEdit(pipeline.id);
  const restore = () =>
    edit.mutate(
      { ...body, tag },
      {
        onSuccess: () => {
          onClose();
          setQuery({ tab: "versions" }, { replace: true });
        },
      },
    );
  return (
    <ConfirmDialog title={`Restore version ${version}?`} action="Restore" working="Restoring …" run={edit} onConfirm={restore} onClose={onClose}>
      <p>A new version is made that says what version {version} says. The next run goes by it.</p>
    </ConfirmDialog>
  );
}
