import { exactTime } from "../model/format";

/** That a merge was reverted: by which version on the badge, by whom and when beneath the pointer. */
export function RevertedBadge({ undone }: { undone: { version: number; actor: string; time: string } }) {
  return (
    <span className="badge amber" title={`${undone.actor}, ${exactTime(new Date(undone.time))}`}>
      <span aria-hidden="true">↶</span>
      reverted by v{undone.version}
    </span>
  );
}
