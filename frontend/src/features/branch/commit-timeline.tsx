import { useState } from "react";
import { Link } from "react-router";

import type { CommitEntry, OperationEntry } from "../../api/resources";
import { taskAddress } from "../../model/addresses";
import { operationName, rowChanges } from "../../model/commit-words";
import { bytes, count, counted, pluralised } from "../../model/format";
import { inOrder } from "../../model/reading-order";
import { useCommitOperations } from "../../queries/history";
import { BranchLink } from "../../ui/branch-name";
import { Button } from "../../ui/button";
import { classes } from "../../ui/classes";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { Failure } from "../../ui/states";
import { Time } from "../../ui/time";
import styles from "./commit-timeline.module.css";

/** Commits from new to old, each with its statement and what it did to which object. */
export function CommitTimeline({
  catalog,
  branch,
  commits,
  chosen,
  headVersion,
  onRestore,
  onBranchFrom,
  more,
}: {
  catalog: string;
  branch: string;
  commits: readonly CommitEntry[];
  /** Version that is shown open. */
  chosen: number | undefined;
  headVersion: number;
  onRestore: (commit: CommitEntry) => void;
  onBranchFrom?: (commit: CommitEntry) => void;
  more: { isLoading: boolean; load: () => void } | undefined;
}) {
  if (commits.length === 0) return <Muted as="p" className="inside">No commit is like that.</Muted>;
  return (
    <>
      <ol className={styles.timeline} aria-label="Commits, newest first">
        {commits.map((commit) => (
          <li key={`${commit.branch} ${commit.version}`}>
            <details open={commit.version === chosen}>
              <summary>
                <code className={styles.version}>v{commit.version}</code>
                <span className={styles.operation}>
                  <bdi>{operationName(commit)}</bdi>
                  {commit.merge_parent ? ` of ${commit.merge_parent.branch}` : ""}
                </span>
                <Muted className={classes("ellipsis", styles.objects)}>
                  {objectNames(commit)}
                  {commit.message ? ` · ${commit.message}` : ""}
                </Muted>
                <span className="number small">{rowsOf(commit)}</span>
                <Muted isSmall className={styles.when}>
                  {commit.author ? `${commit.author}, ` : ""}
                  <Time at={commit.time} />
                </Muted>
              </summary>
              <div className={classes("stack tight", styles.body)}>
                {commit.message ? <p className={styles.message}>{commit.message}</p> : null}
                <pre>
                  <code>{commit.statement}</code>
                </pre>
                <Operations catalog={catalog} branch={branch} commit={commit} />
                <p className="row">
                  {commit.branch === branch ? null : (
                    <Muted isSmall className="row">
                      made on <BranchLink catalog={catalog} branch={commit.branch} />
                    </Muted>
                  )}
                  {commit.task_id === null ? null : (
                    <Link className="small" to={taskAddress(commit.task_id)}>
                      Its task
                    </Link>
                  )}
                  {onBranchFrom ? (
                    <Button isSmall onClick={() => onBranchFrom(commit)}>
                      <Icon name="branch" size={14} />
                      New branch from here
                    </Button>
                  ) : null}
                  {commit.version === headVersion ? null : (
                    <Button isSmall onClick={() => onRestore(commit)}>
                      <Icon name="undo" size={14} />
                      Restore to this version
                    </Button>
                  )}
                </p>
              </div>
            </details>
          </li>
        ))}
      </ol>
      {more ? (
        <p className="inside">
          <Button isSmall disabled={more.isLoading} onClick={more.load}>
            Older commits
          </Button>
        </p>
      ) : null}
    </>
  );
}

/** Of a run, which replaces rows, what came and what went; of another commit how many. */
function rowsOf(commit: CommitEntry): string {
  const changes = commit.pipeline ? rowChanges(commit.operations, commit.operation_count) : "";
  if (changes) return `${changes} ${pluralised(commit.rows_changed, "row")}`;
  return commit.rows_changed ? counted(commit.rows_changed, "row") : "";
}

function objectNames({ operations, operation_count }: CommitEntry): string {
  const names = [...new Set(operations.map((operation) => inOrder(operation.object)))];
  const [first = "", ...others] = names;
  const more = others.length + (operation_count - operations.length);
  return more ? `${first} and ${counted(more, "other")}` : first;
}

/** The first operations of a commit, and the others when they are asked for. */
function Operations({ catalog, branch, commit }: { catalog: string; branch: string; commit: CommitEntry }) {
  const [isOpen, setIsOpen] = useState(false);
  const all = useCommitOperations(catalog, branch, commit.version, isOpen);
  const shown = all.data?.pages.flatMap((page) => page.results) ?? commit.operations;
  const left = commit.operation_count - shown.length;
  const more = () => (isOpen ? void all.fetchNextPage() : setIsOpen(true));
  return (
    <>
      <OperationList operations={shown} />
      {all.isError ? <Failure error={all.error} /> : null}
      {left > 0 ? (
        <p>
          <Button isSmall disabled={all.isFetching} onClick={more}>
            More operations
          </Button>{" "}
          <Muted isSmall>
            {count(shown.length)} of {counted(commit.operation_count, "operation")}
          </Muted>
        </p>
      ) : null}
    </>
  );
}

function OperationList({ operations }: { operations: readonly OperationEntry[] }) {
  return (
    <ul className="small">
      {operations.map((operation, place) => (
        <li key={place}>
          {operation.kind} <strong>{operation.object}</strong>{" "}
          <Muted>{metricsText(operation.metrics)}</Muted>
        </li>
      ))}
    </ul>
  );
}

function metricsText(metrics: Record<string, number>): string {
  return Object.entries(metrics)
    .filter(([, value]) => value > 0)
    .map(([name, value]) => `${name.replaceAll("_", " ")}: ${name.startsWith("bytes") ? bytes(value) : count(value)}`)
    .join(" · ");
}
