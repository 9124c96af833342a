/** What the browser keeps of one person's work. No one else who signs in here sees it, and signing out ends it. */

const PREFIX = "lakeui.of.";
/** Changes in the storage that all tabs share, so that each tab forgets what it keeps for itself. */
const SIGNED_OUT = "lakeui.signed-out";

export function ownKey(person: string, name: string): string {
  return `${PREFIX}${encodeURIComponent(person)}.${name}`;
}

/** Forgets the work of everybody but `person`; without a person of everybody. */
export function forgetOthers(person?: string): void {
  const kept = person === undefined ? undefined : ownKey(person, "");
  for (const storage of [localStorage, sessionStorage]) {
    const keys = Array.from({ length: storage.length }, (_, place) => storage.key(place) ?? "");
    for (const key of keys) if (key.startsWith(PREFIX) && (kept === undefined || !key.startsWith(kept))) storage.removeItem(key);
  }
}

/** The person signs out, in this tab and all others. */
export function forgetAll(): void {
  forgetOthers();
  localStorage.setItem(SIGNED_OUT, String(Date.now()));
}

/** Other people's work goes when a person opens the pages, and this person's when another tab signs out. */
export function followSignOut(person: string): void {
  forgetOthers(person);
  window.addEventListener("storage", ({ key }) => {
    if (key === SIGNED_OUT) forgetOthers();
  });
}
