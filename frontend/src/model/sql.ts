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

export function branchCreate(name: string, from: string, version?: number, expires = ""): string {
  const at = version === undefined ? "" : ` VERSION AS OF ${version}`;
  return `CREATE BRANCH ${quoted(name)} FROM ${quoted(from)}${at}${expires ? ` WITH EXPIRY ${text(expires)}` : ""}`;
}

/** `expires` is a length, a time, or empty for never. */
export function branchExpiry(name: string, expires: string): string {
  return `ALTER BRANCH ${quoted(name)} ${expires ? `SET EXPIRY ${text(expires)}` : "UNSET EXPIRY"}`;
}

export function branchRename(name: string, to: string): string {
  return `ALTER BRANCH ${quoted(name)} RENAME TO ${quoted(to)}`;
}

export function branchDrop(name: string): string {
  return `DROP BRANCH ${quoted(name)}`;
}

export function branchUndrop(name: string, id: number, as = ""): string {
  return undropped(`BRANCH ${quoted(name)}`, id, as);
}

export function branchRestore(name: string, version: number): string {
  return `RESTORE BRANCH ${quoted(name)} TO VERSION AS OF ${version}`;
}

export function tableRestore(database: string, table: string, version: number): string {
  return `RESTORE TABLE ${tableName(database, table)} TO VERSION AS OF ${version}`;
}

export function tableOptimize(database: string, table: string): string {
  return `OPTIMIZE ${tableName(database, table)}`;
}

export function mergeRevert(mergeId: string): string {
  return `RESTORE MERGE '${mergeId}'`;
}

/** A text between quotes, whatever is in it. */
export function text(value: string): string {
  return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

function withComment(statement: string, comment: string): string {
  return comment ? `${statement} COMMENT ${text(comment)}` : statement;
}

/** Characters of the message of a commit. */
export const LONGEST_MESSAGE = 1000;

/** The statement with what the history says of its commit. */
export function withMessage(statement: string, message: string): string {
  return message.trim() ? `${statement} COMMIT MESSAGE ${text(message.trim())}` : statement;
}

export function catalogCreate(name: string, comment = ""): string {
  return withComment(`CREATE CATALOG ${quoted(name)}`, comment);
}

export function catalogRename(name: string, newName: string): string {
  return `ALTER CATALOG ${quoted(name)} RENAME TO ${quoted(newName)}`;
}

export function catalogDrop(name: string): string {
  return `DROP CATALOG ${quoted(name)}`;
}

/** `newName` undefined: the name that it had. */
export function catalogUndrop(name: string, id: number, newName?: string): string {
  const statement = `UNDROP CATALOG ${quoted(name)} WITH ID ${text(String(id))}`;
  return newName === undefined ? statement : `${statement} AS ${quoted(newName)}`;
}

export function databaseCreate(name: string, comment = ""): string {
  return withComment(`CREATE DATABASE ${quoted(name)}`, comment);
}

export interface NewColumn {
  name: string;
  type: string;
  isRequired: boolean;
  isKey: boolean;
}

export const COLUMN_TYPES = ["STRING", "BIGINT", "INT", "DOUBLE", "DECIMAL(18,2)", "BOOLEAN", "DATE", "TIMESTAMP"];

/** Undefined while no column has both a name and a type. Columns without a name are left out. */
export function tableCreate(database: string, table: string, columns: readonly NewColumn[]): string | undefined {
  const given = columns.filter(({ name, type }) => name.trim() && type.trim());
  if (given.length === 0) return undefined;
  const lines = given.map(({ name, type, isRequired, isKey }) => `${quoted(name.trim())} ${type.trim()}${isRequired && !isKey ? " NOT NULL" : ""}`);
  const key = given.filter(({ isKey }) => isKey).map(({ name }) => quoted(name.trim()));
  return `CREATE TABLE ${tableName(database, table)} (\n  ${[...lines, ...(key.length ? [`PRIMARY KEY (${key.join(", ")})`] : [])].join(",\n  ")}\n)`;
}

export function viewDrop(database: string, view: string): string {
  return `DROP VIEW ${tableName(database, view)}`;
}

export function viewDescribe(database: string, view: string): string {
  return `DESCRIBE ${tableName(database, view)}`;
}

export function tableUndrop(database: string, table: string, id: number, as = ""): string {
  return undropped(`TABLE ${tableName(database, table)}`, id, as);
}

export function databaseUndrop(database: string, id: number, as = ""): string {
  return undropped(`DATABASE ${quoted(database)}`, id, as);
}

function undropped(what: string, id: number, as: string): string {
  return `UNDROP ${what} WITH ID '${id}'${as ? ` AS ${quoted(as)}` : ""}`;
}

export function databaseRename(database: string, to: string): string {
  return `ALTER DATABASE ${quoted(database)} RENAME TO ${quoted(to)}`;
}

/** Without its tables only where it has none. */
export function databaseDrop(database: string, withTables: boolean): string {
  return `DROP DATABASE ${quoted(database)}${withTables ? " CASCADE" : ""}`;
}

/** An empty comment is none. */
export function commentOn(what: "DATABASE" | "TABLE" | "COLUMN", name: string, comment: string): string {
  return `COMMENT ON ${what} ${name} IS ${comment ? text(comment) : "NULL"}`;
}
