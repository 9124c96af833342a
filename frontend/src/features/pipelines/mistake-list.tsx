import { useId } from "react";

import { asProblem } from "../../api/problem";
import { mistakesIn, placeText } from "../../model/mistakes";
import { Failure } from "../../ui/states";

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
      <ul className="mistakes" aria-labelledby={heading}>
        {mistakes.map((mistake, place) => (
          <li key={place}>
            <code>{placeText(mistake)}</code> {mistake.message} <span className="muted">{mistake.remedy}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
