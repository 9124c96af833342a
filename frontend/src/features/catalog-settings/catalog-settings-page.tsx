import { useParams, useSearchParams } from "react-router";

import type { CatalogSettingsTab } from "../../model/addresses";
import { useCatalog } from "../../queries/catalogs";
import { PageHead, Panel } from "../../ui/page";
import { Loaded } from "../../ui/states";
import { Tabs } from "../../ui/tabs";
import { CatalogTab } from "./catalog-tab";
import { ChecksTab } from "./checks-tab";
import { MembersTab } from "./members-tab";
import { MergingTab } from "./merging-tab";
import { ProtectionTab } from "./protection-tab";
import { RestrictionsTab } from "./restrictions-tab";
import { WebhooksTab } from "./webhooks-tab";

const TABS: readonly { key: CatalogSettingsTab; label: string }[] = [
  { key: "members", label: "Members" },
  { key: "merging", label: "Merging" },
  { key: "protection", label: "Protection" },
  { key: "checks", label: "Checks" },
  { key: "restrictions", label: "Restrictions" },
  { key: "webhooks", label: "Webhooks" },
  { key: "catalog", label: "Name" },
];

/** Who may do what in a catalog, how its tables merge, what a merge into its branches has to pass, and where messages go. */
export function CatalogSettingsPage() {
  const { catalog = "" } = useParams();
  const [query, setQuery] = useSearchParams();
  const found = useCatalog(catalog);
  const chosen = TABS.find(({ key }) => key === query.get("tab"))?.key ?? "members";
  return (
    <div className="page">
      <PageHead title={`Settings of ${catalog}`} />
      <Loaded query={found} label="the catalog">
        {({ role }) => (
          <Panel>
            <Tabs tabs={TABS} chosen={chosen} onChoose={(key) => setQuery({ tab: key })} label="Settings of the catalog">
              {chosen === "members" ? <MembersTab catalog={catalog} role={role} /> : null}
              {chosen === "merging" ? <MergingTab catalog={catalog} role={role} /> : null}
              {chosen === "protection" ? <ProtectionTab catalog={catalog} role={role} /> : null}
              {chosen === "checks" ? <ChecksTab catalog={catalog} role={role} /> : null}
              {chosen === "restrictions" ? <RestrictionsTab catalog={catalog} role={role} /> : null}
              {chosen === "webhooks" ? <WebhooksTab catalog={catalog} /> : null}
              {chosen === "catalog" ? <CatalogTab catalog={catalog} role={role} /> : null}
            </Tabs>
          </Panel>
        )}
      </Loaded>
    </div>
  );
}
