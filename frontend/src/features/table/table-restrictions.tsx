import { useRestrictions } from "../../queries/restrictions";
import { Icon } from "../../ui/icons";

/** From whom rows or columns of the table are hidden; nothing where none are. */
export function TableRestrictions({ catalog, tableId }: { catalog: string; tableId: number }) {
  const found = useRestrictions(catalog, tableId).data?.results ?? [];
  if (found.length === 0) return null;
  const whom = found.map(({ role, group }) => (role === null ? `group ${group}` : `role ${role} and below`));
  return (
    <p className="row small">
      <Icon name="shield" />
      Rows or columns are hidden from {whom.join(", ")}.
    </p>
  );
}
