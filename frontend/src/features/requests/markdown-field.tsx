import { useState } from "react";

import { useMarkdown } from "../../queries/markdown";
import { Button } from "../../ui/button";
import { FieldGroup, TextArea } from "../../ui/field";
import { Loaded } from "../../ui/states";
import { Written } from "./written";
import styles from "./markdown-field.module.css";

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
    <FieldGroup>
      <div className="row apart">
        <span className="small">{label}</span>
        <Button look="quiet" isSmall aria-pressed={isPreview} disabled={value.trim() === ""} onClick={() => setPreview(!isPreview)}>
          {isPreview ? "Write" : "Preview"}
        </Button>
      </div>
      {isPreview ? (
        <Preview text={value} />
      ) : (
        <TextArea aria-label={label} placeholder={placeholder} value={value} onChange={(event) => onChange(event.target.value)} />
      )}
    </FieldGroup>
  );
}

function Preview({ text }: { text: string }) {
  const shown = useMarkdown(text);
  return (
    <div className={styles.preview}>
      <Loaded query={shown} label="the preview">
        {(html) => <Written html={html} />}
      </Loaded>
    </div>
  );
}
