import { useState } from "react";
import { Link } from "react-router";

import { compareAddress, mergeAddress } from "../../model/addresses";
import { areHidden, DEMO, DEMO_PAIR, hasSeenConflict, hide, stepsDone, type StepKey } from "../../model/first-steps";
import { useComparison } from "../../queries/compare";
import { useMerge, useMerges } from "../../queries/merges";
import { Button } from "../../ui/button";
import { classes } from "../../ui/classes";
import { Muted } from "../../ui/muted";
import { Panel } from "../../ui/page";
import { Samples } from "./samples";
import styles from "./first-steps.module.css";

export { DEMO } from "../../model/first-steps";

const { source, destination } = DEMO_PAIR;

/** Four steps through the demo lake that tick themselves off. */
export function FirstSteps() {
  const [isHidden, setHidden] = useState(areHidden);
  const comparison = useComparison(DEMO_PAIR, { limit: 1 }, !isHidden);
  const summary = comparison.data?.pages[0];
  const merges = useMerges(DEMO, "merge").data?.pages.flatMap((page) => page.results) ?? [];
  const merged = merges.find((record) => record.source === source && record.destination === destination && record.outcome === "merged");
  const record = useMerge(merged?.merge_id ?? "", merged !== undefined).data;
  // Until it is known what is done, the card has its place: nothing below it moves.
  if (isHidden || (!summary && !comparison.isPending)) return null;
  const done = summary
    ? stepsDone({
        hasSeen: hasSeenConflict(),
        isMergeable: summary.mergeable,
        isEmpty: summary.is_empty,
        merges,
        isReverted: record?.kind === "merge" && Boolean(record.undone_by),
      })
    : undefined;
  const compare = compareAddress(DEMO, source, destination);
  const steps: readonly { key: StepKey; title: string; text: string; to: string }[] = [
    { key: "see", title: "See the conflict", text: `${source} and ${destination} changed the same table. Which rows clash?`, to: compare },
    { key: "fix", title: "Fix it", text: "Press Keep both. The choice is kept in a merge request.", to: compare },
    { key: "merge", title: "Merge", text: `The merge request brings ${source} into ${destination}.`, to: compare },
    { key: "revert", title: "Revert", text: "The record of the merge has a button for that.", to: merged ? mergeAddress(merged.merge_id) : compare },
  ];
  const next = done ? steps.find(({ key }) => !done.has(key)) : undefined;
  return (
    <Panel
      title="First steps"
      actions={
        <Button
          look="quiet" isSmall
          onClick={() => {
            hide();
            setHidden(true);
          }}
        >
          Hide
        </Button>
      }
    >
      <ol className={styles.steps}>
        {steps.map(({ key, title, text, to }) => (
          <li key={key} data-done={done?.has(key) ?? false}>
            <strong>
              <span aria-hidden="true">{done?.has(key) ? "✓" : "○"}</span> {key === next?.key ? <Link to={to}>{title}</Link> : title}
              <span className="visually-hidden">{done?.has(key) ? " (done)" : ""}</span>
            </strong>
            <Muted isSmall>{text}</Muted>
          </li>
        ))}
      </ol>
      <Samples className={classes("inside", styles.samples)} />
    </Panel>
  );
}
