import { useEffect, useRef } from "react";
import { useNavigate } from "react-router";

import { taskAddress } from "../../model/addresses";
import { duration } from "../../model/format";
import { isFinished, taskNow, useOwnRunning, type Task } from "../../queries/tasks";
import { statementOf } from "./task-statement";

/** Of shorter tasks the page that started them shows the end. */
const LEAST_MS = 5000;

/** Shows a notification when a task that the person started ends. It draws nothing. */
export default function TaskNotices() {
  const running = useOwnRunning().data;
  const navigate = useNavigate();
  const watched = useRef(new Set<string>());
  useEffect(() => {
    if (!running) return;
    const gone = [...watched.current].filter((id) => !running.includes(id));
    watched.current = new Set(running);
    const look = async (id: string) => {
      const task = await taskNow(id);
      if (isFinished(task.state)) noticeShow(task, () => void navigate(taskAddress(id)));
    };
    // What could not be asked now is asked with the next look.
    for (const id of gone) look(id).catch(() => watched.current.add(id));
  }, [running, navigate]);
  return null;
}

function noticeShow(task: Task, onOpen: () => void): void {
  const took = Date.parse(task.finished_at ?? "") - Date.parse(task.created_at);
  if (!(took >= LEAST_MS)) return;
  // Several tabs look: a notice with the tag of another one takes its place.
  const notice = new Notification(`${task.kind}: ${task.state}`, { body: `${statementOf(task)}\n${duration(took)}`, tag: task.id });
  notice.onclick = () => {
    window.focus();
    onOpen();
  };
}
