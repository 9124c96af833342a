import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";

import type { Comparison } from "../../api/resources";
import { mergeAddress, newRequestAddress, taskAddress } from "../../model/addresses";
import { counted } from "../../model/format";
import { takesRequestsOnly } from "../../model/protection";
import { mergeStatement, withMessage } from "../../model/sql";
import type { Pair } from "../../queries/compare";
import { useProtection } from "../../queries/protection";
import { statementRun, useTaskStart } from "../../queries/statements";
import { MessageField } from "../sql/write-dialog";
import { JUST_STARTED } from "../tasks/just-started";
import { Button, LinkButton } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Dialog } from "../../ui/dialog";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { Failure } from "../../ui/states";

/** Dry run, and merge after a last look. */
export function MergeActions({ pair, summary }: { pair: Pair; summary: Comparison }) {
  const [isAsking, setAsking] = useState(false);
  const dryRun = useDryRun(pair);
  const protection = useProtection(pair.catalog, pair.destination);
  const isRefused = protection.data !== undefined && takesRequestsOnly(protection.data);
  return (
    <>
      <Button disabled={dryRun.isPending} onClick={() => dryRun.mutate()}>
        {dryRun.isPending ? "Dry run …" : "Dry run"}
      </Button>
      <LinkButton look={isRefused ? "primary" : undefined} to={newRequestAddress(pair.catalog, pair.source, pair.destination)}>
        <Icon name="request" />
        {summary.mergeable ? "Open a merge request" : "Resolve conflicts"}
      </LinkButton>
      <Button
        look={isRefused ? undefined : "primary"}
        disabled={!summary.mergeable || isRefused}
        title={isRefused ? `${pair.destination} is protected: it takes merge requests only` : summary.mergeable ? undefined : "Conflicts refuse this merge"}
        onClick={() => setAsking(true)}
      >
        <Icon name="merge" />
        Merge
      </Button>
      {isRefused ? (
        <Muted as="p" isSmall className="row">
          <Icon name="shield" size={14} />
          {pair.destination} takes merge requests only
        </Muted>
      ) : null}
      {isAsking ? <MergeDialog pair={pair} summary={summary} onClose={() => setAsking(false)} /> : null}
      {dryRun.error ? (
        <Dialog title="The dry run failed" onClose={() => dryRun.reset()}>
          <Failure error={dryRun.error} />
          <div className="actions">
            <Button onClick={() => dryRun.reset()}>
              Close
            </Button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

/** A dry run is recorded like any attempt; its record is the page to look at. */
function useDryRun({ catalog, source, destination }: Pair) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const statement = mergeStatement(source, destination, true);
      const outcome = await statementRun({ catalog, branch: destination, statement });
      return outcome.kind === "task" ? taskAddress(outcome.task.id) : mergeAddress(outcome.answer.merge_id ?? "");
    },
    onSuccess: async (address) => {
      await queries.invalidateQueries({ queryKey: ["catalog", catalog, "merges"] });
      await navigate(address);
    },
  });
}

/** The last look before a merge. */
export function MergeDialog({ pair, summary, onClose }: { pair: Pair; summary: Comparison; onClose: () => void }) {
  const { catalog, source, destination } = pair;
  const navigate = useNavigate();
  const start = useTaskStart();
  const [message, setMessage] = useState("");
  const merge = () =>
    start.mutate(
      { catalog, branch: destination, statement: withMessage(mergeStatement(source, destination), message) },
      { onSuccess: (task) => void navigate(taskAddress(task.id), { state: JUST_STARTED }) },
    );
  return (
    <ConfirmDialog
      title={`Merge ${source} into ${destination}`}
      action={`Merge into ${destination}`}
      working="Starting …"
      run={start}
      onConfirm={merge}
      onClose={onClose}
    >
      <p>
        {destination} gets one new commit with {counted(summary.counts.objects, "changed object")}. {source} stays as it is, and the
        merge can be reverted as a whole.
      </p>
      {summary.counts.notes ? (
        <Muted as="p">
          {counted(summary.counts.notes, "note")} to know about: something is discarded, skipped or overridden. The list has them.
        </Muted>
      ) : null}
      <MessageField value={message} onChange={setMessage} />
    </ConfirmDialog>
  );
}
