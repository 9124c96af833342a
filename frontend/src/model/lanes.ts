/** The colour of a branch: main has the first, every other name always the same one of the rest. */
export const LANE_COLOURS = 8;

export function laneColour(branch: string): number {
  if (branch === "main") return 0;
  let hash = 2166136261; // FNV-1a
  for (const character of branch) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619);
  return 1 + ((hash >>> 0) % (LANE_COLOURS - 1));
}

/** Colours where branches stand beside each other: one whose colour a neighbour has takes the next that is free. Lanes go from
 * top to bottom; several branches may share one. */
export function neighbourColours(branches: readonly { name: string; lane: number }[]): ReadonlyMap<string, number> {
  const placed = branches.toSorted((left, right) => left.lane - right.lane);
  const found = new Map<string, number>();
  for (const { name, lane } of placed) {
    const beside = placed.filter((other) => Math.abs(other.lane - lane) <= 1).map((other) => found.get(other.name));
    found.set(name, freeColour(laneColour(name), beside));
  }
  return found;
}

function freeColour(own: number, taken: readonly (number | undefined)[]): number {
  if (own === 0) return own;
  const others = Array.from({ length: LANE_COLOURS - 1 }, (_, place) => 1 + ((own - 1 + place) % (LANE_COLOURS - 1)));
  return others.find((colour) => !taken.includes(colour)) ?? own;
}
