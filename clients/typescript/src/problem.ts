/** What a server refuses. */

/** A problem document (RFC 9457). */
export type Document = Record<string, unknown>;

export interface Conflict {
  object: string;
  code: string;
  message: string;
  [member: string]: unknown;
}

/** A refusal. `document` is as it was sent. */
export class Problem extends Error {
  override readonly name = "Problem";
  /** Stable, for programs: NOT_FOUND, MERGE_CONFLICT. */
  readonly code: string;
  readonly status: number;
  /** The way out, where the server knows one. */
  readonly remedy: string;

  constructor(readonly document: Document, status = 0) {
    const [code, detail, remedy] = [text(document["code"]), text(document["detail"]), text(document["remedy"])];
    super([detail || code || `The server answered ${String(status)}.`, remedy].filter(Boolean).join(" "));
    this.code = code;
    this.remedy = remedy;
    this.status = Number(document["status"] ?? status);
  }

  /** Why a merge is refused; empty for another refusal. */
  get conflicts(): Conflict[] {
    const found = this.document["conflicts"];
    return Array.isArray(found) ? (found as Conflict[]) : [];
  }

  /** Whether people have to act first: a protection, or a request that is not ready. */
  get waitsForPeople(): boolean {
    return this.code === "MERGE_BLOCKED" || (this.status === 403 && "patterns" in this.document);
  }
}

export async function refusal(response: Response): Promise<Problem> {
  const isJson = (response.headers.get("Content-Type") ?? "").includes("json");
  return new Problem(isJson ? ((await response.json()) as Document) : {}, response.status);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
