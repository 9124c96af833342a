import { useState } from "react";

import { counted } from "../../model/format";
import { laneColour } from "../../model/lanes";
import { shortStatement } from "../../model/statements";
import { LaneDot } from "../../ui/branch-name";
import { Button } from "../../ui/button";
import { classes } from "../../ui/classes";
import { Dialog, firstInDialog } from "../../ui/dialog";
import type { useWriteQuestion } from "./use-write-question";
import { Muted } from "../../ui/muted";
import styles from "./write-question.module.css";

/** Asks before the first write of a session on a default or protected branch. */
export function WriteQuestion({ asks }: { asks: ReturnType<typeof useWriteQuestion> }) {
  const [isKept, setKept] = useState(false);
  if (asks.question === undefined) return null;
  const { branches, statements } = asks.question;
  const names = branches.map(({ name }) => name).join(", ");
  return (
    <Dialog title={`Write to ${names}?`} onClose={asks.close}>
      <ul className={classes("stack", styles.targets)}>
        {branches.map(({ name, why }) => (
          <li key={name} className={classes("row", styles.target, `lane-${laneColour(name)}`)}>
            <LaneDot branch={name} />
            <span>
              <bdi>{name}</bdi> is {why}.
            </span>
          </li>
        ))}
      </ul>
      <Muted as="p" isSmall>{statements.length === 1 ? <code>{shortStatement(statements[0]?.text ?? "", 60)}</code> : `${counted(statements.length, "statement")} run, one after the other.`}</Muted>
      <label className="row">
        <input type="checkbox" checked={isKept} onChange={(event) => setKept(event.target.checked)} />
        Do not ask again for {branches.length === 1 ? "this branch" : "these branches"} in this browser
      </label>
      <div className="actions">
        <Button onClick={asks.close} ref={firstInDialog}>
          Cancel
        </Button>
        <Button look="primary" onClick={() => asks.answer(isKept)}>
          Write to {names}
        </Button>
      </div>
    </Dialog>
  );
}
