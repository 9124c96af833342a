import { Link } from "react-router";

import type { MergeRecord } from "../../api/resources";
import { compareAddress, newRequestAddress, sqlAddress } from "../../model/addresses";

/** What can be done about a merge that conflicts met. */
export function WaysOut({ record }: { record: MergeRecord }) {
  const { catalog, source, destination } = record;
  return (
    <div>
      <strong>How to resolve</strong>
      <ul className="way-out">
        <li>
          <Link to={compareAddress(catalog, destination, source)}>
            Merge {destination} into {source}
          </Link>{" "}
          first, so that {source} has the new rows; then run its statement again there.
        </li>
        <li>
          <Link to={newRequestAddress(catalog, source, destination)}>Open a merge request</Link>, and decide there which branch each conflict keeps.
        </li>
        <li>
          <Link to={sqlAddress(catalog, source)}>Change {source} with SQL</Link>, or restore what is in the way on it to an earlier version.
        </li>
      </ul>
    </div>
  );
}
