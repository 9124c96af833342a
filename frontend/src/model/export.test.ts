import { describe, expect, it } from "vitest";

import { csvOf } from "./export";

describe("CSV", () => {
  it("quotes what needs it, and leaves missing values empty", () => {
    expect(csvOf(["a", "b"], [["x,y", null], ['say "hi"\nthere', 1.5]])).toBe(
      'a,b\r\n"x,y",\r\n"say ""hi""\nthere",1.5\r\n',
    );
  });
  it("keeps formulas from running in a spreadsheet, but not negative numbers", () => {
    expect(csvOf(["v"], [["=1+1"], ["-2"], [-2], [{ a: 1 }]])).toBe(`v\r\n'=1+1\r\n'-2\r\n-2\r\n"{""a"":1}"\r\n`);
  });
});
