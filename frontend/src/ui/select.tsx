import type { ComponentProps } from "react";

import { classes } from "./classes";

/** A list of which one option is chosen. */
export function Select({ className, ...rest }: ComponentProps<"select">) {
  return <select className={classes("input", className)} {...rest} />;
}
