/** Statements that the pages put together from names. */

/** An identifier between backticks, whatever is in it. */
export function quoted(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}

export function tableName(database: string, table: string): string {
  return `${quoted(database)}.${quoted(table)}`;
}

export function mergeStatement(source: string, destination: string, dryRun = false): string {
  return `MERGE BRANCH ${quoted(source)} TO ${quoted(destination)}${dryRun ? " DRY RUN" : ""}`;
}

export function branchCreate(name: string, from: string, version?: number): string {
  const at = version === undefined ? "" : ` VERSION AS OF ${version}`;
  return `CREATE BRANCH ${quoted(name)} FROM ${quoted(from)}${at}`;
}

export function branchRename(name: string, to: string): string {
  return `ALTER BRANCH ${quoted(name)} RENAME TO ${quoted(to)}`;
}

export function branchDrop(name: string): string {
  return `DROP BRANCH ${quoted(name)}`;
}

export function branchUndrop(name: string): string {
  return `UNDROP BRANCH ${quoted(name)}`;
}

export function branchRestore(name: string, version: number): string {
  return `RESTORE BRANCH ${quoted(name)} TO VERSION AS OF ${version}`;
}

export function tableRestore(database: string, table: string, version: number): string {
  return `RESTORE TABLE ${tableName(database, table)} TO VERSION AS OF ${version}`;
}

export function mergeRevert(mergeId: string): string {
  return `RESTORE MERGE '${mergeId}'`;
}
