import { useState } from "react";

import { counted } from "../../model/format";
import { useAgentChange, useAgents, useAgentTokens, type Agent } from "../../queries/people";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Muted } from "../../ui/muted";
import { SettingList, SettingWide } from "../../ui/setting-list";
import { Empty, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";

interface Asked {
  agent: Agent;
  act: "end" | "revoke";
}

/** The agents that one answers for, and what holds each; a superuser sees all. */
export function AgentList({ isOfAll }: { isOfAll: boolean }) {
  const agents = useAgents();
  const [asked, setAsked] = useState<Asked>();
  return (
    <>
      <Muted as="p" className="inside">
        Agents are programs that decide for themselves. They write on branches of their own, and people merge.{" "}
        {isOfAll ? "These are all of the server." : "These are the ones that you answer for."}
      </Muted>
      <Loaded query={agents} label="agents">
        {({ results }) =>
          results.length === 0 ? (
            <Empty title="No agents" />
          ) : (
            <SettingList label="Agents">
              {results.map((agent) => (
                <Entry key={agent.name} agent={agent} onAsk={(act) => setAsked({ agent, act })} />
              ))}
            </SettingList>
          )
        }
      </Loaded>
      {asked ? <Confirm {...asked} onClose={() => setAsked(undefined)} /> : null}
    </>
  );
}

function Entry({ agent, onAsk }: { agent: Agent; onAsk: (act: Asked["act"]) => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <SettingWide>
        <span>
          <strong>{agent.name}</strong> <Muted isSmall>of {agent.owner}</Muted>
        </span>
        <span>{agent.purpose}</span>
        <dl className="small">
          <Fact name="Model" value={agent.model} />
          <Fact name="Catalogs" value={agent.catalogs.join(", ")} />
          <Fact name="Branches" value={agent.branches} />
          <Fact name="Tables" value={(agent.tables ?? []).join(", ") || "all on its branches"} />
          <Fact name="Statements" value={(agent.statements ?? []).join(", ") || "all that change tables"} />
          <Fact name="Each hour" value={limits(agent)} />
          <Fact name="A branch lives" value={lifetime(agent)} />
        </dl>
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>Tokens, and when each was used last</summary>
          {isOpen ? <Tokens name={agent.name} /> : null}
        </details>
      </SettingWide>
      <span className="row">
        <Button isSmall onClick={() => onAsk("revoke")}>
          Revoke tokens<span className="visually-hidden"> of {agent.name}</span>
        </Button>
        <Button isSmall onClick={() => onAsk("end")}>
          End<span className="visually-hidden"> {agent.name}</span>
        </Button>
      </span>
    </li>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  if (value === "") return null;
  return (
    <div className="row">
      <dt className="muted">{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function limits({ writes_per_hour, rows_per_hour }: Agent): string {
  const parts = [
    writes_per_hour == null ? "" : counted(writes_per_hour, "write"),
    rows_per_hour == null ? "" : counted(rows_per_hour, "row"),
  ];
  return parts.filter(Boolean).join(", ") || "no limit";
}

function lifetime({ branch_days: days }: Agent): string {
  return days == null ? "until it is dropped" : `${counted(days, "day")} at most`;
}

function Tokens({ name }: { name: string }) {
  const tokens = useAgentTokens(name);
  return (
    <Loaded query={tokens} label="tokens">
      {({ results, next }) => (
        <>
          {results.length === 0 ? <Muted as="p">It has no token, so it can do nothing.</Muted> : null}
          <ul className="small" aria-label={`Tokens of ${name}`}>
            {results.map((token) => (
              <li key={token.id}>
                {token.name} <code>{token.prefix}…</code> {token.is_expired ? "expired, " : ""}
                {token.last_used_at ? (
                  <>
                    last call <Time at={token.last_used_at} />
                  </>
                ) : (
                  "never used"
                )}
              </li>
            ))}
          </ul>
          {next === null ? null : <Muted as="p">It has more tokens. lake agents --tokens {name} lists all.</Muted>}
        </>
      )}
    </Loaded>
  );
}

function Confirm({ agent, act, onClose }: Asked & { onClose: () => void }) {
  const change = useAgentChange();
  const isEnd = act === "end";
  return (
    <ConfirmDialog
      title={isEnd ? `End ${agent.name}?` : `Revoke the tokens of ${agent.name}?`}
      action={isEnd ? "End" : "Revoke"}
      working={isEnd ? "Ending …" : "Revoking …"}
      isDangerous
      run={change}
      onConfirm={() => change.mutate({ do: act, name: agent.name }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>{isEnd ? "Its tokens open nothing any more, and its name stays taken. What it wrote stays." : "They open nothing any more. New ones can be made."}</p>
    </ConfirmDialog>
  );
}
