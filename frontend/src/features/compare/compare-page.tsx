import { useEffect } from "react";
import { Link, useParams } from "react-router";

import type { ComparedDetail, Comparison } from "../../api/resources";
import { compareAddress, pairParse } from "../../model/addresses";
import { noteSeen } from "../../model/first-steps";
import { isAtLeast } from "../../model/roles";
import { useCatalog } from "../../queries/catalogs";
import type { Pair } from "../../queries/compare";
import { BranchLink } from "../../ui/branch-name";
import { Icon } from "../../ui/icons";
import { PageHead } from "../../ui/page";
import { Decisions } from "../requests/decisions";
import { rowAdditions } from "../requests/row-additions";
import { ChoosePair } from "./choose-pair";
import { ComparedObjects } from "./compared-objects";
import { MergeActions } from "./merge-actions";
import type { Additions } from "./object-detail";
import { SummaryLine } from "./summary-line";
import { useCompared } from "./use-compared";
import styles from "./compare-page.module.css";

export function ComparePage() {
  const { catalog = "", pair: text } = useParams();
  const pair = text === undefined ? undefined : pairParse(text);
  if (!pair) return <ChoosePair key={catalog} catalog={catalog} />;
  if (pair.source === pair.destination) return <ChoosePair key={`${catalog} ${pair.source}`} catalog={catalog} same={pair.source} />;
  return <ComparePair key={`${catalog} ${text ?? ""}`} pair={{ catalog, ...pair }} />;
}

function ComparePair({ pair }: { pair: Pair }) {
  const compared = useCompared(pair);
  useEffect(() => noteSeen(pair), [pair]);
  const mayDecide = isAtLeast(useCatalog(pair.catalog).data?.role, "contributor");
  return (
    <div className="page compare">
      <CompareHead pair={pair} summary={compared.summary} />
      <ComparedObjects pair={pair} compared={compared} {...(mayDecide ? { additions: decidingAdditions(pair) } : {})} />
    </div>
  );
}

/** Without a merge request: the first decision opens one. */
function decidingAdditions(pair: Pair): Additions {
  return {
    object: (detail: ComparedDetail) => (
      <Decisions key={`${String(detail.source_head)} ${String(detail.destination_head)}`} place={undefined} detail={detail} pair={pair} mayDecide />
    ),
    cell: () => null,
    rows: { ...rowAdditions(pair, undefined, true), result: () => undefined },
  };
}

function CompareHead({ pair, summary }: { pair: Pair; summary: Comparison | undefined }) {
  const { catalog, source, destination } = pair;
  return (
    <>
      <PageHead
        title={`${source} → ${destination}`}
        actions={summary && !summary.is_empty ? <MergeActions pair={pair} summary={summary} /> : null}
      >
        <span className={styles.pair}>
          <BranchLink catalog={catalog} branch={source} />
          <Icon name="right" />
          <span className="visually-hidden">into</span>
          <BranchLink catalog={catalog} branch={destination} />
          <Link
            className="icon-button"
            to={compareAddress(catalog, destination, source)}
            title="The other way round"
            aria-label={`Compare the other way round: ${destination} into ${source}`}
          >
            <Icon name="compare" />
          </Link>
        </span>
      </PageHead>
      {summary ? <SummaryLine summary={summary} /> : null}
    </>
  );
}
