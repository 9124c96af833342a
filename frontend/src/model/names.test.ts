import { describe, expect, it } from "vitest";

import { branchAddress, compareAddress, onOtherBranch, pairParse, placeOf, sqlAddress, tableAddress } from "./addresses";
import { LANE_COLOURS, laneColour, neighbourColours } from "./lanes";
import { branchCreate, branchExpiry, mergeStatement, tableRestore } from "./sql";

describe("addresses", () => {
  it("keep a slash in a branch's name apart from those between the parts", () => {
    expect(branchAddress("demo", "feature/x")).toBe("/c/demo/b/feature%2Fx");
    expect(tableAddress("demo", "main", "a b", "t?")).toBe("/c/demo/b/main/t/a%20b/t%3F");
  });
  it("name both branches of a comparison, or none", () => {
    expect(compareAddress("demo", "feature/x", "main")).toBe("/c/demo/compare/feature%2Fx...main");
    expect(compareAddress("demo", "main")).toBe("/c/demo/compare");
  });
  it("carry a statement to the console", () => {
    expect(sqlAddress("demo", "main", "SELECT 1 & 2")).toBe("/c/demo/sql?branch=main&statement=SELECT+1+%26+2");
  });
  it("tell what they are about", () => {
    expect(placeOf("/")).toEqual({});
    expect(placeOf("/tasks/7")).toEqual({});
    expect(placeOf("/c/demo/compare/a...b")).toEqual({ catalog: "demo" });
    expect(placeOf("/c/demo/sql", "?branch=dev")).toEqual({ catalog: "demo", branch: "dev" });
    expect(placeOf("/c/demo/import", "?branch=dev&database=d&table=t")).toEqual({ catalog: "demo", branch: "dev" });
    expect(placeOf("/c/demo/b/feature%2Fx/t/d/t%3F")).toEqual({
      catalog: "demo", branch: "feature/x", database: "d", table: "t?",
    });
  });
  it("keep the object when the branch is switched", () => {
    expect(onOtherBranch("/c/demo/b/main/t/d/t", "?tab=history&version=3", "x/y")).toBe("/c/demo/b/x%2Fy/t/d/t?tab=history");
    expect(onOtherBranch("/c/demo/b/main", "", "dev")).toBe("/c/demo/b/dev");
    expect(onOtherBranch("/c/demo", "", "dev")).toBe("/c/demo/b/dev");
    expect(onOtherBranch("/c/demo/sql", "?branch=main", "dev")).toBe("/c/demo/sql?branch=dev");
    expect(onOtherBranch("/c/demo/sql", "?branch=main&statement=SELECT+1", "dev")).toBe("/c/demo/sql?branch=dev&statement=SELECT+1");
    expect(onOtherBranch("/c/demo/import", "?branch=main&import=7", "dev")).toBe("/c/demo/import?branch=dev");
    expect(onOtherBranch("/tasks", "", "dev")).toBe("/");
  });
  it("are read back", () => {
    expect(pairParse("feature/x...main")).toEqual({ source: "feature/x", destination: "main" });
    expect(["main", "a...", "...b", "a...b...c"].map(pairParse)).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe("statements", () => {
  it("quote names, backticks included", () => {
    expect(mergeStatement("a`b", "main")).toBe("MERGE BRANCH `a``b` TO `main`");
    expect(mergeStatement("x", "main", true)).toBe("MERGE BRANCH `x` TO `main` DRY RUN");
    expect(tableRestore("d", "t", 7)).toBe("RESTORE TABLE `d`.`t` TO VERSION AS OF 7");
  });
  it("cut a branch at the head or at a version", () => {
    expect(branchCreate("x", "main")).toBe("CREATE BRANCH `x` FROM `main`");
    expect(branchCreate("x", "main", 12)).toBe("CREATE BRANCH `x` FROM `main` VERSION AS OF 12");
    expect(branchCreate("x", "main", undefined, "7 days")).toBe("CREATE BRANCH `x` FROM `main` WITH EXPIRY '7 days'");
    expect(branchExpiry("x", "it's")).toBe("ALTER BRANCH `x` SET EXPIRY 'it\\'s'");
    expect(branchExpiry("x", "")).toBe("ALTER BRANCH `x` UNSET EXPIRY");
  });
});

describe("lane colours", () => {
  it("are stable by name, and main's is no one else's", () => {
    const names = Array.from({ length: 200 }, (_, place) => `branch-${place}`);
    const colours = names.map(laneColour);
    expect(colours).toEqual(names.map(laneColour));
    expect(laneColour("main")).toBe(0);
    expect(new Set(colours)).toEqual(new Set([1, 2, 3, 4, 5, 6, 7]));
    expect(Math.max(...colours)).toBeLessThan(LANE_COLOURS);
  });

  it("of neighbours in the graph differ, and others are the name's own", () => {
    const names = ["main", "prices", "support", ...Array.from({ length: 60 }, (_, place) => `branch-${String(place)}`)];
    expect(laneColour("prices")).toBe(laneColour("support"));
    const found = neighbourColours(names.map((name, lane) => ({ name, lane })));
    expect(names.slice(1).every((name, place) => found.get(name) !== found.get(names[place] ?? ""))).toBe(true);
    expect([found.get("main"), found.get("prices")]).toEqual([0, laneColour("prices")]);
    expect(neighbourColours([{ name: "support", lane: 3 }]).get("support")).toBe(laneColour("support"));
    // Nine branches on one lane have seven colours.
    expect(neighbourColours(names.slice(1, 10).map((name) => ({ name, lane: 1 }))).size).toBe(9);
  });
});
