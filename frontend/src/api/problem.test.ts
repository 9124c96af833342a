import { expect, it } from "vitest";

import { asProblem, Problem } from "./problem";

it.each([
  "Failed to fetch",
  "Failed to fetch dynamically imported module: http://127.0.0.1/static/app/page.js",
  "NetworkError when attempting to fetch resource.",
  "network error",
  "Load failed",
  "error loading dynamically imported module",
  "Importing a module script failed.",
])("a call without an answer is a connection that failed: %s", (message) => {
  expect(asProblem(new TypeError(message))).toMatchObject({ code: "NO_ANSWER", message: "The server cannot be reached." });
});

it("a fault of the page is named as one, with its text", () => {
  const fault = new TypeError("Cannot read properties of undefined (reading 'split')");
  expect(asProblem(fault)).toMatchObject({ code: "PAGE_FAILED", title: "The page failed", message: fault.message });
});

it("what the server refused stays as it is", () => {
  const refusal = new Problem({ detail: "No.", code: "DENIED" }, 403);
  expect(asProblem(refusal)).toBe(refusal);
});
