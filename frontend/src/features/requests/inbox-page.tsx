import { useInbox } from "../../queries/requests";
import { Button } from "../../ui/button";
import { PageHead, Panel } from "../../ui/page";
import { Empty, Loaded } from "../../ui/states";
import { InboxList } from "./request-row";

/** Merge requests of all catalogs that wait for whoever looks. */
export function InboxPage() {
  const inbox = useInbox();
  return (
    <div className="page">
      <PageHead title="Waiting for you" />
      <Panel>
        <Loaded query={inbox} label="what waits for you">
          {({ pages }) => {
            const entries = pages.flatMap((page) => page.results);
            if (entries.length === 0) return <NothingWaits />;
            return <InboxList entries={entries} />;
          }}
        </Loaded>
        {inbox.hasNextPage ? (
          <p className="inside">
            <Button isSmall onClick={() => void inbox.fetchNextPage()}>
              More
            </Button>
          </p>
        ) : null}
      </Panel>
    </div>
  );
}

function NothingWaits() {
  return (
    <Empty title="Nothing waits for you">
      <p>Requests come here when you are asked for a review, and your own when they are approved, sent back, or in conflict.</p>
    </Empty>
  );
}
