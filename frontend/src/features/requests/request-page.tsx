import { useParams, useSearchParams } from "react-router";

import type { RequestDetail } from "../../api/resources";
import { isFinishedState, namesOf, sourceName, withLiveConflicts } from "../../model/review";
import { useCatalog } from "../../queries/catalogs";
import { useComparison, type Pair } from "../../queries/compare";
import { useComments } from "../../queries/comments";
import { useRequest, type RequestPlace } from "../../queries/requests";
import { Loaded } from "../../ui/states";
import { Tabs } from "../../ui/tabs";
import { CheckStandings } from "./check-standings";
import { Composer } from "./composer";
import { Conversation } from "./conversation";
import { MergeBox } from "./merge-box";
import { RequestComparison } from "./request-comparison";
import { RequestFacts } from "./request-facts";
import { RequestHead } from "./request-head";
import styles from "./request-page.module.css";

export function RequestPage() {
  const { catalog = "", number = "" } = useParams();
  const place: RequestPlace = { catalog, number: Number(number) };
  const request = useRequest(place);
  return (
    <div className="page">
      <Loaded query={request} label="the merge request" heading="Merge request">
        {(found) => <RequestView key={found.number} place={place} request={found} />}
      </Loaded>
    </div>
  );
}

type TabKey = "conversation" | "compare" | "checks";

function RequestView({ place, request: known }: { place: RequestPlace; request: RequestDetail }) {
  const [query, setQuery] = useSearchParams();
  const role = useCatalog(place.catalog).data?.role;
  const threads = useComments(place).data?.pages.flatMap((page) => page.results);
  const tabs = [
    { key: "conversation" as const, label: "Conversation", count: threads?.length },
    { key: "compare" as const, label: "Comparison" },
    { key: "checks" as const, label: "Checks" },
  ];
  const chosen: TabKey = tabs.find(({ key }) => key === query.get("tab"))?.key ?? "conversation";
  const pair: Pair = { catalog: place.catalog, source: sourceName(known), destination: known.destination.name, request: place.number, isMerged: known.state === "merged" };
  const isLive = !isFinishedState(known.state) && !known.source.is_dropped && !known.destination.is_dropped;
  const comparison = useComparison(pair, {}, isLive);
  const seen = isLive ? comparison.data?.pages[0] : undefined;
  const request = withLiveConflicts(known, seen?.counts);
  const names = namesOf(seen?.results ?? []);
  return (
    <>
      <RequestHead place={place} request={request} role={role} />
      <MergeBox place={place} request={request} seen={seen} role={role} />
      <Tabs tabs={tabs} chosen={chosen} onChoose={(key) => setQuery(key === "conversation" ? {} : { tab: key })} label="Parts of the request">
        {chosen === "compare" ? <RequestComparison place={place} request={request} pair={pair} role={role} /> : null}
        {chosen === "checks" ? <CheckStandings place={place} request={request} role={role} /> : null}
        {chosen === "conversation" ? (
          <div className={styles.columns}>
            <div className="stack">
              <Conversation place={place} request={request} role={role} names={names} />
              <Composer place={place} request={request} pair={pair} comparison={comparison} role={role} />
            </div>
            <RequestFacts place={place} request={request} />
          </div>
        ) : null}
      </Tabs>
    </>
  );
}
