import { useState, type ReactNode } from "react";
import { Link } from "react-router";

import type { Comment, Role } from "../../api/resources";
import { requestAddress } from "../../model/addresses";
import { counted } from "../../model/format";
import { isAtLeast } from "../../model/roles";
import { dataPlaceText, objectText, type Thread } from "../../model/timeline";
import { ON_REQUEST, useCommentChange } from "../../queries/comments";
import type { RequestPlace } from "../../queries/requests";
import { userName } from "../../queries/user";
import { Button } from "../../ui/button";
import { Muted } from "../../ui/muted";
import { Failure } from "../../ui/states";
import { Time } from "../../ui/time";
import { CommentForm } from "./comment-form";
import { MarkdownField } from "./markdown-field";
import { SuggestionView } from "./suggestion";
import { Written } from "./written";
import styles from "./thread-view.module.css";
import box from "./comment.module.css";

/** A comment with its answers. One that was settled is folded. */
export function ThreadView({
  place,
  thread,
  role,
  names,
}: {
  place: RequestPlace;
  thread: Thread;
  role: Role | undefined;
  /** Names of objects, where the thread has to say which it is about. */
  names?: ReadonlyMap<string, string>;
}) {
  const { first, replies } = thread;
  const body = <ThreadBody place={place} thread={thread} role={role} names={names} />;
  if (first.resolved_at === null) return body;
  return (
    <details>
      <summary className="small">
        Resolved by {first.resolved_by}: {counted(1 + replies.length, "comment")} of {first.author}
      </summary>
      {body}
    </details>
  );
}

function ThreadBody({
  place,
  thread,
  role,
  names,
}: {
  place: RequestPlace;
  thread: Thread;
  role: Role | undefined;
  names: ReadonlyMap<string, string> | undefined;
}) {
  const { first, replies } = thread;
  const [isAnswering, setAnswering] = useState(false);
  const settle = useCommentChange(place, first);
  const isSettled = first.resolved_at !== null;
  return (
    <div className={styles.thread}>
      <CommentView place={place} comment={first} role={role} {...(names ? { about: <About place={place} comment={first} names={names} /> } : {})} />
      {replies.length ? (
        <div className={styles.replies}>
          {replies.map((reply) => (
            <CommentView key={reply.id} place={place} comment={reply} role={role} />
          ))}
        </div>
      ) : null}
      {settle.error ? <Failure error={settle.error} /> : null}
      {role === undefined ? null : isAnswering ? (
        <CommentForm place={place} anchor={ON_REQUEST} label={`Reply to ${first.author}`} replyTo={first.id} onDone={() => setAnswering(false)} />
      ) : (
        <div className="row">
          <Button isSmall onClick={() => setAnswering(true)}>
            Reply
          </Button>
          <Button isSmall disabled={settle.isPending} onClick={() => settle.mutate({ do: isSettled ? "reopen" : "resolve" })}>
            {isSettled ? "Reopen" : "Resolve"}
          </Button>
        </div>
      )}
    </div>
  );
}

function About({ place, comment, names }: { place: RequestPlace; comment: Comment; names: ReadonlyMap<string, string> }) {
  if (comment.object_id === null) return null;
  const address = `${requestAddress(place.catalog, place.number)}?tab=compare&object=${comment.object_kind}:${comment.object_id}`;
  return (
    <Link to={address}>
      on {objectText(names, comment.object_kind, comment.object_id)}
      {comment.place === "cell" ? `, ${comment.source_op} × ${comment.dest_op}` : ""}
      {dataPlaceText(comment) ? `, ${dataPlaceText(comment)}` : ""}
    </Link>
  );
}

function CommentView({ place, comment, role, about }: { place: RequestPlace; comment: Comment; role: Role | undefined; about?: ReactNode }) {
  const [isEditing, setEditing] = useState(false);
  const change = useCommentChange(place, comment);
  const isMine = comment.author === userName() && !comment.is_deleted;
  return (
    <article className={box.comment} aria-label={`Comment of ${comment.author}`}>
      <header>
        <strong>{comment.author}</strong>
        <Muted>
          <Time at={comment.created_at} />
          {comment.edited_at ? ", edited" : ""}
        </Muted>
        {about}
        <span className="grow" />
        {isMine && !isEditing ? (
          <>
            <Button look="quiet" isSmall onClick={() => setEditing(true)}>
              Edit
            </Button>
            <Button look="quiet" isSmall disabled={change.isPending} onClick={() => change.mutate({ do: "delete" })}>
              Delete
            </Button>
          </>
        ) : null}
      </header>
      <div className={box.text}>
        {change.error ? <Failure error={change.error} /> : null}
        {isEditing ? (
          <EditForm text={comment.body} change={change} onDone={() => setEditing(false)} />
        ) : comment.is_deleted ? (
          <Muted as="p">This comment was deleted.</Muted>
        ) : (
          <Written html={comment.body_html} />
        )}
        <SuggestionView place={place} comment={comment} mayApply={isAtLeast(role, "contributor")} />
      </div>
    </article>
  );
}

function EditForm({ text, change, onDone }: { text: string; change: ReturnType<typeof useCommentChange>; onDone: () => void }) {
  const [edited, setEdited] = useState(text);
  return (
    <div className="stack tight">
      <MarkdownField label="Comment" value={edited} onChange={setEdited} />
      <div className="row">
        <Button
          disabled={change.isPending || edited.trim() === ""}
          onClick={() => change.mutate({ do: "edit", body: edited }, { onSuccess: onDone })}
        >
          Save
        </Button>
        <Button look="quiet" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
