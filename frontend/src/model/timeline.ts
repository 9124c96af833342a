/** Sentences of a request's timeline, and which comments stand where in it. */
import { textOr } from "./format";
import { choiceText, keyText } from "./decisions";
import type { Comment, ResolutionChoice, TimelineEvent } from "../api/resources";
import { STATE_MARKS } from "./review";

const VERDICT_WORDS: Record<string, string> = {
  approve: "approved",
  request_changes: "requested changes",
  withdraw: "withdrew their review",
};
const SIDES = { source: "the source", destination: "the target" };

/** What happened, to follow the name of who did it; undefined where something else on the page says so. */
export function eventText(event: TimelineEvent, names: ReadonlyMap<string, string> = new Map()): string | undefined {
  switch (event.kind) {
    case "opened":
      return `opened the request, with the source at v${text(event.details.source_head)} and the target at v${text(event.details.destination_head)}`;
    case "state":
      return stateText(event);
    case "edited":
      return `changed the ${listed(event.details.fields)}`;
    case "reviewed":
      return VERDICT_WORDS[text(event.details.verdict)] ?? "reviewed it";
    case "commented":
      return commentText(text(event.details.what));
    case "resolution":
      return resolutionText(event, names);
    case "checked":
      return `ran the checks: ${checksText(event.details.checks)}`;
    case "status":
      return `reported ${text(event.details.context)}: ${text(event.details.state)}, of v${text(event.details.source_head)}`;
    case "pushed":
      return pushText(event);
    case "dropped":
      return droppedText(event);
    case "undropped":
      return `saw that the ${sideText(event.details.side)} ${text(event.details.branch)} is back`;
  }
}

function droppedText({ details }: TimelineEvent): string {
  const what = `saw that the ${sideText(details.side)} ${text(details.branch)} was`;
  return details.reset_to === undefined ? `${what} dropped` : `${what} reset from v${text(details.from)} to v${text(details.reset_to)}`;
}

export function decisionText(decision: string, name: string): string {
  const choice = choiceText(decision as ResolutionChoice["decision"], SIDES).replace(" …", "");
  const words = choice.charAt(0).toLowerCase() + choice.slice(1);
  return name ? `${words}: ${name}` : words;
}

function stateText({ from_state: from, to_state: to, actor, details, reason }: TimelineEvent): string {
  const because = reason ? `: ${reason}` : "";
  if (to === "merged") return `merged it as v${text(details.version)}`;
  if (to === "closed") return `closed it${because}`;
  if (to === "draft") return "made it a draft";
  if (to === "queued") return "put it into the merge queue";
  if (to === "merging") return `began to merge it${because}`;
  if (from === "closed") return "reopened it";
  if (from === "draft") return "marked it as ready";
  const word = (STATE_MARKS as Record<string, { word: string } | undefined>)[to]?.word ?? to;
  return actor === null ? `set it to ${word}${because}` : `changed the status to ${word}${because}`;
}

function pushText({ actor, details }: TimelineEvent): string {
  const count = Number(details.commits);
  const others = Array.isArray(details.authors) ? details.authors.filter((name) => name !== actor) : [];
  const among = others.length ? `, with ${others.join(", ")}` : "";
  return `wrote to the source${among}: ${count} ${count === 1 ? "commit" : "commits"}, v${text(details.from)} to v${text(details.source_head)}`;
}

/** An object by its name, by its kind and id where that is not known. */
export function objectText(names: ReadonlyMap<string, string>, kind: string, id: string | number): string {
  return names.get(`${kind}:${id}`) ?? `${kind} ${id}`;
}

/** A comment itself is shown with its text, so that its being written or edited needs no line. */
function commentText(what: string): string | undefined {
  if (what === "resolved") return "resolved a thread";
  if (what === "applied") return "applied a suggestion";
  return what === "reopened" ? "reopened a thread" : undefined;
}

export interface Decided {
  object_kind: string;
  object_id: number;
  part: string;
  part_key: string;
  /** Names as they were when it was decided; older records lack them. */
  object?: string;
  column?: string;
}

/** What a decision does, where the row that it is about stands before it. */
export function withoutRow(effect: string): string {
  return effect.replace(/^Row .*?: (?=keeps |no value )/, "");
}

