import { useState } from "react";

import type { ComparedDetail, DecisionEffect, Resolution, ResolutionChoice } from "../../api/resources";
import { decisionOf, effectOf, isDecidable, partsOf, type Part } from "../../model/decisions";
import { counted, textOr } from "../../model/format";
import { useDecisionEffects, type Pair } from "../../queries/compare";
import type { RequestPlace } from "../../queries/requests";
import { useResolutionChange, useResolutions } from "../../queries/resolutions";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Failure, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";

/** What people decided about the conflicts of an object, and how they decide. */
export function Decisions({ place, detail, pair, mayDecide }: { place: RequestPlace; detail: ComparedDetail; pair: Pair; mayDecide: boolean }) {
  const resolutions = useResolutions(place);
  return (
    <Loaded query={resolutions} label="what was decided">
      {(made) => {
        const isOpen = isDecidable(detail.cells);
        const parts = partsOf(detail).filter((part) => isOpen || decisionOf(made, detail, part));
        if (parts.length === 0) return null;
        return (
          <section className="decision" aria-label="Decide the conflict">
            <h3>◆ Resolve the conflict</h3>
            {parts.map((part) => (
              <CountedDecision
                key={`${part.part} ${part.part_key}`}
                place={place}
                detail={detail}
                pair={pair}
                part={part}
                made={decisionOf(made, detail, part)}
                mayDecide={mayDecide}
              />
            ))}
          </section>
        );
      }}
    </Loaded>
  );
}

/** With what each decision does. */
function CountedDecision(props: Omit<PartProps, "effects">) {
  const effects = useDecisionEffects(props.pair, props.detail.kind, props.detail.object_id, props.mayDecide);
  return <PartDecision {...props} effects={effects.data ?? []} isCounting={effects.isLoading} />;
}

interface PartProps {
  place: RequestPlace;
  detail: ComparedDetail;
  pair: Pair;
  part: Part;
  made: Resolution | undefined;
  mayDecide: boolean;
  /** What decisions do, as far as that is known. */
  effects?: readonly DecisionEffect[];
  isCounting?: boolean;
}

export function PartDecision({ place, detail, pair, part, made, mayDecide, effects = [], isCounting = false }: PartProps) {
  const change = useResolutionChange(place);
  const [asking, setAsking] = useState<Asking>();
  const [confirming, setConfirming] = useState<DecisionEffect>();
  const decide = (decision: ResolutionChoice["decision"], { name = "", value = "", confirm = null as number | null } = {}) =>
    change.mutate({
      decide: {
        object_kind: detail.kind,
        object_id: detail.object_id,
        part: part.part,
        part_key: part.part_key,
        decision,
        name,
        value,
        confirm,
        source_head: detail.source_head,
        destination_head: detail.destination_head,
      },
    });
  const choose = (decision: ResolutionChoice["decision"]) => {
    const effect = effectOf(effects, part, decision);
    if (needsText(decision)) setAsking(decision);
    else if (effect && effect.rows_left_out > 0) setConfirming(effect);
    else decide(decision);
  };
  return (
    <div className="stack tight">
      <h4 className="small">{part.heading}</h4>
      {made ? <Made made={made} pair={pair} /> : null}
      {mayDecide ? (
        <div className="row">
          {part.decisions.map((decision) => (
            <button
              key={decision}
              type="button"
              className={isChosen(made, decision) ? "button small primary" : "button small"}
              aria-pressed={isChosen(made, decision)}
              disabled={Boolean(effectOf(effects, part, decision)?.refused)}
              title={sentence(effectOf(effects, part, decision))}
              onClick={() => choose(decision)}
            >
              {choiceText(decision, pair)}
              {part.label ? <span className="visually-hidden"> of {part.label}</span> : null}
            </button>
          ))}
          {made ? (
            <button type="button" className="button small" onClick={() => change.mutate({ withdraw: made.id })}>
              Remove decision
            </button>
          ) : null}
        </div>
      ) : null}
      {mayDecide ? <Effects effects={effects} part={part} pair={pair} isCounting={isCounting} /> : null}
      {confirming ? (
        <ConfirmDialog
          title={choiceText(confirming.decision, pair)}
          action={`Leave out ${counted(confirming.rows_left_out, "changed row")}`}
          working="Saving …"
          isDangerous
          run={{ isPending: false, error: null }}
          onConfirm={() => {
            decide(confirming.decision, { confirm: confirming.rows_left_out });
            setConfirming(undefined);
          }}
          onClose={() => setConfirming(undefined)}
        >
          <p>{confirming.text}</p>
        </ConfirmDialog>
      ) : null}
      {asking ? (
        <TextForm
          {...QUESTIONS[asking]}
          onGiven={(text) => decide(asking, asking === "rename" ? { name: text } : { value: text })}
          isBusy={change.isPending}
          onClose={() => setAsking(undefined)}
        />
      ) : null}
      {change.error ? <Failure error={change.error} /> : null}
    </div>
  );
}

