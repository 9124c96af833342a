import { useState } from "react";

import { useMarkdown } from "../../queries/markdown";
import { Loaded } from "../../ui/states";
import { Written } from "./written";

/** A text in Markdown, and how the server would show it. */
export function MarkdownField({
  label,
  value,
  onChange,
  placeholder = "Markdown",
}: {
  label: string;
  value: string;
  onChange: (text: string) => void;
  placeholder?: string;
}) {
  const [isPreview, setPreview] = useState(false);
  return (
    <div className="field">
      <div className="row apart">
        <span className="small">{label}</span>
        <button type="button" className="button small quiet" aria-pressed={isPreview} disabled={value.trim() === ""} onClick={() => setPreview(!isPreview)}>
          {isPreview ? "Write" : "Preview"}
        </button>
      </div>
      {isPreview ? (
        <Preview text={value} />
      ) : (
        <textarea className="input" aria-label={label} placeholder={placeholder} value={value} onChange={(event) => onChange(event.target.value)} />
      )}
    </div>
  );
}

function Preview({ text }: { text: string }) {
  const shown = useMarkdown(text);
  return (
    <div className="preview">
      <Loaded query={shown} label="the preview">
        {(html) => <Written html={html} />}
      </Loaded>
    </div>
  );
}
