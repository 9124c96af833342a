import { protectionText } from "../../model/protection";
import { useProtection } from "../../queries/protection";
import { Icon } from "../../ui/icons";
import "../../styles/requests.css";

/** What the protection of a branch asks of a merge into it; nothing where none is. */
export function ProtectionLine({ catalog, branch }: { catalog: string; branch: string }) {
  const protection = useProtection(catalog, branch);
  if (!protection.data?.is_protected) return null;
  return (
    <p className="protection-line small">
      <Icon name="shield" />
      <span>
        {branch} is protected: {protectionText(protection.data)}.
      </span>
    </p>
  );
}
