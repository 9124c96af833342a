import { useState } from "react";
import { Link, useParams, useSearchParams } from "react-router";

import { asProblem } from "../../api/problem";
import type { Branch } from "../../api/resources";
import { catalogAddress, compareAddress, importAddress, newRequestAddress, sqlAddress } from "../../model/addresses";
import { counted } from "../../model/format";
import { conflictsText } from "../../model/review";
import { useBranch } from "../../queries/catalogs";
import { useComparison } from "../../queries/compare";
import { AheadBehind, ExpiryMark, LaneDot } from "../../ui/branch-name";
import { Button, LinkButton } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { PageHead, Panel } from "../../ui/page";
import { Tabs } from "../../ui/tabs";
import { Time } from "../../ui/time";
import { ProtectionLine } from "../requests/protection-line";
import { BranchHistory } from "./branch-history";
import { LoadedWithBranch } from "./missing-branch";
import { NewDatabaseDialog, NewTableDialog } from "./new-objects";
import { ObjectTree } from "./object-tree";
import { ResetDialog } from "./reset-dialog";
import { TrashTab } from "./trash-tab";

const TABS = [
  { key: "tables", label: "Databases and tables" },
  { key: "history", label: "History" },
  { key: "trash", label: "Trash" },
] as const;
type TabKey = (typeof TABS)[number]["key"];

export function BranchPage() {
  const { catalog = "", branch = "" } = useParams();
  const [query, setQuery] = useSearchParams();
  const found = useBranch(catalog, branch);
  const [making, setMaking] = useState<"database" | "table">();
  const [isResetting, setIsResetting] = useState(false);
  const parent = found.data?.parent;
  const isGone = found.error !== null && asProblem(found.error).status === 404;
  const chosen: TabKey = TABS.find(({ key }) => key === query.get("tab"))?.key ?? "tables";
  return (
    <div className="page">
      <PageHead
        title={branch}
        actions={
          isGone ? undefined : (
            <>
              <Button onClick={() => setMaking("database")}>
                New database
              </Button>
              <Button onClick={() => setMaking("table")}>
                <Icon name="tables" />
                New table
              </Button>
              <LinkButton to={importAddress(catalog, branch)}>
                <Icon name="import" />
                Import a file
              </LinkButton>
              <LinkButton to={sqlAddress(catalog, branch)}>
                <Icon name="sql" />
                SQL on this branch
              </LinkButton>
              {parent ? (
                <Button onClick={() => setIsResetting(true)}>
                  Reset to {parent}
                </Button>
              ) : null}
            </>
          )
        }
      >
        <span className="row">
          <LaneDot branch={branch} />
          {branch}
        </span>
      </PageHead>
      {isResetting && parent ? <ResetDialog catalog={catalog} branch={branch} parent={parent} onClose={() => setIsResetting(false)} /> : null}
      {making === "database" ? <NewDatabaseDialog catalog={catalog} branch={branch} onClose={() => setMaking(undefined)} /> : null}
      {making === "table" ? <NewTableDialog catalog={catalog} branch={branch} database={query.get("database") ?? undefined} onClose={() => setMaking(undefined)} /> : null}
      <LoadedWithBranch
        catalog={catalog}
        query={found}
        label="the branch"
        restricted={
          <Panel title="Databases and tables">
            <ObjectTree catalog={catalog} branch={branch} opened={query.get("database")} />
          </Panel>
        }
      >
        {(entry) => (
          <>
            <BranchFacts catalog={catalog} branch={entry} />
            <ProtectionLine catalog={catalog} branch={branch} />
            <Panel>
              <Tabs
                tabs={TABS}
                chosen={chosen}
                onChoose={(key) => setQuery(key === "tables" ? {} : { tab: key })}
                label="What the branch has"
              >
                {chosen === "tables" ? <ObjectTree catalog={catalog} branch={branch} opened={query.get("database")} /> : null}
                {chosen === "history" ? <BranchHistory catalog={catalog} branch={entry} chosen={Number(query.get("commit")) || undefined} /> : null}
                {chosen === "trash" ? <TrashTab catalog={catalog} branch={branch} /> : null}
              </Tabs>
            </Panel>
          </>
        )}
      </LoadedWithBranch>
    </div>
  );
}

function BranchFacts({ catalog, branch }: { catalog: string; branch: Branch }) {
  return (
    <>
      <Muted as="p" isSmall className="row">
        <span>
          head <code>v{branch.head_version}</code>
        </span>
        <span>
          {branch.parent ? (
            <>
              created from <Link to={catalogAddress(catalog)}>{branch.parent}</Link> <code>v{branch.fork_version}</code>,{" "}
            </>
          ) : (
            "default branch, created "
          )}
          <Time at={branch.created_at} />
          {branch.created_by ? ` by ${branch.created_by}` : ""}
        </span>
        <AheadBehind ahead={branch.ahead} behind={branch.behind} />
        {branch.expires_at ? <ExpiryMark at={branch.expires_at} waitsFor={branch.expiry_waits_for} /> : null}
      </Muted>
      {!branch.parent || !branch.ahead ? null : (
        <AgainstParent catalog={catalog} branch={branch.name} parent={branch.parent} />
      )}
    </>
  );
}

/** What changed against the parent, in one line that leads to the comparison. */
function AgainstParent({ catalog, branch, parent }: { catalog: string; branch: string; parent: string }) {
  const comparison = useComparison({ catalog, source: branch, destination: parent }, { limit: 1 });
  const counts = comparison.data?.pages[0]?.counts;
  if (!counts) return null;
  const kind = counts.conflicts ? "conflict" : counts.notes ? "note" : "fine";
  return (
    <div className={`notice ${kind}`}>
      <span className="symbol" aria-hidden="true">
        {{ conflict: "✕", note: "⤓", fine: "✓" }[kind]}
      </span>
      <p className="row">
        <span>
          {counts.objects ? (
            <>
              {counted(counts.objects, "object")} changed against {parent},{" "}
              {counts.conflicts ? <strong>{conflictsText(counts)}</strong> : "no conflict"}.
            </>
          ) : (
            `A merge into ${parent} would change nothing.`
          )}
        </span>
        <Link to={compareAddress(catalog, branch, parent)}>
          Compare with {parent}
        </Link>
        <Link to={newRequestAddress(catalog, branch, parent)}>Open a merge request</Link>
      </p>
    </div>
  );
}
