import { Fragment, useState } from "react";

import type { ColumnProfile, ComparedDetail, TableProfile, ValueCounts } from "../../api/resources";
import type { Bin } from "../../model/column-profile";
import { count, counted } from "../../model/format";
import { changedFirst, meanText, shareText } from "../../model/profile";
import { useProfile, type Pair } from "../../queries/compare";
import { Button } from "../../ui/button";
import { TopValues } from "../../ui/column-counts";
import { Grid } from "../../ui/grid";
import { Muted } from "../../ui/muted";
import { CellValue } from "../../ui/result-grid";
import { Spread } from "../../ui/spread";
import { Loaded } from "../../ui/states";
import { WholeTable } from "./whole-table";

const COLUMNS = [
  { title: "Column" },
  { title: "NULL", isNumber: true },
  { title: "Different", isNumber: true },
  { title: "Least", isNumber: true },
  { title: "Largest", isNumber: true },
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
      <Grid label="Values of the changed rows" columns={haveNumbers ? COLUMNS : COLUMNS.filter(({ title }) => !OF_NUMBERS.includes(title))} className="profile">
        {shown.map((entry) => (
          <ColumnLines key={entry.column.id} entry={entry} source={pair.source} haveNumbers={haveNumbers} />
        ))}
      </Grid>
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

function columnCount(haveNumbers: boolean): number {
  return COLUMNS.length - (haveNumbers ? 0 : OF_NUMBERS.length);
}

/** The column's name has a line of its own: beside its three states it would push the last counts out of view. */
function ColumnLines({ entry, source, haveNumbers }: { entry: ColumnProfile; source: string; haveNumbers: boolean }) {
  const { column, updated, changed } = entry;
  // One axis for the three states, so that a shift of the values is seen.
  const bins = STATES.flatMap((state) => entry[state].histogram);
  return (
    <>
      <tr className="named">
        <th scope="colgroup" colSpan={columnCount(haveNumbers)}>
          <bdi>{column.name}</bdi> <Muted>{column.type}</Muted>
          {updated ? (
            <Muted isSmall className="share">
              differs in {count(changed)} of {counted(updated, "updated row")} ({shareText(changed, updated)})
            </Muted>
          ) : null}
        </th>
      </tr>
      {STATES.map((state) => (
        <tr key={state}>
          <th scope="row" className="nowrap">
            {STATE_TEXTS[state](source)}
          </th>
          <Counts counts={entry[state]} bins={bins} haveNumbers={haveNumbers} name={`${column.name} ${STATE_TEXTS[state](source)}`} />
        </tr>
      ))}
    </>
  );
}

function Counts({ counts, bins, haveNumbers, name }: { counts: ValueCounts; bins: readonly Bin[]; haveNumbers: boolean; name: string }) {
  if (counts.rows === 0) {
    return (
      <td colSpan={columnCount(haveNumbers) - 1} className="muted">
        no row
      </td>
    );
  }
  return (
    <Fragment>
      <td className="number">
        {count(counts.nulls)} <Muted>({shareText(counts.nulls, counts.rows)})</Muted>
      </td>
      <td className="number">{count(counts.distinct)}</td>
      <td className="number">{counts.least === null ? "—" : <CellValue value={counts.least} />}</td>
      <td className="number">{counts.largest === null ? "—" : <CellValue value={counts.largest} />}</td>
      {haveNumbers ? (
        <>
          <td className="number">{meanText(counts.mean)}</td>
          <td>{bins.length > 1 && counts.histogram.length ? <Spread bins={counts.histogram} all={bins} name={name} /> : null}</td>
        </>
      ) : null}
      <td>
        <TopValues top={counts.top} rows={counts.rows} />
      </td>
    </Fragment>
  );
}
