import { useState, type SubmitEvent } from "react";

import { useCommentAdd, type CommentAnchor } from "../../queries/comments";
import type { RequestPlace } from "../../queries/requests";
import { Failure } from "../../ui/states";
import { MarkdownField } from "./markdown-field";

/** Write a comment, or an answer to one. */
export function CommentForm({
  place,
  anchor,
  label,
  replyTo = null,
  onDone,
}: {
  place: RequestPlace;
  anchor: CommentAnchor;
  label: string;
  replyTo?: number | null;
  onDone?: () => void;
}) {
  const add = useCommentAdd(place);
  const [text, setText] = useState("");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    add.mutate(
      { ...anchor, body: text, reply_to: replyTo },
      {
        onSuccess: () => {
          setText("");
          onDone?.();
        },
      },
    );
  };
  return (
    <form className="stack tight" onSubmit={submit}>
      <MarkdownField label={label} value={text} onChange={setText} />
      {add.error ? <Failure error={add.error} /> : null}
      <div className="row">
        <button type="submit" className="button" disabled={add.isPending || text.trim() === ""}>
          {replyTo === null ? "Comment" : "Reply"}
        </button>
        {onDone ? (
          <button type="button" className="button quiet" onClick={onDone}>
            Cancel
          </button>
        ) : null}
      </div>
    </form>
  );
}
