import { pictureText, type PictureRow, type StrategyStory } from "../../model/strategies";
import styles from "./strategy-picture.module.css";

const ROW = { width: 84, height: 17, gap: 3 };
const SIDE_GAP = 30;
const HEAD = 14;
const MOST_ROWS = 4;
const HEIGHT = HEAD + MOST_ROWS * (ROW.height + ROW.gap);
const WIDTH = 3 * ROW.width + 2 * SIDE_GAP;

/** The table before, the rows that the query finds, and the table afterwards. */
export function StrategyPicture({ story }: { story: StrategyStory }) {
  const batch: PictureRow[] = story.batch.map((text) => ({ text, mark: "kept" }));
  return (
    <svg className={styles.picture} role="img" aria-label={pictureText(story)} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
      <Rows x={0} title="table" rows={story.before} />
      <Sign x={ROW.width} text="+" />
      <Rows x={ROW.width + SIDE_GAP} title="query" rows={batch} isBatch />
      <Sign x={2 * ROW.width + SIDE_GAP} text="→" />
      <Rows x={2 * (ROW.width + SIDE_GAP)} title="table" rows={story.after} />
    </svg>
  );
}

function Rows({ x, title, rows, isBatch = false }: { x: number; title: string; rows: readonly PictureRow[]; isBatch?: boolean }) {
  return (
    <g transform={`translate(${x} 0)`}>
      <text className={styles.head} x={ROW.width / 2} y={9}>
        {title}
      </text>
      {rows.map(({ text, mark }, place) => (
        <g key={text} data-mark={isBatch ? "batch" : mark} transform={`translate(0 ${HEAD + place * (ROW.height + ROW.gap)})`}>
          <rect width={ROW.width} height={ROW.height} rx={3} />
          <text x={ROW.width / 2} y={12.5}>
            {text}
          </text>
        </g>
      ))}
    </g>
  );
}

function Sign({ x, text }: { x: number; text: string }) {
  return (
    <text className={styles.sign} x={x + SIDE_GAP / 2} y={HEAD + 22}>
      {text}
    </text>
  );
}
