import { useState, type SubmitEvent } from "react";

import type { SeenCell } from "../../model/suggestion";
import { useCommentAdd, type CommentAnchor } from "../../queries/comments";
import type { RequestPlace } from "../../queries/requests";
import { Button } from "../../ui/button";
import { Failure } from "../../ui/states";
import { MarkdownField } from "./markdown-field";
import { SuggestionField, type Suggesting } from "./suggestion";

/** Write a comment, or an answer to one. */
export function CommentForm({
  place,
  anchor,
  label,
  replyTo = null,
  cell,
  onDone,
}: {
  place: RequestPlace;
  anchor: CommentAnchor;
  label: string;
  replyTo?: number | null;
  /** The cell that it is on, where another value may be suggested for it. */
  cell?: SeenCell | undefined;
  onDone?: () => void;
}) {
  const add = useCommentAdd(place);
  const [text, setText] = useState("");
  const [suggesting, setSuggesting] = useState<Suggesting>();
  const says = text.trim() !== "" || suggesting !== undefined;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (suggesting === "invalid") return;
    const body = text.trim() === "" ? "I suggest another value." : text;
    add.mutate(
      { ...anchor, body, reply_to: replyTo, ...(suggesting ? { suggestion: suggesting } : {}) },
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
      {cell ? <SuggestionField cell={cell} onChange={setSuggesting} /> : null}
      {add.error ? <Failure error={add.error} /> : null}
      <div className="row">
        <Button type="submit" disabled={add.isPending || !says || suggesting === "invalid"}>
          {replyTo === null ? "Comment" : "Reply"}
        </Button>
        {onDone ? (
          <Button look="quiet" onClick={onDone}>
            Cancel
          </Button>
        ) : null}
      </div>
    </form>
  );
}
