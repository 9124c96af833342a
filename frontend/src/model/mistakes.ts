/** What the server found wrong in the texts of a pipeline, and where that stands. */

export const CONFIG_FILE = "config.yaml";
export const SOURCE = "source";

export interface Mistake {
  file: string;
  /** From 1; null where it is of no one line. */
  line: number | null;
  column: number | null;
  field: string | null;
  message: string;
  remedy: string;
}

/** The mistakes that a problem document lists. */
export function mistakesIn(members: Readonly<Record<string, unknown>>): Mistake[] {
  return Array.isArray(members.errors) ? members.errors.filter(isMistake) : [];
}

function isMistake(value: unknown): value is Mistake {
  const known = value as Partial<Mistake> | null;
  return typeof known?.file === "string" && typeof known.message === "string";
}

export interface TextMark {
  from: number;
  to: number;
  message: string;
}

/** The mistakes of a file as stretches of its text: from the column, else the first word, to the end of the line. What is of
 * no line is marked at the first one. */
export function marksOf(mistakes: readonly Mistake[], file: string, text: string): TextMark[] {
  const lines = text.split("\n");
  return mistakes
    .filter((mistake) => mistake.file === file)
    .map(({ line, column, message, remedy }) => {
      const at = Math.min(Math.max(1, line ?? 1), lines.length) - 1;
      const start = lines.slice(0, at).reduce((sum, before) => sum + before.length + 1, 0);
      const content = lines[at] ?? "";
      const indent = content.length - content.trimStart().length;
      const from = start + Math.min(column === null ? indent : column - 1, content.length);
      return { from, to: Math.max(from, start + content.trimEnd().length), message: remedy ? `${message} ${remedy}` : message };
    })
    .toSorted((left, right) => left.from - right.from);
}

/** `config.yaml, line 3` */
export function placeText({ file, line }: Pick<Mistake, "file" | "line">): string {
  return line === null ? file : `${file}, line ${line}`;
}
