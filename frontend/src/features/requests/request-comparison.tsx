import type { ComparedDetail, ComparedRow, RequestDetail, Role } from "../../api/resources";
import { isWithPeople } from "../../model/review";
import { isAtLeast } from "../../model/roles";
import { rowOutcome } from "../../model/row-outcomes";
import type { SeenRow } from "../../model/suggestion";
import { isOnCellOf, threadsAt, threadsOf, threadsOnRow, type CellAnchor, type Thread } from "../../model/timeline";
import { ON_REQUEST, useComments, type CommentAnchor } from "../../queries/comments";
import type { Pair } from "../../queries/compare";
import type { RequestPlace } from "../../queries/requests";
import { useResolutions } from "../../queries/resolutions";
import { Empty } from "../../ui/states";
import { ComparedObjects } from "../compare/compared-objects";
import { SummaryLine } from "../compare/summary-line";
import { useCompared } from "../compare/use-compared";
import { AddComment } from "./add-comment";
import { Decisions } from "./decisions";
import { rowAdditions } from "./row-additions";
import { ColumnTalk, RowTalk } from "./row-talk";
import { SinceReview } from "./since-review";
import { ThreadView } from "./thread-view";
import styles from "./request-comparison.module.css";

/** The comparison with what was decided about its conflicts, and what people say about objects and cells. It follows both
 * branches until the merge, and then stays as it was merged. */
export function RequestComparison({ place, request, pair, role }: { place: RequestPlace; request: RequestDetail; pair: Pair; role: Role | undefined }) {
  if (request.state !== "merged" && (request.source.is_dropped || request.destination.is_dropped)) return <Empty title="A branch of the request was dropped" />;
  return <LiveComparison place={place} request={request} pair={pair} role={role} />;
}

function LiveComparison({ place, request, pair, role }: { place: RequestPlace; request: RequestDetail; pair: Pair; role: Role | undefined }) {
  const compared = useCompared(pair);
  const comments = useComments(place);
  const resolutions = useResolutions(place);
  const threads = threadsOf(comments.data?.pages.flatMap((page) => page.results) ?? []);
  const mayDecide = isWithPeople(request.state) && isAtLeast(role, "contributor");
  const talk = (detail: ComparedDetail, cell?: CellAnchor) => (
    <div className={styles.talk}>
      <Talk place={place} detail={detail} cell={cell} threads={threadsAt(threads, detail, cell)} role={role} />
      {cell || detail.kind !== "table" ? null : <ColumnTalk place={place} detail={detail} threads={threads} role={role} />}
    </div>
  );
  const rows = rowAdditions(pair, place, mayDecide);
  const additions = {
    object: (detail: ComparedDetail) => (
      <Decisions key={`${detail.source_head} ${detail.destination_head}`} place={place} detail={detail} pair={pair} mayDecide={mayDecide} />
    ),
    talk,
    cell: talk,
    hasCellTalk: (detail: ComparedDetail) => threads.some((thread) => isOnCellOf(thread, detail)),
    rows: {
      ...rows,
      talk: (detail: ComparedDetail) => ({
        isAllowed: role !== undefined,
        count: (key: string) => threadsOnRow(threads, detail, key).length,
        show: (key: string, name: string, isWriting: boolean, seen?: SeenRow) => (
          <RowTalk place={place} detail={detail} threads={threads} role={role} rowKey={key} name={name} isWriting={isWriting} seen={seen} />
        ),
      }),
      result: (detail: ComparedDetail, row: ComparedRow) => rowOutcome(resolutions.data ?? [], detail, row),
    },
  };
  return (
    <>
      {compared.summary ? <SummaryLine summary={compared.summary} isMerged={request.state === "merged"} /> : null}
      <SinceReview place={place} request={request} compared={compared} />
      <ComparedObjects pair={pair} compared={compared} additions={additions} />
    </>
  );
}

function Talk({
  place,
  detail,
  cell,
  threads,
  role,
}: {
  place: RequestPlace;
  detail: ComparedDetail;
  cell: CellAnchor | undefined;
  threads: readonly Thread[];
  role: Role | undefined;
}) {
  const anchor: CommentAnchor = { ...ON_REQUEST, object_kind: detail.kind, object_id: detail.object_id, ...cell };
  return (
    <div className="stack tight">
      {threads.map((thread) => (
        <ThreadView key={thread.first.id} place={place} thread={thread} role={role} />
      ))}
      {role === undefined ? null : (
        <AddComment key={JSON.stringify(anchor)} place={place} anchor={anchor} label={cell ? `Comment on ${cell.source_op} × ${cell.dest_op}` : `Comment on ${detail.name}`} />
      )}
    </div>
  );
}
