import { useState } from "react";

import type { ComparedDetail, ComparedRow } from "../../api/resources";
import { keyText } from "../../model/decisions";
import { counted } from "../../model/format";
import type { Pair } from "../../queries/compare";
import type { RequestPlace } from "../../queries/requests";
import { MOST_DECISIONS, useManyDecisions } from "../../queries/resolutions";
import { Failure } from "../../ui/states";
import { choiceText } from "./decisions";

const CHOICES = ["source", "destination", "larger"] as const;

/** Several rows decided alike, in one call: all of them or none. */
export function ManyRows({ place, detail, pair, rows }: { place: RequestPlace; detail: ComparedDetail; pair: Pair; rows: readonly ComparedRow[] }) {
  const change = useManyDecisions(place);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const keys = rows.map((row) => row.key).filter((key) => chosen.has(key)).slice(0, MOST_DECISIONS);
  const open = rows.filter((row) => row.is_open);
  const toggle = (key: string) => setChosen((before) => (before.has(key) ? new Set([...before].filter((other) => other !== key)) : new Set([...before, key])));
  const decide = (decision: (typeof CHOICES)[number]) =>
    change.mutate(
      {
        source_head: detail.source_head,
        destination_head: detail.destination_head,
        decisions: keys.map((key) => ({ object_kind: detail.kind, object_id: detail.object_id, part: "row" as const, part_key: key, decision, name: "", value: "" })),
      },
      { onSuccess: () => setChosen(new Set()) },
    );
  if (rows.length < 2) return null;
  return (
    <details className="stack tight">
      <summary className="small">Decide several rows at once</summary>
      <fieldset className="many-rows">
        <legend className="small">Rows</legend>
        {rows.map(({ key, is_open }) => (
          <label key={key} className="row small nowrap">
            <input type="checkbox" checked={chosen.has(key)} onChange={() => toggle(key)} />
            {keyText(key)}
            {is_open ? null : <span className="badge person">decided</span>}
          </label>
        ))}
      </fieldset>
      <div className="row">
        <button type="button" className="button small" disabled={open.length === 0} onClick={() => setChosen(new Set(open.map((row) => row.key)))}>
          Choose all {counted(open.length, "open row")}
        </button>
        {CHOICES.map((decision) => (
          <button key={decision} type="button" className="button small" disabled={keys.length === 0 || change.isPending} onClick={() => decide(decision)}>
            {choiceText(decision, pair)} <span className="muted">of {counted(keys.length, "row")}</span>
          </button>
        ))}
      </div>
      <p className="small muted">The changes of the other branch to the chosen rows are left out. All are saved, or none.</p>
      {change.error ? <Failure error={change.error} /> : null}
    </details>
  );
}
