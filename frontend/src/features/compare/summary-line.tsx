import type { Comparison } from "../../api/resources";
import { bringsSentence } from "../../model/brings";
import { counted } from "../../model/format";
import { CountsBadge } from "../../ui/counts-badge";
import { Muted } from "../../ui/muted";
import styles from "./summary-line.module.css";

/** What a merge would bring, in words, and whether it conflicts; beneath it which versions were compared. */
export function SummaryLine({ summary, isMerged = false }: { summary: Comparison; isMerged?: boolean }) {
  const { counts } = summary;
  return (
    <div className={styles.summary}>
      <p className="row">
        <strong className={styles.sentence}>{bringsSentence(summary, { isMerged })}</strong>
        {summary.is_empty || isMerged ? null : <CountsBadge counts={counts} />}
        {counts.decided ? (
          <span className="badge person">
            <span aria-hidden="true">◆</span> {counted(counts.decided, "object")} decided
          </span>
        ) : null}
        {counts.notes ? (
          <span className="badge note">
            <span aria-hidden="true">⤓</span> {counted(counts.notes, "note")}
          </span>
        ) : null}
      </p>
      <Muted as="p" isSmall className="row">
        <span>
          {summary.source.name} <code>v{summary.source.head_version}</code> into {summary.destination.name}{" "}
          <code>v{summary.destination.head_version}</code>
        </span>
        <span>
          since <code>v{summary.merge_base}</code>
        </span>
        <span>{counted(counts.objects, "object")} changed</span>
      </Muted>
    </div>
  );
}
