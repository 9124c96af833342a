import { useDeferredValue } from "react";

import { asProblem } from "../../api/problem";
import { zonedTime } from "../../model/zoned-time";
import { useNextRuns } from "../../queries/pipelines";
import { Time } from "../../ui/time";

/** When a schedule has its next runs, by its own clock and by the reader's; or why it has none. */
export function NextRuns({ schedule, zone }: { schedule: string; zone: string }) {
  const [asked, place] = [useDeferredValue(schedule), useDeferredValue(zone)];
  const found = useNextRuns(asked, place);
  if (asked === "" || place === "") return null;
  if (found.error) {
    const { message, remedy } = asProblem(found.error);
    return (
      <p className="small notice amber">
        {message} {remedy}
      </p>
    );
  }
  if (found.data === undefined) return null;
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <ul className="small muted" aria-label="The next runs">
      {found.data.next_runs.map((at, turn) => (
        <li key={at}>
          {turn === 0 ? "next: " : "then: "}
          {zonedTime(at, place)}
          {local === place ? null : ` (${zonedTime(at, local)}, your time)`}
        </li>
      ))}
    </ul>
  );
}

/** When a schedule that is saved has its next run. */
export function NextRun({ schedule, zone }: { schedule: string; zone: string }) {
  const next = useNextRuns(schedule, zone).data?.next_runs[0];
  if (next === undefined) return null;
  return (
    <>
      , next run <Time at={next} />
    </>
  );
}
