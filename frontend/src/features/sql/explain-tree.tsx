import { useState } from "react";

import type { ExplainFile, ExplainStep } from "../../model/explain";
import { count, counted } from "../../model/format";
import { Button } from "../../ui/button";
import { classes } from "../../ui/classes";
import { Muted } from "../../ui/muted";
import styles from "./explain-tree.module.css";

/** So many files of a scan stand there at first. */
const FIRST_FILES = 10;

/** The steps of a statement. A scan opens to its files: kept or skipped, and why. */
export function ExplainTree({ steps }: { steps: readonly ExplainStep[] }) {
  return (
    <ol className={classes("inside", styles.explain)} aria-label="Steps of the statement">
      {steps.map((step, place) => (
        // Steps have no identity but their place.
        <li key={place}>
          <Step step={step} />
        </li>
      ))}
    </ol>
  );
}

function Step({ step: { step, detail, scan, files, more, plan } }: { step: ExplainStep }) {
  if (plan.length) {
    return (
      <details>
        <summary>
          <strong>plan of Spark</strong> <Muted isSmall>{counted(plan.length, "line")}</Muted>
        </summary>
        <pre role="region" aria-label="Plan of Spark" tabIndex={0}>
          <code>{plan.join("\n")}</code>
        </pre>
      </details>
    );
  }
  const head = scan ? (
    <>
      <strong>{step}</strong> {scan.where}{" "}
      <Muted isSmall>
        keeps {count(scan.kept)} of {counted(scan.all, "file")}, {scan.rows} {scan.rows === "1" ? "row" : "rows"}; {scan.why}
      </Muted>
      {scan.all > 0 ? <Share kept={scan.kept} all={scan.all} /> : null}
    </>
  ) : (
    <>
      <strong>{step}</strong> {detail}
    </>
  );
  if (files.length === 0) return <p>{head}</p>;
  return (
    <details open>
      <summary>{head}</summary>
      <Files files={files} more={more} />
    </details>
  );
}

/** How many of the files are read. */
function Share({ kept, all }: { kept: number; all: number }) {
  return (
    <span className={styles.explainShare} aria-hidden="true">
      <span style={{ width: `${(100 * kept) / all}%` }} />
    </span>
  );
}

function Files({ files, more }: { files: readonly ExplainFile[]; more: string }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? files : files.slice(0, FIRST_FILES);
  return (
    <>
      <ul>
        {shown.map(({ isKept, path, rows, reason }) => (
          <li key={path} className={isKept ? "kept" : "skipped"}>
            <span className={`badge ${isKept ? "note" : ""}`}>
              <span aria-hidden="true">{isKept ? "→" : "⤓"}</span>
              {isKept ? "read" : "skipped"}
            </span>
            <code>{path}</code>
            <Muted isSmall>
              {rows} {rows === "1" ? "row" : "rows"}: {reason}
            </Muted>
          </li>
        ))}
      </ul>
      {shown.length < files.length ? (
        <Button isSmall onClick={() => setWhole(true)}>
          Show {counted(files.length - shown.length, "more file")}
        </Button>
      ) : null}
      {more ? <Muted as="p" isSmall>{more}</Muted> : null}
    </>
  );
}
