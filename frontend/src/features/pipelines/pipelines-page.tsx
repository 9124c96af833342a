import { Link, useParams, useSearchParams } from "react-router";

import type { PipelineFilter } from "../../api/paths";
import { newPipelineAddress, pipelinesAddress } from "../../model/addresses";
import { isAtLeast } from "../../model/roles";
import { useCatalog } from "../../queries/catalogs";
import { usePipelinePolicy, usePipelinePolicyChange, usePipelines } from "../../queries/pipelines";
import { LinkButton } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { useIsNarrow } from "../../ui/narrow";
import { PageHead, Panel } from "../../ui/page";
import { SearchField } from "../../ui/search-field";
import { Empty, Failure, Loaded } from "../../ui/states";
import { VirtualRows } from "../../ui/virtual-rows";
import { BranchField } from "../compare/branch-field";
import { MAY_EDIT, MAY_SET_POLICY } from "./rights";
import { PipelineRow } from "./pipeline-row";

const ROW_HEIGHT = 60;
const NARROW_ROW_HEIGHT = 116;
const FILTERS = ["search", "branch", "layer"] as const;

/** The pipelines of a catalog. The filter stands in the address. */
export function PipelinesPage() {
  const { catalog = "" } = useParams();
  const [query, setQuery] = useSearchParams();
  const { role } = useCatalog(catalog).data ?? {};
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
        title="Pipelines"
        actions={
          isAtLeast(role ?? undefined, MAY_EDIT) ? (
            <LinkButton look="primary" to={newPipelineAddress(catalog)}>
              <Icon name="plus" />
              New pipeline
            </LinkButton>
          ) : null
        }
      />
      <Panel
        actions={
          <>
            <BranchField catalog={catalog} label="Branch" none="All branches" value={query.get("branch") ?? ""} onChange={(branch) => choose("branch", branch)} />
            {query.get("layer") ? (
              <span className="badge">
                layer {query.get("layer")}
                <button type="button" className="remove" aria-label="All layers" onClick={() => choose("layer", "")}>
                  <Icon name="close" size={12} />
                </button>
              </span>
            ) : null}
            <SearchField label="Find by name or table" text={query.get("search") ?? ""} onSearch={(text) => choose("search", text)} />
          </>
        }
      >
        <PipelineList catalog={catalog} filter={filterOf(query)} isFiltered={query.size > 0} />
      </Panel>
      <Policy catalog={catalog} mayChange={isAtLeast(role ?? undefined, MAY_SET_POLICY)} />
    </div>
  );
}

function filterOf(query: URLSearchParams): PipelineFilter {
  return Object.fromEntries(FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])));
}

function PipelineList({ catalog, filter, isFiltered }: { catalog: string; filter: PipelineFilter; isFiltered: boolean }) {
  const pipelines = usePipelines({ ...filter, catalog });
  const isNarrow = useIsNarrow();
  return (
    <Loaded query={pipelines} label="pipelines">
      {({ pages }) => {
        const found = pages.flatMap((page) => page.results);
        if (found.length === 0) return <NoPipeline catalog={catalog} isFiltered={isFiltered} />;
        return (
          <VirtualRows
            items={found}
            rowHeight={isNarrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT}
            keyOf={(pipeline) => pipeline.id}
            label="Pipelines"
            height="max(360px, calc(100dvh - 260px))"
            onEnd={pipelines.hasNextPage && !pipelines.isFetchingNextPage ? () => void pipelines.fetchNextPage() : undefined}
            row={(pipeline) => <PipelineRow pipeline={pipeline} />}
          />
        );
      }}
    </Loaded>
  );
}

function NoPipeline({ catalog, isFiltered }: { catalog: string; isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No pipeline is like that">
        <Link to={pipelinesAddress(catalog)}>Show all</Link>
      </Empty>
    );
  }
  return (
    <Empty title="No pipeline yet">
      <p>A pipeline runs a query, now or on a schedule. It brings its rows into a table by one of six strategies.</p>
    </Empty>
  );
}

/** Whether runs may fall back when something is missing. */
function Policy({ catalog, mayChange }: { catalog: string; mayChange: boolean }) {
  const policy = usePipelinePolicy(catalog);
  const change = usePipelinePolicyChange(catalog);
  if (!policy.data) return null;
  return (
    <>
      <label className="row nowrap-row small">
        <input
          type="checkbox"
          checked={policy.data.strict}
          disabled={!mayChange || change.isPending}
          onChange={(event) => change.mutate(event.target.checked)}
        />
        <span>Strict: a run that lacks what its strategy requires fails, instead of falling back to full_refresh</span>
      </label>
      {change.error ? <Failure error={change.error} /> : null}
    </>
  );
}
