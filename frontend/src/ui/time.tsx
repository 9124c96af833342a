import { useEffect, useState } from "react";

import { duration, exactTime, relativeTime } from "../model/format";

const MINUTE_MS = 60_000;

/** When something was, relative to now; the exact local and UTC time on hover. */
export function Time({ at }: { at: string }) {
  const now = useNow(MINUTE_MS);
  const moment = new Date(at);
  return (
    <time dateTime={at} title={exactTime(moment)} className="nowrap">
      {relativeTime(moment, new Date(now))}
    </time>
  );
}

/** How long something took, or takes until now when it has no end. */
export function Elapsed({ from, to }: { from: string; to: string | null }) {
  const now = useNow(to === null ? 1000 : Number.POSITIVE_INFINITY);
  const end = to === null ? now : Date.parse(to);
  return <span className="nowrap">{duration(Math.max(0, end - Date.parse(from)))}</span>;
}

/** The present, looked at again after so long; once where that is infinite. */
export function useNow(everyMilliseconds: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!Number.isFinite(everyMilliseconds)) return;
    const timer = setInterval(() => setNow(Date.now()), everyMilliseconds);
    return () => clearInterval(timer);
  }, [everyMilliseconds]);
  return now;
}
