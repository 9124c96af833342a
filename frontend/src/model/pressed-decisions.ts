/** Decisions on their way to the server. Each is shown as saved or as not saved; none is lost in silence. */
import type { ResolutionChoice } from "../api/resources";

/** One decision; several that are saved together or not at all; or one that is taken back. */
export type Change = { decide: readonly ResolutionChoice[] } | { withdraw: number };

export type Standing = "waiting" | "sent" | "saved" | "failed";

export interface Pressed<Target, Answer> {
  id: number;
  /** Changes of one line are sent one group after the other. */
  line: string;
  target: Target;
  change: Change;
  standing: Standing;
  error: Error | undefined;
  onSaved: ((answer: Answer) => void) | undefined;
}

export interface Sending<Target, Answer> {
  /** Sends one withdrawal, or decisions in one call. */
  send: (target: Target, change: Change) => Promise<Answer>;
  /** Brings what the pages show up to date. Until then they show what was pressed. */
  saved: (answer: Answer) => Promise<void>;
  /** Whether a refusal of several decisions says nothing about each of them. */
  isRefusal: (error: unknown) => boolean;
  /** The most decisions of one call. */
  most: number;
}

/** What was pressed, until the pages show it as saved. What is pressed while a call runs goes together in the next one. */
export class PressedDecisions<Target, Answer> {
  readonly #way: Sending<Target, Answer>;
  readonly #listeners = new Set<() => void>();
  readonly #running = new Set<string>();
  #entries: readonly Pressed<Target, Answer>[] = [];
  #last = 0;

  constructor(way: Sending<Target, Answer>) {
    this.#way = way;
  }

  readonly entries = (): readonly Pressed<Target, Answer>[] => this.#entries;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Takes the place of what was pressed of the same parts before and could not be saved. */
  press(line: string, target: Target, change: Change, onSaved?: (answer: Answer) => void): void {
    const kept = this.#entries.filter((entry) => entry.line !== line || entry.standing !== "failed" || !isOnSame(entry.change, change));
    this.#last += 1;
    this.#set([...kept, { id: this.#last, line, target, change, standing: "waiting", error: undefined, onSaved }]);
    void this.#run(line);
  }

  /** Sends again what was not saved. */
  tryAgain(): void {
    this.#mark(this.#entries.filter(isFailed), { standing: "waiting", error: undefined });
    for (const line of new Set(this.#entries.map((entry) => entry.line))) void this.#run(line);
  }

  /** Forgets what was not saved, because the person says so. */
  discard(): void {
    this.#set(this.#entries.filter((entry) => !isFailed(entry)));
  }

  /** The page goes away: what waits is sent at once, beside what was sent before. */
  leave(): void {
    for (const line of new Set(this.#entries.map((entry) => entry.line))) {
      for (let group = this.#next(line); group.length > 0; group = this.#next(line)) void this.#send(group);
    }
  }

  async #run(line: string): Promise<void> {
    if (this.#running.has(line)) return;
    this.#running.add(line);
    try {
      for (let group = this.#next(line); group.length > 0; group = this.#next(line)) await this.#send(group);
    } finally {
      this.#running.delete(line);
    }
  }

  #next(line: string): readonly Pressed<Target, Answer>[] {
    const waiting = this.#entries.filter((entry) => entry.line === line && entry.standing === "waiting");
    return firstGroup(waiting, this.#way.most);
  }

  async #send(group: readonly Pressed<Target, Answer>[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    this.#mark(group, { standing: "sent", error: undefined });
    try {
      const answer = await this.#way.send(first.target, together(group));
      this.#mark(group, { standing: "saved" });
      for (const { onSaved } of group) onSaved?.(answer);
      this.#forget(group, answer);
    } catch (error) {
      if (group.length > 1 && this.#way.isRefusal(error)) for (const entry of group) await this.#send([entry]);
      else this.#mark(group, { standing: "failed", error: error instanceof Error ? error : new Error(String(error)) });
    }
  }

  /** Not waited for by the next group. A page that cannot be brought up to date says so itself. */
  #forget(group: readonly Pressed<Target, Answer>[], answer: Answer): void {
    const ids = new Set(group.map(({ id }) => id));
    const end = () => this.#set(this.#entries.filter(({ id }) => !ids.has(id)));
    this.#way.saved(answer).then(end, end);
  }

  #mark(group: readonly Pressed<Target, Answer>[], now: Partial<Pick<Pressed<Target, Answer>, "standing" | "error">>): void {
    const ids = new Set(group.map(({ id }) => id));
    this.#set(this.#entries.map((entry) => (ids.has(entry.id) ? { ...entry, ...now } : entry)));
  }

  #set(entries: readonly Pressed<Target, Answer>[]): void {
    this.#entries = entries;
    for (const listener of this.#listeners) listener();
  }
}

export function isUnsaved({ standing }: { standing: Standing }): boolean {
  return standing !== "saved";
}

function isFailed({ standing }: { standing: Standing }): boolean {
  return standing === "failed";
}

/** Those that one call can take: of the same heads, each part once. A withdrawal goes alone. */
function firstGroup<Entry extends { change: Change }>(waiting: readonly Entry[], most: number): Entry[] {
  const [first] = waiting;
  if (!first) return [];
  if ("withdraw" in first.change) return [first];
  const group: Entry[] = [];
  const taken = new Set<string>();
  const heads = headsOf(first.change);
  for (const entry of waiting) {
    if ("withdraw" in entry.change || headsOf(entry.change) !== heads) break;
    const parts = partsOf(entry.change);
    if (parts.some((part) => taken.has(part)) || (group.length > 0 && taken.size + parts.length > most)) break;
    for (const part of parts) taken.add(part);
    group.push(entry);
  }
  return group;
}

function together(group: readonly { change: Change }[]): Change {
  const [first] = group;
  if (first && "withdraw" in first.change) return first.change;
  return { decide: group.flatMap(({ change }) => ("decide" in change ? change.decide : [])) };
}

function headsOf(change: Change): string {
  const [first] = "decide" in change ? change.decide : [];
  return `${first?.source_head ?? ""} ${first?.destination_head ?? ""}`;
}

function partsOf(change: Change): string[] {
  if ("withdraw" in change) return [`withdraw ${change.withdraw}`];
  return change.decide.map(({ object_kind, object_id, part, part_key }) => JSON.stringify([object_kind, object_id, part, part_key]));
}

function isOnSame(one: Change, other: Change): boolean {
  const parts = new Set(partsOf(other));
  return partsOf(one).some((part) => parts.has(part));
}
