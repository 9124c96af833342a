import { useMemo } from "react";

import { CodeEditor, type Insertion } from "../../ui/code-editor";
import { sqlLanguage } from "./sql-language";
import type { SqlNames } from "./use-sql-names";

/** An editor for statements. Loaded apart from the page: it is larger than the page itself. */
export default function SqlEditor({
  text,
  names,
  error,
  insertion,
  onChange,
  onSelect,
  onRun,
}: {
  text: string;
  names: SqlNames;
  error: { from: number; to: number; message: string } | undefined;
  /** A text for its place: each value goes there once. */
  insertion: Insertion | undefined;
  onChange: (text: string) => void;
  onSelect: (selection: { from: number; to: number }) => void;
  onRun: (text: string, selection: { from: number; to: number }) => void;
}) {
  const language = useMemo(() => sqlLanguage(names), [names]);
  const { from, to, message } = error ?? {};
  const marks = useMemo(() => (from === undefined || to === undefined || message === undefined ? [] : [{ from, to, message }]), [from, to, message]);
  return <CodeEditor text={text} label="SQL statement" language={language} marks={marks} isFocused insertion={insertion} onChange={onChange} onSelect={onSelect} onRun={onRun} />;
}
