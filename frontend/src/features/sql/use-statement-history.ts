import { useCallback, useState } from "react";

import { ownKey } from "../../model/own-storage";
import { userName } from "../../queries/user";

const KEPT = 50;

/** Statements that the person ran in this browser, newest first, each once. */
export function useStatementHistory(catalog: string): [readonly string[], (statement: string) => void] {
  const key = ownKey(userName(), `sql.${catalog}`);
  const [past, setPast] = useState<readonly string[]>(() => stored(key));
  const remember = useCallback(
    (statement: string) => {
      setPast((before) => {
        const after = [statement, ...before.filter((entry) => entry !== statement)].slice(0, KEPT);
        localStorage.setItem(key, JSON.stringify(after));
        return after;
      });
    },
    [key],
  );
  return [past, remember];
}

function stored(key: string): string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(found) ? found.filter((entry) => typeof entry === "string") : [];
  } catch {
    return [];
  }
}
