/** Long grids draw what is looked at. */
import { fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";

import { LongGrid } from "./grid";

function show(count: number) {
  const rows = Array.from({ length: count }, (_, place) => `line ${place}`);
  render(
    <LongGrid
      label="Lines"
      columns={[{ title: "Line" }]}
      height="100px"
      rows={rows}
      row={(text) => (
        <tr key={text}>
          <td>{text}</td>
        </tr>
      )}
    />,
  );
}

function scrollTo(top: number) {
  const box = screen.getByRole("region", { name: "Lines" });
  Object.defineProperties(box, { scrollHeight: { value: 4000, configurable: true }, clientHeight: { value: 100, configurable: true } });
  fireEvent.scroll(box, { target: { scrollTop: top } });
}

const drawn = () => screen.getAllByRole("cell").length;

describe("a grid of very many rows", () => {
  it("draws the first ones and says how many there are", () => {
    show(250);
    expect(drawn()).toBe(100);
    expect(screen.getByRole("table").getAttribute("aria-rowcount")).toBe("251");
  });

  it("draws more when somebody scrolls towards its end, until all are there", () => {
    show(250);
    scrollTo(500);
    expect(drawn()).toBe(100);
    scrollTo(3800);
    expect(drawn()).toBe(200);
    scrollTo(3801);
    expect(drawn()).toBe(250);
    expect(screen.getByRole("table").hasAttribute("aria-rowcount")).toBe(false);
  });

  it("draws a short list as a whole", () => {
    show(3);
    expect(drawn()).toBe(3);
    expect(screen.getByRole("table").hasAttribute("aria-rowcount")).toBe(false);
  });
});
