/** Places in the text of a statement. */

/** Offsets of what an error points at: `near` at that line and column (both from 1), else the character there. */
export function errorRange(
  text: string,
  error: { line?: unknown; column?: unknown; near?: unknown },
): { from: number; to: number } | undefined {
  if (typeof error.line !== "number" || typeof error.column !== "number") return undefined;
  const lines = text.split("\n");
  const before = lines.slice(0, error.line - 1).reduce((sum, line) => sum + line.length + 1, 0);
  const from = Math.min(text.length, before + error.column - 1);
  const near = typeof error.near === "string" && text.startsWith(error.near, from) ? error.near : "";
  const to = Math.min(text.length, from + Math.max(1, near.length));
  // At the very end there is nothing to underline but the last character.
  return from === to ? { from: Math.max(0, from - 1), to } : { from, to };
}

const NAME = "(?:`((?:[^`]|``)+)`|([A-Za-z_][\\w]*))";
const QUALIFIED = new RegExp(`${NAME}\\s*\\.\\s*${NAME}`, "g");

/** Pairs `database.table` that a statement names; columns that look the same (`t.id`) are among them. */
export function tablesNamed(text: string): { database: string; table: string }[] {
  const found = new Map<string, { database: string; table: string }>();
  for (const [, quotedFirst, first, quotedSecond, second] of text.matchAll(QUALIFIED)) {
    const pair = { database: plain(quotedFirst, first), table: plain(quotedSecond, second) };
    found.set(`${pair.database}.${pair.table}`.toLowerCase(), pair);
  }
  return [...found.values()];
}

function plain(quoted: string | undefined, bare: string | undefined): string {
  return quoted === undefined ? (bare ?? "") : quoted.replaceAll("``", "`");
}
