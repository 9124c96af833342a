import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useNavigate } from "react-router";

import type { RequestDetail } from "../../api/resources";
import { requestAddress } from "../../model/addresses";
import { branchCreate, branchRestore } from "../../model/sql";
import { refresh } from "../../queries/refresh";
import { useRequestOpen, type RequestPlace } from "../../queries/requests";
import { statementRun } from "../../queries/statements";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { TextField } from "../sql/write-dialog";
import { Muted } from "../../ui/muted";

type Undone = NonNullable<RequestDetail["undone_by"]>;

/** Opens a request for what a revert took away: another merge of the source brings nothing of it. */
export function MergeAgain({ place, request, undone }: { place: RequestPlace; request: RequestDetail; undone: Undone }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button isSmall onClick={() => setAsking(true)}>
        Merge again …
      </Button>
      {isAsking ? <AgainDialog place={place} request={request} undone={undone} onClose={() => setAsking(false)} /> : null}
    </>
  );
}

function AgainDialog({ place, request, undone, onClose }: { place: RequestPlace; request: RequestDetail; undone: Undone; onClose: () => void }) {
  const [name, setName] = useState(`${request.source.name}-again`.slice(0, 255));
  const target = request.destination.name;
  const again = useAgain(place, request, undone);
  return (
    <ConfirmDialog title={`Merge ${request.source.name} again?`} action="Open the merge request" working="Opening …" isReady={name.trim() !== ""} run={again} onConfirm={() => again.mutate(name.trim())} onClose={onClose}>
      <p>
        The revert is a change of {target}. {request.source.name} counts as merged, so another merge of it brings nothing of what was reverted. So the revert is reverted:
      </p>
      <ol>
        <li>
          A new branch is created from {target} <code>v{undone.version}</code>, which is the revert.
        </li>
        <li>
          The branch is restored to <code>v{undone.version - 1}</code>, the version before the revert.
        </li>
        <li>
          A merge request for {target} opens, titled “{request.title}”. It refers to #{request.number}.
        </li>
      </ol>
      <Muted as="p" isSmall>Nothing of {target} changes until that request is merged. What changed on {target} since the revert is compared as in any merge.</Muted>
      <TextField label="Name of the new branch" value={name} onChange={setName} isFirst />
    </ConfirmDialog>
  );
}

/** The steps, each done once: after a failure the next attempt begins with the step that failed. */
function useAgain(place: RequestPlace, request: RequestDetail, undone: Undone) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const open = useRequestOpen(place.catalog);
  const made = useRef<{ name: string; isRestored: boolean }>(undefined);
  return useMutation({
    mutationFn: async (name: string) => {
      const { catalog } = place;
      const target = request.destination.name;
      if (made.current?.name !== name) {
        await statementRun({ catalog, branch: target, statement: branchCreate(name, target, undone.version) });
        made.current = { name, isRestored: false };
      }
      if (!made.current.isRestored) {
        await statementRun({ catalog, branch: name, statement: branchRestore(name, undone.version - 1) });
        made.current.isRestored = true;
      }
      const description = [`Merges #${request.number} again: version ${undone.version} of ${target} reverted its merge.`, request.description].filter(Boolean).join("\n\n");
      return open.mutateAsync({ source: name, destination: target, draft: false, title: request.title, description, labels: request.labels, reviewers: [] });
    },
    onSuccess: async (opened) => {
      await refresh(queries, ["catalog", place.catalog]);
      void navigate(requestAddress(place.catalog, opened.number));
    },
  });
}
