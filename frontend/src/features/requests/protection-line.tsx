import { protectionText } from "../../model/protection";
import { useProtection } from "../../queries/protection";
import { classes } from "../../ui/classes";
import { Icon } from "../../ui/icons";
import styles from "./protection-line.module.css";

/** What the protection of a branch asks of a merge into it; nothing where none is. */
export function ProtectionLine({ catalog, branch }: { catalog: string; branch: string }) {
  const protection = useProtection(catalog, branch);
  if (!protection.data?.is_protected) return null;
  return (
    <p className={classes("small", styles.line)}>
      <Icon name="shield" />
      <span>
        {branch} is protected: {protectionText(protection.data)}.
      </span>
    </p>
  );
}
