import type { ComponentProps } from "react";

import { classes } from "./classes";

interface Look {
  as?: "span" | "p";
  isSmall?: boolean | undefined;
}

/** Text beside what matters: a unit, a hint, an explanation. */
export function Muted({ as: Tag = "span", isSmall, className, ...rest }: Look & Omit<ComponentProps<"span">, "ref">) {
  return <Tag className={classes(isSmall && "small", "muted", className)} {...rest} />;
}
