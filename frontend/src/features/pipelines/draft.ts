import { useEffect } from "react";
import { useBlocker } from "react-router";

import type { PipelineText } from "../../api/resources";

/** Texts that are not saved yet, with the version that they were made from and its tag. */
export interface Draft extends PipelineText {
  tag: string | null;
  version: number;
}

/** Leaving the page with something unsaved has to be confirmed; tabs of the page are no other page. */
export function useLeaving(isUnsaved: boolean) {
  useEffect(() => {
    if (!isUnsaved) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [isUnsaved]);
  return useBlocker(({ currentLocation, nextLocation }) => isUnsaved && currentLocation.pathname !== nextLocation.pathname);
}
