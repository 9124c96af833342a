import { useState } from "react";

import type { MergeRecord } from "../../api/resources";
import { compareAddress, requestAddress } from "../../model/addresses";
import { useComparison } from "../../queries/compare";
import { Button, LinkButton } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { MergeDialog } from "../compare/merge-actions";

/** The way on from a merge that was refused, failed, or only tried: once more, where nothing is in its way now. */
export function MergeAgain({ record }: { record: MergeRecord }) {
  const [isAsking, setAsking] = useState(false);
  const pair = { catalog: record.catalog, source: record.source, destination: record.destination };
  const summary = useComparison(pair, { limit: 1 }, !record.request).data?.pages[0];
  if (record.request) {
    return (
      <LinkButton look="primary" to={requestAddress(record.catalog, record.request.number)}>
        Merge request #{record.request.number}
      </LinkButton>
    );
  }
  const isFree = summary?.mergeable === true && !summary.is_empty;
  return (
    <>
      <LinkButton look={isFree ? undefined : "primary"} to={compareAddress(pair.catalog, pair.source, pair.destination)}>
        Compare now
      </LinkButton>
      {isFree ? (
        <Button look="primary" onClick={() => setAsking(true)}>
          <Icon name="merge" />
          {record.outcome === "dry run" ? "Merge" : "Merge again"}
        </Button>
      ) : null}
      {isAsking && summary ? <MergeDialog pair={pair} summary={summary} onClose={() => setAsking(false)} /> : null}
    </>
  );
}
