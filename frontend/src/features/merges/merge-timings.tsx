import { Link } from "react-router";

import { taskAddress } from "../../model/addresses";
import { useTask } from "../../queries/tasks";
import { Panel } from "../../ui/page";
import { TaskSteps } from "../tasks/task-steps";

/** How long each step of the merge took; nothing where the task is not there any more or is not for this person to see. */
export function MergeTimings({ taskId }: { taskId: string }) {
  const task = useTask(taskId).data;
  if (!task?.steps.length) return null;
  return (
    <Panel title="Timings" padded actions={<Link to={taskAddress(taskId)}>Its task</Link>}>
      <TaskSteps task={task} />
    </Panel>
  );
}
