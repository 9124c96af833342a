import { lazy, Suspense, useMemo } from "react";

import { asProblem } from "../../api/problem";
import type { PipelineText } from "../../api/resources";
import { CONFIG_FILE, marksOf, mistakesIn, SOURCE } from "../../model/mistakes";
import type { TablePlace } from "../../queries/tables";
import { Loading } from "../../ui/states";
import { useSqlNames } from "../sql/use-sql-names";
import { useSurroundings } from "./use-surroundings";
import "../../styles/sql.css";

const TextEditor = lazy(() => import("./text-editor"));

/** What the server said about texts, and which they were. */
export interface Checked {
  text: PipelineText;
  error: Error | null;
}

/** The two texts of a pipeline, with what is wrong in them at its lines. Ctrl Enter tries them. */
export function Texts({
  target,
  name,
  text,
  checked,
  isReadOnly = false,
  onChange,
  onTry,
}: {
  target: TablePlace;
  name: string;
  text: PipelineText;
  checked: Checked | undefined;
  isReadOnly?: boolean;
  onChange: (text: PipelineText) => void;
  onTry: () => void;
}) {
  const names = useSqlNames(target.catalog, target.branch, text.source);
  const around = useSurroundings(target, name);
  // Of the texts that were checked: the editor moves the marks while one goes on typing.
  const marks = useMemo(() => {
    const mistakes = checked?.error ? mistakesIn(asProblem(checked.error).members) : [];
    const of = (file: string, whole: string | undefined) => marksOf(mistakes, file, whole ?? "");
    return { source: of(SOURCE, checked?.text.source), config: of(CONFIG_FILE, checked?.text.config) };
  }, [checked]);
  const both = { around, isReadOnly, onRun: onTry };
  return (
    <Suspense fallback={<Loading label="the editors" />}>
      <div className="pipeline-texts">
        <section>
          <h3>SQL with Jinja</h3>
          <TextEditor {...both} label="SQL source" text={text.source} names={names} marks={marks.source} onChange={(source) => onChange({ ...text, source })} />
        </section>
        <section>
          <h3>{CONFIG_FILE}</h3>
          <TextEditor {...both} label={CONFIG_FILE} text={text.config} marks={marks.config} onChange={(config) => onChange({ ...text, config })} />
        </section>
      </div>
    </Suspense>
  );
}
