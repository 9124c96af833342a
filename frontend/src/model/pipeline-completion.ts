/** What the editors of a pipeline complete: annotations, helpers of its templates, keys of config.yaml. */
import type { PipelineField } from "../api/resources";

export interface Choice {
  label: string;
  /** What it is, in few words. */
  detail: string;
  /** What is written, where that is more than the label. */
  apply?: string;
}

export interface Completion {
  /** Where the text that a choice takes the place of begins. */
  from: number;
  choices: Choice[];
}

export interface Surroundings {
  fields: readonly PipelineField[];
  /** Columns of the target, where it is there already. */
  columns: readonly string[];
  /** Other pipelines of the catalog, for `ref`. */
  pipelines: readonly string[];
}

export const HELPERS: readonly Choice[] = [
  { label: "is_incremental()", detail: "the strategy is incremental and the table has rows to go on from" },
  { label: "is_append_only()", detail: "the strategy is append_only" },
  { label: "is_delete_insert()", detail: "the strategy is delete_insert" },
  { label: "is_scd2()", detail: "the strategy is scd2" },
  { label: "is_snapshot()", detail: "the strategy is snapshot" },
  { label: "this", detail: "the target table" },
  { label: "watermark_value", detail: "the highest watermark of the target, as a literal of its type" },
  { label: "run_started_at", detail: "the time of the run, as a literal" },
  { label: "ref('…')", detail: "the target of another pipeline", apply: "ref('" },
  { label: "landing('…')", detail: "the files that wait in a landing zone of the pipeline", apply: "landing('" },
  { label: "source('…', '…')", detail: "any table, by database and name", apply: "source('" },
];

/** What most queries need of a template, beside SQL. */
export const FIRST_HELPERS: readonly { text: string; meaning: string }[] = [
  { text: "{{ source('database', 'table') }}", meaning: "any table of the branch" },
  { text: "{{ ref('pipeline') }}", meaning: "the table that another pipeline writes" },
  { text: "{{ this }}", meaning: "the table that this pipeline writes" },
  { text: "{% if is_incremental() %} … {% endif %}", meaning: "only where the strategy is incremental and the table has rows" },
  { text: "{{ watermark_value }}", meaning: "the highest watermark of the table, for the rows since then" },
  { text: "{{ landing('zone') }}", meaning: "the files that wait in a landing zone of the pipeline" },
];

const WORD = /\w*$/;

/** In the source: after `@` in a comment, after `@key:`, and within `{{ … }}` and `{% … %}`. */
export function sourceCompletion(text: string, position: number, around: Surroundings): Completion | undefined {
  const before = text.slice(0, position);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const annotation = /^\s*(?:--|\/\*+|\*|\{#)?\s*@(\w*)$/.exec(line);
  if (annotation) return { from: position - (annotation[1]?.length ?? 0), choices: keys(around.fields) };
  const value = /^\s*(?:--|\/\*+|\*|\{#)?\s*@(\w+)\s*:(.*)$/.exec(line);
  if (value) return valueCompletion(value[1] ?? "", value[2] ?? "", position, around);
  return isInTemplate(before) ? helperCompletion(before, position, around) : undefined;
}

/** In config.yaml: keys at the beginning of a line, and what a key may be after it. */
export function configCompletion(text: string, position: number, around: Surroundings): Completion | undefined {
  const before = text.slice(0, position);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  if (/^\w*$/.test(line)) return { from: position - line.length, choices: keys(around.fields) };
  const value = /^(\w+)\s*:(.*)$/.exec(line);
  return value ? valueCompletion(value[1] ?? "", value[2] ?? "", position, around) : undefined;
}

function keys(fields: readonly PipelineField[]): Choice[] {
  return fields.map(({ name, description }) => ({ label: name, detail: description, apply: `${name}: ` }));
}

function valueCompletion(name: string, typed: string, position: number, { fields, columns }: Surroundings): Completion | undefined {
  const field = fields.find((known) => known.name === name);
  // Nothing is completed in the middle of a word that is none, such as a quoted name.
  const from = position - (WORD.exec(typed)?.[0].length ?? 0);
  const isList = field?.kind === "a list of columns";
  if (!field || (/[\w'"]\s+\w*$/.test(typed) && !isList)) return undefined;
  const choices = valuesOf(field, columns);
  return choices.length ? { from, choices } : undefined;
}

function valuesOf(field: PipelineField, columns: readonly string[]): Choice[] {
  switch (field.kind) {
    case "a choice":
      return field.choices.map((label) => ({ label, detail: label === field.default ? "unless it is said" : "" }));
    case "true or false":
      return ["true", "false"].map((label) => ({ label, detail: "" }));
    case "a column's name":
    case "a list of columns":
      return columns.map((label) => ({ label, detail: "column of the target" }));
    default:
      return [];
  }
}

function isInTemplate(before: string): boolean {
  const opened = Math.max(before.lastIndexOf("{{"), before.lastIndexOf("{%"));
  return opened > Math.max(before.lastIndexOf("}}"), before.lastIndexOf("%}"));
}

function helperCompletion(before: string, position: number, { pipelines }: Surroundings): Completion | undefined {
  const named = /\bref\(\s*'([^']*)$/.exec(before);
  if (named) {
    const choices = pipelines.map((label) => ({ label, detail: "pipeline", apply: `${label}')` }));
    return { from: position - (named[1]?.length ?? 0), choices };
  }
  // Inside any other quotes there are texts, not helpers.
  const opened = Math.max(before.lastIndexOf("{{"), before.lastIndexOf("{%"));
  if ((before.slice(opened).split("'").length - 1) % 2 === 1) return undefined;
  return { from: position - (WORD.exec(before)?.[0].length ?? 0), choices: [...HELPERS] };
}
