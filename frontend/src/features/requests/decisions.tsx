import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";

import { asProblem } from "../../api/problem";
import type { ComparedDetail, DecisionEffect, Resolution, ResolutionChoice } from "../../api/resources";
import { requestAddress } from "../../model/addresses";
import { choiceText, decisionOf, effectOf, isDecidable, partsOf, withCounted, type Part } from "../../model/decisions";
import { counted, textOr } from "../../model/format";
import { useDecisionEffects, useNewestEffect, type Pair } from "../../queries/compare";
import type { RequestPlace } from "../../queries/requests";
import { useResolutionChange, useResolutions, type PressedDecision } from "../../queries/resolutions";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Input } from "../../ui/field";
import { Muted } from "../../ui/muted";
import { Failure, Loaded, Loading } from "../../ui/states";
import { Time } from "../../ui/time";
import type { EditedPlace } from "./edited-form";
import styles from "./decisions.module.css";

const EditedForm = lazy(() => import("./edited-form"));

/** What people decided about the conflicts of an object, and how they decide. Without a request the first decision opens
 * one. */
export function Decisions({ place, detail, pair, mayDecide }: { place: RequestPlace | undefined; detail: ComparedDetail; pair: Pair; mayDecide: boolean }) {
  const resolutions = useResolutions(place);
  return (
    <Loaded query={resolutions} label="what was decided">
      {(made) => {
        const isOpen = isDecidable(detail.cells);
        const parts = partsOf(detail, made).filter((part) => isOpen || decisionOf(made, detail, part));
        if (parts.length === 0 || (!place && !(isOpen && mayDecide))) return null;
        return (
          <section className={styles.decision} aria-label="Decide the conflict">
            <h3>What to do</h3>
            {place ? null : (
              <Muted as="p" isSmall>
                A choice is kept in a merge request of {pair.source} into {pair.destination}, and leads there. Nothing is merged yet.
              </Muted>
            )}
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
  const counted = effects.data ?? [];
  const uncounted = effects.data === undefined && effects.error ? { error: effects.error, retry: () => void effects.refetch() } : undefined;
  return <PartDecision {...props} part={withCounted(props.part, counted)} effects={counted} isCounting={props.mayDecide && effects.isPending} uncounted={uncounted} />;
}

interface PartProps {
  place: RequestPlace | undefined;
  detail: ComparedDetail;
  pair: Pair;
  part: Part;
  made: Resolution | undefined;
  mayDecide: boolean;
  /** What decisions do, as far as that is known. */
  effects?: readonly DecisionEffect[];
  isCounting?: boolean;
  /** Why it is not known what decisions leave out; undefined where it is, or where it is being counted. */
  uncounted?: Uncounted | undefined;
  /** Whether the values that a choice keeps stand above it already. */
  isBrief?: boolean;
  /** The row of which values can be typed. */
  edited?: EditedPlace;
}

interface Uncounted {
  error: Error;
  retry: () => void;
}

export function PartDecision({ place, detail, pair, part, made, mayDecide, effects = [], isCounting = false, uncounted, isBrief = false, edited }: PartProps) {
  const change = useResolutionChange(pair, place);
  const lead = useLeadToRequest(place, detail);
  const newest = useNewestEffect(pair, detail.kind, detail.object_id);
  const [asking, setAsking] = useState<Asking>();
  const [confirming, setConfirming] = useState<Confirming>();
  const decide = (decision: ResolutionChoice["decision"], { name = "", value = "", confirm = null as number | null } = {}) =>
    change.press(
      {
        decide: [
          {
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
        ],
      },
      lead,
    );
  const choose = (decision: ResolutionChoice["decision"]) => {
    const effect = effectOf(effects, part, decision);
    if (needsText(decision)) setAsking(decision);
    else if (effect ? effect.rows_left_out > 0 : uncounted) setConfirming({ decision, effect, value: "" });
    else decide(decision);
  };
  /** The newer rows are shown before they are kept. */
  const give = (decision: Asking, text: string) => {
    if (decision === "rename") decide(decision, { name: text });
    else if (decision === "edited") decide(decision, { value: text });
    else newest.mutate(text, { onSuccess: (effect) => setConfirming({ decision, effect, value: text }) });
  };
  const mine = change.entries.findLast((entry) => isAbout(entry, detail, part, made));
  const saving = mine && mine.standing !== "failed" && "decide" in mine.change ? mine.change.decide[0]?.decision : undefined;
  const isPressed = (decision: string) => (saving === undefined ? isChosen(made, decision) : saving === decision);
  return (
    <div className="stack tight">
      {isBrief ? <h3 className="visually-hidden">{part.heading}</h3> : <h4 className="small">{part.heading}</h4>}
      {made ? <Made made={made} pair={pair} isStated={!isBrief && effectOf(effects, part, made.decision) !== undefined} /> : null}
      {mayDecide ? (
        <ul className={isBrief ? "row" : styles.choices} aria-label="What each choice does">
          {part.decisions.map((decision) => {
            const effect = effectOf(effects, part, decision);
            // No one leaves out rows before their number is known.
            const isAwaited = isCounting && !effect && !needsText(decision);
            return (
              <li key={decision}>
                <Button
                  look={isPressed(decision) ? "primary" : undefined} isSmall
                  aria-pressed={isPressed(decision)}
                  disabled={isAwaited || Boolean(effect?.refused)}
                  title={isBrief ? sentence(effect) : undefined}
                  onClick={() => choose(decision)}
                >
                  {choiceText(decision, pair)}
                  {part.label ? <span className="visually-hidden"> of {part.label}</span> : null}
                </Button>
                {isBrief ? null : <EffectText effect={effect} isCounting={isCounting} uncounted={needsText(decision) ? undefined : uncounted} />}
              </li>
            );
          })}
          {made ? (
            <li>
              <Button look="quiet" isSmall onClick={() => change.press({ withdraw: made.id })}>
                Remove decision
              </Button>
            </li>
          ) : null}
        </ul>
      ) : null}
      {confirming ? (
        <LossDialog
          title={choiceText(confirming.decision, pair)}
          rows={confirming.effect?.rows_left_out}
          texts={confirming.effect ? [confirming.effect.text] : unknownTexts(uncounted)}
          onConfirm={() => {
            decide(confirming.decision, { value: confirming.value, confirm: confirming.effect?.rows_left_out ?? null });
            setConfirming(undefined);
          }}
          onClose={() => setConfirming(undefined)}
        />
      ) : null}
      {asking === "edited" && edited ? (
        <Suspense fallback={<Loading label="the form" />}>
          <EditedForm edited={edited} pair={pair} title={`Edit ${part.label}`} onGiven={(json) => give(asking, json)} onClose={() => setAsking(undefined)} />
        </Suspense>
      ) : null}
      {asking && asking !== "edited" ? (
        <TextForm
          {...QUESTIONS[asking]}
          onGiven={(text) => give(asking, text)}
          isBusy={newest.isPending}
          onClose={() => setAsking(undefined)}
        />
      ) : null}
      {mine ? <StandingText entry={mine} /> : null}
      {newest.isPending ? <Muted as="p" isSmall>Looking which rows are newer …</Muted> : null}
      {newest.error ? <Failure error={newest.error} /> : null}
    </div>
  );
}

interface Confirming {
  decision: ResolutionChoice["decision"];
  /** Undefined where it is not known. */
  effect: DecisionEffect | undefined;
  value: string;
}

function unknownTexts(uncounted: Uncounted | undefined): string[] {
  return [
    "How many changed rows this choice leaves out is not known: they could not be counted.",
    ...(uncounted ? [asProblem(uncounted.error).message] : []),
    "Nothing is merged yet. The merge request shows what is left out once it can be counted.",
  ];
}

/** Whether what was pressed decides this part, alone or among others, or takes its decision back. */
function isAbout({ change }: PressedDecision, detail: ComparedDetail, part: Part, made: Resolution | undefined): boolean {
  if ("withdraw" in change) return change.withdraw === made?.id;
  return change.decide.some(
    (choice) => choice.object_kind === detail.kind && choice.object_id === detail.object_id && choice.part === part.part && choice.part_key === part.part_key,
  );
}

/** Whether what was pressed is saved. */
function StandingText({ entry: { standing, error } }: { entry: PressedDecision }) {
  if (standing === "failed") return <Failure error={error} />;
  const text = { waiting: "Waiting to be saved. You can go on with other rows …", sent: "Saving. You can go on with other rows …", saved: "Saved." }[standing];
  return <Muted as="p" isSmall>{text}</Muted>;
}

/** Asks once before changes of rows are left out: how many, and which. Without `rows` the number is not known. */
export function LossDialog({ title, rows, texts, onConfirm, onClose }: { title: string; rows: number | undefined; texts: readonly string[]; onConfirm: () => void; onClose: () => void }) {
  return (
    <ConfirmDialog
      title={title.replace(" …", "")}
      action={rows === undefined ? "Leave out rows without a count" : rows ? `Leave out ${counted(rows, "changed row")}` : "Keep this choice"}
      working="Saving …"
      isDangerous={rows !== 0}
      run={{ isPending: false, error: null }}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </ConfirmDialog>
  );
}

/** From a page without a request to the one that has the decision, if the person is still on that page. */
export function useLeadToRequest(place: RequestPlace | undefined, detail: ComparedDetail) {
  const navigate = useNavigate();
  const isThere = useRef(false);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  return useCallback(
    (at: RequestPlace) => {
      if (!place && isThere.current) void navigate(`${requestAddress(at.catalog, at.number)}?tab=compare&object=${detail.kind}:${String(detail.object_id)}`);
    },
    [place, navigate, detail.kind, detail.object_id],
  );
}

function isChosen(made: Resolution | undefined, decision: string): boolean {
  return made?.is_current === true && (made.decision === "leave_out" ? "destination" : made.decision) === decision;
}

/** What a decision keeps and leaves out, said before it is taken. */
function EffectText({ effect, isCounting, uncounted }: { effect: DecisionEffect | undefined; isCounting: boolean; uncounted: Uncounted | undefined }) {
  if (!effect && uncounted) {
    return (
      <span className="row small">
        What it leaves out could not be counted.
        <Button look="quiet" isSmall onClick={uncounted.retry}>
          Count again
        </Button>
      </span>
    );
  }
  if (!effect) return isCounting ? <Muted isSmall>counting what it leaves out …</Muted> : null;
  const said = effect.refused || effect.text;
  return effect.rows_left_out ? <span className="small">{said}</span> : <Muted isSmall>{said}</Muted>;
}

function Made({ made, pair, isStated }: { made: Resolution; pair: Pair; isStated: boolean }) {
  return (
    <p className="row small">
      <span className={`badge ${made.is_current ? "person" : "amber"}`}>
        <span aria-hidden="true">◆</span>
        {madeText(made, pair)}
      </span>
      <Muted>
        {made.author}, <Time at={made.created_at} />
      </Muted>
      {made.effect && !isStated ? <span>{made.effect}</span> : null}
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
const QUESTIONS: Record<Exclude<Asking, "edited">, { label: string; action: string }> = {
  rename: { label: "New name, without its database", action: "Rename" },
  newest: { label: "Column that says which row is newer", action: "Keep the newer" },
};

function needsText(decision: ResolutionChoice["decision"]): decision is Asking {
  return decision === "edited" || decision in QUESTIONS;
}

function TextForm({ label, action, onGiven, isBusy, onClose }: { label: string; action: string; onGiven: (text: string) => void; isBusy: boolean; onClose: () => void }) {
  const [text, setText] = useState("");
  return (
    <div className="row">
      <Input aria-label={label} placeholder={label} value={text} onChange={(event) => setText(event.target.value)} />
      <Button
        isSmall
        disabled={isBusy || text.trim() === ""}
        onClick={() => {
          onGiven(text.trim());
          onClose();
        }}
      >
        {action}
      </Button>
      <Button look="quiet" isSmall onClick={onClose}>
        Cancel
      </Button>
    </div>
  );
}

/** What a choice does, or why it cannot be made. */
function sentence(effect: DecisionEffect | undefined): string | undefined {
  return effect && textOr(effect.refused, effect.text);
}
