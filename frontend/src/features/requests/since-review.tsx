import type { RequestDetail } from "../../api/resources";
import type { RequestPlace } from "../../queries/requests";
import { useChangesSince } from "../../queries/reviews";
import { userName } from "../../queries/user";
import { Button } from "../../ui/button";
import { Time } from "../../ui/time";
import type { Compared } from "../compare/use-compared";

/** What the reader has not seen since their last review, in one sentence, and the way to see it alone. */
export function SinceReview({ place, request, compared }: { place: RequestPlace; request: RequestDetail; compared: Compared }) {
  const mine = request.votes.find((vote) => vote.reviewer === userName() && vote.verdict !== "withdraw");
  return mine ? <Changes place={place} review={mine.review} compared={compared} /> : null;
}

function Changes({ place, review, compared: { filter, onFilter, summary } }: { place: RequestPlace; review: number; compared: Compared }) {
  const heads = [summary?.source.head_version, summary?.destination.head_version, summary?.fingerprint];
  const changes = useChangesSince(place, review, summary !== undefined, heads).data;
  const isFiltered = filter.since_review === review;
  if (!changes) return null;
  const shown = changes.objects?.filter((object) => object.change !== "gone").length ?? 0;
  const gone = changes.objects?.filter((object) => object.change === "gone").map((object) => object.name) ?? [];
  return (
    <p className="row" role="status">
      <span>
        Since your review, <Time at={changes.reviewed_at} />: {changes.summary}
        {gone.length ? ` The request no longer changes ${gone.join(", ")}.` : null}
      </span>
      {shown || isFiltered ? (
        <Button isSmall aria-pressed={isFiltered} onClick={() => onFilter({ since_review: isFiltered ? "" : String(review) })}>
          {isFiltered ? "Show all objects" : "Show only these objects"}
        </Button>
      ) : null}
    </p>
  );
}
