import { useState } from "react";

import { Icon } from "./icons";

const SHOWN_MS = 1500;

/** A text with a button that copies the whole of it; `shown` may be shorter. */
export function Copyable({ text, shown = text, label }: { text: string; shown?: string; label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <span className="copyable">
      <code className="ellipsis" title={text}>
        {shown}
      </code>
      <button type="button" className="icon-button" aria-label={`Copy ${label}`} onClick={() => void copy()}>
        <Icon name={copied ? "done" : "copy"} size={14} />
      </button>
      <span role="status" className="visually-hidden">
        {copied ? "Copied" : ""}
      </span>
    </span>
  );
}