/** What a decision is about: `sales.customers, column tier, row id = 1`. */
export function madeWhere(made: Decided): string {
  const object = textOr(made.object, `${made.object_kind} ${String(made.object_id)}`);
  const key = made.part === "cell" ? made.part_key.slice(made.part_key.indexOf(":") + 1) : made.part_key;
  switch (made.part) {
    case "object":
      return object;
    case "rows":
      return `${object}, all conflicting rows`;
    case "row":
      return `${object}, row ${keyText(key)}`;
    case "cell":
      return `${object}, column ${textOr(made.column, made.part_key.split(":")[0] ?? "")}, row ${keyText(key)}`;
    case "column":
      return `${object}, column ${textOr(made.column, key)}`;
    default:
      return `${object}, ${made.part} ${key}`;
  }
}

function resolutionText({ details }: TimelineEvent, names: ReadonlyMap<string, string>): string {
  const kind = text(details.object_kind);
  const where = madeWhere({
    object_kind: kind,
    object_id: Number(details.object_id),
    part: text(details.part),
    part_key: text(details.part_key),
    object: text(details.object) || objectText(names, kind, text(details.object_id)),
    column: text(details.column),
  });
  if (details.what === "withdrawn") return `removed a decision, of ${where}`;
  const chosen = text(details.effect) || decisionText(text(details.decision), text(details.name) || text(details.value));
  return `decided for ${where}: ${withoutRow(chosen)}`;
}

function checksText(checks: unknown): string {
  const found = Object.entries((checks ?? {}) as Record<string, string>);
  return found.map(([name, state]) => `${name} ${state}`).join(", ") || "there were none";
}

function listed(fields: unknown): string {
  return Array.isArray(fields) ? fields.join(", ") : "request";
}

function sideText(side: unknown): string {
  return side === "destination" ? "target" : text(side);
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

export interface Thread {
  first: Comment;
  replies: Comment[];
}

/** Comments by thread, oldest thread first. One whose first comment is not there yet begins with what there is. */
export function threadsOf(comments: readonly Comment[]): Thread[] {
  const threads = new Map<number, Thread>();
  for (const comment of comments) {
    const known = comment.thread === null ? undefined : threads.get(comment.thread);
    if (known) known.replies.push(comment);
    else threads.set(comment.thread ?? comment.id, { first: comment, replies: [] });
  }
  return [...threads.values()];
}

export interface CellAnchor {
  rule_table: string;
  source_op: string;
  dest_op: string;
}

/** Threads on an object: on the object itself, or on the cell of its matrix. */
export function threadsAt(threads: readonly Thread[], object: { kind: string; object_id: number }, cell?: CellAnchor): Thread[] {
  return threads.filter(({ first }) => {
    const isOfObject = first.object_kind === object.kind && first.object_id === object.object_id;
    if (!isOfObject || !cell) return isOfObject && first.place === "object";
    return first.rule_table === cell.rule_table && first.source_op === cell.source_op && first.dest_op === cell.dest_op;
  });
}

/** Whether a thread is about a cell of the object's matrix. */
export function isOnCellOf({ first }: Thread, object: { kind: string; object_id: number }): boolean {
  return first.object_kind === object.kind && first.object_id === object.object_id && first.rule_table !== "";
}

/** Threads on a row: on the row itself, or on a value in it. */
export function threadsOnRow(threads: readonly Thread[], object: { kind: string; object_id: number }, key: string): Thread[] {
  return threads.filter(({ first }) => isOf(first, object) && first.row_key === key);
}

/** Threads on columns of a table, not on values in them. */
export function threadsOnColumns(threads: readonly Thread[], object: { kind: string; object_id: number }): Thread[] {
  return threads.filter(({ first }) => isOf(first, object) && first.place === "column");
}

function isOf(comment: Comment, object: { kind: string; object_id: number }): boolean {
  return comment.object_kind === object.kind && comment.object_id === object.object_id;
}

/** What part of the data a comment is on: `row id = 1, column tier`; "" where it is on none. */
export function dataPlaceText({ row_key: key, column_name: column }: Pick<Comment, "row_key" | "column_name">): string {
  return [key ? `row ${keyText(key)}` : "", column ? `column ${column}` : ""].filter(Boolean).join(", ");
}
