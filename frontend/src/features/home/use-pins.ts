import { useState } from "react";

const STORE = "lakeui pinned catalogs";

/** Catalogs that stand first on the start page, by name. They are kept in this browser. */
export function usePins() {
  const [pinned, setPinned] = useState(stored);
  const toggle = (catalog: string) => {
    const next = pinned.includes(catalog) ? pinned.filter((name) => name !== catalog) : [...pinned, catalog];
    setPinned(next);
    try {
      localStorage.setItem(STORE, JSON.stringify(next));
    } catch {
      // Without a store a pin lasts as long as the page.
    }
  };
  return { isPinned: (catalog: string) => pinned.includes(catalog), toggle };
}

function stored(): readonly string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(STORE) ?? "[]");
    return Array.isArray(found) ? found.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}
