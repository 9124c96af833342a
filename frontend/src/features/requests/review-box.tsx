import { useState } from "react";

import type { RequestDetail, ReviewVerdict, Role } from "../../api/resources";
import { isWithPeople } from "../../model/review";
import { isAtLeast } from "../../model/roles";
import type { useComparison, Pair } from "../../queries/compare";
import type { RequestPlace } from "../../queries/requests";
import { useReviewSubmit } from "../../queries/reviews";
import { userName } from "../../queries/user";
import { Panel } from "../../ui/page";
import { Failure } from "../../ui/states";
import { MarkdownField } from "./markdown-field";

interface ReviewProps {
  place: RequestPlace;
  request: RequestDetail;
  pair: Pair;
  /** The live one: what is approved is what it shows. */
  comparison: ReturnType<typeof useComparison>;
}

/** Approve what is there now, ask for changes, or take back what one said. */
export function ReviewBox({ role, ...review }: ReviewProps & { role: Role | undefined }) {
  if (!isWithPeople(review.request.state) || !isAtLeast(role, "reviewer")) return null;
  return (
    <Panel title="Your review" padded>
      <ReviewForm {...review} />
    </Panel>
  );
}

function ReviewForm({ place, request, pair, comparison }: ReviewProps) {
  const submit = useReviewSubmit(place);
  const [text, setText] = useState("");
  const seen = comparison.data?.pages[0];
  const mine = request.votes.find((vote) => vote.reviewer === userName() && vote.verdict !== "withdraw");
  const hindrance = approvalHindrance(request, seen !== undefined);
  const say = (verdict: ReviewVerdict) =>
    submit.mutate({ verdict, fingerprint: seen?.fingerprint ?? "", body: text }, { onSuccess: () => setText("") });
  return (
    <div className="stack tight">
      <MarkdownField label="What you want to say about it" value={text} onChange={setText} />
      {seen && !hindrance ? (
        <p className="small muted">
          Approving binds to what is there now: {pair.source} <code>v{seen.source.head_version}</code>, {pair.destination}{" "}
          <code>v{seen.destination.head_version}</code>, plan <code title={seen.fingerprint}>{seen.fingerprint.slice(0, 8)}</code>. It goes stale when
          either branch moves.
        </p>
      ) : null}
      {hindrance ? <p className="small muted">{hindrance}</p> : null}
      {comparison.error && !seen ? <Failure error={comparison.error} retry={() => void comparison.refetch()} /> : null}
      {submit.error ? <Failure error={submit.error} /> : null}
      <div className="row">
        <button type="button" className="button primary" disabled={hindrance !== "" || submit.isPending} onClick={() => say("approve")}>
          ✓ Approve
        </button>
        <button type="button" className="button" disabled={submit.isPending} onClick={() => say("request_changes")}>
          ↩ Ask for changes
        </button>
        {mine ? (
          <button type="button" className="button" disabled={submit.isPending} onClick={() => say("withdraw")}>
            Withdraw your review
          </button>
        ) : null}
      </div>
    </div>
  );
}

/** Why there is nothing to approve, as a sentence; empty where there is. */
function approvalHindrance(request: RequestDetail, isSeen: boolean): string {
  if (request.author === userName()) return "Nobody approves their own request.";
  if (request.state === "draft") return "A draft cannot be approved.";
  return isSeen ? "" : "The comparison has to be there before it can be approved.";
}
