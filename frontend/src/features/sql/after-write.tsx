
import { branchAddress, compareAddress, tableAddress } from "../../model/addresses";
import { bytes, count } from "../../model/format";
import { writtenTable } from "../../model/statements";
import { useBranch } from "../../queries/catalogs";
import type { RunPlace } from "./use-runs";
import { LinkButton } from "../../ui/button";
import { Muted } from "../../ui/muted";

/** Rows first, then all else in the order of the answer. */
const FIRST = ["rows_inserted", "rows_updated", "rows_deleted"];

/** What a statement did, in numbers that are not 0: what became of rows stands first, and bytes have their unit. */
export function Metrics({ metrics }: { metrics: Record<string, unknown> }) {
  const found = Object.entries(metrics).filter((entry): entry is [string, number] => typeof entry[1] === "number" && entry[1] > 0);
  if (found.length === 0) return <Muted as="p" className="inside">Statement ran. No rows returned.</Muted>;
  const rank = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return (
    <dl className="facts inside">
      {found
        .toSorted(([one], [other]) => rank(one) - rank(other))
        .map(([name, value]) => (
          <div key={name} style={{ display: "contents" }}>
            <dt>{name.replaceAll("_", " ")}</dt>
            <dd>{name.startsWith("bytes") ? bytes(value) : count(value)}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Where to look after a commit: at its rows, at what a merge would bring, and at the table as it was before. */
export function AfterWrite({ place, statement, version }: { place: RunPlace; statement: string; version: number }) {
  const { catalog, branch } = place;
  const { data } = useBranch(catalog, branch);
  const parent = data?.parent;
  const written = writtenTable(statement);
  const table = written && tableAddress(catalog, branch, written.database, written.table);
  return (
    <p className="inside row" aria-label="After this commit" role="group">
      {table ? (
        <LinkButton isSmall to={`${table}?tab=changes`}>
          See changed rows
        </LinkButton>
      ) : null}
      <LinkButton isSmall to={`${branchAddress(catalog, branch)}?tab=history&commit=${version}`}>
        See the commit
      </LinkButton>
      {parent ? (
        <LinkButton isSmall to={compareAddress(catalog, branch, parent)}>
          Compare with {parent}
        </LinkButton>
      ) : null}
      {table ? (
        <LinkButton isSmall to={`${table}?version=${version - 1}`}>
          Undo …
        </LinkButton>
      ) : null}
    </p>
  );
}
