import { describe, expect, it } from "vitest";

import { shortStatement, statementsIn } from "./statements";

const texts = (text: string) => statementsIn(text).map((found) => found.text);

describe("the statements of a text", () => {
  it("are parted by ; and know where they begin", () => {
    const text = "SELECT 1;\n  UPDATE t SET a = 2 ;;\n";
    expect(statementsIn(text)).toEqual([
      { text: "SELECT 1", from: 0 },
      { text: "UPDATE t SET a = 2", from: 12 },
    ]);
  });

  it("are not parted inside of texts, names and comments", () => {
    expect(texts(`SELECT ';' AS a, "x;\\";" -- no; end\n, \`a;\`\`b\` /* ; /* ; */ ; */, r'\\'; SELECT 'it''s;'`)).toEqual([
      `SELECT ';' AS a, "x;\\";" -- no; end\n, \`a;\`\`b\` /* ; /* ; */ ; */, r'\\'`,
      "SELECT 'it''s;'",
    ]);
  });

  it("have a word each: comments alone are none", () => {
    expect(texts("-- nothing\n; /* nothing; */ ;")).toEqual([]);
    expect(texts("-- first\nSELECT 1 -- last")).toEqual(["SELECT 1"]);
  });

  it("go to the end where a text or a comment is never closed", () => {
    expect(texts("SELECT 'a; SELECT 2")).toEqual(["SELECT 'a; SELECT 2"]);
    expect(texts("SELECT 1 /* ; SELECT 2")).toEqual(["SELECT 1"]);
  });
});

it("shortens a statement to one line", () => {
  expect(shortStatement("SELECT\n  1")).toBe("SELECT 1");
  expect(shortStatement("SELECT a, b, c FROM flights.flights WHERE a", 16)).toBe("SELECT a, b, c…");
});
