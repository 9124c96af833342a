import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import { Menu } from "./menu";

it("opens by an arrow, moves between its items, and gives the focus back", async () => {
  const user = userEvent.setup();
  render(
    <Menu label="Theme" button="sun">
      <p className="item">no choice</p>
      {["light", "dark", "contrast"].map((name) => (
        <button key={name} type="button" className="item" disabled={name === "dark"}>
          {name}
        </button>
      ))}
    </Menu>,
  );
  const button = screen.getByLabelText("Theme");
  button.focus();
  const focused = () => document.activeElement?.textContent;
  await user.keyboard("{End}");
  expect(focused()).toBe("sun");
  await user.keyboard("{ArrowDown}");
  expect(focused()).toBe("light");
  await user.keyboard("{ArrowDown}");
  expect(focused()).toBe("contrast");
  await user.keyboard("{ArrowDown}");
  expect(focused()).toBe("light");
  await user.keyboard("{ArrowUp}");
  expect(focused()).toBe("contrast");
  await user.keyboard("{Home}");
  expect(focused()).toBe("light");
  await user.keyboard("{Escape}");
  expect(document.activeElement).toBe(button);
  expect(button.closest("details")?.open).toBe(false);
});
