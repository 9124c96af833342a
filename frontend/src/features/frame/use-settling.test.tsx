import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { page, serve } from "../../testing/server";

const settling = () => document.querySelector(".frame")?.getAttribute("data-settling");

it("shows a page when what it asks at first has come", async () => {
  serve({ "/api/v1/merges/": page([]) });
  renderAt("/");
  await waitFor(() => expect(settling()).toBe(""));
  expect(screen.getByRole("main").getAttribute("aria-busy")).toBe("true");
  await waitFor(() => expect(settling()).toBeNull());
  expect(screen.getByRole("list", { name: "Branches of demo" })).toBeTruthy();
  expect(screen.getByRole("main").getAttribute("aria-busy")).toBe("false");
});

it("does not wait longer than a second for an answer", async () => {
  serve({ "/api/v1/merges/": () => new Promise<Response>(() => undefined) });
  renderAt("/c/demo/merges");
  await waitFor(() => expect(settling()).toBe(""));
  await waitFor(() => expect(settling()).toBeNull(), { timeout: 2000 });
});

it("draws later pages at once, so that their fields can get the focus", async () => {
  serve({ "/api/v1/merges/": page([]), "/api/v1/tasks/": () => new Promise<Response>(() => undefined) });
  renderAt("/");
  const user = userEvent.setup();
  await waitFor(() => expect(settling()).toBeNull());
  await user.click(screen.getByRole("link", { name: "Tasks" }));
  await screen.findByRole("heading", { name: "Tasks" });
  expect(settling()).toBeNull();
});
