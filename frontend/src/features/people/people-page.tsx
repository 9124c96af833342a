import { useState } from "react";

import { userStanding } from "../../queries/user";
import { PageHead, Panel } from "../../ui/page";
import { Tabs } from "../../ui/tabs";
import { GroupsTab } from "./groups-tab";
import { PeopleTab } from "./people-tab";
import { RightsTab } from "./rights-tab";
import "../../styles/settings.css";
import "../../styles/catalog-settings.css";

type TabKey = "people" | "groups" | "rights";

const TABS: readonly { key: TabKey; label: string }[] = [
  { key: "people", label: "People" },
  { key: "groups", label: "Groups" },
  { key: "rights", label: "Rights given" },
];

/** Accounts of the server, for its staff. */
export function PeoplePage() {
  const [tab, setTab] = useState<TabKey>("people");
  const isSuperuser = userStanding() === "superuser";
  return (
    <div className="page">
      <PageHead title="People" />
      <Panel>
        <Tabs tabs={TABS} chosen={tab} onChoose={setTab} label="People and rights">
          {tab === "people" ? <PeopleTab isSuperuser={isSuperuser} /> : null}
          {tab === "groups" ? <GroupsTab isSuperuser={isSuperuser} /> : null}
          {tab === "rights" ? <RightsTab /> : null}
        </Tabs>
      </Panel>
    </div>
  );
}
