import { Fragment } from "react";
import { Link } from "react-router";

import { cookie } from "../../api/client";
import { branchAddress, catalogAddress, tableAddress, type AddressPlace } from "../../model/addresses";
import { forgetAll } from "../../model/own-storage";
import { useCatalogs } from "../../queries/catalogs";
import { userName } from "../../queries/user";
import { Icon } from "../../ui/icons";
import { Menu } from "../../ui/menu";
import { BranchSwitch } from "./branch-switch";
import { THEME_LABELS, THEMES, useTheme } from "./theme";
import { Muted } from "../../ui/muted";

export function TopBar({
  place,
  onSearch,
  onRail,
}: {
  place: AddressPlace & { isOfAddress: boolean };
  onSearch: () => void;
  onRail: () => void;
}) {
  return (
    <header className="top-bar">
      <button type="button" className="icon-button only-narrow" aria-label="Menu" onClick={onRail}>
        <Icon name="menu" />
      </button>
      <Link className="brand" to="/">
        <Icon name="branch" size={18} />
        lakeui
      </Link>
      <Breadcrumb place={place} />
      <span className="spacer" />
      <button type="button" className="search-button" onClick={onSearch} aria-keyshortcuts="Control+K">
        <Icon name="search" size={14} />
        <span className="not-narrow">Search</span>
        <kbd className="not-narrow">Ctrl K</kbd>
        <span className="visually-hidden only-narrow">Search</span>
      </button>
      <ThemeMenu />
      <UserMenu />
    </header>
  );
}

function Breadcrumb({ place }: { place: AddressPlace & { isOfAddress: boolean } }) {
  const { catalog, branch, database, table } = place;
  if (!place.isOfAddress || catalog === undefined) return <span className="breadcrumb" />;
  return (
    <nav className="breadcrumb" aria-label="Where you are">
      <ol>
        <li>
          <CatalogMenu chosen={catalog} />
        </li>
        <li>
          <BranchSwitch catalog={catalog} branch={branch} />
        </li>
        {branch !== undefined && database !== undefined && table !== undefined ? (
          <Fragment>
            <li className="ellipsis">
              <Link className="ellipsis" to={`${branchAddress(catalog, branch)}?database=${encodeURIComponent(database)}`}>
                {database}
              </Link>
            </li>
            <li className="ellipsis">
              <Link className="ellipsis" to={tableAddress(catalog, branch, database, table)}>
                {table}
              </Link>
            </li>
          </Fragment>
        ) : null}
      </ol>
    </nav>
  );
}

function CatalogMenu({ chosen }: { chosen: string }) {
  const catalogs = useCatalogs();
  const names = catalogs.data?.results.map((catalog) => catalog.name) ?? [];
  if (names.length < 2) return <Link className="catalog-name ellipsis" to={catalogAddress(chosen)}>{chosen}</Link>;
  return (
    <Menu
      label={`Catalog ${chosen}; choose another`}
      className="from-left"
      buttonClass="row"
      button={
        <>
          <span className="catalog-name ellipsis">{chosen}</span> <Icon name="down" size={12} />
        </>
      }
    >
      {names.map((name) => (
        <Link key={name} className="item" to={catalogAddress(name)} aria-current={name === chosen}>
          <Icon name="database" size={14} />
          <bdi className="grow ellipsis" title={name}>
            {name}
          </bdi>
        </Link>
      ))}
    </Menu>
  );
}

function ThemeMenu() {
  const [theme, choose] = useTheme();
  return (
    <Menu label="Theme" button={<Icon name="sun" />}>
      {THEMES.map((name) => (
        <button key={name} type="button" className="item" aria-current={name === theme} onClick={() => choose(name)}>
          {THEME_LABELS[name]}
        </button>
      ))}
    </Menu>
  );
}

function UserMenu() {
  const user = userName();
  return (
    <Menu label={`Signed in as ${user}`} button={<Icon name="user" />}>
      <Muted as="p" className="item">Signed in as {user}</Muted>
      <a className="item" href="/api/docs/">
        HTTP interface
      </a>
      <form method="post" action="/logout/" onSubmit={forgetAll}>
        <input type="hidden" name="csrfmiddlewaretoken" value={cookie("csrftoken")} />
        <button type="submit" className="item">
          Sign out
        </button>
      </form>
    </Menu>
  );
}
