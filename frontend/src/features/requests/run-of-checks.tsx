import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "react-router";

import { taskAddress } from "../../model/addresses";
import { refreshRequest, type RequestPlace } from "../../queries/requests";
import { isFinished, useTask } from "../../queries/tasks";
import { TaskBadge } from "../tasks/task-badge";

/** A run that was started here; what it found is asked for when it ends. */
export function RunOfChecks({ place, taskId }: { place: RequestPlace; taskId: string }) {
  const { catalog, number } = place;
  const queries = useQueryClient();
  const task = useTask(taskId);
  const finished = isFinished(task.data?.state);
  useEffect(() => {
    if (finished) void refreshRequest(queries, { catalog, number });
  }, [finished, queries, catalog, number]);
  return (
    <p className="row small" role="status">
      <TaskBadge state={task.data?.state} />
      <span>{finished ? "The run of the checks ended." : "The checks are being run."} {finished ? null : task.data?.message}</span>
      <Link to={taskAddress(taskId)}>Task</Link>
    </p>
  );
}
