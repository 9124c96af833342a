import { useState } from "react";
import { Link, useLocation } from "react-router";

import { onOtherBranch } from "../../model/addresses";
import { useBranches } from "../../queries/catalogs";
import { LaneDot } from "../../ui/branch-name";
import { Input } from "../../ui/field";
import { Icon } from "../../ui/icons";
import { Menu } from "../../ui/menu";
import { Muted } from "../../ui/muted";

/** The branch of the page, and the way to the same object on another one. */
export function BranchSwitch({ catalog, branch }: { catalog: string; branch: string | undefined }) {
  const { pathname, search } = useLocation();
  const [text, setText] = useState("");
  const branches = useBranches(catalog, text ? { search: text } : {});
  const found = branches.data?.pages.flatMap((page) => page.results) ?? [];
  return (
    <Menu
      className="branch-switch from-left"
      buttonClass=""
      label={branch === undefined ? "Choose a branch" : `Branch ${branch}; switch to another`}
      button={
        <>
          {branch === undefined ? <Icon name="branch" size={14} /> : <LaneDot branch={branch} />}
          <bdi className="name ellipsis">{branch ?? "branches"}</bdi>
          <Icon name="down" size={12} />
        </>
      }
    >
      <Input
        type="search"
        placeholder="Find a branch"
        aria-label="Find a branch"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {found.map((entry) => (
        <Link
          key={entry.branch_id}
          className="item"
          aria-current={entry.name === branch}
          to={onOtherBranch(pathname, search, entry.name)}
        >
          <LaneDot branch={entry.name} />
          <bdi className="grow ellipsis" title={entry.name}>
            {entry.name}
          </bdi>
          <Muted isSmall className="number">v{entry.head_version}</Muted>
        </Link>
      ))}
      {branches.data && found.length === 0 ? <Muted as="p" className="item">No branch has that in its name.</Muted> : null}
    </Menu>
  );
}
