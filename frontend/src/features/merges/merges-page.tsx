import { Link, useParams } from "react-router";

import { compareAddress, mergeAddress } from "../../model/addresses";
import { useMerges, type MergeSummary } from "../../queries/merges";
import { LaneDot } from "../../ui/branch-name";
import { PageHead, Panel } from "../../ui/page";
import { Empty, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";
import { OutcomeBadge } from "./outcome-badge";
import "../../styles/merges.css";

export function MergesPage() {
  const { catalog = "" } = useParams();
  const merges = useMerges(catalog);
  return (
    <div className="page">
      <PageHead
        title="Merges"
        actions={
          <Link className="button primary" to={compareAddress(catalog)}>
            Compare branches
          </Link>
        }
      />
      <Panel>
        <Loaded query={merges} label="merges">
          {({ pages }) => <MergeList merges={pages.flatMap((page) => page.results)} />}
        </Loaded>
        {merges.hasNextPage ? (
          <p className="inside">
            <button type="button" className="button small" onClick={() => void merges.fetchNextPage()}>
              Older merges
            </button>
          </p>
        ) : null}
      </Panel>
    </div>
  );
}

function MergeList({ merges }: { merges: readonly MergeSummary[] }) {
  if (merges.length === 0) {
    return (
      <Empty title="Nobody has tried to merge yet">
        <p>Every attempt is recorded here: merges, dry runs, and what was refused.</p>
      </Empty>
    );
  }
  return (
    <ul className="merge-list">
      {merges.map((merge) => (
        <li key={merge.merge_id}>
          <OutcomeBadge outcome={merge.outcome} />
          <Link to={mergeAddress(merge.merge_id)} className="row">
            <LaneDot branch={merge.source} />
            {merge.source} → <LaneDot branch={merge.destination} /> {merge.destination}
          </Link>
          <span className="small muted">{merge.version === null ? "" : `made v${merge.version}`}</span>
          <span className="small muted when">
            {merge.actor ? `${merge.actor}, ` : ""}
            <Time at={merge.time} />
          </span>
        </li>
      ))}
    </ul>
  );
}
