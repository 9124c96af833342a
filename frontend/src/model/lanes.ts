/** The colour of a branch: main has the first, every other name always the same one of the rest. */
export const LANE_COLOURS = 8;

export function laneColour(branch: string): number {
  if (branch === "main") return 0;
  let hash = 2166136261; // FNV-1a
  for (const character of branch) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619);
  return 1 + ((hash >>> 0) % (LANE_COLOURS - 1));
}
