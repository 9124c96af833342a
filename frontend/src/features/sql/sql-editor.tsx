import { useMemo } from "react";

import { CodeEditor } from "../../ui/code-editor";
import { sqlLanguage } from "./sql-language";
import type { SqlNames } from "./use-sql-names";

/** An editor for one statement. Loaded apart from the page: it is larger than the page itself. */
export default function SqlEditor({
  text,
  names,
  error,
  onChange,
  onRun,
}: {
  text: string;
  names: SqlNames;
  error: { from: number; to: number; message: string } | undefined;
  onChange: (text: string) => void;
  onRun: (text: string) => void;
}) {
  const language = useMemo(() => sqlLanguage(names), [names]);
  const marks = useMemo(() => (error ? [error] : []), [error]);
  return <CodeEditor text={text} label="SQL statement" language={language} marks={marks} isFocused onChange={onChange} onRun={onRun} />;
}
