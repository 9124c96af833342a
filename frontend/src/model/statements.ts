/** A text with several statements, taken apart as the server would: at each `;` outside of texts, names and comments. */

export interface PlacedStatement {
  text: string;
  /** Where it begins in the whole text. */
  from: number;
}

const PIECE = /\s+|--[^\n]*|\/\*|[rR](?:'[^']*'|"[^"]*")|'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)+`|[\p{L}_][\p{L}\p{N}_]*|./suy;

/** Statements without the `;` behind them. What has no word in it is none. */
export function statementsIn(text: string): PlacedStatement[] {
  const found: PlacedStatement[] = [];
  let first = -1;
  let end = 0;
  const finish = () => {
    if (first >= 0) found.push({ text: text.slice(first, end), from: first });
    first = -1;
  };
  for (let at = 0; at < text.length; ) {
    const next = pieceEnd(text, at);
    const piece = text.slice(at, next);
    if (piece === ";") finish();
    else if (!/^(?:\s|--|\/\*)/.test(piece)) {
      if (first < 0) first = at;
      end = next;
    }
    at = next;
  }
  finish();
  return found;
}

function pieceEnd(text: string, at: number): number {
  PIECE.lastIndex = at;
  const piece = PIECE.exec(text)?.[0] ?? text.charAt(at);
  if (piece === "/*") return commentEnd(text, at);
  // What is never closed goes to the end: the server says so.
  return piece === "'" || piece === '"' || piece === "`" ? text.length : at + piece.length;
}

/** Comments nest, as in Spark. */
function commentEnd(text: string, at: number): number {
  let depth = 0;
  for (const mark of text.slice(at).matchAll(/\/\*|\*\//g)) {
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) return at + mark.index + mark[0].length;
  }
  return text.length;
}

/** `SELECT count(*) …`: the beginning of a statement, on one line. */
export function shortStatement(text: string, longest = 28): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).trimEnd()}…`;
}

const NAME = /(?:`((?:[^`]|``)+)`|([\p{L}_][\p{L}\p{N}_]*))/u;
const WRITTEN = new RegExp(
  `^\\s*(?:UPDATE|INSERT\\s+INTO|INSERT\\s+OVERWRITE(?:\\s+TABLE)?|DELETE\\s+FROM|MERGE\\s+INTO|TRUNCATE\\s+TABLE)\\s+${NAME.source}\\.${NAME.source}(?![\\w.])`,
  "iu",
);

/** The table whose rows a statement writes, where its text names it with its database and no catalog. */
export function writtenTable(statement: string): { database: string; table: string } | undefined {
  const found = WRITTEN.exec(statement);
  if (!found) return undefined;
  const [, quotedDatabase, database, quotedTable, table] = found;
  const plain = (quoted: string | undefined, bare: string | undefined) => quoted?.replaceAll("``", "`") ?? bare ?? "";
  return { database: plain(quotedDatabase, database), table: plain(quotedTable, table) };
}
