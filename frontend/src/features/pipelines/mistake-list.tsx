import { useId } from "react";

import { asProblem } from "../../api/problem";
import { mistakesIn, placeText, type Mistake } from "../../model/mistakes";
import { Muted } from "../../ui/muted";
import { Failure } from "../../ui/states";
import styles from "./mistake-list.module.css";

/** Why the server did not take the texts: every mistake with its place, else what else went wrong. */
export function TextFailure({ error }: { error: unknown }) {
  const heading = useId();
  const problem = asProblem(error);
  const mistakes = mistakesIn(problem.members);
  if (mistakes.length === 0) return <Failure error={error} />;
  return (
    <div className="notice conflict" role="alert">
      <span className="symbol" aria-hidden="true">
        ✕
      </span>
      <strong id={heading}>{problem.title}</strong>
      <MistakeList mistakes={mistakes} labelledBy={heading} />
    </div>
  );
}

/** What is wrong in texts that no one has tried to save yet. */
export function LiveMistakes({ mistakes }: { mistakes: readonly Mistake[] }) {
  const heading = useId();
  return (
    <div role="status">
      {mistakes.length ? (
        <div className="notice conflict">
          <span className="symbol" aria-hidden="true">
            ✕
          </span>
          <strong id={heading}>As it stands it cannot be saved</strong>
          <MistakeList mistakes={mistakes} labelledBy={heading} />
        </div>
      ) : null}
    </div>
  );
}

function MistakeList({ mistakes, labelledBy }: { mistakes: readonly Mistake[]; labelledBy: string }) {
  return (
    <ul className={styles.mistakes} aria-labelledby={labelledBy}>
      {mistakes.map((mistake, place) => (
        <li key={place}>
          <code>{placeText(mistake)}</code> {mistake.message} <Muted>{mistake.remedy}</Muted>
        </li>
      ))}
    </ul>
  );
}
