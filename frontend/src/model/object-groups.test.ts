import { describe, expect, it } from "vitest";

import type { ComparedObject } from "../api/resources";
import { listEntries, nameInGroup } from "./object-groups";

const object = (name: string, database: string, kind: "table" | "database" = "table") => ({ name, database, kind }) as ComparedObject;

describe("the objects of a comparison", () => {
  it("stand under their database, which is named once with its counts", () => {
    const objects = [object("a.x", "a"), object("a.y", "a"), object("b", "", "database"), object("b.z", "b")];
    const databases = [{ name: "a", objects: 2, conflict: 1 }, { name: "b", objects: 2, conflict: 0 }];
    const entries = listEntries(objects, databases).map((entry) => (entry.kind === "database" ? entry.database : entry.object.name));
    expect(entries).toEqual([databases[0], "a.x", "a.y", databases[1], "b", "b.z"]);
  });

  it("are named there without it", () => {
    expect(nameInGroup(object("a.x", "a"))).toBe("x");
    expect(nameInGroup(object("a.b.x", "a.b"))).toBe("x");
    expect(nameInGroup(object("b", "", "database"))).toBe("b (the database)");
  });
});
