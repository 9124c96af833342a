import { Link } from "react-router";

import { userStanding } from "../../queries/user";
import { useChosenTab } from "../../ui/use-chosen-tab";
import { PageHead, Panel } from "../../ui/page";
import { Empty } from "../../ui/states";
import { Tabs } from "../../ui/tabs";
import { AgentList } from "./agent-list";
import { GroupsTab } from "./groups-tab";
import { PeopleTab } from "./people-tab";
import { RightsTab } from "./rights-tab";

type TabKey = "people" | "groups" | "agents" | "rights";

const TABS: readonly { key: TabKey; label: string }[] = [
  { key: "people", label: "People" },
  { key: "groups", label: "Groups" },
  { key: "agents", label: "Agents" },
  { key: "rights", label: "Rights given" },
];

/** Accounts of the server, for its staff. */
export function PeoplePage() {
  const [tab, setTab] = useChosenTab(TABS);
  const standing = userStanding();
  if (standing === "person") return <NotStaff />;
  const isSuperuser = standing === "superuser";
  return (
    <div className="page">
      <PageHead title="People" />
      <Panel>
        <Tabs tabs={TABS} chosen={tab} onChoose={setTab} label="People and rights">
          {tab === "people" ? <PeopleTab isSuperuser={isSuperuser} /> : null}
          {tab === "groups" ? <GroupsTab isSuperuser={isSuperuser} /> : null}
          {tab === "agents" ? <AgentList isOfAll={isSuperuser} /> : null}
          {tab === "rights" ? <RightsTab /> : null}
        </Tabs>
      </Panel>
    </div>
  );
}

/** A person who is not staff gets a refusal of each request, so the page has no tabs. */
function NotStaff() {
  return (
    <div className="page">
      <PageHead title="People" />
      <Empty title="Accounts are for the staff of the server">
        <p>To add a person or change a role on the server, ask someone of the staff.</p>
        <p>
          Your own password, tokens and sessions are in <Link to="/settings">Settings</Link>.
        </p>
      </Empty>
    </div>
  );
}
