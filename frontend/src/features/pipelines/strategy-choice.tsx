import type { Strategy } from "../../api/resources";
import { STRATEGY_FIELD } from "../../model/pipeline-settings";
import { STRATEGIES, STRATEGY_NAMES } from "../../model/strategies";
import { classes } from "../../ui/classes";
import { StrategyPicture } from "./strategy-picture";
import styles from "./strategy-choice.module.css";

/** A card for each strategy: what it does, in a sentence and a small example. */
export function StrategyChoice({
  chosen,
  annotated,
  mayEdit,
  onChoose,
}: {
  chosen: Strategy;
  annotated: number | undefined;
  mayEdit: boolean;
  onChoose: (strategy: Strategy) => void;
}) {
  return (
    <fieldset className={styles.strategies}>
      <legend>How the rows of a run get into the table</legend>
      {annotated === undefined ? null : (
        <p className="small">◆ Line {annotated} of the source names it: an annotation wins over config.yaml. Change it there.</p>
      )}
      <div className={styles.cards}>
        {STRATEGY_NAMES.map((name) => (
          <label key={name} className={classes(styles.card, name === chosen && styles.chosen)}>
            <span className="row">
              <input
                type="radio"
                name={STRATEGY_FIELD}
                value={name}
                checked={name === chosen}
                disabled={!mayEdit || annotated !== undefined}
                aria-labelledby={`${name}-title`}
                aria-describedby={`${name}-does`}
                onChange={() => onChoose(name)}
              />
              <span id={`${name}-title`}>
                <strong>{STRATEGIES[name].title}</strong> <code className="small muted">{name}</code>
              </span>
            </span>
            <span id={`${name}-does`} className="small">
              {STRATEGIES[name].does}
            </span>
            <StrategyPicture story={STRATEGIES[name]} />
          </label>
        ))}
      </div>
    </fieldset>
  );
}
