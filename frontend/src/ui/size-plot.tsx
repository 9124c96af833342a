import { bytesRound, counted } from "../model/format";
import { sizeBins } from "../model/plot";
import { classes } from "./classes";
import { Muted } from "./muted";
import styles from "./plots.module.css";

/** How many files are how large, in powers of ten. `isPart`: there are more files than these. */
export function SizePlot({ sizes, isPart }: { sizes: readonly number[]; isPart: boolean }) {
  const bins = sizeBins(sizes);
  const most = Math.max(...bins.map((bin) => bin.count));
  return (
    <figure className={styles.plot}>
      <figcaption className="small">
        <strong>File sizes</strong> <Muted>
          {isPart ? "of the first " : "of "}
          {counted(sizes.length, "file")}
        </Muted>
      </figcaption>
      <dl className={classes("small", styles.sizePlot)}>
        {bins.map((bin) => (
          <div key={bin.from}>
            <dt className="number muted">
              {bytesRound(bin.from)} – {bytesRound(bin.to)}
            </dt>
            <dd>
              <svg aria-hidden="true" viewBox="0 0 1 1" preserveAspectRatio="none">
                <rect width={bin.count / most} height={1} />
              </svg>
              <span className="number">{bin.count}</span>
            </dd>
          </div>
        ))}
      </dl>
    </figure>
  );
}
