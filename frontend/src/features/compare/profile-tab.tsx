import { useState, type ReactNode } from "react";

import type { ColumnProfile, ComparedDetail, TableProfile, ValueCounts } from "../../api/resources";
import type { Bin } from "../../model/column-profile";
import { count, counted } from "../../model/format";
import { changedFirst, meanText, shareText } from "../../model/profile";
import { useProfile, type Pair } from "../../queries/compare";
import { Button } from "../../ui/button";
import { Bound, TopValues } from "../../ui/column-counts";
import { CountsTable, type CountsGroup } from "../../ui/counts-table";
import { Muted } from "../../ui/muted";
import { Spread } from "../../ui/spread";
import { Loaded } from "../../ui/states";
import styles from "./profile-tab.module.css";
import { WholeTable } from "./whole-table";

const HEADS = [
  { title: "NULL", isNumber: true },
  { title: "Different", isNumber: true },
  { title: "Minimum", isNumber: true },
  { title: "Maximum", isNumber: true },
  { title: "Mean", isNumber: true },
  { title: "Spread" },
  { title: "Most frequent" },
];
/** Of numbers only. */
const OF_NUMBERS: readonly string[] = ["Mean", "Spread"];
const STATES = ["before", "after", "merged"] as const;
const STATE_TEXTS = { before: () => "before", after: (source: string) => `on ${source}`, merged: () => "merged" };

/** What the change does to the values of each column, counted from the rows that it changed. */
export default function ProfileTab({ pair, detail }: { pair: Pair; detail: ComparedDetail }) {
  const profile = useProfile(pair, detail.object_id);
  return (
    <Loaded query={profile} label="the values">
      {(found) => <Profile pair={pair} detail={detail} profile={found} />}
    </Loaded>
  );
}

function Profile({ pair, detail, profile }: { pair: Pair; detail: ComparedDetail; profile: TableProfile }) {
  const { inserted, updated, deleted } = profile;
  const isUnchanged = inserted + updated + deleted === 0;
  return (
    <div className="stack">
      {profile.risks.length ? (
        <section className="notice amber" aria-label="Look here first">
          <div className="stack tight">
            <strong>Look here first</strong>
            <ul className="stack tight">
              {profile.risks.map(({ code, column, message }) => (
                <li key={`${code} ${column} ${message}`}>
                  {column ? (
                    <>
                      <bdi className="mono">{column}</bdi>:{" "}
                    </>
                  ) : null}
                  {message}
                </li>
              ))}
            </ul>
          </div>
        </section>
      ) : null}
      {isUnchanged ? (
        <Muted as="p">{pair.source} changed no row.</Muted>
      ) : (
        <ChangedValues pair={pair} profile={profile} />
      )}
      <WholeTable key={`${detail.source_head} ${detail.destination_head}`} pair={pair} detail={detail} />
    </div>
  );
}

function ChangedValues({ pair, profile }: { pair: Pair; profile: TableProfile }) {
  const [areAll, setAll] = useState(false);
  const { inserted, updated, deleted } = profile;
  const { changed, others } = changedFirst(profile.columns);
  const shown = [...changed, ...(areAll ? others : [])];
  const haveNumbers = shown.some((entry) => STATES.some((state) => entry[state].mean !== null || entry[state].histogram.length));
  return (
    <>
      <Muted as="p" isSmall>
        {pair.source} inserted {counted(inserted, "row")}, updated {count(updated)}, deleted {count(deleted)}.
        {profile.open ? ` ${counted(profile.open, "row")} in conflict ${profile.open === 1 ? "has" : "have"} no merged values yet.` : ""}
        {profile.is_whole ? "" : " Only the first of the changed rows are counted."}
      </Muted>
      <CountsTable
        label="Values of the changed rows"
        heads={haveNumbers ? HEADS : HEADS.filter(({ title }) => !OF_NUMBERS.includes(title))}
        groups={shown.map((entry) => columnGroup(entry, pair.source, haveNumbers))}
      />
      {others.length && !areAll ? (
        <p>
          <Button isSmall onClick={() => setAll(true)}>
            Show {counted(others.length, "column")} in which no value differs
          </Button>
        </p>
      ) : null}
    </>
  );
}

function columnGroup(entry: ColumnProfile, source: string, haveNumbers: boolean): CountsGroup {
  const { column, updated, changed } = entry;
  // One axis for the three states, so that a shift of the values is seen.
  const bins = STATES.flatMap((state) => entry[state].histogram);
  return {
    key: column.id,
    name: (
      <>
        <bdi>{column.name}</bdi> <Muted>{column.type}</Muted>{" "}
        {updated ? (
          <Muted isSmall className={styles.share}>
            differs in {count(changed)} of {counted(updated, "updated row")} ({shareText(changed, updated)})
          </Muted>
        ) : null}
      </>
    ),
    lines: STATES.map((state) => ({
      key: state,
      name: STATE_TEXTS[state](source),
      cells: countCells(entry[state], bins, haveNumbers, `${column.name} ${STATE_TEXTS[state](source)}`),
    })),
  };
}

function countCells(counts: ValueCounts, bins: readonly Bin[], haveNumbers: boolean, name: string): ReactNode[] | string {
  if (counts.rows === 0) return "no row";
  const ofNumbers = [
    meanText(counts.mean),
    bins.length > 1 && counts.histogram.length ? <Spread bins={counts.histogram} all={bins} name={name} /> : null,
  ];
  return [
    <>
      {count(counts.nulls)} <Muted>({shareText(counts.nulls, counts.rows)})</Muted>
    </>,
    count(counts.distinct),
    <Bound value={counts.least} />,
    <Bound value={counts.largest} />,
    ...(haveNumbers ? ofNumbers : []),
    <TopValues top={counts.top} rows={counts.rows} />,
  ];
}
