import { browserName } from "../../model/agents";
import { useOwnSessions, useSessionEnd } from "../../queries/people";
import { Panel } from "../../ui/page";
import { Empty, Failure, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";

/** Where one is signed in. */
export function OwnSessions() {
  const sessions = useOwnSessions();
  const end = useSessionEnd();
  return (
    <Panel title="Sessions">
      <p className="inside muted">The browsers in which you are signed in.</p>
      {end.error ? <Failure error={end.error} /> : null}
      <Loaded query={sessions} label="sessions">
        {({ results }) =>
          results.length === 0 ? (
            <Empty title="No session" />
          ) : (
            <ul className="token-list" aria-label="Sessions">
              {results.map((session) => (
                <li key={session.id}>
                  <span className="ellipsis" title={session.agent}>
                    {browserName(session.agent)}
                  </span>
                  <span className="small muted">
                    from {session.address || "somewhere"}, since <Time at={session.signed_in_at} />, used <Time at={session.last_seen_at} />
                  </span>
                  {session.is_this ? (
                    <span className="badge">this one</span>
                  ) : (
                    <button type="button" className="button small" disabled={end.isPending} onClick={() => end.mutate(session.id)}>
                      End it<span className="visually-hidden"> in {browserName(session.agent)}</span>
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}
