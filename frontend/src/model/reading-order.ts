const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const [ISOLATE, END] = ["\u2068", "\u2069"];

/** The text of a name such as `database.table`, of which each part has its own direction and the database is to the left.
 * A name without letters that run from right to left stays as it is. */
export function inOrder(name: string): string {
  if (!RIGHT_TO_LEFT.test(name)) return name;
  return name
    .split(".")
    .map((part) => ISOLATE + part + END)
    .join(".");
}
