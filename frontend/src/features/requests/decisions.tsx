import { useState } from "react";

import type { ComparedDetail, Resolution, ResolutionChoice } from "../../api/resources";
import { decisionOf, isDecidable, partsOf, type Part } from "../../model/decisions";
import { decisionText } from "../../model/timeline";
import type { Pair } from "../../queries/compare";
import type { RequestPlace } from "../../queries/requests";
import { useResolutionChange, useResolutions } from "../../queries/resolutions";
import { Failure, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";

/** What people decided about the conflicts of an object, and how they decide. */
export function Decisions({ place, detail, pair, mayDecide }: { place: RequestPlace; detail: ComparedDetail; pair: Pair; mayDecide: boolean }) {
  const resolutions = useResolutions(place);
  return (
    <Loaded query={resolutions} label="what was decided">
      {(made) => {
        const parts = partsOf(detail).filter((part) => isDecidable(detail.cells) || decisionOf(made, detail, part));
        if (parts.length === 0) return null;
        return (
          <section className="decision" aria-label="Decide the conflict">
            <h3>◆ Decide the conflict</h3>
            {parts.map((part) => (
              <PartDecision
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

interface PartProps {
  place: RequestPlace;
  detail: ComparedDetail;
  pair: Pair;
  part: Part;
  made: Resolution | undefined;
  mayDecide: boolean;
}

export function PartDecision({ place, detail, pair, part, made, mayDecide }: PartProps) {
  const change = useResolutionChange(place);
  const [asking, setAsking] = useState<Asking>();
  const decide = (decision: ResolutionChoice["decision"], { name = "", value = "" } = {}) =>
    change.mutate({
      decide: {
        object_kind: detail.kind,
        object_id: detail.object_id,
        part: part.part,
        part_key: part.part_key,
        decision,
        name,
        value,
        source_head: detail.source_head,
        destination_head: detail.destination_head,
      },
    });
  return (
    <div className="stack tight">
      {part.label ? <strong className="small">Only {part.label}</strong> : null}
      {made ? <Made made={made} /> : null}
      {mayDecide ? (
        <div className="row">
          {part.decisions.map((decision) => (
            <button
              key={decision}
              type="button"
              className="button small"
              aria-pressed={made?.is_current === true && made.decision === decision}
              disabled={change.isPending}
              onClick={() => (needsText(decision) ? setAsking(decision) : decide(decision))}
            >
              {choiceText(decision, pair)}
              {part.label ? <span className="visually-hidden"> of {part.label}</span> : null}
            </button>
          ))}
          {made ? (
            <button type="button" className="button small" disabled={change.isPending} onClick={() => change.mutate({ withdraw: made.id })}>
              Take the decision back
            </button>
          ) : null}
        </div>
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

function Made({ made }: { made: Resolution }) {
  return (
    <p className="row small">
      <span className={`badge ${made.is_current ? "person" : "amber"}`}>
        <span aria-hidden="true">◆</span>
        {decisionText(made.decision, made.name || made.value)}
      </span>
      <span className="muted">
        {made.author}, <Time at={made.created_at} />
      </span>
      {made.is_current ? null : <span>A branch has moved since: it has no effect until it is decided again.</span>}
    </p>
  );
}

type Asking = "rename" | "newest" | "edited";

/** Decisions that need a text: its label, and what the button says. */
const QUESTIONS: Record<Asking, { label: string; action: string }> = {
  rename: { label: "New name, without its database", action: "Rename" },
  newest: { label: "Column that says which row is newer", action: "Take the newer" },
  edited: { label: "Value as JSON; of a row an object by columns", action: "Take this value" },
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
        Not now
      </button>
    </div>
  );
}

function choiceText(decision: ResolutionChoice["decision"], { source, destination }: Pair): string {
  switch (decision) {
    case "source":
      return `Take ${source}`;
    case "destination":
      return `Take ${destination}`;
    case "leave_out":
      return "Leave it out";
    case "rename":
      return "Rename …";
    case "larger":
      return "Larger value";
    case "newest":
      return "Newer row …";
    case "edited":
      return "Edit …";
  }
}
