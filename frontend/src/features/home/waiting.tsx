import { Link } from "react-router";

import { inboxAddress } from "../../model/addresses";
import { useInbox } from "../../queries/requests";
import { Panel } from "../../ui/page";
import { InboxList } from "../requests/request-row";

const SHOWN = 5;

/** The merge requests that wait for whoever looks; nothing where none does. */
export function Waiting() {
  const inbox = useInbox();
  const entries = inbox.data?.pages.flatMap((page) => page.results) ?? [];
  if (entries.length === 0) return null;
  return (
    <Panel title="Waiting for you" actions={entries.length > SHOWN ? <Link to={inboxAddress}>All that wait</Link> : null}>
      <InboxList entries={entries.slice(0, SHOWN)} />
    </Panel>
  );
}
