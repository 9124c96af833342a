import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { renderAt } from "../../testing/render";
import { json, page, serve } from "../../testing/server";

const shown: { title: string; body: string | undefined; tag: string | undefined; onclick: (() => void) | null }[] = [];
let answer: NotificationPermission = "granted";

/** The browser's own window of notifications, which jsdom does not have. */
class Notices {
  static permission: NotificationPermission = "default";
  static requestPermission = () => Promise.resolve((Notices.permission = answer));
  onclick: (() => void) | null = null;
  constructor(title: string, { body, tag }: NotificationOptions) {
    shown.push(Object.assign(this, { title, body, tag }));
  }
}

beforeEach(() => {
  shown.length = 0;
  answer = "granted";
  Notices.permission = "default";
  localStorage.clear();
  vi.stubGlobal("Notification", Notices);
  vi.spyOn(window, "focus").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const STARTED = { id: "t-1", kind: "sql", state: "running", progress: 0, message: "", created_by: "alice", parameters: { statement: "OPTIMIZE a" }, created_at: "2026-01-01T00:00:00Z" };
const choice = () => screen.findByLabelText("Show a notification when a task that I started ends");

async function watchedUntil(finished_at: string) {
  let isRunning = true;
  const asked = serve({
    "/api/v1/tokens/": page([]),
    "/api/v1/tasks/": () => json(page(isRunning ? [STARTED] : [])),
    "/api/v1/tasks/t-1/": () => json({ ...STARTED, state: "failed", finished_at, steps: [], error: {}, result: null }),
  });
  const router = renderAt("/settings");
  await userEvent.setup().click(await choice());
  const looks = () => asked.filter(({ address }) => address.includes("created_by=")).length;
  await waitFor(() => expect(looks()).toBeGreaterThan(0));
  isRunning = false;
  await waitFor(() => expect(asked.some(({ address }) => address === "/api/v1/tasks/t-1/")).toBe(true), { timeout: 8000 });
  return router;
}

it("is off until it is chosen, and nothing is asked before", async () => {
  const asked = serve({ "/api/v1/tokens/": page([]), "/api/v1/tasks/": page([]) });
  renderAt("/settings");
  expect(((await choice()) as HTMLInputElement).checked).toBe(false);
  expect(asked.some(({ address }) => address.includes("created_by="))).toBe(false);
});

it("shows one notice when a task that was started ends, which leads to it", async () => {
  const router = await watchedUntil("2026-01-01T00:00:07Z");
  await waitFor(() => expect(shown.map(({ title, body, tag }) => ({ title, body, tag }))).toEqual([{ title: "sql: failed", body: "OPTIMIZE a\n7.0 s", tag: "t-1" }]));
  act(() => shown[0]?.onclick?.());
  await waitFor(() => expect(router.state.location.pathname).toBe("/tasks/t-1"));
});

it("is silent of short tasks", async () => {
  await watchedUntil("2026-01-01T00:00:04Z");
  expect(shown).toEqual([]);
});

it("stays off where the browser refuses, and says so", async () => {
  answer = "denied";
  serve({ "/api/v1/tokens/": page([]), "/api/v1/tasks/": page([]) });
  renderAt("/settings");
  await userEvent.setup().click(await choice());
  expect(await screen.findByText(/The browser blocks notifications/)).toBeTruthy();
  expect(((await choice()) as HTMLInputElement).checked).toBe(false);
  expect(localStorage.length).toBe(0);
});

it("says where there are none", async () => {
  vi.unstubAllGlobals();
  serve({ "/api/v1/tokens/": page([]), "/api/v1/tasks/": page([]) });
  renderAt("/settings");
  expect(await screen.findByText(/They need HTTPS/)).toBeTruthy();
  expect(((await choice()) as HTMLInputElement).disabled).toBe(true);
});
