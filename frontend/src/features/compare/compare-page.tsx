import { useCallback, useMemo } from "react";
import { useParams, useSearchParams } from "react-router";

import type { CompareFilter } from "../../api/paths";
import type { ComparedObject, Comparison, Verdict } from "../../api/resources";
import { compareAddress, pairParse } from "../../model/addresses";
import { counted } from "../../model/format";
import { useComparison, type Pair } from "../../queries/compare";
import { BranchLink } from "../../ui/branch-name";
import { CountsBadge } from "../../ui/counts-badge";
import { Icon } from "../../ui/icons";
import { PageHead } from "../../ui/page";
import { Empty, Failure, Loading } from "../../ui/states";
import { Link } from "react-router";
import { useKeys } from "../frame/use-keys";
import { ChoosePair } from "./choose-pair";
import { MergeActions } from "./merge-actions";
import { ObjectDetail } from "./object-detail";
import { ObjectList } from "./object-list";
import "../../styles/compare.css";

export function ComparePage() {
  const { catalog = "", pair: text } = useParams();
  const pair = text === undefined ? undefined : pairParse(text);
  if (!pair) return <ChoosePair key={catalog} catalog={catalog} />;
  return <ComparePair key={`${catalog} ${text ?? ""}`} pair={{ catalog, ...pair }} />;
}

function ComparePair({ pair }: { pair: Pair }) {
  const [query, setQuery] = useSearchParams();
  const filter = filterOf(query);
  const comparison = useComparison(pair, filter);
  const pages = comparison.data?.pages;
  const objects = useMemo(() => pages?.flatMap((page) => page.results) ?? [], [pages]);
  const chosenKey = query.get("object") ?? (objects[0] ? objectKey(objects[0]) : "");
  const place = objects.findIndex((object) => objectKey(object) === chosenKey);
  const choose = useCallback(
    (object: ComparedObject | undefined) => {
      if (!object) return;
      setQuery((before) => changed(before, { object: objectKey(object), cell: undefined }), { replace: true });
    },
    [setQuery],
  );
  useKeys({
    j: () => choose(objects[place + 1]),
    k: () => choose(objects[place - 1]),
    n: () => choose(objects.slice(place + 1).find(isConflict)),
    p: () => choose(objects.slice(0, Math.max(0, place)).findLast(isConflict)),
  });
  const summary = pages?.[0];
  return (
    <div className="page compare">
      <CompareHead pair={pair} summary={summary} />
      {!summary && comparison.error ? (
        <Failure error={comparison.error} retry={() => void comparison.refetch()} />
      ) : !summary ? (
        <Loading label="the comparison" />
      ) : summary.counts.objects === 0 ? (
        <NothingToCompare pair={pair} summary={summary} />
      ) : (
        <div className="columns">
          <ObjectList
            objects={objects}
            summary={summary}
            chosen={place}
            filter={filter}
            onFilter={(more) => setQuery((before) => changed(before, { ...more, object: undefined }), { replace: true })}
            onChoose={choose}
            onEnd={comparison.hasNextPage && !comparison.isFetchingNextPage ? () => void comparison.fetchNextPage() : undefined}
          />
          <ChosenObject pair={pair} chosenKey={chosenKey} />
        </div>
      )}
    </div>
  );
}

function ChosenObject({ pair, chosenKey }: { pair: Pair; chosenKey: string }) {
  const [kind, id] = chosenKey.split(":");
  if ((kind !== "table" && kind !== "database") || !id) return <Empty title="Choose an object" />;
  return <ObjectDetail key={chosenKey} pair={pair} kind={kind} objectId={Number(id)} />;
}

function CompareHead({ pair, summary }: { pair: Pair; summary: Comparison | undefined }) {
  const { catalog, source, destination } = pair;
  return (
    <>
      <PageHead
        title={`${source} → ${destination}`}
        actions={summary && !summary.is_empty ? <MergeActions pair={pair} summary={summary} /> : null}
      >
        <span className="pair">
          <BranchLink catalog={catalog} branch={source} />
          <Icon name="right" />
          <span className="visually-hidden">into</span>
          <BranchLink catalog={catalog} branch={destination} />
          <Link
            className="icon-button"
            to={compareAddress(catalog, destination, source)}
            title="The other way round"
            aria-label={`Compare the other way round: ${destination} into ${source}`}
          >
            <Icon name="compare" />
          </Link>
        </span>
      </PageHead>
      {summary ? <SummaryLine summary={summary} /> : null}
    </>
  );
}

function SummaryLine({ summary }: { summary: Comparison }) {
  const { counts } = summary;
  return (
    <p className="row small muted">
      <span>
        base <code>v{summary.merge_base}</code>
      </span>
      <span>
        {summary.source.name} <code>v{summary.source.head_version}</code>, {summary.destination.name}{" "}
        <code>v{summary.destination.head_version}</code>
      </span>
      <span>{counted(counts.objects, "object")} changed</span>
      <CountsBadge counts={counts} />
      {counts.notes ? (
        <span className="badge note">
          <span aria-hidden="true">⤓</span> {counted(counts.notes, "note")}
        </span>
      ) : null}
    </p>
  );
}

function NothingToCompare({ pair, summary }: { pair: Pair; summary: Comparison }) {
  const { catalog, source, destination } = pair;
  return (
    <div className="panel">
      <Empty title={summary.is_empty ? `${destination} has everything of ${source}` : `${source} leaves every object of ${destination} as it is`}>
        <p>
          <Link to={compareAddress(catalog, destination, source)}>
            See what {destination} has that {source} has not
          </Link>
        </p>
      </Empty>
    </div>
  );
}

export function objectKey(object: { kind: string; object_id: number }): string {
  return `${object.kind}:${object.object_id}`;
}

function isConflict(object: ComparedObject): boolean {
  return object.verdict === "conflict";
}

const VERDICTS: readonly Verdict[] = ["conflict", "note", "ok", "new"];

function filterOf(query: URLSearchParams): CompareFilter {
  const search = query.get("search");
  const verdict = VERDICTS.find((known) => known === query.get("verdict"));
  return { ...(search ? { search } : {}), ...(verdict ? { verdict } : {}) };
}

function changed(before: URLSearchParams, values: Record<string, string | undefined>): URLSearchParams {
  const after = new URLSearchParams(before);
  for (const [name, value] of Object.entries(values)) {
    if (value) after.set(name, value);
    else after.delete(name);
  }
  return after;
}
