import { useMemo } from "react";

import type { TextMark } from "../../model/mistakes";
import type { Surroundings } from "../../model/pipeline-completion";
import { CodeEditor } from "../../ui/code-editor";
import type { SqlNames } from "../sql/use-sql-names";
import { configLanguage, sourceLanguage } from "./pipeline-languages";

/** An editor for one of the two texts of a pipeline. Loaded apart from the page. */
export default function TextEditor({
  names,
  around,
  ...editor
}: {
  text: string;
  label: string;
  /** What SQL may name; without it the text is config.yaml. */
  names?: SqlNames;
  around: Surroundings;
  marks: readonly TextMark[];
  isReadOnly: boolean;
  onChange: (text: string) => void;
  onRun: () => void;
}) {
  const language = useMemo(() => (names ? sourceLanguage(names, around) : configLanguage(around)), [names, around]);
  return <CodeEditor {...editor} language={language} />;
}
