import { useState, type SubmitEvent } from "react";

import type { TokenScope } from "../../api/resources";
import { useCatalogs } from "../../queries/catalogs";
import { useTokenCreate, useTokenRevoke, useTokens, type Token } from "../../queries/tokens";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Copyable } from "../../ui/copyable";
import { Dialog } from "../../ui/dialog";
import { Field, Input } from "../../ui/field";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { PageHead, Panel } from "../../ui/page";
import { Select } from "../../ui/select";
import { Empty, Failure, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";
import { OwnSessions } from "../people/own-sessions";
import { AgentList } from "../people/agent-list";
import { PasswordPanel } from "../people/password-panel";
import { MailPanel } from "./mail-panel";
import { NoticesPanel } from "./notices-panel";
import styles from "../../ui/token-list.module.css";

const DAY_MS = 86_400_000;
/** How long a token may live, in days; 0 is for ever. */
const LIFETIMES = [30, 90, 365, 0] as const;
/** What a token may be used for besides reading, which every token may. */
const SCOPES: readonly { scope: TokenScope; means: string }[] = [
  { scope: "write", means: "change data and branches, open merge requests, comment" },
  { scope: "merge", means: "review, approve and merge" },
  { scope: "admin", means: "manage members, protection, checks and tokens" },
];

export function SettingsPage() {
  const tokens = useTokens();
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<Token>();
  return (
    <div className="page">
      <PageHead title="Settings" />
      <Panel
        title="Access tokens"
        actions={
          <Button onClick={() => setCreating(true)}>
            <Icon name="plus" />
            New token
          </Button>
        }
      >
        <Muted as="p" className="inside">
          A token lets a program use the <a href="/api/docs/">HTTP interface</a> with your rights.
        </Muted>
        <Loaded query={tokens} label="tokens">
          {({ pages }) => <TokenList tokens={pages.flatMap((page) => page.results)} onRevoke={setRevoked} />}
        </Loaded>
        {tokens.hasNextPage ? (
          <p className="inside">
            <Button isSmall onClick={() => void tokens.fetchNextPage()}>
              More tokens
            </Button>
          </p>
        ) : null}
      </Panel>
      <Panel title="Agents">
        <AgentList isOfAll={false} />
      </Panel>
      <MailPanel />
      <NoticesPanel />
      <PasswordPanel />
      <OwnSessions />
      {isCreating ? <CreateDialog onClose={() => setCreating(false)} /> : null}
      {revoked ? <RevokeDialog token={revoked} onClose={() => setRevoked(undefined)} /> : null}
    </div>
  );
}

function TokenList({ tokens, onRevoke }: { tokens: readonly Token[]; onRevoke: (token: Token) => void }) {
  if (tokens.length === 0) return <Empty title="You have no token" />;
  return (
    <ul className={styles.tokenList}>
      {tokens.map((token) => (
        <li key={token.id}>
          <span className="row">
            <strong>{token.name}</strong> <code className="muted">{token.prefix}…</code>
            <Muted isSmall>
              may {token.scopes.join(", ")}
              {token.catalogs ? ` in ${token.catalogs.join(", ") || "no catalog: those that it was made for are dropped"}` : ""}
            </Muted>
            {token.is_expired ? <span className="badge amber">expired</span> : null}
          </span>
          <Muted isSmall>
            created <Time at={token.created_at} />
            {token.expires_at ? (
              <>
                , ends <Time at={token.expires_at} />
              </>
            ) : (
              ", never ends"
            )}
            {token.last_used_at ? (
              <>
                , used <Time at={token.last_used_at} />
              </>
            ) : (
              ", never used"
            )}
          </Muted>
          <Button isSmall onClick={() => onRevoke(token)}>
            Revoke<span className="visually-hidden"> {token.name}</span>
          </Button>
        </li>
      ))}
    </ul>
  );
}

function CreateDialog({ onClose }: { onClose: () => void }) {
  const create = useTokenCreate();
  const [name, setName] = useState("");
  const [days, setDays] = useState<number>(LIFETIMES[1]);
  const [scopes, setScopes] = useState<readonly TokenScope[]>(["write"]);
  /** Null: all catalogs. */
  const [catalogs, setCatalogs] = useState<readonly string[] | null>(null);
  const isComplete = name.trim() !== "" && catalogs?.length !== 0;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const expires_at = days === 0 ? null : new Date(Date.now() + days * DAY_MS).toISOString();
    create.mutate({ name: name.trim(), expires_at, scopes: ["read", ...scopes], catalogs: catalogs && [...catalogs] });
  };
  if (create.data) {
    return (
      <Dialog title={`The token ${create.data.name}`} onClose={onClose}>
        <p>It is shown only now. Keep it like a password.</p>
        <Copyable text={create.data.token} label="the token" />
        <div className="actions">
          <Button look="primary" onClick={onClose}>
            I have it
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="New token" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Field label="Name">
          <Input
            value={name}
            onChange={(event) => setName(event.target.value)}
            required
            maxLength={100}
            // eslint-disable-next-line jsx-a11y/no-autofocus -- a dialog that was opened to type in
            autoFocus
          />
        </Field>
        <Field label="Expires in">
          <Select value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {LIFETIMES.map((lifetime) => (
              <option key={lifetime} value={lifetime}>
                {lifetime === 0 ? "never" : `${lifetime} days`}
              </option>
            ))}
          </Select>
        </Field>
        <fieldset className="option-set">
          <legend className="small">Scopes, besides reading</legend>
          {SCOPES.map(({ scope, means }) => (
            <label key={scope} className="row">
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={(event) => setScopes(event.target.checked ? [...scopes, scope] : scopes.filter((kept) => kept !== scope))}
              />
              <span>
                {scope}: <Muted>{means}</Muted>
              </span>
            </label>
          ))}
        </fieldset>
        <CatalogLimit chosen={catalogs} onChange={setCatalogs} />
        {create.error ? <Failure error={create.error} /> : null}
        <div className="actions">
          <Button onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" disabled={create.isPending || !isComplete}>
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Whether a token reaches all catalogs, or only some. */
function CatalogLimit({ chosen, onChange }: { chosen: readonly string[] | null; onChange: (chosen: readonly string[] | null) => void }) {
  const catalogs = useCatalogs();
  const names = catalogs.data?.results.map(({ name }) => name) ?? [];
  return (
    <fieldset className="option-set">
      <legend className="small">Catalogs</legend>
      <label className="row">
        <input type="radio" name="catalogs" checked={chosen === null} onChange={() => onChange(null)} />
        All that you see
      </label>
      <label className="row">
        <input type="radio" name="catalogs" checked={chosen !== null} onChange={() => onChange([])} />
        <span>
          Only these: <Muted>no others exist for the token</Muted>
        </span>
      </label>
      {chosen === null
        ? null
        : names.map((name) => (
            <label key={name} className="row nested">
              <input type="checkbox" checked={chosen.includes(name)} onChange={(event) => onChange(event.target.checked ? [...chosen, name] : chosen.filter((kept) => kept !== name))} />
              <bdi>{name}</bdi>
            </label>
          ))}
    </fieldset>
  );
}

function RevokeDialog({ token, onClose }: { token: Token; onClose: () => void }) {
  const revoke = useTokenRevoke();
  return (
    <ConfirmDialog
      title={`Revoke ${token.name}?`}
      action="Revoke"
      working="Revoking …"
      isDangerous
      run={revoke}
      onConfirm={() => revoke.mutate(token, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>Programs that use it are refused from now on. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
