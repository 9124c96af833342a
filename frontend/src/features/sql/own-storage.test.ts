import { beforeEach, expect, it } from "vitest";

import { followSignOut, forgetAll, forgetOthers, ownKey } from "../../model/own-storage";

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  localStorage.setItem(ownKey("ann", "sql"), "hers");
  sessionStorage.setItem(ownKey("ann", "sql"), "hers");
  sessionStorage.setItem(ownKey("anna", "sql"), "of another");
  localStorage.setItem("lakeui.theme", "dark");
});

it("forgets other people's work, and keeps what belongs to no person", () => {
  forgetOthers("ann");
  expect(sessionStorage.getItem(ownKey("anna", "sql"))).toBeNull();
  expect(sessionStorage.getItem(ownKey("ann", "sql"))).toBe("hers");
  expect(localStorage.getItem("lakeui.theme")).toBe("dark");
});

it("forgets everybody's work at the sign-out", () => {
  forgetAll();
  expect([localStorage, sessionStorage].map((storage) => storage.getItem(ownKey("ann", "sql")))).toEqual([null, null]);
});

it("forgets it in the other tabs too", () => {
  followSignOut("ann");
  expect(sessionStorage.getItem(ownKey("ann", "sql"))).toBe("hers");
  window.dispatchEvent(new StorageEvent("storage", { key: "lakeui.signed-out", newValue: "1" }));
  expect(sessionStorage.getItem(ownKey("ann", "sql"))).toBeNull();
});
