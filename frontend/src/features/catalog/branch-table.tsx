import { Link } from "react-router";

import type { Branch } from "../../api/resources";
import { compareAddress } from "../../model/addresses";
import { useProtectedNames } from "../../queries/protection";
import { AheadBehind, BranchLink, ExpiryMark, LaneDot, ProtectedMark } from "../../ui/branch-name";
import { Icon } from "../../ui/icons";
import { Menu } from "../../ui/menu";
import { Time } from "../../ui/time";
import type { BranchIntent } from "./branch-dialogs";
import "../../styles/branch-rows.css";

export function BranchTable({
  catalog,
  branches,
  emptyText,
  onIntent,
}: {
  catalog: string;
  branches: readonly Branch[];
  emptyText: string;
  onIntent: (intent: BranchIntent) => void;
}) {
  const isProtected = useProtectedNames(catalog);
  if (branches.length === 0) return <p className="inside muted">{emptyText}</p>;
  return (
    <div className="branch-rows" role="list" aria-label="Branches">
      {branches.map((branch) => (
        <div key={branch.branch_id} role="listitem" className="branch-row">
          <span className="row name">
            {branch.is_dropped ? (
              <span className="row muted">
                <LaneDot branch={branch.name} />
                <s><bdi>{branch.name}</bdi></s>
              </span>
            ) : (
              <>
                <BranchLink catalog={catalog} branch={branch.name} />
                {isProtected(branch.name) ? <ProtectedMark /> : null}
              </>
            )}
          </span>
          <span className="small muted from">
            {branch.parent ? (
              <>
                from <bdi>{branch.parent}</bdi> v{branch.fork_version}{" "}
              </>
            ) : (
              "default branch"
            )}
            {branch.expires_at && !branch.is_dropped ? <ExpiryMark at={branch.expires_at} waitsFor={branch.expiry_waits_for} /> : null}
          </span>
          <span className="small last">
            <code>v{branch.head_version}</code>{" "}
            {branch.last_commit ? (
              <>
                {branch.last_commit.operation} <span className="muted">
                  <Time at={branch.last_commit.time} />
                </span>
              </>
            ) : null}
          </span>
          <span className="small counts">
            <AheadBehind ahead={branch.ahead} behind={branch.behind} />
          </span>
          <span className="row actions">
            {branch.parent && !branch.is_dropped ? (
              <Link className="button small" to={compareAddress(catalog, branch.name, branch.parent)}>
                Compare<span className="visually-hidden"> {branch.name} with {branch.parent}</span>
              </Link>
            ) : null}
            <BranchMenu branch={branch} onIntent={onIntent} />
          </span>
        </div>
      ))}
    </div>
  );
}

function BranchMenu({ branch, onIntent }: { branch: Branch; onIntent: (intent: BranchIntent) => void }) {
  const { name } = branch;
  if (branch.is_dropped) {
    return (
      <button type="button" className="button small" onClick={() => onIntent({ kind: "undrop", name, id: branch.branch_id })}>
        Undrop<span className="visually-hidden"> {name}</span>
      </button>
    );
  }
  return (
    <Menu label={`More for ${name}`} button={<Icon name="more" />}>
      <button type="button" className="item" onClick={() => onIntent({ kind: "create", from: name })}>
        New branch from here
      </button>
      {branch.is_main ? null : (
        <>
          <button type="button" className="item" onClick={() => onIntent({ kind: "rename", name })}>
            Rename
          </button>
          <button type="button" className="item" onClick={() => onIntent({ kind: "expiry", name, present: branch.expires_at })}>
            Set when it expires
          </button>
          <button type="button" className="item" onClick={() => onIntent({ kind: "drop", name })}>
            Drop
          </button>
        </>
      )}
    </Menu>
  );
}
