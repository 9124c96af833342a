import { lazy, Suspense, useState, type ReactNode } from "react";

import type { ComparedDetail, Finding, ObjectKind, Rules } from "../../api/resources";
import { evidenceOf, firstFinding } from "../../model/first-finding";
import { firstTab, reasonsOf, withNames, type TabKey } from "../../model/first-look";
import { inOrder } from "../../model/reading-order";
import type { CellAnchor } from "../../model/timeline";
import { finerSettings, objectMark } from "../../model/verdict";
import { useComparedObject, useRules, type Pair } from "../../queries/compare";
import { ChangeBars } from "../../ui/change-bars";
import { classes } from "../../ui/classes";
import { MarkBadge } from "../../ui/mark";
import { Muted } from "../../ui/muted";
import { Loaded, Loading } from "../../ui/states";
import { Tabs } from "../../ui/tabs";
import { BranchWays } from "./branch-ways";
import { CommitsFold } from "./commits-fold";
import { ComparedRows } from "./compared-rows";
import type { RowAdditions } from "./conflicting-rows";
import { FilesTab, PartitionsTab, PropertiesTab, ResultTab, SchemaTab } from "./detail-tabs";
import { FirstRows } from "./first-rows";
import { RuleFold } from "./rule-fold";
import { Violators } from "./violators";
import styles from "./object-detail.module.css";

const ProfileTab = lazy(() => import("./profile-tab"));

const ACTIONS: Record<string, string> = {
  create: "would be created",
  drop: "would be dropped",
  untouched: "would stay as it is",
};
const MERGED_ACTIONS: Record<string, string> = { create: "created", drop: "dropped", untouched: "stayed as it was" };

/** What a page around a comparison adds: beside the judgement of an object, beneath a cell of its matrix, and beneath a
 * row that conflicts. */
export interface Additions {
  /** How its conflicts are decided. */
  object: (detail: ComparedDetail) => ReactNode;
  /** What people say about it. */
  talk?: (detail: ComparedDetail) => ReactNode;
  cell: (detail: ComparedDetail, cell: CellAnchor) => ReactNode;
  /** Whether there is something to read beneath a cell. */
  hasCellTalk?: (detail: ComparedDetail) => boolean;
  rows: RowAdditions;
}

interface Viewed {
  isViewed: boolean;
  onView: () => void;
}

/** One object: how much changed, the rows of its first conflict, why it is one, the ways out; then all the rest. */
export function ObjectDetail({
  pair,
  kind,
  objectId,
  additions,
  viewed,
}: {
  pair: Pair;
  kind: ObjectKind;
  objectId: number;
  additions?: Additions;
  /** Undefined where the object is not in the list. */
  viewed: Viewed | undefined;
}) {
  const detail = useComparedObject(pair, kind, objectId);
  return (
    <section className="panel" aria-label="Chosen object">
      <Loaded query={detail} label="what both branches did">
        {(found) => (
          <>
            <header>
              <h2>
                <bdi>{inOrder(found.names.result ?? found.name)}</bdi>
              </h2>
              {found.kind === "table" ? <ChangeBars brings={found.brings} /> : null}
              <ActionWords action={found.action} isMerged={pair.isMerged === true} />
              <MarkBadge mark={objectMark(found.verdict)} />
              {viewed ? (
                <label className={classes("row small", styles.viewed)}>
                  <input type="checkbox" checked={viewed.isViewed} onChange={viewed.onView} />
                  viewed
                </label>
              ) : null}
            </header>
            <div className="inside stack">
              <FirstLook pair={pair} detail={found} additions={additions} />
              {additions?.talk?.(found)}
              <RuleFold pair={pair} detail={found} cellAddition={additions?.cell} isOpen={additions?.hasCellTalk?.(found) ?? false} />
              <CommitsFold pair={pair} detail={found} />
              <DetailTabs detail={found} pair={pair} additions={additions?.rows} />
            </div>
          </>
        )}
      </Loaded>
    </section>
  );
}

function ActionWords({ action, isMerged }: { action: string; isMerged: boolean }) {
  const words = (isMerged ? MERGED_ACTIONS : ACTIONS)[action];
  return words ? <Muted isSmall>{words}</Muted> : null;
}

