import type { ComponentProps, ReactNode } from "react";

import { classes } from "./classes";

interface FieldLook {
  /** What stands above the control. */
  label?: ReactNode;
  className?: string | undefined;
  children: ReactNode;
}

/** A control under its label. */
export function Field({ label, className, children }: FieldLook) {
  return (
    <label className={classes("field", className)}>
      {label === undefined ? null : <span>{label}</span>}
      {children}
    </label>
  );
}

/** Several controls under one heading, which says itself what it names. */
export function FieldGroup({ className, ...rest }: ComponentProps<"div">) {
  return <div className={classes("field", className)} {...rest} />;
}

export function Input({ className, ...rest }: ComponentProps<"input">) {
  return <input className={classes("input", className)} {...rest} />;
}

export function TextArea({ className, ...rest }: ComponentProps<"textarea">) {
  return <textarea className={classes("input", className)} {...rest} />;
}
