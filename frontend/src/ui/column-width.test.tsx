/** Widths of columns, in rem: a heading of 10 rem measures 160 pixels here. */
import { fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Widths } from "./column-width";
import { Grid } from "./grid";

function Sized() {
  const [widths, setWidths] = useState<Widths>();
  return (
    <Grid label="Rows" columns={[{ title: "a" }, { title: "b" }]} sizing={{ names: ["a", "b"], widths, onWidths: setWidths }}>
      <tr>
        <td>1</td>
        <td>2</td>
      </tr>
    </Grid>
  );
}

const handle = () => screen.getByRole("separator", { name: "Width of a" });
const widths = () => screen.getAllByRole("columnheader").map((head) => head.style.width);
// The document of the tests knows no pointer; a mouse event says where it is.
const point = (kind: string, clientX: number) => fireEvent(handle(), new MouseEvent(kind, { bubbles: true, button: 0, clientX }));

describe("the edge of a heading", () => {
  beforeEach(() => {
    vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(160);
    Element.prototype.setPointerCapture = vi.fn();
    render(<Sized />);
  });
  afterEach(() => vi.restoreAllMocks());

  it("is dragged, and the other columns keep their widths", () => {
    point("pointermove", 400);
    expect(widths()).toEqual(["", ""]);
    point("pointerdown", 100);
    point("pointermove", 164);
    expect(widths()).toEqual(["14rem", "10rem"]);
    point("pointermove", 132);
    point("pointerup", 132);
    point("pointermove", 400);
    expect(widths()).toEqual(["12rem", "10rem"]);
    expect(handle().getAttribute("aria-valuetext")).toBe("12");
  });

  it("never becomes too narrow to be taken again", () => {
    point("pointerdown", 500);
    point("pointermove", 0);
    expect(widths()).toEqual(["3rem", "10rem"]);
  });

  it("is reset with all others by Enter and by a double click", () => {
    for (const reset of [() => fireEvent.keyDown(handle(), { key: "Enter" }), () => fireEvent.doubleClick(handle())]) {
      fireEvent.keyDown(handle(), { key: "ArrowLeft" });
      expect(widths()).toEqual(["9rem", "10rem"]);
      reset();
      expect(widths()).toEqual(["", ""]);
    }
  });
});