/** Why it conflicts, what shows that, and what to do. */
function FirstLook({ pair, detail, additions }: { pair: Pair; detail: ComparedDetail; additions: Additions | undefined }) {
  const rules = useRules();
  const first = firstFinding(detail);
  const evidence = first && evidenceOf(first);
  return (
    <>
      <Loaded query={rules} label="the rules">
        {({ codes }) => (
          <>
            <Reasons pair={pair} detail={detail} codes={codes} />
            <Notes pair={pair} detail={detail} codes={codes} />
          </>
        )}
      </Loaded>
      {evidence ? <FirstRows pair={pair} detail={detail} evidence={evidence} additions={additions?.rows} /> : null}
      {additions?.object(detail)}
      {first?.verdict === "conflict" ? <BranchWays pair={pair} finding={first} detail={detail} /> : null}
    </>
  );
}

function Reasons({ pair, detail, codes }: { pair: Pair; detail: ComparedDetail; codes: Rules["codes"] }) {
  const found = reasonsOf(detail, pair, codes);
  if (found.length === 0) return null;
  return (
    <ul className={styles.reasons} aria-label="Why it conflicts">
      {found.map(({ text, finding }) => (
        <li key={text} data-verdict={finding.verdict}>
          <strong>{text}</strong>
          {finding.verdict === "decided" ? <Muted isSmall> Decided by a person.</Muted> : null}
          <FinerSettings finding={finding} />
          <Violators pair={pair} finding={finding} detail={detail} />
        </li>
      ))}
    </ul>
  );
}

/** What the verdict would be if less counted as a conflict. */
function FinerSettings({ finding }: { finding: Finding }) {
  const finer = finerSettings(finding);
  const way = finer.find(({ rows }) => rows === 0);
  if (finer.length === 0 || finding.verdict !== "conflict") return null;
  return (
    <p className="small">
      {finer.map(({ setting, text }) => (
        <span key={setting}>{text} </span>
      ))}
      {way ? (
        <Muted>
          Set <code>merge.conflicts = &apos;{way.setting}&apos;</code> on {finding.object} to merge it so.
        </Muted>
      ) : null}
    </p>
  );
}

/** What the merge leaves out or overrides. */
function Notes({ pair, detail, codes }: { pair: Pair; detail: ComparedDetail; codes: Rules["codes"] }) {
  const titles = detail.cells
    .filter(({ verdict }) => verdict === "note")
    .map((note) => withNames(codes.find(({ code }) => code === note.code)?.title ?? note.message, pair));
  if (titles.length === 0) return null;
  return (
    <ul className={styles.reasons} aria-label="Notes">
      {[...new Set(titles)].map((title) => (
        <li key={title}>
          {title}.
        </li>
      ))}
    </ul>
  );
}

function DetailTabs({ detail, pair, additions }: { detail: ComparedDetail; pair: Pair; additions: RowAdditions | undefined }) {
  const isTable = detail.kind === "table";
  const [chosen, setChosen] = useState<TabKey>(firstTab(detail));
  const { brings } = detail;
  const tabs = [
    { key: "rows" as const, label: "Rows", count: brings.rows_inserted + brings.rows_updated + brings.rows_deleted },
    { key: "values" as const, label: "Values" },
    { key: "schema" as const, label: "Schema", count: detail.columns.filter((column) => column.is_changed).length },
    { key: "result" as const, label: "Result" },
    { key: "files" as const, label: "Files", count: detail.files ? detail.files.brought_count + detail.files.removed_count : undefined },
    { key: "properties" as const, label: "Properties", count: detail.properties.filter((entry) => entry.is_changed).length },
    { key: "partitions" as const, label: "Partitions", count: detail.partitions.source.length + detail.partitions.destination.length },
  ].filter((tab) => isTable || tab.key === "properties");
  return (
    <Tabs tabs={tabs} chosen={chosen} onChoose={setChosen} label="What changes">
      {chosen === "result" ? <ResultTab detail={detail} /> : null}
      {chosen === "schema" ? <SchemaTab detail={detail} pair={pair} /> : null}
      {chosen === "rows" ? <ComparedRows pair={pair} detail={detail} talk={additions?.talk?.(detail)} /> : null}
      {chosen === "values" ? (
        <Suspense fallback={<Loading label="the values" />}>
          <ProfileTab pair={pair} detail={detail} />
        </Suspense>
      ) : null}
      {chosen === "files" ? <FilesTab detail={detail} /> : null}
      {chosen === "properties" ? <PropertiesTab detail={detail} pair={pair} /> : null}
      {chosen === "partitions" ? <PartitionsTab detail={detail} pair={pair} /> : null}
    </Tabs>
  );
}
