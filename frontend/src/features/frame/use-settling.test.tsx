import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { page, serve } from "../../testing/server";

const settling = () => document.querySelector(".frame")?.getAttribute("data-settling");

it("shows a page when what it asks at first has come", async () => {
  serve({ "/api/v1/merges/": page([]) });
  renderAt("/");
  await waitFor(() => expect(settling()).toBe("first"));
  expect(screen.getByRole("main").getAttribute("aria-busy")).toBe("true");
  await waitFor(() => expect(settling()).toBeNull());
  expect(screen.getByRole("list", { name: "Branches of demo" })).toBeTruthy();
  expect(screen.getByRole("main").getAttribute("aria-busy")).toBe("false");
});

it("does not wait longer than a second for an answer", async () => {
  serve({ "/api/v1/merges/": () => new Promise<Response>(() => undefined) });
  renderAt("/c/demo/merges");
  await waitFor(() => expect(settling()).toBe("first"));
  await waitFor(() => expect(settling()).toBeNull(), { timeout: 2000 });
});

it("shows a page at once that has its data", async () => {
  serve({ "/api/v1/merges/": page([]) });
  renderAt("/");
  const user = userEvent.setup();
  await waitFor(() => expect(settling()).toBeNull());
  await user.click(screen.getByRole("link", { name: "Tasks" }));
  await screen.findByRole("heading", { name: "Tasks" });
  await waitFor(() => expect(settling()).toBeNull());
  const seen: (string | null | undefined)[] = [];
  const watch = new MutationObserver(() => seen.push(settling()));
  watch.observe(document.querySelector(".frame") ?? document.body, { attributes: true });
  await user.click(screen.getByRole("link", { name: "Home" }));
  await screen.findByRole("list", { name: "Branches of demo" });
  watch.disconnect();
  expect(seen.filter(Boolean)).toEqual([]);
});
