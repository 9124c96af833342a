import type { Comparison } from "../../api/resources";
import { counted } from "../../model/format";
import { CountsBadge } from "../../ui/counts-badge";

/** What was compared, and how a merge would be judged. */
export function SummaryLine({ summary }: { summary: Comparison }) {
  const { counts } = summary;
  return (
    <p className="row small muted">
      <span>
        base <code>v{summary.merge_base}</code>
      </span>
      <span>
        {summary.source.name} <code>v{summary.source.head_version}</code>, {summary.destination.name}{" "}
        <code>v{summary.destination.head_version}</code>
      </span>
      <span>{counted(counts.objects, "object")} changed</span>
      <CountsBadge counts={counts} />
      {counts.decided ? (
        <span className="badge person">
          <span aria-hidden="true">◆</span> {counted(counts.decided, "object")} decided
        </span>
      ) : null}
      {counts.notes ? (
        <span className="badge note">
          <span aria-hidden="true">⤓</span> {counted(counts.notes, "note")}
        </span>
      ) : null}
    </p>
  );
}
