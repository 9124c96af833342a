import { useState } from "react";

import type { Branch, CommitEntry } from "../../api/resources";
import { branchRestore } from "../../model/sql";
import { useBranchHistory } from "../../queries/history";
import { Input } from "../../ui/field";
import { Loaded } from "../../ui/states";
import { BranchDialog } from "../catalog/branch-dialogs";
import { CommitTimeline } from "./commit-timeline";
import { RestoreDialog } from "./restore-dialog";

const SEARCH_LABEL = "Find in statements, operations and authors";

/** Commits of the branch, those it inherited included; from each of them it can be restored, or another be cut. */
export function BranchHistory({
  catalog,
  branch,
  chosen,
}: {
  catalog: string;
  branch: Branch;
  chosen: number | undefined;
}) {
  const [text, setText] = useState("");
  const [restoreTo, setRestoreTo] = useState<CommitEntry>();
  const [cutFrom, setCutFrom] = useState<CommitEntry>();
  const history = useBranchHistory(catalog, branch.name, text ? { search: text } : {});
  return (
    <>
      <div className="inside">
        <Input
          type="search"
          placeholder={SEARCH_LABEL}
          aria-label={SEARCH_LABEL}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <Loaded query={history} label="the history">
        {({ pages }) => (
          <CommitTimeline
            catalog={catalog}
            branch={branch.name}
            commits={pages.flatMap((page) => page.results)}
            chosen={chosen}
            headVersion={branch.head_version}
            onRestore={setRestoreTo}
            onBranchFrom={setCutFrom}
            more={history.hasNextPage ? { isLoading: history.isFetchingNextPage, load: () => void history.fetchNextPage() } : undefined}
          />
        )}
      </Loaded>
      {cutFrom ? (
        <BranchDialog
          catalog={catalog}
          intent={{ kind: "create", from: branch.name, version: cutFrom.version }}
          onClose={() => setCutFrom(undefined)}
        />
      ) : null}
      {restoreTo ? (
        <RestoreDialog
          what={`branch ${branch.name}`}
          version={restoreTo.version}
          statement={{ catalog, branch: branch.name, statement: branchRestore(branch.name, restoreTo.version) }}
          onClose={() => setRestoreTo(undefined)}
        />
      ) : null}
    </>
  );
}
