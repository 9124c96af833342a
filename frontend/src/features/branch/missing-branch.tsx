import { useState, type ComponentProps } from "react";
import { Link } from "react-router";

import { asProblem, type Problem } from "../../api/problem";
import type { Branch } from "../../api/resources";
import { branchAddress, catalogAddress } from "../../model/addresses";
import { useBranches } from "../../queries/catalogs";
import { Button, LinkButton } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { LoadedOrRestricted } from "../../ui/restricted";
import { Time } from "../../ui/time";
import { BranchDialog } from "../catalog/branch-dialogs";

/** The most names that are offered in place of the one that no branch has. */
const MOST_SIMILAR = 5;

/** As `LoadedOrRestricted`, of something on a branch: where no branch has the name, it says what became of it. */
export function LoadedWithBranch<Data>({ catalog, ...loaded }: ComponentProps<typeof LoadedOrRestricted<Data>> & { catalog: string }) {
  const { data, error } = loaded.query;
  const problem = data !== undefined || error === null ? undefined : asProblem(error);
  if (problem?.status === 404 && problem.members.kind === "branch") return <MissingBranch catalog={catalog} problem={problem} />;
  return <LoadedOrRestricted {...loaded} />;
}

/** No branch has the name: whether one of the name was dropped, which names are similar, and the way back. */
function MissingBranch({ catalog, problem }: { catalog: string; problem: Problem }) {
  const { name, nearest, renamed_to: renamed } = problem.members;
  const branch = String(name);
  const [undropped, setUndropped] = useState<Branch>();
  const dropped = useBranches(catalog, { search: branch, dropped: true });
  const alike = useBranches(catalog, { search: branch });
  const found = alike.data?.pages[0]?.results.map(({ name }) => name) ?? [];
  const similar = [...new Set([...(typeof nearest === "string" ? [nearest] : []), ...found])].slice(0, MOST_SIMILAR);
  const others = similar.filter((other) => other !== renamed);
  const ofTheName = (dropped.data?.pages[0]?.results ?? []).filter((entry) => entry.name.toLowerCase() === branch.toLowerCase());
  return (
    <>
      <div className="notice conflict" role="alert">
        <span className="symbol" aria-hidden="true">
          ✕
        </span>
        <strong>
          There is no branch <bdi>{branch}</bdi> in <bdi>{catalog}</bdi>
        </strong>
        {typeof renamed === "string" ? (
          <p>
            It was renamed to{" "}
            <Link to={branchAddress(catalog, renamed)}>
              <bdi>{renamed}</bdi>
            </Link>
            .
          </p>
        ) : null}
        {dropped.data && (ofTheName.length || typeof renamed !== "string") ? <Dropped branches={ofTheName} onUndrop={setUndropped} /> : null}
        {others.length ? (
          <p className="row">
            Similar names:
            {others.map((other) => (
              <Link key={other} to={branchAddress(catalog, other)}>
                <bdi>{other}</bdi>
              </Link>
            ))}
          </p>
        ) : null}
        <p className="row">
          <LinkButton isSmall to={catalogAddress(catalog)}>
            <Icon name="branch" />
            All branches of {catalog}
          </LinkButton>
        </p>
      </div>
      {undropped ? (
        <BranchDialog catalog={catalog} intent={{ kind: "undrop", name: undropped.name, id: undropped.branch_id }} onClose={() => setUndropped(undefined)} />
      ) : null}
    </>
  );
}

/** The dropped branches of the name, the newest first; each can be undropped here. */
function Dropped({ branches, onUndrop }: { branches: readonly Branch[]; onUndrop: (branch: Branch) => void }) {
  if (branches.length === 0) return <p>No branch of this name was dropped, and no rename of it is known.</p>;
  return branches
    .toSorted((left, right) => (right.dropped_at ?? "").localeCompare(left.dropped_at ?? ""))
    .map((branch) => (
      <p key={branch.branch_id} className="row">
        <span>
          A branch of this name was dropped {branch.dropped_at ? <Time at={branch.dropped_at} /> : null}, at version {branch.head_version}.
        </span>
        <Button isSmall onClick={() => onUndrop(branch)}>
          Undrop<span className="visually-hidden"> {branch.name}</span>
        </Button>
      </p>
    ));
}
