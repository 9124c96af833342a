import type { ReactNode } from "react";

import { asProblem } from "../api/problem";
import { Icon } from "./icons";
import { Loaded } from "./states";

/** As `Loaded`; where rows of the catalog are hidden from whoever asks, it says so and shows what they see even so. */
export function LoadedOrRestricted<Data>({
  restricted,
  ...loaded
}: {
  query: { data: Data | undefined; error: Error | null; refetch: () => unknown };
  label: string;
  restricted: ReactNode;
  children: (data: Data) => ReactNode;
}) {
  const { data, error } = loaded.query;
  if (data !== undefined || error === null || asProblem(error).code !== "ROWS_RESTRICTED") return <Loaded {...loaded} />;
  return (
    <>
      <p className="row" role="note">
        <Icon name="shield" />
        Rows or columns of this catalog are hidden from you. You see the names of its tables and the rows that are left; history, statistics and
        changes are not shown.
      </p>
      {restricted}
    </>
  );
}
