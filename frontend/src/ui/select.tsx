import type { ComponentProps } from "react";

import { classes } from "./classes";
import styles from "./select.module.css";

/** A list of which one option is chosen. `isFitted`: as wide as its options, where others take the width of their place. */
export function Select({ className, isFitted = false, ...rest }: ComponentProps<"select"> & { isFitted?: boolean }) {
  return <select className={classes("input", isFitted && styles.fitted, className)} {...rest} />;
}
