import type { Comparison } from "../api/resources";
import { conflictsText } from "../model/review";

/** How a merge would be judged, in one badge. */
export function CountsBadge({ counts }: { counts: Comparison["counts"] }) {
  if (counts.conflicts) {
    return (
      <span className="badge conflict">
        <span aria-hidden="true">✕</span> {conflictsText(counts)}
      </span>
    );
  }
  return (
    <span className="badge fine">
      <span aria-hidden="true">✓</span> no conflict
    </span>
  );
}
