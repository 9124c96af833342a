import { useState } from "react";

import type { RequestDetail, ReviewVerdict, Role } from "../../api/resources";
import { isWithPeople } from "../../model/review";
import { isAtLeast } from "../../model/roles";
import { ON_REQUEST, useCommentAdd } from "../../queries/comments";
import type { useComparison, Pair } from "../../queries/compare";
import type { RequestPlace } from "../../queries/requests";
import { useReviewSubmit } from "../../queries/reviews";
import { userName } from "../../queries/user";
import { Button } from "../../ui/button";
import { Muted } from "../../ui/muted";
import { Failure } from "../../ui/states";
import { MarkdownField } from "./markdown-field";

interface ComposerProps {
  place: RequestPlace;
  request: RequestDetail;
  pair: Pair;
  /** The live one: what is approved is what it shows. */
  comparison: ReturnType<typeof useComparison>;
  role: Role | undefined;
}

/** One text for all that a person says about the request: a comment, an approval, or a request for changes. */
export function Composer({ place, request, pair, comparison, role }: ComposerProps) {
  const add = useCommentAdd(place);
  const submit = useReviewSubmit(place);
  const [text, setText] = useState("");
  const clear = { onSuccess: () => setText("") };
  if (role === undefined) return null;
  const seen = comparison.data?.pages[0];
  const mayReview = isWithPeople(request.state) && isAtLeast(role, "reviewer");
  const hindrance = approvalHindrance(request, seen !== undefined);
  const mine = request.votes.some((vote) => vote.reviewer === userName() && vote.verdict !== "withdraw");
  const isBusy = submit.isPending || add.isPending;
  const say = (verdict: ReviewVerdict) => submit.mutate({ verdict, fingerprint: seen?.fingerprint ?? "", body: text, spot_code: request.spot_code }, clear);
  return (
    <section className="stack tight" aria-label="Say something">
      <MarkdownField label="Comment on the request" value={text} onChange={setText} />
      {mayReview ? (
        <Muted as="p" isSmall>
          {hindrance ? (
            hindrance
          ) : seen ? (
            <>
              Your approval covers {pair.source} <code>v{seen.source.head_version}</code> and {pair.destination}{" "}
              <code>v{seen.destination.head_version}</code> only (plan <code title={seen.fingerprint}>{seen.fingerprint.slice(0, 8)}</code>). A new commit on
              either branch cancels it.
            </>
          ) : null}
        </Muted>
      ) : isWithPeople(request.state) ? (
        <Muted as="p" isSmall>Reviewers approve a request. Your role here is {role}; an owner can change it.</Muted>
      ) : null}
      {comparison.error && !seen ? <Failure error={comparison.error} retry={() => void comparison.refetch()} /> : null}
      {(add.error ?? submit.error) ? <Failure error={add.error ?? submit.error} /> : null}
      <div className="row">
        <Button disabled={isBusy || text.trim() === ""} onClick={() => add.mutate({ ...ON_REQUEST, body: text, reply_to: null }, clear)}>
          Comment
        </Button>
        {mayReview ? (
          <>
            <Button look="primary" disabled={hindrance !== "" || isBusy} onClick={() => say("approve")}>
              ✓ Approve
            </Button>
            <Button disabled={isBusy} onClick={() => say("request_changes")}>
              ↩ Request changes
            </Button>
            {mine ? (
              <Button disabled={isBusy} onClick={() => say("withdraw")}>
                Withdraw your review
              </Button>
            ) : null}
          </>
        ) : null}
      </div>
    </section>
  );
}

/** Why the request cannot be approved, as a sentence; empty where it can. */
function approvalHindrance(request: RequestDetail, isSeen: boolean): string {
  if (request.author === userName()) return "You cannot approve your own request.";
  if (request.state === "draft") return "A draft cannot be approved.";
  return isSeen ? "" : "The comparison has to be there before it can be approved.";
}
