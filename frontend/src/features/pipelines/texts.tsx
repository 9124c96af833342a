import { lazy, Suspense, useMemo } from "react";

import { asProblem } from "../../api/problem";
import type { PipelineText } from "../../api/resources";
import { CONFIG_FILE, marksOf, mistakesIn, SOURCE, type Mistake } from "../../model/mistakes";
import type { Validation } from "../../queries/pipelines";
import type { TablePlace } from "../../queries/tables";
import { classes } from "../../ui/classes";
import { Loading } from "../../ui/states";
import { useSqlNames } from "../sql/use-sql-names";
import { useSurroundings } from "./use-surroundings";
import { isSameText } from "./use-validation";
import styles from "./texts.module.css";

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
  validation,
  isReadOnly = false,
  isConfigFolded = false,
  onChange,
  onTry,
}: {
  target: TablePlace;
  name: string;
  text: PipelineText;
  checked: Checked | undefined;
  validation: Validation | undefined;
  isReadOnly?: boolean;
  /** config.yaml comes on request, and where a mistake is in it. */
  isConfigFolded?: boolean;
  onChange: (text: PipelineText) => void;
  onTry: () => void;
}) {
  const names = useSqlNames(target.catalog, target.branch, text.source);
  const around = useSurroundings(target, name);
  // What was refused stands until the texts were looked at as they are now: saving and trying find more than a look.
  const isRefused = checked?.error != null && (!validation || isSameText(checked.text, text) || isSameText(checked.text, validation.text));
  // The editor moves the marks while one types.
  const marks = useMemo(() => {
    const found = isRefused ? refusalOf(checked) : validation;
    const of = (file: string, whole: string | undefined) => marksOf(found?.mistakes ?? [], file, whole ?? "");
    return { source: of(SOURCE, found?.text.source), config: of(CONFIG_FILE, found?.text.config) };
  }, [checked, validation, isRefused]);
  const both = { around, isReadOnly, onRun: onTry };
  const config = (
    <TextEditor {...both} label={CONFIG_FILE} text={text.config} marks={marks.config} onChange={(changed) => onChange({ ...text, config: changed })} />
  );
  return (
    <Suspense fallback={<Loading label="the editors" />}>
      <div className={classes(styles.texts, isConfigFolded && styles.folded)}>
        <section>
          <h2>SQL with Jinja</h2>
          <TextEditor {...both} label="SQL source" text={text.source} names={names} marks={marks.source} onChange={(source) => onChange({ ...text, source })} />
        </section>
        {isConfigFolded ? (
          <details className="fold" open={marks.config.length > 0 || undefined}>
            <summary>As file: {CONFIG_FILE}</summary>
            {config}
          </details>
        ) : (
          <section>
            <h2>{CONFIG_FILE}</h2>
            {config}
          </section>
        )}
      </div>
    </Suspense>
  );
}

function refusalOf(checked: Checked | undefined): { text: PipelineText; mistakes: readonly Mistake[] } | undefined {
  return checked?.error ? { text: checked.text, mistakes: mistakesIn(asProblem(checked.error).members) } : undefined;
}
