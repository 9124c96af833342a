import { Link } from "react-router";

import { taskAddress } from "../../model/addresses";
import { FIRST_HELPERS } from "../../model/pipeline-completion";
import { counted } from "../../model/format";
import { PREVIEW_ROWS, usePipelinePreview } from "../../queries/pipelines";
import { classes } from "../../ui/classes";
import { Muted } from "../../ui/muted";
import { ResultGrid } from "../../ui/result-grid";
import styles from "./preview.module.css";
import shown from "./rendered.module.css";

type Seen = NonNullable<ReturnType<typeof usePipelinePreview>["data"]>;

/** What a template may hold, for who writes the first one. */
export function TemplateHelp() {
  return (
    <details className={classes("fold inside", styles.help)}>
      <summary>What can I write here?</summary>
      <p className="small">One SELECT. A template fills in names and values before it runs:</p>
      <dl className="small">
        {FIRST_HELPERS.map(({ text, meaning }) => (
          <div key={text}>
            <dt>
              <code>{text}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <Muted as="p" isSmall>The editor offers the others with Ctrl Space, and lists databases, tables and columns.</Muted>
    </details>
  );
}

/** The first rows of a query that no pipeline has yet. Nothing is written. */
export function Preview({ seen: { sql, outcome } }: { seen: Seen }) {
  if (outcome.kind === "task") {
    return (
      <p className="small">
        The query takes longer: <Link to={taskAddress(outcome.task.id)}>its task</Link> shows when it ends.
      </p>
    );
  }
  const { columns, rows } = outcome.answer;
  return (
    <section className="stack tight" aria-label="Preview">
      <Muted as="p" isSmall role="status">
        {rows.length === PREVIEW_ROWS ? `The first ${PREVIEW_ROWS} rows.` : `${counted(rows.length, "row")}: all that the query finds.`} Nothing was written.
      </Muted>
      <ResultGrid label="Rows of the query" columns={columns} rows={rows} height="320px" />
      <details className="fold">
        <summary>SQL that the template makes</summary>
        <pre className={shown.rendered} role="region" aria-label="Rendered SQL" tabIndex={0}>
          <code>{sql}</code>
        </pre>
      </details>
    </section>
  );
}
