/** A list whose rows take two lines where the window is narrow. */
import { act, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";

import { useIsNarrow } from "./narrow";
import { VirtualRows } from "./virtual-rows";

const WIDE = window.innerWidth;

function Lines() {
  const rowHeight = useIsNarrow() ? 90 : 40;
  return <VirtualRows items={["first", "second"]} rowHeight={rowHeight} keyOf={(text) => text} label="Lines" height="400px" row={(text) => text} />;
}

function resize(width: number) {
  window.innerWidth = width;
  act(() => void window.dispatchEvent(new Event("resize")));
}

afterEach(() => resize(WIDE));

it("gives its rows their height when the window becomes narrow, and when it becomes wide again", () => {
  render(<Lines />);
  const heights = () => screen.getAllByRole("listitem").map((row) => row.style.height);
  expect(heights()).toEqual(["40px", "40px"]);
  resize(390);
  expect(heights()).toEqual(["90px", "90px"]);
  resize(1280);
  expect(heights()).toEqual(["40px", "40px"]);
});

it("gives its rows the height that the size of text asks for", () => {
  document.documentElement.style.fontSize = "32px";
  resize(1800);
  render(<Lines />);
  const heights = () => screen.getAllByRole("listitem").map((row) => row.style.height);
  expect(heights()).toEqual(["80px", "80px"]);
  resize(1440);
  expect(heights()).toEqual(["180px", "180px"]);
  document.documentElement.style.fontSize = "";
});
