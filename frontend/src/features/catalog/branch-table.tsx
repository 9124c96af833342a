
import type { Branch } from "../../api/resources";
import { compareAddress } from "../../model/addresses";
import { useProtectedNames } from "../../queries/protection";
import { AheadBehind, BranchLink, ExpiryMark, LaneDot, ProtectedMark } from "../../ui/branch-name";
import { Button, LinkButton } from "../../ui/button";
import { classes } from "../../ui/classes";
import { Icon } from "../../ui/icons";
import { Menu } from "../../ui/menu";
import { Muted } from "../../ui/muted";
import { Time } from "../../ui/time";
import type { BranchIntent } from "./branch-dialogs";
import branchRow from "../../ui/branch-row.module.css";

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
  if (branches.length === 0) return <Muted as="p" className="inside">{emptyText}</Muted>;
  return (
    <div role="list" aria-label="Branches">
      {branches.map((branch) => (
        <div key={branch.branch_id} role="listitem" className={branchRow.row}>
          <span className={classes("row", branchRow.name)}>
            {branch.is_dropped ? (
              <Muted className="row">
                <LaneDot branch={branch.name} />
                <s><bdi>{branch.name}</bdi></s>
              </Muted>
            ) : (
              <>
                <BranchLink catalog={catalog} branch={branch.name} />
                {isProtected(branch.name) ? <ProtectedMark /> : null}
              </>
            )}
          </span>
          <Muted isSmall className={branchRow.from}>
            {branch.parent ? (
              <>
                from <bdi>{branch.parent}</bdi> v{branch.fork_version}{" "}
              </>
            ) : (
              "default branch"
            )}
            {branch.expires_at && !branch.is_dropped ? <ExpiryMark at={branch.expires_at} waitsFor={branch.expiry_waits_for} /> : null}
          </Muted>
          <span className={classes("small", branchRow.last)}>
            <code>v{branch.head_version}</code>{" "}
            {branch.last_commit ? (
              <>
                {branch.last_commit.operation} <Muted>
                  <Time at={branch.last_commit.time} />
                </Muted>
              </>
            ) : null}
          </span>
          <span className={classes("small", branchRow.counts)}>
            <AheadBehind ahead={branch.ahead} behind={branch.behind} />
          </span>
          <span className={classes("row", branchRow.actions)}>
            {branch.parent && !branch.is_dropped ? (
              <LinkButton isSmall to={compareAddress(catalog, branch.name, branch.parent)}>
                Compare<span className="visually-hidden"> {branch.name} with {branch.parent}</span>
              </LinkButton>
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
      <Button isSmall onClick={() => onIntent({ kind: "undrop", name, id: branch.branch_id })}>
        Undrop<span className="visually-hidden"> {name}</span>
      </Button>
    );
  }
  if (branch.is_main) {
    return (
      <Button isSmall onClick={() => onIntent({ kind: "create", from: name })}>
        Branch<span className="visually-hidden"> from {name}</span>
      </Button>
    );
  }
  return (
    <Menu label={`Change ${name}`} button={<>Change <Icon name="down" size={12} /></>} buttonClass="button small">
      <button type="button" className="item" onClick={() => onIntent({ kind: "create", from: name })}>
        New branch from here
      </button>
      <button type="button" className="item" onClick={() => onIntent({ kind: "rename", name })}>
        Rename
      </button>
      <button type="button" className="item" onClick={() => onIntent({ kind: "expiry", name, present: branch.expires_at })}>
        Set when it expires
      </button>
      <button type="button" className="item" onClick={() => onIntent({ kind: "drop", name })}>
        Drop
      </button>
    </Menu>
  );
}
