import { lazy, Suspense, useState, type ReactNode } from "react";
import { Link } from "react-router";

import type { Branch, Catalog } from "../../api/resources";
import { branchAddress, catalogAddress, compareAddress, pipelinesAddress, requestsAddress, taskAddress } from "../../model/addresses";
import { count, counted } from "../../model/format";
import { UNFINISHED } from "../../model/review";
import { useBranches, useCatalogs } from "../../queries/catalogs";
import { useProtectedNames } from "../../queries/protection";
import { useComparison } from "../../queries/compare";
import { useRequests } from "../../queries/requests";
import { useTasks } from "../../queries/tasks";
import { AheadBehind, BranchLink, LaneDot, ProtectedMark } from "../../ui/branch-name";
import { Button } from "../../ui/button";
import { classes } from "../../ui/classes";
import { Copyable } from "../../ui/copyable";
import { CountsBadge } from "../../ui/counts-badge";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { PageHead, Panel } from "../../ui/page";
import { SearchField } from "../../ui/search-field";
import { Empty, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";
import { DroppedCatalogs } from "./dropped-catalogs";
import { DEMO, FirstSteps } from "./first-steps";
import { Samples } from "./samples";
import { usePins } from "./use-pins";
import { Waiting } from "./waiting";
import styles from "./home-page.module.css";
import branchRow from "../../ui/branch-row.module.css";

const NewCatalogDialog = lazy(() => import("./new-catalog"));

/** How many branches of each catalog the start page names. */
const BRANCHES_SHOWN = 8;
const LISTED_WITHOUT_FILTER = 10;

export function HomePage() {
  const catalogs = useCatalogs();
  const [isMaking, setMaking] = useState(false);
  return (
    <div className="page">
      <PageHead
        title="Catalogs"
        actions={
          <Button onClick={() => setMaking(true)}>
            <Icon name="database" />
            New catalog
          </Button>
        }
      />
      <Muted as="p">Change tables on a branch, see exactly which rows changed, have it reviewed, then merge it. A merge can be reverted.</Muted>
      <Suspense>{isMaking ? <NewCatalogDialog onClose={() => setMaking(false)} /> : null}</Suspense>
      <Waiting />
      {catalogs.data?.results.some(({ name }) => name === DEMO) ? <FirstSteps /> : null}
      <Loaded query={catalogs} label="catalogs">
        {(page) => (page.results.length ? <Catalogs catalogs={page.results} /> : <NoCatalog />)}
      </Loaded>
      <RunningTasks />
      <DroppedCatalogs />
    </div>
  );
}

/** Pinned ones first; a filter where there are many. */
function Catalogs({ catalogs }: { catalogs: readonly Catalog[] }) {
  const { isPinned, toggle } = usePins();
  const [wanted, setWanted] = useState("");
  const isLong = catalogs.length > LISTED_WITHOUT_FILTER;
  const found = isLong ? catalogs.filter((catalog) => hasText(catalog, wanted)) : catalogs;
  const inOrder = [...found.filter(({ name }) => isPinned(name)), ...found.filter(({ name }) => !isPinned(name))];
  return (
    <>
      {isLong ? <SearchField label="Filter catalogs by name or comment" text={wanted} onSearch={setWanted} /> : null}
      {isLong && wanted ? (
        <Muted as="p" isSmall role="status">
          {count(found.length)} of {counted(catalogs.length, "catalog")} {found.length === 1 ? "fits" : "fit"} the filter.
        </Muted>
      ) : null}
      {inOrder.map((catalog) => (
        <CatalogPanel
          key={catalog.name}
          catalog={catalog}
          pin={
            catalogs.length > 1 ? (
              <Button isSmall aria-pressed={isPinned(catalog.name)} title="Pinned catalogs stand first, in this browser." onClick={() => toggle(catalog.name)}>
                Pin<span className="visually-hidden"> {catalog.name}</span>
              </Button>
            ) : null
          }
        />
      ))}
    </>
  );
}

function hasText({ name, comment }: Catalog, wanted: string): boolean {
  const text = wanted.toLowerCase();
  return name.toLowerCase().includes(text) || comment.toLowerCase().includes(text);
}

function CatalogPanel({ catalog, pin }: { catalog: Catalog; pin: ReactNode }) {
  const isProtected = useProtectedNames(catalog.name);
  const branches = useBranches(catalog.name, { order: "-activity", limit: BRANCHES_SHOWN });
  return (
    <Panel
      title={
        <span className="row">
          <Icon name="database" />
          <Link to={catalogAddress(catalog.name)}>{catalog.name}</Link>
          <Muted isSmall>{catalog.comment}</Muted>
        </span>
      }
      actions={
        <Muted isSmall>
          {counted(catalog.branch_count, "branch", "branches")} · {counted(catalog.commit_count, "commit")} ·{" "}
          <OpenRequests catalog={catalog.name} /> ·{" "}
          <Link to={pipelinesAddress(catalog.name)}>
            Pipelines<span className="visually-hidden"> of {catalog.name}</span>
          </Link>{" "}
          {pin}
        </Muted>
      }
    >
      {branches.isPending ? (
        <BranchPlaces catalog={catalog.name} count={Math.min(catalog.branch_count, BRANCHES_SHOWN)} />
      ) : (
        <Loaded query={branches} label={`branches of ${catalog.name}`}>
          {({ pages }) => (
            <ul aria-label={`Branches of ${catalog.name}`}>
              {(pages[0]?.results ?? []).map((branch) => (
                <BranchRow key={branch.branch_id} catalog={catalog.name} branch={branch} isProtected={isProtected(branch.name)} />
              ))}
            </ul>
          )}
        </Loaded>
      )}
      {catalog.branch_count > BRANCHES_SHOWN ? (
        <p className="inside">
          <Link to={catalogAddress(catalog.name)}>All {counted(catalog.branch_count, "branch", "branches")}</Link>
        </p>
      ) : null}
    </Panel>
  );
}

/** The place of branches that are on their way, so that the catalogs below do not move. */
function BranchPlaces({ catalog, count }: { catalog: string; count: number }) {
  return (
    <div className={styles.places} role="status">
      <span className="visually-hidden">Loading branches of {catalog}</span>
      {Array.from({ length: count }, (_, place) => (
        <span key={place} className={classes(branchRow.row, branchRow.compared)} aria-hidden="true">
          <span className="working" />
        </span>
      ))}
    </div>
  );
}

/** How many merge requests are not finished; the first page tells. */
function OpenRequests({ catalog }: { catalog: string }) {
  const requests = useRequests(catalog, { state: [...UNFINISHED] });
  const found = requests.data?.pages[0]?.results.length ?? 0;
  return (
    <Link to={requestsAddress(catalog)}>
      {found ? `${found}${requests.hasNextPage ? "+" : ""} open merge request${found === 1 ? "" : "s"}` : "Merge requests"}
      <span className="visually-hidden"> of {catalog}</span>
    </Link>
  );
}

function BranchRow({ catalog, branch, isProtected }: { catalog: string; branch: Branch; isProtected: boolean }) {
  const last = branch.last_commit;
  return (
    <li className={classes(branchRow.row, branchRow.compared)}>
      <span className={classes("row", branchRow.name)}>
        <BranchLink catalog={catalog} branch={branch.name} />
        {isProtected ? <ProtectedMark /> : null}
      </span>
      <span className={classes("small", branchRow.last)}>
        {last ? (
          <>
            <code>v{last.version}</code> {last.operation}{" "}
            <Muted>
              <Time at={last.time} />
            </Muted>
          </>
        ) : null}
      </span>
      <span className={classes("small", branchRow.counts)}>
        <AheadBehind ahead={branch.ahead} behind={branch.behind} />
      </span>
      <span className={classes("small", branchRow.against)}>
        {!branch.parent ? null : <Against catalog={catalog} branch={branch} parent={branch.parent} />}
      </span>
    </li>
  );
}

/** What a merge into the parent would meet, and the way to look at it. */
function Against({ catalog, branch, parent }: { catalog: string; branch: Branch; parent: string }) {
  const pair = { catalog, source: branch.name, destination: parent };
  const comparison = useComparison(pair, { limit: 1 }, Boolean(branch.ahead));
  const counts = comparison.data?.pages[0]?.counts;
  return (
    <span className="row">
      <Link to={compareAddress(catalog, branch.name, parent)}>
        Compare<span className="visually-hidden"> {branch.name}</span> with {parent}
      </Link>
      {counts ? <CountsBadge counts={counts} /> : null}
    </span>
  );
}

function NoCatalog() {
  const commands = [
    'python manage.py sql "CREATE CATALOG lake"',
    'python manage.py sql -c lake "CREATE DATABASE sales"',
    'python manage.py sql -c lake "CREATE TABLE sales.orders (id BIGINT, amount DOUBLE)"',
  ];
  return (
    <Panel>
      <Empty title="There is no catalog yet">
        <Samples />
        <p>The button New catalog makes an empty one. On the command line, these three make one with a first table:</p>
        {commands.map((command) => (
          <Copyable key={command} text={command} label="the command" />
        ))}
      </Empty>
    </Panel>
  );
}

function RunningTasks() {
  const tasks = useTasks({ state: "running" });
  const running = tasks.data?.pages.flatMap((page) => page.results) ?? [];
  if (running.length === 0) return null;
  return (
    <Panel title="Running now">
      <ul>
        {running.map((task) => (
          <li key={task.id} className="inside row">
            <Icon name="tasks" />
            <Link to={taskAddress(task.id)} className="grow ellipsis">
              {task.message || task.kind}
            </Link>
            <TaskWhere parameters={task.parameters} />
            {task.started_at ? <Time at={task.started_at} /> : null}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function TaskWhere({ parameters }: { parameters: unknown }) {
  const { catalog, branch } = (parameters ?? {}) as { catalog?: string; branch?: string };
  if (!catalog || !branch) return null;
  return (
    <Link className="row" to={branchAddress(catalog, branch)}>
      <LaneDot branch={branch} />
      {branch}
    </Link>
  );
}
