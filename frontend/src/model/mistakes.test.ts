import { describe, expect, it } from "vitest";

import { marksOf, mistakesIn, placeText, type Mistake } from "./mistakes";

const mistake = (given: Partial<Mistake>): Mistake => ({ file: "config.yaml", line: 1, column: null, field: null, message: "Wrong.", remedy: "", ...given });
const TEXT = "strict: true\n  unique_key: 1\n\nend";
const marked = (given: Partial<Mistake>) => marksOf([mistake(given)], "config.yaml", TEXT).map(({ from, to }) => TEXT.slice(from, to));

describe("mistakes as marks", () => {
  it("stand at their lines, from the first word or the column", () => {
    expect(marked({ line: 1 })).toEqual(["strict: true"]);
    expect(marked({ line: 2 })).toEqual(["unique_key: 1"]);
    expect(marked({ line: 2, column: 15 })).toEqual(["1"]);
  });

  it("are at the first line when they are of none, and at the last when the text has become shorter", () => {
    expect(marked({ line: null })).toEqual(["strict: true"]);
    expect(marked({ line: 99 })).toEqual(["end"]);
  });

  it("stay inside the text in an empty line and past the end of one", () => {
    expect(marked({ line: 3 })).toEqual([""]);
    expect(marked({ line: 4, column: 50 })).toEqual([""]);
  });

  it("are only those of the file, in order, and say what to do", () => {
    const found = marksOf([mistake({ line: 4, remedy: "Write b." }), mistake({ line: 2 }), mistake({ file: "source" })], "config.yaml", TEXT);
    expect(found.map(({ message }) => message)).toEqual(["Wrong.", "Wrong. Write b."]);
  });
});

describe("a problem document", () => {
  it("gives its mistakes, and none where it lists none", () => {
    expect(mistakesIn({ errors: [mistake({}), "no mistake", null] })).toEqual([mistake({})]);
    expect(mistakesIn({})).toEqual([]);
  });

  it("says where each is", () => {
    expect([placeText(mistake({ line: 3 })), placeText(mistake({ file: "source", line: null }))]).toEqual(["config.yaml, line 3", "source"]);
  });
});