function isChosen(made: Resolution | undefined, decision: string): boolean {
  return made?.is_current === true && made.decision === decision;
}

/** What each decision keeps and leaves out, said before one is taken. */
function Effects({ effects, part, pair, isCounting }: { effects: readonly DecisionEffect[]; part: Part; pair: Pair; isCounting: boolean }) {
  const known = part.decisions.flatMap((decision) => effectOf(effects, part, decision) ?? []);
  if (isCounting) return <p className="small muted">Counting what each choice leaves out …</p>;
  if (known.length === 0) return null;
  return (
    <ul className="small stack tight" aria-label="What each choice does">
      {known.map((effect) => (
        <li key={effect.decision} className={effect.rows_left_out ? "" : "muted"}>
          <strong>{choiceText(effect.decision, pair)}</strong>: {effect.refused || effect.text}
        </li>
      ))}
    </ul>
  );
}

function Made({ made, pair }: { made: Resolution; pair: Pair }) {
  return (
    <p className="row small">
      <span className={`badge ${made.is_current ? "person" : "amber"}`}>
        <span aria-hidden="true">◆</span>
        {madeText(made, pair)}
      </span>
      <span className="muted">
        {made.author}, <Time at={made.created_at} />
      </span>
      {made.effect ? <span>{made.effect}</span> : null}
      {made.is_current ? null : <span>A branch has moved since: it has no effect until it is decided again.</span>}
    </p>
  );
}

/** In the words of the button that was pressed. */
function madeText(made: Resolution, pair: Pair): string {
  const words = choiceText(made.decision, pair).replace(" …", "");
  const given = made.decision === "rerun" ? "" : made.name || made.value;
  return given ? `${words}: ${given}` : words;
}

type Asking = "rename" | "newest" | "edited";

/** Decisions that need a text: its label, and what the button says. */
const QUESTIONS: Record<Asking, { label: string; action: string }> = {
  rename: { label: "New name, without its database", action: "Rename" },
  newest: { label: "Column that says which row is newer", action: "Keep the newer" },
  edited: { label: "Value as JSON; of a row an object by columns", action: "Keep this value" },
};

function needsText(decision: ResolutionChoice["decision"]): decision is Asking {
  return decision in QUESTIONS;
}

function TextForm({ label, action, onGiven, isBusy, onClose }: { label: string; action: string; onGiven: (text: string) => void; isBusy: boolean; onClose: () => void }) {
  const [text, setText] = useState("");
  return (
    <div className="row">
      <input className="input" aria-label={label} placeholder={label} value={text} onChange={(event) => setText(event.target.value)} />
      <button
        type="button"
        className="button small"
        disabled={isBusy || text.trim() === ""}
        onClick={() => {
          onGiven(text.trim());
          onClose();
        }}
      >
        {action}
      </button>
      <button type="button" className="button small quiet" onClick={onClose}>
        Cancel
      </button>
    </div>
  );
}

export function choiceText(decision: ResolutionChoice["decision"], { source, destination }: Pair): string {
  switch (decision) {
    case "source":
      return `Keep ${source}`;
    case "destination":
      return `Keep ${destination}`;
    case "leave_out":
      return "Skip";
    case "rename":
      return "Rename …";
    case "both":
      return "Keep both";
    case "rerun":
      return "Keep both, and run again on new rows";
    case "larger":
      return "Keep the larger value";
    case "newest":
      return "Keep the newer row …";
    case "edited":
      return "Edit …";
  }
}

/** What a choice does, or why it cannot be made. */
function sentence(effect: DecisionEffect | undefined): string | undefined {
  return effect && textOr(effect.refused, effect.text);
}
