/** Sending a file: the one request of the pages that says how far it is, which `fetch` cannot. */
import { cookie } from "./client";
import { Problem } from "./problem";

export interface Sending {
  /** How much was sent, from 0 to 1. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

/** The body of the answer. Throws Problem for a refusal, TypeError where no answer came, AbortError when it is given up. */
export function fileSend<Answer>(address: string, file: File, { onProgress, signal }: Sending): Promise<Answer> {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.responseType = "text";
    request.setRequestHeader("X-CSRFToken", cookie("csrftoken"));
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("Content-Disposition", `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total ? loaded / total : 0);
    request.onload = () => {
      const body = parsed(request.responseText);
      if (request.status >= 200 && request.status < 300) done(body as Answer);
      else fail(new Problem(body, request.status));
    };
    request.onerror = () => fail(new TypeError("The connection was lost."));
    request.onabort = () => fail(new DOMException("Given up.", "AbortError"));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
