/** Edits of what somebody was shown: no one's change in the meantime is overwritten unseen. */
import { Problem } from "../api/problem";

/** The header for an edit of what was shown. The thing is read once more: where an edited field already differs, that is
 * said; and the server refuses the edit if the thing changes until it arrives. */
export async function unlessChanged<T extends object>(
  shown: T,
  edited: Partial<T>,
  reading: Promise<{ data?: T; response: Response }>,
): Promise<{ "If-Match"?: string }> {
  const { data, response } = await reading;
  const names = (Object.keys(edited) as (keyof T & string)[]).filter((name) => !isSame(data?.[name], shown[name]));
  if (names.length) {
    throw new Problem(
      {
        code: "STALE",
        title: "Changed meanwhile",
        detail: `Somebody else changed this after you opened it: ${names.map((name) => name.replaceAll("_", " ")).join(", ")}.`,
        remedy: "Close it, look at what is there now, and change that.",
      },
      412,
    );
  }
  const tag = response.headers.get("ETag");
  return tag === null ? {} : { "If-Match": tag };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
