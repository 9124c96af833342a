import { Link } from "react-router";

import type { RequestDetail, Review, Role, TimelineEvent } from "../../api/resources";
import { mergeAddress, taskAddress } from "../../model/addresses";
import { isAtLeast } from "../../model/roles";
import { eventText, threadsOf, type Thread } from "../../model/timeline";
import { useComments } from "../../queries/comments";
import { useTimeline, type RequestPlace } from "../../queries/requests";
import { useReviews } from "../../queries/reviews";
import { Button } from "../../ui/button";
import { Muted } from "../../ui/muted";
import { Panel } from "../../ui/page";
import { Failure, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";
import { SuggestionsTogether } from "./suggestion";
import { ThreadView } from "./thread-view";
import { Written } from "./written";
import styles from "./conversation.module.css";
import box from "./comment.module.css";

/** The description, and everything that happened since, oldest first. */
export function Conversation({
  place,
  request,
  role,
  names,
}: {
  place: RequestPlace;
  request: RequestDetail;
  role: Role | undefined;
  /** Of objects by `kind:id`, as far as they are known. */
  names: ReadonlyMap<string, string>;
}) {
  const timeline = useTimeline(place);
  const comments = useComments(place);
  const reviews = useReviews(place);
  const threads = threadsOf(comments.data?.pages.flatMap((page) => page.results) ?? []);
  const written = reviews.data?.pages.flatMap((page) => page.results) ?? [];
  const failure = comments.error ?? reviews.error;
  return (
    <>
      <Panel padded>
        {request.description ? <Written html={request.description_html} /> : <Muted as="p">{request.author} wrote no description.</Muted>}
      </Panel>
      {failure && !comments.data ? <Failure error={failure} retry={() => void comments.refetch()} /> : null}
      {isAtLeast(role, "contributor") ? <SuggestionsTogether place={place} comments={comments.data?.pages.flatMap((page) => page.results) ?? []} /> : null}
      <Loaded query={timeline} label="what happened">
        {({ pages }) => (
          <ol className="stack tight" aria-label="What happened">
            {pages
              .flatMap((page) => page.results)
              .map((event) => (
                <EventEntry key={event.number} place={place} event={event} threads={threads} reviews={written} role={role} names={names} />
              ))}
          </ol>
        )}
      </Loaded>
      {timeline.hasNextPage ? (
        <p>
          <Button isSmall onClick={() => void timeline.fetchNextPage()}>
            What happened later
          </Button>
        </p>
      ) : null}
      {comments.hasNextPage ? (
        <p>
          <Button isSmall onClick={() => void comments.fetchNextPage()}>
            More comments
          </Button>
        </p>
      ) : null}
    </>
  );
}

function EventEntry({
  place,
  event,
  threads,
  reviews,
  role,
  names,
}: {
  place: RequestPlace;
  event: TimelineEvent;
  threads: readonly Thread[];
  reviews: readonly Review[];
  role: Role | undefined;
  names: ReadonlyMap<string, string>;
}) {
  const begun = threads.find(({ first }) => event.kind === "commented" && event.details.what === "added" && event.details.comment === first.id);
  if (begun) {
    return (
      <li>
        <ThreadView place={place} thread={begun} role={role} names={names} />
      </li>
    );
  }
  const words = eventText(event, names);
  if (words === undefined) return null;
  const review = reviews.find(({ id }) => event.kind === "reviewed" && event.details.review === id);
  return (
    <li>
      <p className={styles.event}>
        <strong>{event.actor ?? "lakeui"}</strong>
        <span>{words}</span>
        <EventLinks event={event} />
        <Muted>
          <Time at={event.at} />
        </Muted>
        {review?.verdict === "approve" ? (
          <Muted title={`Fingerprint ${review.fingerprint}`}>
            at <code>v{review.source_head}</code> into <code>v{review.destination_head}</code>
          </Muted>
        ) : null}
      </p>
      {review?.body_html ? (
        <div className={box.comment}>
          <div className={box.text}>
            <Written html={review.body_html} />
          </div>
        </div>
      ) : null}
    </li>
  );
}

function EventLinks({ event }: { event: TimelineEvent }) {
  const { merge_id: merge, task } = event.details;
  return (
    <>
      {typeof merge === "string" ? <Link to={mergeAddress(merge)}>Audit record</Link> : null}
      {typeof task === "string" ? <Link to={taskAddress(task)}>Task</Link> : null}
    </>
  );
}
