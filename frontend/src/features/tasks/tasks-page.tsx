import { useState } from "react";
import { Link } from "react-router";

import { taskAddress } from "../../model/addresses";
import { isFinished, useTasks, type TaskFilter, type TaskState, type TaskSummary } from "../../queries/tasks";
import { PageHead, Panel } from "../../ui/page";
import { Empty, Loaded } from "../../ui/states";
import { Elapsed, Time } from "../../ui/time";
import { TaskBadge } from "./task-badge";
import { taskTitle } from "./task-statement";
import "../../styles/tasks.css";

const STATES: readonly TaskState[] = ["queued", "running", "succeeded", "failed", "cancelled", "lost"];

export function TasksPage() {
  const [filter, setFilter] = useState<TaskFilter>({});
  const tasks = useTasks(filter);
  return (
    <div className="page">
      <PageHead title="Tasks" />
      <Panel
        actions={
          <>
            <select
              className="input state-filter"
              aria-label="State"
              value={filter.state ?? ""}
              onChange={(event) => setFilter(withState(filter, event.target.value))}
            >
              <option value="">All states</option>
              {STATES.map((state) => (
                <option key={state}>{state}</option>
              ))}
            </select>
            <input
              className="input grow"
              type="search"
              placeholder="Find in statements"
              aria-label="Find in statements"
              value={filter.search ?? ""}
              onChange={(event) => setFilter({ ...filter, search: event.target.value })}
            />
          </>
        }
      >
        <Loaded query={tasks} label="tasks">
          {({ pages }) => <TaskList tasks={pages.flatMap((page) => page.results)} />}
        </Loaded>
        {tasks.hasNextPage ? (
          <p className="inside">
            <button type="button" className="button small" onClick={() => void tasks.fetchNextPage()}>
              Older tasks
            </button>
          </p>
        ) : null}
      </Panel>
    </div>
  );
}

function withState({ search }: TaskFilter, chosen: string): TaskFilter {
  const state = STATES.find((known) => known === chosen);
  return { ...(search === undefined ? {} : { search }), ...(state ? { state } : {}) };
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
    <ul className="task-list">
      {tasks.map((task) => (
        <li key={task.id}>
          <TaskBadge state={task.state} />
          <Link to={taskAddress(task.id)} className="ellipsis mono" title={taskTitle(task)}>
            {taskTitle(task)}
          </Link>
          <span className="small muted ellipsis">{isFinished(task.state) ? "" : task.message}</span>
          <span className="small muted number">
            {task.started_at ? <Elapsed from={task.started_at} to={task.finished_at ?? null} /> : null}
          </span>
          <span className="small muted number">
            {task.created_by ? `${task.created_by}, ` : ""}
            <Time at={task.created_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
