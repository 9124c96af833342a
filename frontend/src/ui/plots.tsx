import type { ReactNode } from "react";

import styles from "./plots.module.css";

/** Plots side by side, where there is room. */
export function Plots({ children }: { children: ReactNode }) {
  return <div className={styles.plots}>{children}</div>;
}
