import { useState } from "react";
import { Link } from "react-router";

import { taskAddress } from "../../model/addresses";
import { useCatalogs } from "../../queries/catalogs";
import { isFinished, useTasks, type TaskFilter, type TaskState, type TaskSummary } from "../../queries/tasks";
import { userName } from "../../queries/user";
import { Button } from "../../ui/button";
import { classes } from "../../ui/classes";
import { Input } from "../../ui/field";
import { Muted } from "../../ui/muted";
import { PageHead, Panel } from "../../ui/page";
import { Select } from "../../ui/select";
import { Empty, Loaded } from "../../ui/states";
import { Elapsed, Time } from "../../ui/time";
import { TaskBadge } from "./task-badge";
import { taskTitle } from "./task-statement";
import styles from "./tasks-page.module.css";

const STATES: readonly TaskState[] = ["queued", "running", "succeeded", "failed", "cancelled", "lost"];

export function TasksPage() {
  const [filter, setFilter] = useState<TaskFilter>({});
  const tasks = useTasks(filter);
  return (
    <div className="page">
      <PageHead title="Tasks" />
      <Panel actions={<FilterFields filter={filter} onChange={setFilter} />}>
        <Loaded query={tasks} label="tasks">
          {({ pages }) => <TaskList tasks={pages.flatMap((page) => page.results)} />}
        </Loaded>
        {tasks.hasNextPage ? (
          <p className="inside">
            <Button isSmall onClick={() => void tasks.fetchNextPage()}>
              Older tasks
            </Button>
          </p>
        ) : null}
      </Panel>
    </div>
  );
}

/** Which tasks are shown. What is left empty is no condition. */
function FilterFields({ filter, onChange }: { filter: TaskFilter; onChange: (filter: TaskFilter) => void }) {
  const catalogs = useCatalogs();
  const names = catalogs.data?.results.map(({ name }) => name) ?? [];
  return (
    <>
      <Choice label="State" all="All states" options={STATES} value={filter.state} onChange={(state) => onChange(changed(filter, { state }))} />
      <Choice label="Catalog" all="All catalogs" options={names} value={filter.catalog} onChange={(catalog) => onChange(changed(filter, { catalog }))} />
      <label className="row small">
        <input type="checkbox" checked={filter.created_by !== undefined} onChange={({ target }) => onChange(changed(filter, { created_by: target.checked ? userName() : undefined }))} />
        mine
      </label>
      <Input
        className="grow"
        type="search"
        placeholder="Find in statements"
        aria-label="Find in statements"
        value={filter.search ?? ""}
        onChange={(event) => onChange({ ...filter, search: event.target.value })}
      />
    </>
  );
}

function Choice<Option extends string>({ label, all, options, value, onChange }: { label: string; all: string; options: readonly Option[]; value: Option | undefined; onChange: (value: Option | undefined) => void }) {
  return (
    <Select className="state-filter" aria-label={label} value={value ?? ""} onChange={(event) => onChange(options.find((known) => known === event.target.value))}>
      <option value="">{all}</option>
      {options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </Select>
  );
}

/** The filter with a condition changed; one that is undefined goes. */
function changed(filter: TaskFilter, change: { [Key in keyof TaskFilter]?: TaskFilter[Key] | undefined }): TaskFilter {
  return Object.fromEntries(Object.entries({ ...filter, ...change }).filter(([, value]) => value !== undefined));
}

function TaskList({ tasks }: { tasks: readonly TaskSummary[] }) {
  if (tasks.length === 0) {
    return (
      <Empty title="No task">
        <p>Merges and statements that write rows run as tasks.</p>
      </Empty>
    );
  }
  return (
    <ul className={styles.list}>
      {tasks.map((task) => (
        <li key={task.id}>
          <TaskBadge state={task.state} />
          <Link to={taskAddress(task.id)} className="ellipsis mono" title={taskTitle(task)}>
            {taskTitle(task)}
          </Link>
          <Muted isSmall className={classes("ellipsis", styles.message)}>{isFinished(task.state) ? "" : task.message}</Muted>
          <Muted isSmall className="number">
            {task.started_at ? <Elapsed from={task.started_at} to={task.finished_at ?? null} /> : null}
          </Muted>
          <Muted isSmall className="number">
            {task.created_by ? `${task.created_by}, ` : ""}
            <Time at={task.created_at} />
          </Muted>
        </li>
      ))}
    </ul>
  );
}
