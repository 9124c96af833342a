import { createContext, useContext } from "react";
import { Link } from "react-router";

import { branchAddress } from "../model/addresses";
import { count } from "../model/format";
import { laneColour } from "../model/lanes";
import { Icon } from "./icons";
import { Time } from "./time";

const NeighbourColours = createContext<ReadonlyMap<string, number>>(new Map());

/** Branches that are drawn beside each other have these colours in it; all others have the colours of their names. */
export const LaneColours = NeighbourColours.Provider;

export function useLaneColour(): (branch: string) => number {
  const colours = useContext(NeighbourColours);
  return (branch) => colours.get(branch) ?? laneColour(branch);
}

export function LaneDot({ branch }: { branch: string }) {
  const colour = useLaneColour();
  return <span className={`lane-dot lane-${colour(branch)}`} aria-hidden="true" />;
}

export function BranchLink({ catalog, branch }: { catalog: string; branch: string }) {
  return (
    <Link className="row nowrap-row" to={branchAddress(catalog, branch)} title={branch}>
      <LaneDot branch={branch} />
      <bdi className="ellipsis">{branch}</bdi>
    </Link>
  );
}

export function ProtectedMark() {
  return (
    <span className="protected-mark" title="protected">
      <Icon name="shield" size={14} />
      <span className="visually-hidden">protected</span>
    </span>
  );
}

/** Commits ahead of and behind the parent. */
export function AheadBehind({ ahead, behind }: { ahead: number | null; behind: number | null }) {
  if (ahead === null || behind === null) return null;
  return (
    <span className="number" title={`${count(ahead)} ahead of its parent, ${count(behind)} behind`}>
      <span aria-hidden="true">
        ↑{count(ahead)} ↓{count(behind)}
      </span>
      <span className="visually-hidden">
        {count(ahead)} ahead, {count(behind)} behind
      </span>
    </span>
  );
}

/** When lakeui drops the branch, and what an expired one waits for. */
export function ExpiryMark({ at, waitsFor }: { at: string; waitsFor: string | null }) {
  return (
    <span>
      {waitsFor === null ? "expires " : "expired "}
      <Time at={at} />
      {waitsFor === null ? null : `. It is not dropped yet: ${waitsFor}`}{" "}
    </span>
  );
}
