import { useMutation, useMutationState, useQuery, useQueryClient, type Mutation } from "@tanstack/react-query";
import { useState } from "react";

import { body, client } from "../api/client";
import type { FileImport, ImportTarget, ReadingChange } from "../api/resources";
import { fileSend } from "../api/upload";
import { openChoices, refusalOf, type OpenChoices, type SaidChange } from "../model/import-choices";
import { plainNames } from "../model/plain-names";
import { randomKey } from "./statements";

export interface ImportPlace {
  catalog: string;
  branch: string;
}

const AT = "/api/v1/catalogs/{catalog}/branches/{branch}/imports/";

/** The user's files that wait on the branch, newest first. */
export function useImports({ catalog, branch }: ImportPlace) {
  return useQuery({
    queryKey: listKey({ catalog, branch }),
    queryFn: ({ signal }) => body(client.GET(AT, { params: { path: { catalog, branch } }, signal })),
  });
}

export function useImport({ catalog, branch }: ImportPlace, importId: string) {
  return useQuery({
    queryKey: importKey(importId),
    queryFn: ({ signal }) => {
      const path = { catalog, branch, import_id: importId };
      return body(client.GET(`${AT}{import_id}/`, { params: { path }, signal }));
    },
  });
}

/** Sends a file; `share` says how much of it is there, and `cancel` gives it up. `isPlain`: names of its columns that need
 * backticks become plain ones. Where the server takes no such name, the file keeps its own. */
export function useImportSend({ catalog, branch }: ImportPlace, isPlain: boolean) {
  const queries = useQueryClient();
  const [share, setShare] = useState(0);
  const [control, setControl] = useState<AbortController>();
  const send = useMutation({
    mutationFn: async (file: File) => {
      const control = new AbortController();
      setControl(control);
      setShare(0);
      const address = `/api/v1/catalogs/${encodeURIComponent(catalog)}/branches/${encodeURIComponent(branch)}/imports/`;
      const made = await fileSend<FileImport>(address, file, { onProgress: setShare, signal: control.signal });
      const columns = isPlain ? plainNames(made.columns).map(({ source, name }) => ({ source, name })) : [];
      if (columns.length === 0) return made;
      const path = { catalog, branch, import_id: made.id };
      return body(client.PATCH(`${AT}{import_id}/`, { params: { path }, body: { columns } })).catch(() => made);
    },
    onSuccess: (made) => {
      queries.setQueryData(importKey(made.id), made);
      return queries.invalidateQueries({ queryKey: listKey({ catalog, branch }) });
    },
  });
  const isGivenUp = send.error instanceof DOMException && send.error.name === "AbortError";
  return { ...send, error: isGivenUp ? null : send.error, share, cancel: () => control?.abort() };
}

/** Reads the file another way; what is not named stays as it is. */
export function useImportReread({ catalog, branch }: ImportPlace, importId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationKey: rereadKey(importId),
    scope: { id: importId },
    // A choice that was refused stays known until it is made again.
    gcTime: Infinity,
    mutationFn: (change: ReadingChange) => {
      const path = { catalog, branch, import_id: importId };
      return body(client.PATCH(`${AT}{import_id}/`, { params: { path }, body: change }));
    },
    onSuccess: (read) => queries.setQueryData(importKey(importId), read),
  });
}

/** Choices about the file that are on their way, or were refused. */
export function useOpenChoices(importId: string): OpenChoices {
  return openChoices(useMutationState({ filters: { mutationKey: rereadKey(importId) }, select: saidChange }));
}

export function useImportDiscard({ catalog, branch }: ImportPlace) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (importId: string) =>
      client.DELETE(`${AT}{import_id}/`, { params: { path: { catalog, branch, import_id: importId } } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: listKey({ catalog, branch }) }),
  });
}

/**
 * Answers the task that loads the file, once even when the request is repeated. It waits until every choice about the file
 * was answered, asks for what the file is then, and does nothing where a choice was refused.
 */
export function useImportLoad({ catalog, branch }: ImportPlace, importId: string) {
  const queries = useQueryClient();
  return useMutation({
    scope: { id: importId },
    mutationFn: async (targetOf: (file: FileImport) => ImportTarget) => {
      const said = queries.getMutationCache().findAll({ mutationKey: rereadKey(importId) }).map(saidChange);
      const refused = refusalOf(openChoices(said));
      if (refused) throw refused;
      const file = queries.getQueryData<FileImport>(importKey(importId));
      if (!file) throw new Error("The file is not known any more. Load the page again.");
      const target = targetOf(file);
      const path = { catalog, branch, import_id: importId };
      const header = { Prefer: "respond-async", "Idempotency-Key": randomKey() };
      const answer = await body(client.POST(`${AT}{import_id}/load/`, { params: { path, header }, body: target }));
      if ("columns" in answer) throw new Error("The server did not make a task of this.");
      return answer;
    },
  });
}

function saidChange({ state }: Mutation): SaidChange {
  return { change: state.variables ?? {}, status: state.status, error: state.error };
}

function rereadKey(importId: string) {
  return ["import", importId, "reread"] as const;
}

function listKey({ catalog, branch }: ImportPlace) {
  return ["catalog", catalog, "branch", branch, "imports"] as const;
}

function importKey(importId: string) {
  return ["import", importId] as const;
}
