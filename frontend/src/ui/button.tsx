import type { ComponentProps } from "react";
import { Link } from "react-router";

import { classes } from "./classes";

interface Look {
  /** None is a plain button. A page has one primary button; a dangerous one takes something away. */
  look?: "primary" | "danger" | "quiet" | undefined;
  isSmall?: boolean | undefined;
}

/** A button; it sends a form only where its type says so. */
export function Button({ look, isSmall, className, type = "button", ...rest }: Look & ComponentProps<"button">) {
  return <button type={type} className={classes("button", isSmall && "small", look, className)} {...rest} />;
}

/** A link to another page that looks like a button. */
export function LinkButton({ look, isSmall, className, ...rest }: Look & ComponentProps<typeof Link>) {
  return <Link className={classes("button", isSmall && "small", look, className)} {...rest} />;
}
