import type { RequestDetail } from "../../api/resources";
import { counted } from "../../model/format";

/** Who owns the tables that the request changes, and which of them approved. */
export function OwnerLines({ request }: { request: RequestDetail }) {
  if (request.owners.length === 0) return null;
  return (
    <ul className="small" aria-label="Owners of changed tables">
      {request.owners.map(({ branches, pattern, tables, table_count, people, groups, approved_by }) => (
        <li key={`${branches} ${pattern}`}>
          <bdi>{tables.slice(0, 3).join(", ")}</bdi>
          {table_count > 3 ? ` and ${counted(table_count - 3, "other")}` : ""}: owned by {[...people, ...groups.map((name) => `@${name}`)].join(", ")}
          {approved_by.length ? <strong>, approved by {approved_by.join(", ")}</strong> : null}
        </li>
      ))}
    </ul>
  );
}
