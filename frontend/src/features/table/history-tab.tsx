import { useState } from "react";

import type { CommitEntry, TableDetail } from "../../api/resources";
import { tableRestore } from "../../model/sql";
import { useTableHistory, type TablePlace } from "../../queries/tables";
import { Loaded } from "../../ui/states";
import { CommitTimeline } from "../branch/commit-timeline";
import { RestoreDialog } from "../branch/restore-dialog";
import { GrowthPlots } from "./growth-plots";

export function HistoryTab({
  place,
  table,
  version,
}: {
  place: TablePlace;
  table: TableDetail;
  version: number | undefined;
}) {
  const [restoreTo, setRestoreTo] = useState<CommitEntry>();
  const history = useTableHistory(place);
  const { catalog, branch, database } = place;
  return (
    <Loaded query={history} label="the history">
      {({ pages }) => {
        const commits = pages.flatMap((page) => page.results);
        return (
          <>
            <GrowthPlots place={place} version={version} />
            <CommitTimeline
              catalog={catalog}
              branch={branch}
              commits={commits}
              chosen={undefined}
              headVersion={commits[0]?.version ?? table.head_version}
              onRestore={setRestoreTo}
              more={history.hasNextPage ? { isLoading: history.isFetchingNextPage, load: () => void history.fetchNextPage() } : undefined}
            />
            {restoreTo ? (
              <RestoreDialog
                what={`${database}.${table.name}`}
                version={restoreTo.version}
                statement={{ catalog, branch, statement: tableRestore(database, table.name, restoreTo.version) }}
                onClose={() => setRestoreTo(undefined)}
              />
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}
