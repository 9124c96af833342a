/** JSON whose whole numbers stay as they were sent; the client for TypeScript has the same. */

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG = /^-?\d{16,}$/;

/** Whole numbers that JavaScript would round become texts, as decimals are. Digits inside of strings are none. */
export function wholesKept(json: string): string {
  if (!/\d{16}/.test(json)) return json;
  const parts: string[] = [];
  for (let at = 0; at < json.length; ) {
    const open = json.indexOf('"', at);
    parts.push(json.slice(at, open < 0 ? json.length : open).replace(NUMBER, kept));
    if (open < 0) break;
    at = endOfString(json, open);
    parts.push(json.slice(open, at));
  }
  return parts.join("");
}

function kept(token: string): string {
  return LONG.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;
}

/** Behind the quote that closes it: one before which an even number of backslashes stands. */
function endOfString(json: string, open: number): number {
  for (let close = json.indexOf('"', open + 1); close > 0; close = json.indexOf('"', close + 1)) {
    let first = close;
    while (json[first - 1] === "\\") first -= 1;
    if ((close - first) % 2 === 0) return close + 1;
  }
  return json.length;
}

/** The answer, where it is JSON with such numbers changed to texts. */
export async function exact(response: Response): Promise<Response> {
  if (!(response.headers.get("Content-Type") ?? "").includes("json")) return response;
  return new Response(wholesKept(await response.text()), response);
}
