import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import { renderAt } from "../../testing/render";
import { json, page, problem, serve } from "../../testing/server";

const CHOICE = { is_on: true, address: "", account_address: "ada@home.example", events: ["review_asked"], chat_server: "", chat_set_at: null, chat_events: [] };
const SENT = {
  id: "5f1f1f6e-0000-4000-8000-000000000001", event: "test", channel: "mail", subject: "A test of mail from lakeui", address: "ada@work.example",
  state: "failed", attempts: 1, error: "The mail server refused the address: 550 Unknown", created_at: "2026-01-01T00:00:00Z",
  attempted_at: "2026-01-01T00:00:00Z", next_attempt_at: null,
};
const PATH = "/api/v1/account/mail/";

async function panel() {
  const heading = await screen.findByRole("heading", { name: "Mail and chat" });
  await screen.findByLabelText("Address");
  return within(heading.closest("section") ?? heading);
}

it("saves the address and the events that are chosen", async () => {
  const asked = serve({ [PATH]: CHOICE, [`${PATH}sent/`]: page([]), [`PATCH ${PATH}`]: () => json({ ...CHOICE, address: "ada@work.example" }) });
  const user = userEvent.setup();
  renderAt("/settings");
  const mail = await panel();
  expect(mail.getByText("Empty: ada@home.example, the address of your account.")).toBeTruthy();
  expect(mail.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(true);
  await user.type(mail.getByLabelText("Address"), "ada@work.example");
  await user.click(mail.getByLabelText("A pipeline that I own fails: mail"));
  await user.click(mail.getByLabelText("Somebody asks me for a review: mail"));
  expect(mail.getByRole<HTMLButtonElement>("button", { name: "Send a test mail" }).disabled).toBe(true);
  await user.click(mail.getByRole("button", { name: "Save" }));
  await waitFor(() =>
    expect(asked.find(({ method }) => method === "PATCH")?.body).toEqual({ address: "ada@work.example", events: ["pipeline_failed"], chat_events: [] }),
  );
});

it("sends a test, and shows what became of mails or why there is none", async () => {
  const refused = { code: "INVALID_VALUE", title: "Invalid value", detail: "A test was sent in this minute.", remedy: "Wait a minute." };
  const asked = serve({ [PATH]: CHOICE, [`${PATH}sent/`]: page([SENT]), [`POST ${PATH}test/`]: () => problem(400, refused) });
  const user = userEvent.setup();
  renderAt("/settings");
  const mail = await panel();
  expect((await mail.findByRole("listitem")).textContent).toContain("to ada@work.example: The mail server refused the address: 550 Unknown");
  await user.click(mail.getByRole("button", { name: "Send a test mail" }));
  expect(await mail.findByText(/A test was sent in this minute/)).toBeTruthy();
  expect(asked.some(({ method, address }) => method === "POST" && address === `${PATH}test/`)).toBe(true);
});

it("says that the server sends no mail", async () => {
  serve({ [PATH]: { ...CHOICE, is_on: false }, [`${PATH}sent/`]: page([]) });
  renderAt("/settings");
  const mail = await panel();
  expect(mail.getByRole("note").textContent).toContain("This server sends no mail.");
  expect(mail.getByRole<HTMLButtonElement>("button", { name: "Send a test mail" }).disabled).toBe(true);
});

it("sets a chat, tries it, and removes it; its address is typed unseen and not shown", async () => {
  const held = { ...CHOICE, chat_server: "hooks.slack.com", chat_set_at: "2026-01-01T00:00:00Z", chat_events: ["task_failed"] };
  let now: typeof held | typeof CHOICE = CHOICE;
  const asked = serve({
    [PATH]: () => json(now), [`${PATH}sent/`]: page([]), [`PATCH ${PATH}`]: () => json((now = held)), [`POST ${PATH}test/`]: () => json(SENT),
  });
  const user = userEvent.setup();
  renderAt("/settings");
  const mail = await panel();
  const url = "https://hooks.slack.com/services/T0/B0/XyZ";
  const field = () => mail.getByLabelText<HTMLInputElement>("Incoming webhook of your chat");
  expect(mail.getByRole<HTMLButtonElement>("button", { name: "Send a test to the chat" }).disabled).toBe(true);
  await user.type(field(), url);
  expect(field().type).toBe("password");
  await user.click(mail.getByLabelText("A task of mine fails: chat"));
  await user.click(mail.getByRole("button", { name: "Save" }));
  const patches = () => asked.filter(({ method }) => method === "PATCH").map((call) => call.body);
  await waitFor(() => expect(patches()).toEqual([{ address: "", events: ["review_asked"], chat_events: ["task_failed"], chat_url: url }]));
  expect(await mail.findByText(/Messages go to hooks.slack.com/)).toBeTruthy();
  expect(field().value).toBe("");
  await user.click(mail.getByRole("button", { name: "Send a test to the chat" }));
  await waitFor(() => expect(asked.find(({ method }) => method === "POST")?.body).toEqual({ channel: "chat" }));
  await user.click(mail.getByRole("button", { name: "Remove the chat" }));
  await waitFor(() => expect(patches()[1]).toEqual({ chat_url: "" }));
});
