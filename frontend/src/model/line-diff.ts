/** Two texts line by line: which lines only one of them has. */

export interface DiffLine {
  kind: "same" | "removed" | "added";
  text: string;
  /** Numbers from 1 in the text before and in the one after. */
  before: number | null;
  after: number | null;
}

/** Longer texts than this have what differs shown as a whole: the product of the numbers of lines, as memory is. */
const MOST_PAIRS = 4_000_000;

/** A shortest way from one text to the other (longest common subsequence of what lies between equal beginnings and ends). */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const head = sharedLength(old, fresh, (lines, place) => lines[place]);
  const most = Math.min(old.length, fresh.length) - head;
  const tail = Math.min(most, sharedLength(old, fresh, (lines, place) => lines[lines.length - 1 - place]));
  const middle = middleDiff(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail));
  const kinds: DiffLine["kind"][] = [...repeated("same", head), ...middle, ...repeated("same", tail)];
  let [left, right] = [0, 0];
  return kinds.map((kind) => {
    const numbers = { before: kind === "added" ? null : ++left, after: kind === "removed" ? null : ++right };
    return { kind, text: (kind === "added" ? fresh[right - 1] : old[left - 1]) ?? "", ...numbers };
  });
}

/** Stretches of a diff with changes in them; lines further from a change than `context` are left out between stretches. */
export function diffHunks(lines: readonly DiffLine[], context = 3): DiffLine[][] {
  const near = new Set<number>();
  lines.forEach(({ kind }, place) => {
    if (kind === "same") return;
    for (let at = place - context; at <= place + context; at += 1) near.add(at);
  });
  const hunks: DiffLine[][] = [];
  lines.forEach((line, place) => {
    if (!near.has(place)) return;
    if (!near.has(place - 1) || place === 0) hunks.push([]);
    hunks.at(-1)?.push(line);
  });
  return hunks;
}

/** An empty text has no line: what comes after it is new from the first to the last one. */
function linesOf(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}

function repeated(kind: DiffLine["kind"], count: number): DiffLine["kind"][] {
  return Array<DiffLine["kind"]>(count).fill(kind);
}

function sharedLength(
  left: readonly string[],
  right: readonly string[],
  at: (lines: readonly string[], place: number) => string | undefined,
): number {
  const most = Math.min(left.length, right.length);
  let length = 0;
  while (length < most && at(left, length) === at(right, length)) length += 1;
  return length;
}

function middleDiff(old: readonly string[], fresh: readonly string[]): DiffLine["kind"][] {
  if (old.length * fresh.length > MOST_PAIRS) return [...repeated("removed", old.length), ...repeated("added", fresh.length)];
  const width = fresh.length + 1;
  // Lengths of the common subsequences of the rests that begin at each pair of lines.
  const lengths = new Uint32Array((old.length + 1) * width);
  const at = (left: number, right: number) => lengths[left * width + right] ?? 0;
  for (let left = old.length - 1; left >= 0; left -= 1) {
    for (let right = fresh.length - 1; right >= 0; right -= 1) {
      lengths[left * width + right] =
        old[left] === fresh[right] ? at(left + 1, right + 1) + 1 : Math.max(at(left + 1, right), at(left, right + 1));
    }
  }
  const kinds: DiffLine["kind"][] = [];
  let [left, right] = [0, 0];
  while (left < old.length || right < fresh.length) {
    if (left < old.length && right < fresh.length && old[left] === fresh[right]) {
      kinds.push("same");
      left += 1;
      right += 1;
    } else if (left < old.length && (right === fresh.length || at(left + 1, right) >= at(left, right + 1))) {
      kinds.push("removed");
      left += 1;
    } else {
      kinds.push("added");
      right += 1;
    }
  }
  return kinds;
}
