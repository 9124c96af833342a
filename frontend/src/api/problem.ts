/** A refusal of the HTTP interface: an RFC 9457 problem document as an error. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly remedy: string;
  /** To find it in the server's log by; empty unless something failed inside. */
  readonly errorId: string;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(document: Record<string, unknown>, status: number) {
    super(text(document.detail) || `The server answered ${status}.`);
    this.status = status;
    this.code = text(document.code);
    this.title = text(document.title) || "Something went wrong";
    this.remedy = text(document.remedy);
    this.errorId = text(document.error_id);
    this.members = document;
  }
}

/** Any thrown value as a problem; what is no answer of the server is a connection that failed. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const detail = error instanceof TypeError ? "The server cannot be reached." : error instanceof Error ? error.message : "";
  return new Problem(
    { title: "No answer", code: "NO_ANSWER", detail, remedy: "Check the connection, then try again." },
    0,
  );
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
