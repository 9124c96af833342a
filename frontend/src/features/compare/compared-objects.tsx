import type { ComponentProps } from "react";
import { Link } from "react-router";

import type { Comparison } from "../../api/resources";
import { compareAddress } from "../../model/addresses";
import type { Pair } from "../../queries/compare";
import { Empty, Failure, Loading } from "../../ui/states";
import { ObjectDetail, type Additions } from "./object-detail";
import { ObjectList } from "./object-list";
import { useKeys } from "../frame/use-keys";
import type { Compared } from "./use-compared";
import { useViewed } from "./use-viewed";

/** What the source changed, beside the chosen object: what both sides did to it, and how that is judged. */
export function ComparedObjects({ pair, compared, additions }: { pair: Pair; compared: Compared; additions?: Additions }) {
  const { comparison, summary, objects, place, chosenKey, choose, filter, onFilter } = compared;
  const viewed = useViewed(pair);
  const chosen = objects[place];
  useKeys({ v: () => chosen && viewed.toggle(chosen) });
  if (!summary && comparison.error) return <Failure error={comparison.error} retry={() => void comparison.refetch()} />;
  if (!summary) return <Loading label="the comparison" />;
  if (summary.counts.objects === 0) return <NothingToCompare pair={pair} summary={summary} />;
  return (
    <div className="columns">
      <ObjectList
        objects={objects}
        summary={summary}
        chosen={place}
        filter={filter}
        onFilter={onFilter}
        onChoose={choose}
        isViewed={viewed.isViewed}
        onEnd={comparison.hasNextPage && !comparison.isFetchingNextPage ? () => void comparison.fetchNextPage() : undefined}
      />
      <ChosenObject
        pair={pair}
        chosenKey={chosenKey}
        viewed={chosen ? { isViewed: viewed.isViewed(chosen), onView: () => viewed.toggle(chosen) } : undefined}
        {...(additions ? { additions } : {})}
      />
    </div>
  );
}

function ChosenObject({ pair, chosenKey, viewed, additions }: { pair: Pair; chosenKey: string; viewed: ComponentProps<typeof ObjectDetail>["viewed"]; additions?: Additions }) {
  const [kind, id] = chosenKey.split(":");
  if ((kind !== "table" && kind !== "database") || !id) return <Empty title="Choose an object" />;
  return <ObjectDetail key={chosenKey} pair={pair} kind={kind} objectId={Number(id)} viewed={viewed} {...(additions ? { additions } : {})} />;
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
