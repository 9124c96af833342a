import { useMemo, useState } from "react";

import type { TableDetail } from "../../api/resources";
import { tableRestore } from "../../model/sql";
import { useTableHistory, type TablePlace } from "../../queries/tables";
import { Button } from "../../ui/button";
import { classes } from "../../ui/classes";
import { Muted } from "../../ui/muted";
import { Time } from "../../ui/time";
import { RestoreDialog } from "../branch/restore-dialog";
import { BranchDialog } from "../catalog/branch-dialogs";
import styles from "./version-bar.module.css";

/** A slider over the versions in which the table changed, and a bar that says when an old one is shown. */
export function VersionBar({
  place,
  table,
  version,
  onVersion,
}: {
  place: TablePlace;
  table: TableDetail;
  version: number | undefined;
  onVersion: (version: number | undefined) => void;
}) {
  const history = useTableHistory(place);
  const commits = useMemo(
    () => (history.data?.pages.flatMap((page) => page.results) ?? []).toReversed(),
    [history.data],
  );
  const at = version === undefined ? commits.length - 1 : commits.findLastIndex((commit) => commit.version <= version);
  const shown = commits[at];
  const [asked, setAsked] = useState<"restore" | "branch">();
  const { catalog, branch, database } = place;
  const choose = (step: number) => onVersion(step === commits.length - 1 ? undefined : commits[step]?.version);
  return (
    <>
      {version === undefined ? null : (
        <div className="notice amber">
          <p className="row">
            <span>
              You are looking at version {version}
              {shown ? (
                <>
                  {" "}
                  ({shown.operation}, <Time at={shown.time} />)
                </>
              ) : null}
              .
            </span>
            <Button isSmall onClick={() => onVersion(undefined)}>
              Back to head
            </Button>
            <Button isSmall onClick={() => setAsked("restore")}>
              Restore this version
            </Button>
            <Button isSmall onClick={() => setAsked("branch")}>
              Branch from here
            </Button>
          </p>
          {asked === "restore" ? (
            <RestoreDialog
              what={`${database}.${table.name}`}
              version={version}
              statement={{ catalog, branch, statement: tableRestore(database, table.name, version) }}
              onClose={() => setAsked(undefined)}
            />
          ) : null}
          {asked === "branch" ? <BranchDialog catalog={catalog} intent={{ kind: "create", from: branch, version }} onClose={() => setAsked(undefined)} /> : null}
        </div>
      )}
      {commits.length > 1 ? (
        <label className={classes("small", styles.versionSlider)}>
          <Muted>Version</Muted>
          <input
            type="range"
            min={0}
            max={commits.length - 1}
            value={Math.max(0, at)}
            aria-valuetext={shown ? `version ${shown.version}, ${shown.operation}` : ""}
            onChange={(event) => choose(Number(event.target.value))}
          />
          <code>v{shown?.version ?? table.version}</code>
          <Muted>{shown?.operation}</Muted>
        </label>
      ) : null}
    </>
  );
}
