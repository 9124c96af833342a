import { useState } from "react";
import { Link } from "react-router";

import type { MergeRecord } from "../../api/resources";
import { compareAddress, requestAddress } from "../../model/addresses";
import { useComparison } from "../../queries/compare";
import { Icon } from "../../ui/icons";
import { MergeDialog } from "../compare/merge-actions";

/** The way on from a merge that was refused, failed, or only tried: once more, where nothing is in its way now. */
export function MergeAgain({ record }: { record: MergeRecord }) {
  const [isAsking, setAsking] = useState(false);
  const pair = { catalog: record.catalog, source: record.source, destination: record.destination };
  const summary = useComparison(pair, { limit: 1 }, !record.request).data?.pages[0];
  if (record.request) {
    return (
      <Link className="button primary" to={requestAddress(record.catalog, record.request.number)}>
        Merge request #{record.request.number}
      </Link>
    );
  }
  const isFree = summary?.mergeable === true && !summary.is_empty;
  return (
    <>
      <Link className={isFree ? "button" : "button primary"} to={compareAddress(pair.catalog, pair.source, pair.destination)}>
        Compare now
      </Link>
      {isFree ? (
        <button type="button" className="button primary" onClick={() => setAsking(true)}>
          <Icon name="merge" />
          {record.outcome === "dry run" ? "Merge" : "Merge again"}
        </button>
      ) : null}
      {isAsking && summary ? <MergeDialog pair={pair} summary={summary} onClose={() => setAsking(false)} /> : null}
    </>
  );
}
