import type { Mark } from "../model/verdict";

/** A verdict as symbol, word and colour; `short` leaves the word to screen readers and the hover. */
export function MarkBadge({ mark, short = false }: { mark: Mark; short?: boolean }) {
  return (
    <span className={`badge ${mark.kind}`} title={mark.word}>
      <span aria-hidden="true">{mark.symbol}</span>
      <span className={short ? "visually-hidden" : ""}>{mark.word}</span>
    </span>
  );
}
