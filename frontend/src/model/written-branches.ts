/** Which branches statements write, by their text: for a question before they run, so the server judges all of it again. */

const NAME = "(?:`((?:[^`]|``)+)`|([\\p{L}_][\\p{L}\\p{N}_]*))";
const DRY = /\bdry\s+run\s*$/iu;
/** Of other things than the branch, or of what only the session sees. */
const ELSEWHERE = /^(?:create(?:\s+or\s+replace)?|drop|alter|undrop)\s+(?:temp|temporary|branch|tag|catalog)\b/iu;
const WRITES = /^(?:insert|update|delete|merge\s+(?:with\s+schema\s+evolution\s+)?into|copy\s+into|truncate|create|replace|drop|alter|comment|undrop|restore|optimize|rename|run)\b/iu;
/** A branch, also behind the name of its catalog. */
const BRANCH = `(?:${NAME}\\.)?${NAME}`;
const MERGES = new RegExp(`^merge\\s+branch\\s+${BRANCH}(?:\\s+(?:to|into)\\s+${BRANCH})?`, "iu");
const RESTORES = new RegExp(`^restore\\s+branch\\s+${BRANCH}`, "iu");
const USES = new RegExp(`^use\\s+branch\\s+${BRANCH}`, "iu");

/** In the order in which the statements first write them; `here` is where the first statement runs. */
export function branchesWritten(statements: readonly string[], here: string): string[] {
  const found = new Set<string>();
  let now = here;
  for (const statement of statements) {
    const used = USES.exec(statement);
    if (used) now = plain(used[3], used[4]) ?? now;
    const branch = branchWritten(statement, now);
    if (branch !== undefined) found.add(branch);
  }
  return [...found];
}

function branchWritten(statement: string, here: string): string | undefined {
  if (DRY.test(statement) || ELSEWHERE.test(statement)) return undefined;
  const merged = MERGES.exec(statement);
  if (merged) return plain(merged[7], merged[8]) ?? here;
  const restored = RESTORES.exec(statement);
  if (restored) return plain(restored[3], restored[4]);
  return WRITES.test(statement) ? here : undefined;
}

function plain(quoted: string | undefined, bare: string | undefined): string | undefined {
  return quoted?.replaceAll("``", "`") ?? bare;
}
