/** What is searched for may have so many characters on the server. */
const LONGEST = 200;

/** The text to search for: a longer one is cut, so that names that begin with it are found. */
export function searchText(text: string): string {
  return Array.from(text).slice(0, LONGEST).join("");
}
