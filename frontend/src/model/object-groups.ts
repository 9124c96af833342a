/** The list of a comparison: its objects under the databases that they belong to. */
import type { ComparedDatabase, ComparedObject } from "../api/resources";

export type ListEntry =
  | { kind: "database"; database: ComparedDatabase }
  | { kind: "object"; object: ComparedObject };

/** A line for each database before its first object; objects come by database already. */
export function listEntries(objects: readonly ComparedObject[], databases: readonly ComparedDatabase[]): ListEntry[] {
  const known = new Map(databases.map((database) => [database.name, database]));
  return objects.flatMap((object, place) => {
    const own: ListEntry = { kind: "object", object };
    const name = groupOf(object);
    const before = objects[place - 1];
    if (before && groupOf(before) === name) return [own];
    return [{ kind: "database", database: known.get(name) ?? { name, objects: 0, conflict: 0 } }, own];
  });
}

/** The name of an object under its database. */
export function nameInGroup(object: Pick<ComparedObject, "kind" | "name" | "database">): string {
  if (object.kind === "database") return `${object.name} (the database)`;
  return object.name.startsWith(`${object.database}.`) ? object.name.slice(object.database.length + 1) : object.name;
}

function groupOf(object: ComparedObject): string {
  return object.database || object.name;
}
