import { rowsAndColumns, signsOf, squaresOf, type Brought } from "../model/brings";

/** How much changed, in signs and five squares; a screen reader reads it in words. */
export function ChangeBars({ brings, short = false }: { brings: Brought; short?: boolean }) {
  const words = rowsAndColumns(brings).join(", ");
  return (
    <span className="change-bars" title={words}>
      <span className="visually-hidden">{words}</span>
      {signsOf(brings, { short }).map(({ kind, text }) => (
        <span key={text} className={`sign ${kind}`} aria-hidden="true">
          {text}
        </span>
      ))}
      {squaresOf(brings).map((kind, place) => (
        <span key={place} className={`square ${kind}`} aria-hidden="true" />
      ))}
    </span>
  );
}
