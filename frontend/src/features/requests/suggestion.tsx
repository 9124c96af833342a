import { useState } from "react";

import type { Comment } from "../../api/resources";
import { typedOf } from "../../model/edited-row";
import { counted } from "../../model/format";
import { openTogether, suggestedValue, type SeenCell } from "../../model/suggestion";
import { useSuggestionsApply } from "../../queries/comments";
import type { RequestPlace } from "../../queries/requests";
import { classes } from "../../ui/classes";
import { Button } from "../../ui/button";
import { Input } from "../../ui/field";
import { Failure } from "../../ui/states";
import styles from "./suggestion.module.css";

/** A suggested value under its comment: what it was, what it is to be, and what became of it. */
export function SuggestionView({ place, comment, mayApply }: { place: RequestPlace; comment: Comment; mayApply: boolean }) {
  const apply = useSuggestionsApply(place);
  const { suggestion } = comment;
  if (!suggestion) return null;
  const isOpen = suggestion.state === "open";
  return (
    <div className={classes("stack tight", styles.suggestion)}>
      <p className="row">
        <span className="visually-hidden">Suggested value: instead of</span>
        <del>{shown(suggestion.was)}</del>
        <span aria-hidden="true">→</span>
        <span className="visually-hidden">this</span>
        <ins>{shown(suggestion.value)}</ins>
        <span className={suggestion.state === "applied" ? "badge fine" : "badge"}>{standing(suggestion)}</span>
        {isOpen && mayApply ? (
          <Button isSmall disabled={apply.isPending} onClick={() => apply.mutate([comment.id])}>
            {apply.isPending ? "Applying …" : "Apply suggestion"}
          </Button>
        ) : null}
      </p>
      {apply.error ? <Failure error={apply.error} /> : null}
    </div>
  );
}

function standing({ state, version, applied_by: by }: NonNullable<Comment["suggestion"]>): string {
  if (state !== "applied") return state;
  return `applied by ${by ?? "lakeui"} in v${String(version)}`;
}

function shown(value: unknown): string {
  return typedOf(value) ?? "NULL";
}

/** A button for several open suggestions that can become one commit. */
export function SuggestionsTogether({ place, comments }: { place: RequestPlace; comments: readonly Comment[] }) {
  const apply = useSuggestionsApply(place);
  const groups = openTogether(comments);
  if (groups.length === 0) return null;
  return (
    <div className="stack tight">
      {groups.map(({ place: where, comments: ids }) => (
        <p key={where}>
          <Button isSmall disabled={apply.isPending} onClick={() => apply.mutate(ids)}>
            Apply {counted(ids.length, "suggestion")} on {where} as one commit
          </Button>
        </p>
      ))}
      {apply.error ? <Failure error={apply.error} /> : null}
    </div>
  );
}

/** What the form holds of a suggestion: none, one that is sent, or what is no value of the type. */
export type Suggesting = { was: unknown; value: unknown } | "invalid" | undefined;

/** Fields of a suggested value. It begins with the value that the cell has. */
export function SuggestionField({ cell, onChange }: { cell: SeenCell; onChange: (suggesting: Suggesting) => void }) {
  const [isOn, setOn] = useState(false);
  const [typed, setTyped] = useState(typedOf(cell.was) ?? "");
  const [isNull, setNull] = useState(false);
  const say = (on: boolean, text: string, none: boolean) => {
    setOn(on);
    setTyped(text);
    setNull(none);
    if (!on) onChange(undefined);
    else {
      const found = suggestedValue(none ? null : text, cell.type);
      onChange(found === undefined || found.value === cell.was ? "invalid" : { was: cell.was, value: found.value });
    }
  };
  return (
    <div className="row small">
      <label className="row">
        <input type="checkbox" checked={isOn} onChange={(event) => say(event.target.checked, typed, isNull)} />
        <span>
          Suggest another value than <code>{shown(cell.was)}</code>
        </span>
      </label>
      {isOn ? (
        <>
          <Input aria-label={`Suggested ${cell.type}`} value={typed} disabled={isNull} onChange={(event) => say(true, event.target.value, isNull)} />
          <label className="row">
            <input type="checkbox" checked={isNull} onChange={(event) => say(true, typed, event.target.checked)} />
            <span>NULL</span>
          </label>
        </>
      ) : null}
    </div>
  );
}
