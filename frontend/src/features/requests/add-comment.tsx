import { useState } from "react";

import type { CommentAnchor } from "../../queries/comments";
import type { RequestPlace } from "../../queries/requests";
import { CommentForm } from "./comment-form";
import { Button } from "../../ui/button";

/** A button that opens a comment's form in its place. */
export function AddComment({ place, anchor, label }: { place: RequestPlace; anchor: CommentAnchor; label: string }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <CommentForm place={place} anchor={anchor} label={label} onDone={() => setOpen(false)} />;
  return (
    <p>
      <Button isSmall onClick={() => setOpen(true)}>
        {label}
      </Button>
    </p>
  );
}
