import { useCallback, useState } from "react";

import { ownKey } from "../../model/own-storage";
import { userName } from "../../queries/user";

interface Kept {
  /** The statement that the address brought when the person began to write. */
  first: string;
  text: string;
}

const AT_FIRST = "SHOW TABLES";

/** The text of the editor. It is kept over reloads, for this tab and person; a statement that the address brings comes first.
 * `isKept` is false where the browser has no room for it. */
export function useKeptText(catalog: string, first: string): { text: string; write: (text: string) => void; isKept: boolean } {
  const key = ownKey(userName(), `sql-text.${catalog}`);
  const [text, setText] = useState(() => {
    const kept = stored(key);
    return kept && (first === "" || kept.first === first) ? kept.text : first || AT_FIRST;
  });
  const [isKept, setKept] = useState(true);
  const write = useCallback(
    (next: string) => {
      setText(next);
      setKept(store(key, { first, text: next }));
    },
    [key, first],
  );
  return { text, write, isKept };
}

function store(key: string, kept: Kept): boolean {
  try {
    sessionStorage.setItem(key, JSON.stringify(kept));
    return true;
  } catch {
    // An older text would come back else.
    sessionStorage.removeItem(key);
    return false;
  }
}

function stored(key: string): Kept | undefined {
  try {
    const found = JSON.parse(sessionStorage.getItem(key) ?? "null") as Partial<Kept> | null;
    return typeof found?.first === "string" && typeof found.text === "string" ? { first: found.first, text: found.text } : undefined;
  } catch {
    return undefined;
  }
}
