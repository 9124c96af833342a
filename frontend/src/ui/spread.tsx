import { numberText } from "../model/chart";
import type { Bin } from "../model/column-profile";
import { counted } from "../model/format";
import styles from "./spread.module.css";

const WIDTH = 120;
const HEIGHT = 24;

/** Bars at the places of the values, as high as there are many. `all`: the bins whose places the axis covers, where several
 * pictures share one. */
export function Spread({ bins, name, all = bins }: { bins: readonly Bin[]; name: string; all?: readonly Bin[] }) {
  const first = Math.min(...all.map(({ at }) => at));
  const last = Math.max(...all.map(({ at }) => at));
  const least = Math.min(...bins.map(({ at }) => at));
  const largest = Math.max(...bins.map(({ at }) => at));
  const most = Math.max(...bins.map(({ count: found }) => found));
  const width = WIDTH / (new Set(all.map(({ at }) => at)).size + 1);
  const mode = bins.find(({ count: found }) => found === most);
  return (
    <svg className={styles.spread} role="img" aria-label={`${name}: most values lie around ${numberText(mode?.at ?? least)}, between ${numberText(least)} and ${numberText(largest)}`} width={WIDTH} height={HEIGHT}>
      {bins.map(({ at, count: found }) => {
        const height = Math.max(1, (found / most) * HEIGHT);
        return (
          <rect key={at} className={styles.bar} x={((at - first) / (last - first || 1)) * (WIDTH - width)} y={HEIGHT - height} width={width} height={height}>
            <title>{`around ${numberText(at)}: ${counted(found, "value")}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}
