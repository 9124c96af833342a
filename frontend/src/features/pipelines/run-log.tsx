import type { PipelineRunDetail } from "../../api/resources";

const SIGNS = { info: "·", warning: "▽", error: "✕" } as const;

/** What the phases said, in the order in which they did. */
export function RunLog({ log }: { log: PipelineRunDetail["log"] }) {
  if (log.length === 0) return <p className="inside muted">Nothing was said yet.</p>;
  return (
    <ol className="run-log inside" aria-label="Log">
      {log.map((entry, place) => (
        <li key={place} className={entry.level}>
          <time dateTime={entry.time} className="muted mono">
            {entry.time.slice(11, 23)}
          </time>
          <span aria-hidden="true">{SIGNS[entry.level]}</span>
          <span>
            {entry.level === "info" ? null : <span className="visually-hidden">{entry.level}: </span>}
            <span className="muted">{entry.phase}</span> {entry.message}
          </span>
        </li>
      ))}
    </ol>
  );
}
