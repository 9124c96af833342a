import { useParams, useSearchParams } from "react-router";

import type { RequestFilter } from "../../api/paths";
import { newRequestAddress } from "../../model/addresses";
import { inOrder } from "../../model/reading-order";
import { filterOf, STATE_CHOICES, WHOSE } from "../../model/request-filter";
import { useRequests } from "../../queries/requests";
import { userName } from "../../queries/user";
import { LinkButton } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { useIsNarrow } from "../../ui/narrow";
import { PageHead, Panel } from "../../ui/page";
import { SearchField } from "../../ui/search-field";
import { Select } from "../../ui/select";
import { Empty, Loaded } from "../../ui/states";
import { VirtualRows } from "../../ui/virtual-rows";
import { RequestRow } from "./request-row";

const ROW_HEIGHT = 60;
const NARROW_ROW_HEIGHT = 104;

/** Merge requests into the branches of a catalog. The filter stands in the address. */
export function RequestsPage() {
  const { catalog = "" } = useParams();
  const [query, setQuery] = useSearchParams();
  const filter = filterOf(query, userName());
  const choose = (name: string, value: string) =>
    setQuery(
      (before) => {
        if (value) before.set(name, value);
        else before.delete(name);
        return before;
      },
      { replace: true },
    );
  return (
    <div className="page">
      <PageHead
        title="Merge requests"
        actions={
          <LinkButton look="primary" to={newRequestAddress(catalog)}>
            <Icon name="plus" />
            New merge request
          </LinkButton>
        }
      />
      <Panel actions={<Filters query={query} onChoose={choose} />}>
        <RequestList catalog={catalog} filter={filter} isFiltered={query.size > 0} />
      </Panel>
    </div>
  );
}

function Filters({ query, onChoose }: { query: URLSearchParams; onChoose: (name: string, value: string) => void }) {
  return (
    <>
      <Select className="state-filter" aria-label="State" value={query.get("state") ?? ""} onChange={(event) => onChoose("state", event.target.value)}>
        {STATE_CHOICES.map(({ key, label }) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
      </Select>
      <Select className="state-filter" aria-label="Whose" value={query.get("whose") ?? ""} onChange={(event) => onChoose("whose", event.target.value)}>
        {WHOSE.map(({ key, label }) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
      </Select>
      <SearchField label="Find by title, text or number" text={query.get("search") ?? ""} onSearch={(text) => onChoose("search", text)} />
    </>
  );
}

function RequestList({ catalog, filter, isFiltered }: { catalog: string; filter: RequestFilter; isFiltered: boolean }) {
  const requests = useRequests(catalog, filter);
  const isNarrow = useIsNarrow();
  return (
    <Loaded query={requests} label="merge requests">
      {({ pages }) => {
        const found = pages.flatMap((page) => page.results);
        if (found.length === 0) return <NoRequest catalog={catalog} isFiltered={isFiltered} />;
        return (
          <VirtualRows
            items={found}
            rowHeight={isNarrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT}
            keyOf={(request) => request.number}
            label="Merge requests"
            height="max(360px, calc(100dvh - 220px))"
            onEnd={requests.hasNextPage && !requests.isFetchingNextPage ? () => void requests.fetchNextPage() : undefined}
            row={(request) => <RequestRow catalog={catalog} request={request} />}
          />
        );
      }}
    </Loaded>
  );
}

function NoRequest({ catalog, isFiltered }: { catalog: string; isFiltered: boolean }) {
  if (isFiltered) return <Empty title={`No merge request of ${inOrder(catalog)} is like that`} />;
  return (
    <Empty title={`No open merge request in ${inOrder(catalog)}`}>
      <p>A merge request shows others what a branch would bring, and is merged when they agree.</p>
    </Empty>
  );
}
