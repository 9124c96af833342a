/** JSON whose whole numbers stay as they were sent; the client for TypeScript, a package of its own, does the same. */
import { LosslessNumber, parse, stringify } from "lossless-json";

const WHOLE = /^-?\d+$/;

/** Whole numbers that JavaScript would round become texts, as decimals are. Every other number keeps its digits. */
export function wholesKept(json: string): string {
  if (!/\d{16}/.test(json)) return json;
  const kept = parse(json, undefined, (digits) =>
    WHOLE.test(digits) && !Number.isSafeInteger(Number(digits)) ? digits : new LosslessNumber(digits),
  );
  return stringify(kept) ?? json;
}

/** The answer, where it is JSON with such numbers changed to texts. */
export async function exact(response: Response): Promise<Response> {
  if (!(response.headers.get("Content-Type") ?? "").includes("json")) return response;
  return new Response(wholesKept(await response.text()), response);
}
