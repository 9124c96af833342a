import { useEffect, useState } from "react";

import type { PipelineText } from "../../api/resources";
import { usePipelineValidation, type Validation } from "../../queries/pipelines";
import type { TablePlace } from "../../queries/tables";

/** The time without a key after which what was typed is looked at. */
const PAUSE_MS = 400;

/** What the server says of the texts as they stand, a moment after the last key: of these, or still of earlier ones. */
export function useValidation({ catalog, database, table }: TablePlace, text: PipelineText): Validation | undefined {
  const { source, config } = text;
  const [settled, settle] = useState({ catalog, database, table, source, config });
  useEffect(() => {
    const timer = setTimeout(() => settle({ catalog, database, table, source, config }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [catalog, database, table, source, config]);
  return usePipelineValidation(settled).data;
}

export function isSameText(left: PipelineText, right: PipelineText): boolean {
  return left.source === right.source && left.config === right.config;
}
