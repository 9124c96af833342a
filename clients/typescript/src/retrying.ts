/** Sends again what may be sent again: what reads, and a write that has an Idempotency-Key. */

export type Send = (request: Request) => Promise<Response>;

const ATTEMPTS = 4;
/** Too many requests, and servers that are not ready. */
const LATER = new Set([429, 502, 503, 504]);

export function retrying(send: Send, pause: (attempt: number) => number = (attempt) => 200 * 2 ** attempt): Send {
  return async (request) => {
    const isRepeatable = request.method === "GET" || request.method === "HEAD" || request.headers.has("Idempotency-Key");
    for (let attempt = 0; ; attempt += 1) {
      const isLast = !isRepeatable || attempt + 1 === ATTEMPTS;
      try {
        // A body is read once, so the request that may be needed again stays aside.
        const response = await send(isLast ? request : request.clone());
        if (isLast || !LATER.has(response.status)) return response;
        await sleep(retryAfter(response) ?? pause(attempt));
      } catch (error) {
        if (isLast || request.signal.aborted) throw error;
        await sleep(pause(attempt));
      }
    }
  };
}

function retryAfter(response: Response): number | undefined {
  const seconds = Number(response.headers.get("Retry-After") ?? NaN);
  return Number.isFinite(seconds) ? 1000 * Math.min(seconds, 60) : undefined;
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
