import { useMemo } from "react";

import type { Surroundings } from "../../model/pipeline-completion";
import { usePipelineFields, usePipelines } from "../../queries/pipelines";
import { useDatabases, useTable, useTables, type TablePlace } from "../../queries/tables";

/** What the editors of a pipeline may complete. The target may not be there before the first run. */
export function useSurroundings(target: TablePlace, ownName: string): Surroundings {
  const fields = usePipelineFields().data;
  const pages = usePipelines({ catalog: target.catalog }).data?.pages;
  const columns = useTargetColumns(target);
  return useMemo(
    () => ({
      fields: fields ?? [],
      columns: columns ?? [],
      pipelines: (pages ?? []).flatMap((page) => page.results.map(({ name }) => name)).filter((name) => name !== ownName),
    }),
    [fields, pages, columns, ownName],
  );
}

/** Columns of the target; undefined where it is not there, or not known yet. It is looked for first: asking for a table that
 * is not there would be an error on the console. */
export function useTargetColumns(target: TablePlace): string[] | undefined {
  const { catalog, branch, database, table } = target;
  const databases = useDatabases(catalog, branch);
  const hasDatabase = database !== "" && isAmong(database, databases.data?.results);
  const tables = useTables(catalog, branch, database, table, hasDatabase && table !== "");
  const hasTable = hasDatabase && isAmong(table, tables.data?.pages.flatMap((page) => page.results));
  const found = useTable(target, undefined, hasTable);
  const columns = hasTable && !found.isPlaceholderData ? found.data?.columns : undefined;
  return useMemo(() => columns?.map(({ name }) => name), [columns]);
}

function isAmong(name: string, found: readonly { name: string }[] | undefined): boolean {
  return found?.some((known) => known.name.toLowerCase() === name.toLowerCase()) ?? false;
}
