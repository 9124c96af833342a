import type { RequestState } from "../../api/resources";
import { STATE_MARKS } from "../../model/review";

export function StateBadge({ state }: { state: RequestState }) {
  const { symbol, word, kind } = STATE_MARKS[state];
  return (
    <span className={`badge ${kind}`}>
      <span aria-hidden="true">{symbol}</span>
      {word}
    </span>
  );
}
