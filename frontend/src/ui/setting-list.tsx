import type { ReactNode } from "react";

import styles from "./setting-list.module.css";

/** A list of things that are set, a line each: its name, what it is, what can be done. Each child is an item of the list. */
export function SettingList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={styles.list} aria-label={label}>
      {children}
    </ul>
  );
}

/** A text of a line that may be long: it breaks wherever it has to. */
export function SettingText({ children }: { children: ReactNode }) {
  return <code className={styles.text}>{children}</code>;
}

/** What takes the place of the name and of what it is. */
export function SettingWide({ children }: { children: ReactNode }) {
  return <div className={`${styles.wide ?? ""} stack tight`}>{children}</div>;
}
