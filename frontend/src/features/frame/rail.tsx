import { Link, useLocation } from "react-router";

import {
  branchAddress,
  catalogAddress,
  catalogSettingsAddress,
  compareAddress,
  homeAddress,
  inboxAddress,
  mergesAddress,
  peopleAddress,
  pipelinesAddress,
  requestsAddress,
  settingsAddress,
  sqlAddress,
  tasksAddress,
  type AddressPlace,
} from "../../model/addresses";
import { useInbox } from "../../queries/requests";
import { useRunningCount } from "../../queries/tasks";
import { userStanding } from "../../queries/user";
import { Icon, type IconName } from "../../ui/icons";
import { useBranchOfLinks } from "./place";

/** Where one can go: in the catalog of the page, and everywhere. */
export function Rail({
  place,
  isOpen,
  isNarrow,
  onToggle,
}: {
  place: AddressPlace;
  isOpen: boolean;
  isNarrow: boolean;
  onToggle: () => void;
}) {
  const running = useRunningCount();
  const branch = useBranchOfLinks(place);
  const waiting = useInbox().data?.pages.flatMap((page) => page.results).length;
  return (
    <nav className={`rail ${isOpen ? "open" : ""}`} aria-label="Main">
      <RailLink to={homeAddress} icon="home" label="Home" exact />
      {place.catalog === undefined ? null : <CatalogLinks catalog={place.catalog} branch={branch} />}
      <p className="heading">General</p>
      <RailLink to={inboxAddress} icon="inbox" label="Inbox" count={waiting} countLabel="waiting for you" />
      <RailLink to={tasksAddress} icon="tasks" label="Tasks" count={running.data} countLabel="running" />
      {userStanding() === "person" ? null : <RailLink to={peopleAddress} icon="user" label="People" />}
      <RailLink to={settingsAddress} icon="settings" label="Settings" />
      <button
        type="button"
        className="rail-toggle"
        aria-label={isNarrow ? "Expand the menu" : "Collapse the menu"}
        aria-expanded={!isNarrow}
        onClick={onToggle}
      >
        <Icon name={isNarrow ? "right" : "left"} />
        <span className="label">Collapse</span>
      </button>
    </nav>
  );
}

function CatalogLinks({ catalog, branch }: { catalog: string; branch: string }) {
  return (
    <>
      <p className="heading" title={catalog}>
        {catalog}
      </p>
      <RailLink to={catalogAddress(catalog)} icon="branch" label="Branches" exact />
      <RailLink to={compareAddress(catalog)} icon="compare" label="Compare" />
      <RailLink to={requestsAddress(catalog)} icon="request" label="Merge requests" />
      <RailLink to={mergesAddress(catalog)} icon="merge" label="Merges" />
      <RailLink to={pipelinesAddress(catalog)} icon="pipeline" label="Pipelines" />
      <RailLink to={catalogSettingsAddress(catalog)} icon="shield" label="Catalog settings" />
      <p className="heading label rail-branch" title={`Tables and SQL are of branch ${branch}`}>
        on {branch}
      </p>
      <RailLink to={branchAddress(catalog, branch)} icon="tables" label="Tables" />
      <RailLink to={sqlAddress(catalog, branch)} icon="sql" label="SQL" />
    </>
  );
}

function RailLink({
  to,
  icon,
  label,
  exact = false,
  count,
  countLabel,
}: {
  to: string;
  icon: IconName;
  label: string;
  exact?: boolean;
  count?: number | undefined;
  countLabel?: string;
}) {
  const { pathname } = useLocation();
  const [path = ""] = to.split("?");
  const isHere = exact ? pathname === path : pathname.startsWith(path);
  return (
    <Link to={to} className={isHere ? "active" : ""} aria-current={isHere ? "page" : undefined} title={label}>
      <Icon name={icon} />
      <span className="label">{label}</span>
      {count ? (
        <span className="count">
          {count}
          <span className="visually-hidden"> {countLabel}</span>
        </span>
      ) : null}
    </Link>
  );
}
