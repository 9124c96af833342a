import { useState } from "react";

import type { ComparedDetail, ComparedRow, SidesColumn } from "../../api/resources";
import { choiceText, effectOf, isRowId, keyText, rowEffects, rowPart } from "../../model/decisions";
import { counted } from "../../model/format";
import type { Pair } from "../../queries/compare";
import type { RequestPlace } from "../../queries/requests";
import { MOST_DECISIONS, useResolutionChange } from "../../queries/resolutions";
import { LossDialog, useLeadToRequest } from "./decisions";
import { Button } from "../../ui/button";
import { Muted } from "../../ui/muted";
import styles from "./many-rows.module.css";

const CHOICES = ["source", "destination", "larger"] as const;
type Choice = (typeof CHOICES)[number];
/** So many rows are listed in the question. */
const EXAMPLES = 3;

/** Several rows decided alike, in one call: all of them or none. */
export function ManyRows({
  place,
  detail,
  pair,
  rows,
  columns,
}: {
  place: RequestPlace | undefined;
  detail: ComparedDetail;
  pair: Pair;
  rows: readonly ComparedRow[];
  columns: readonly SidesColumn[];
}) {
  const change = useResolutionChange(pair, place);
  const lead = useLeadToRequest(place, detail);
  const [asking, setAsking] = useState<Choice>();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const keys = rows.map((row) => row.key).filter((key) => chosen.has(key)).slice(0, MOST_DECISIONS);
  const open = rows.filter((row) => row.is_open);
  const toggle = (key: string) => setChosen((before) => (before.has(key) ? new Set([...before].filter((other) => other !== key)) : new Set([...before, key])));
  const effects = (decision: Choice) =>
    rows.filter((row) => keys.includes(row.key)).flatMap((row) => effectOf(rowEffects(row, columns, pair), rowPart(row), decision) ?? []);
  const listed = asking ? effects(asking).map((effect) => effect.text) : [];
  const choose = (decision: Choice) => (effects(decision).length > 0 ? setAsking(decision) : decide(decision));
  const decide = (decision: Choice) => {
    const { source_head, destination_head } = detail;
    change.press(
      {
        decide: keys.map((key) => ({ object_kind: detail.kind, object_id: detail.object_id, part: "row" as const, part_key: key, decision, name: "", value: "", confirm: decision === "larger" ? null : 1, source_head, destination_head })),
      },
      lead,
    );
    setChosen(new Set());
  };
  if (rows.length < 2) return null;
  return (
    <details className="stack tight">
      <summary className="small">Decide several rows at once</summary>
      <fieldset className={styles.rows}>
        <legend className="small">Rows</legend>
        {rows.map(({ key, is_open }) => (
          <label key={key} className="row small nowrap">
            <input type="checkbox" checked={chosen.has(key)} onChange={() => toggle(key)} />
            {isRowId(key) ? "row " : ""}
            {keyText(key)}
            {is_open ? null : <span className="badge person">decided</span>}
          </label>
        ))}
      </fieldset>
      <div className="row">
        <Button isSmall disabled={open.length === 0} onClick={() => setChosen(new Set(open.map((row) => row.key)))}>
          Choose all {counted(open.length, "open row")}
        </Button>
        {CHOICES.map((decision) => (
          <Button key={decision} isSmall disabled={keys.length === 0} onClick={() => choose(decision)}>
            {choiceText(decision, pair)} <Muted>of {counted(keys.length, "row")}</Muted>
          </Button>
        ))}
      </div>
      <Muted as="p" isSmall>The changes of the other branch to the chosen rows are left out. All are saved, or none.</Muted>
      {asking ? (
        <LossDialog
          title={`${choiceText(asking, pair)} of ${counted(keys.length, "row")}`}
          rows={keys.length}
          texts={[...listed.slice(0, EXAMPLES), ...(listed.length > EXAMPLES ? [`And ${counted(listed.length - EXAMPLES, "row")} more.`] : [])]}
          onConfirm={() => {
            decide(asking);
            setAsking(undefined);
          }}
          onClose={() => setAsking(undefined)}
        />
      ) : null}
    </details>
  );
}
