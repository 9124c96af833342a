import { Link } from "react-router";

import type { Catalog } from "../../api/resources";
import { branchAddress, catalogAddress, compareAddress, taskAddress } from "../../model/addresses";
import { counted } from "../../model/format";
import { useBranches, useCatalogs } from "../../queries/catalogs";
import { useTasks } from "../../queries/tasks";
import { AheadBehind, BranchLink, LaneDot } from "../../ui/branch-name";
import { Copyable } from "../../ui/copyable";
import { Icon } from "../../ui/icons";
import { PageHead, Panel } from "../../ui/page";
import { Empty, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";

/** How many branches of each catalog the start page names. */
const BRANCHES_SHOWN = 8;

export function HomePage() {
  const catalogs = useCatalogs();
  return (
    <div className="page">
      <PageHead title="Catalogs" />
      <Loaded query={catalogs} label="catalogs">
        {(page) => (page.results.length ? page.results.map((catalog) => <CatalogPanel key={catalog.name} catalog={catalog} />) : <NoCatalog />)}
      </Loaded>
      <RunningTasks />
    </div>
  );
}

function CatalogPanel({ catalog }: { catalog: Catalog }) {
  const branches = useBranches(catalog.name, { order: "-activity", limit: BRANCHES_SHOWN });
  return (
    <Panel
      title={
        <span className="row">
          <Icon name="database" />
          <Link to={catalogAddress(catalog.name)}>{catalog.name}</Link>
          <span className="muted small">{catalog.comment}</span>
        </span>
      }
      actions={
        <span className="muted small">
          {counted(catalog.branch_count, "branch", "branches")} · {counted(catalog.commit_count, "commit")}
        </span>
      }
    >
      <Loaded query={branches} label={`branches of ${catalog.name}`}>
        {({ pages }) => (
          <div className="scroll" role="region" aria-label={`Branches of ${catalog.name}`} tabIndex={0}>
            <table className="grid">
              <thead>
                <tr>
                  <th scope="col">Branch</th>
                  <th scope="col">Last commit</th>
                  <th scope="col">When</th>
                  <th scope="col" className="number">
                    Against its parent
                  </th>
                  <th scope="col">
                    <span className="visually-hidden">Compare</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {(pages[0]?.results ?? []).map((branch) => (
                  <tr key={branch.branch_id}>
                    <th scope="row">
                      <BranchLink catalog={catalog.name} branch={branch.name} />
                    </th>
                    <td>
                      {branch.last_commit ? (
                        <span className="nowrap">
                          <span className="mono muted">v{branch.last_commit.version}</span> {branch.last_commit.operation}
                        </span>
                      ) : null}
                    </td>
                    <td>{branch.last_commit ? <Time at={branch.last_commit.time} /> : null}</td>
                    <td className="number">
                      <AheadBehind ahead={branch.ahead} behind={branch.behind} />
                    </td>
                    <td className="nowrap">
                      {branch.parent === null ? null : (
                        <Link to={compareAddress(catalog.name, branch.name, branch.parent)}>
                          Compare<span className="visually-hidden"> {branch.name}</span> with {branch.parent}
                        </Link>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Loaded>
      {catalog.branch_count > BRANCHES_SHOWN ? (
        <p className="inside">
          <Link to={catalogAddress(catalog.name)}>All {counted(catalog.branch_count, "branch", "branches")}</Link>
        </p>
      ) : null}
    </Panel>
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
        <p>These three commands make one with a first table:</p>
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
