import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { body, client, cursorOf } from "../api/client";
import type { LandingFile } from "../api/resources";
import { fileSend } from "../api/upload";

const AT = "/api/v1/pipelines/{pipeline_id}/landing-zones/";
const FILES = `${AT}{zone}/files/` as const;
const PAGE = 100;

export interface ZonePlace {
  pipelineId: number;
  zone: string;
}

/** Zones that the template names, then those that have files. */
export function useLandingZones(pipelineId: number) {
  return useQuery({
    queryKey: zonesKey(pipelineId),
    queryFn: ({ signal }) => body(client.GET(AT, { params: { path: { pipeline_id: pipelineId } }, signal })),
  });
}

/** The files of a zone, newest first. */
export function useLandingFiles({ pipelineId, zone }: ZonePlace) {
  return useInfiniteQuery({
    queryKey: [...zonesKey(pipelineId), zone],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return body(client.GET(FILES, { params: { path: { pipeline_id: pipelineId, zone }, query }, signal }));
    },
    getNextPageParam: (page) => cursorOf(page.next),
  });
}

/** Sends files one after the other; `sending` is the present one and `share` says how much of it is there. */
export function useLandingSend({ pipelineId, zone }: ZonePlace) {
  const queries = useQueryClient();
  const [sending, setSending] = useState<{ file: File; share: number }>();
  const [control, setControl] = useState<AbortController>();
  const send = useMutation({
    mutationFn: async (files: readonly File[]) => {
      const control = new AbortController();
      setControl(control);
      const address = `/api/v1/pipelines/${pipelineId}/landing-zones/${encodeURIComponent(zone)}/files/`;
      for (const file of files) {
        setSending({ file, share: 0 });
        const onProgress = (share: number) => setSending({ file, share });
        await fileSend<LandingFile>(address, file, { onProgress, signal: control.signal });
      }
    },
    onSettled: () => {
      setSending(undefined);
      return queries.invalidateQueries({ queryKey: zonesKey(pipelineId) });
    },
  });
  const isGivenUp = send.error instanceof DOMException && send.error.name === "AbortError";
  return { ...send, error: isGivenUp ? null : send.error, sending, cancel: () => control?.abort() };
}

export function useLandingFileDelete(pipelineId: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ zone, id }: LandingFile) => client.DELETE(`${FILES}{file_id}/`, { params: { path: { pipeline_id: pipelineId, zone, file_id: id } } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: zonesKey(pipelineId) }),
  });
}

/** Takes a file out of the archive, so that the next run reads it. */
export function useLandingFileReturn(pipelineId: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ zone, id }: LandingFile) =>
      body(client.PATCH(`${FILES}{file_id}/`, { params: { path: { pipeline_id: pipelineId, zone, file_id: id } }, body: { state: "waiting" } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: zonesKey(pipelineId) }),
  });
}

function zonesKey(pipelineId: number) {
  return ["pipeline", pipelineId, "landing zones"] as const;
}
