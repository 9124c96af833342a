import { browserName } from "../../model/agents";
import { useOwnSessions, useSessionEnd } from "../../queries/people";
import { Button } from "../../ui/button";
import { Muted } from "../../ui/muted";
import { Panel } from "../../ui/page";
import { Empty, Failure, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";
import styles from "../../ui/token-list.module.css";

/** Where one is signed in. */
export function OwnSessions() {
  const sessions = useOwnSessions();
  const end = useSessionEnd();
  return (
    <Panel title="Sessions">
      <Muted as="p" className="inside">The browsers in which you are signed in.</Muted>
      {end.error ? <Failure error={end.error} /> : null}
      <Loaded query={sessions} label="sessions">
        {({ results }) =>
          results.length === 0 ? (
            <Empty title="No session" />
          ) : (
            <ul className={styles.tokenList} aria-label="Sessions">
              {results.map((session) => (
                <li key={session.id}>
                  <span className="ellipsis" title={session.agent}>
                    {browserName(session.agent)}
                  </span>
                  <Muted isSmall>
                    from {session.address || "somewhere"}, since <Time at={session.signed_in_at} />, used <Time at={session.last_seen_at} />
                  </Muted>
                  {session.is_this ? (
                    <span className="badge">this one</span>
                  ) : (
                    <Button isSmall disabled={end.isPending} onClick={() => end.mutate(session.id)}>
                      End it<span className="visually-hidden"> in {browserName(session.agent)}</span>
                    </Button>
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
