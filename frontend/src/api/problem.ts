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

/** How browsers name a call, or a file of the pages, that got no answer. */
const NO_ANSWER = /^(failed to fetch|network ?error|load failed|error loading|importing a module)/i;

/** Any thrown value as a problem: what the server refused, a connection that failed, or a fault of the page itself. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const detail = error instanceof Error ? error.message : "";
  if (error instanceof TypeError && NO_ANSWER.test(detail)) {
    const remedy = "Check the connection, then try again.";
    return new Problem({ title: "No answer", code: "NO_ANSWER", detail: "The server cannot be reached.", remedy }, 0);
  }
  const remedy = "Try again. If it fails again, report this text as a fault of lakeui.";
  return new Problem({ title: "The page failed", code: "PAGE_FAILED", detail: detail || "It gave no reason.", remedy }, 0);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
