import { useMemo, useState } from "react";
import { Link, useParams, useSearchParams } from "react-router";

import { asProblem } from "../../api/problem";
import type { Graph } from "../../api/resources";
import { branchAddress, catalogAddress, homeAddress, importAddress } from "../../model/addresses";
import { graphLayout } from "../../model/graph";
import { neighbourColours } from "../../model/lanes";
import { GRAPH_PAGE, useBranches, useCatalog, useGraph } from "../../queries/catalogs";
import { LaneColours } from "../../ui/branch-name";
import { Button, LinkButton } from "../../ui/button";
import { Input } from "../../ui/field";
import { Icon } from "../../ui/icons";
import { PageHead, Panel } from "../../ui/page";
import { Empty, Loaded } from "../../ui/states";
import { BranchDialog, type BranchIntent } from "./branch-dialogs";
import { BranchTable } from "./branch-table";
import { CommitList } from "./commit-list";
import { GraphView } from "./graph-view";
import styles from "./catalog-page.module.css";

export function CatalogPage() {
  const { catalog = "" } = useParams();
  const [intent, setIntent] = useState<BranchIntent>();
  const listsDropped = useSearchParams()[0].get("branches") === "dropped";
  const { error } = useCatalog(catalog);
  const query = useGraph(catalog);
  const pages = query.data?.pages;
  const graph = useMemo(() => (pages ? joined(pages) : undefined), [pages]);
  const colours = useMemo(() => graphColours(graph), [graph]);
  const refusal = error === null ? {} : asProblem(error).members;
  if (refusal.status === 404 && refusal.kind === "catalog") return <MissingCatalog catalog={catalog} nearest={refusal.nearest} />;
  return (
    <div className="page">
      <PageHead
        title={catalog}
        actions={
          <Button look="primary" onClick={() => setIntent({ kind: "create", from: "main" })}>
            <Icon name="plus" />
            New branch
          </Button>
        }
      />
      <LaneColours value={colours}>
        <GraphPanel catalog={catalog} query={query} graph={graph} onIntent={setIntent} />
        <BranchesPanel key={String(listsDropped)} catalog={catalog} listsDropped={listsDropped} onIntent={setIntent} />
      </LaneColours>
      {intent ? <BranchDialog catalog={catalog} intent={intent} onClose={() => setIntent(undefined)} /> : null}
    </div>
  );
}

/** No catalog has the name, or none that the person may see: a similar name, and the way back to those that are there. */
function MissingCatalog({ catalog, nearest }: { catalog: string; nearest: unknown }) {
  return (
    <div className="page">
      <PageHead title={catalog} />
      <div className="notice conflict" role="alert">
        <span className="symbol" aria-hidden="true">
          ✕
        </span>
        <strong>
          There is no catalog “<bdi>{catalog}</bdi>”
        </strong>
        <p>It has another name now, it was dropped, or you are not a member of it.</p>
        {typeof nearest === "string" ? (
          <p className="row">
            Similar name:
            <Link to={catalogAddress(nearest)}>
              <bdi>{nearest}</bdi>
            </Link>
          </p>
        ) : null}
        <p className="row">
          <LinkButton isSmall to={homeAddress}>
            <Icon name="home" />
            All catalogs
          </LinkButton>
        </p>
      </div>
    </div>
  );
}

function GraphPanel({
  catalog,
  query,
  graph,
  onIntent,
}: {
  catalog: string;
  query: ReturnType<typeof useGraph>;
  graph: Graph | undefined;
  onIntent: (intent: BranchIntent) => void;
}) {
  const [chosen, setChosen] = useState<number>();
  return (
    <Panel
      title="Branch graph"
      actions={
        query.hasNextPage ? (
          <Button
            isSmall
            disabled={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {GRAPH_PAGE} older commits
          </Button>
        ) : null
      }
    >
      <Loaded query={{ ...query, data: graph }} label="the branch graph">
        {(found) =>
          found.commits.length ? (
            <>
              <GraphView catalog={catalog} graph={found} chosen={chosen} onChoose={setChosen} />
              <CommitList
                catalog={catalog}
                commits={found.commits}
                chosen={chosen}
                onChoose={setChosen}
                onBranchFrom={(commit) => onIntent({ kind: "create", from: commit.branch, version: commit.version })}
                onEnd={query.hasNextPage && !query.isFetchingNextPage ? () => void query.fetchNextPage() : undefined}
              />
            </>
          ) : (
            <Empty title="No commit yet">
              <p>A commit is a change of the catalog. The first database, table or file makes one.</p>
              <p className="row">
                <LinkButton look="primary" to={branchAddress(catalog, "main")}>
                  <Icon name="tables" />
                  Make a database and a table
                </LinkButton>
                <LinkButton to={importAddress(catalog, "main")}>
                  <Icon name="import" />
                  Import a file
                </LinkButton>
              </p>
            </Empty>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** The colours of branches by their places in the graph. */
function graphColours(graph: Graph | undefined): ReadonlyMap<string, number> {
  const lanes = graph ? graphLayout(graph).lanes : [];
  return neighbourColours(lanes.map(({ branch, lane }) => ({ name: branch.name, lane })));
}

/** Pages of the graph as one: what a later page says about a branch or an attempt again counts once. */
function joined(pages: readonly Graph[]): Graph {
  const branches = new Map(pages.flatMap((page) => page.branches).map((branch) => [branch.branch_id, branch]));
  const failed = new Map(pages.flatMap((page) => page.failed_merges).map((merge) => [merge.merge_id, merge]));
  return {
    commits: pages.flatMap((page) => page.commits),
    branches: [...branches.values()],
    failed_merges: [...failed.values()],
    tags: pages.flatMap((page) => page.tags),
    next_before: pages.at(-1)?.next_before ?? null,
  };
}

/** `listsDropped`: the address asks for dropped branches, so they are what the list shows first. */
function BranchesPanel({ catalog, listsDropped, onIntent }: { catalog: string; listsDropped: boolean; onIntent: (intent: BranchIntent) => void }) {
  const [text, setText] = useState("");
  const [dropped, setDropped] = useState(listsDropped);
  const filter = { ...(text ? { search: text } : {}), ...(dropped ? { dropped: true } : {}) };
  const branches = useBranches(catalog, filter);
  return (
    <Panel
      title="Branches"
      actions={
        <>
          <label className="row small">
            <input type="checkbox" checked={dropped} onChange={(event) => setDropped(event.target.checked)} />
            dropped
          </label>
          <Input
            className={styles.search}
            type="search"
            placeholder="Find a branch"
            aria-label="Find a branch by name"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </>
      }
    >
      <Loaded query={branches} label="branches">
        {({ pages }) => (
          <BranchTable
            catalog={catalog}
            branches={pages.flatMap((page) => page.results)}
            emptyText={dropped ? "No branch is dropped." : "No branch has that in its name."}
            onIntent={onIntent}
          />
        )}
      </Loaded>
      {branches.hasNextPage ? (
        <p className="inside">
          <Button isSmall onClick={() => void branches.fetchNextPage()}>
            More branches
          </Button>
        </p>
      ) : null}
    </Panel>
  );
}
