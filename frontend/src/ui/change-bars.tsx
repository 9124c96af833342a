import { rowsAndColumns, signsOf, squaresOf, type Brought } from "../model/brings";
import styles from "./change-bars.module.css";

/** How much changed, in signs and five squares; a screen reader reads it in words. */
export function ChangeBars({ brings, short = false }: { brings: Brought; short?: boolean }) {
  const words = rowsAndColumns(brings).join(", ");
  return (
    <span className={styles.bars} title={words}>
      <span className="visually-hidden">{words}</span>
      {signsOf(brings, { short }).map(({ kind, text }) => (
        <span key={text} className={styles.sign} data-kind={kind} aria-hidden="true">
          {text}
        </span>
      ))}
      {squaresOf(brings).map((kind, place) => (
        <span key={place} className={styles.square} data-kind={kind} aria-hidden="true" />
      ))}
    </span>
  );
}
