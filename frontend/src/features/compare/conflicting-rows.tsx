import { Fragment, useState, type ReactNode } from "react";

import type { ComparedDetail, ComparedRow, SidesColumn } from "../../api/resources";
import { clashes, snapshotLines, tellingPlaces, type SnapshotLine } from "../../model/compared-rows";
import { areRowsDecidable, rowsInConflict } from "../../model/decisions";
import { count, counted, isNumericType } from "../../model/format";
import { rowName, tellingApart } from "../../model/row-names";
import type { Outcome } from "../../model/row-outcomes";
import { useConflictingRows, type Pair } from "../../queries/compare";
import { Button } from "../../ui/button";
import { classes } from "../../ui/classes";
import { Grid } from "../../ui/grid";
import { Muted } from "../../ui/muted";
import { CellValue } from "../../ui/result-grid";
import { AllColumns, type RowsTalk } from "../../ui/row-diff-table";
import { Loaded } from "../../ui/states";
import styles from "./conflicting-rows.module.css";

/** What a page adds to rows that conflict: beneath each, and above them all; and what comes out of a row. To any changed row
 * it adds what people say. */
export interface RowAdditions {
  row: (detail: ComparedDetail, row: ComparedRow, columns: readonly SidesColumn[]) => ReactNode;
  rows: (detail: ComparedDetail, rows: readonly ComparedRow[], columns: readonly SidesColumn[]) => ReactNode;
  result: (detail: ComparedDetail, row: ComparedRow) => Outcome | undefined;
  talk?: (detail: ComparedDetail) => RowsTalk;
}

/** So many rows show at first what the conflict is; the others are a click away. */
const FIRST_ROWS = 3;

/** Rows that both sides changed to something else, as base, source and target have them, and what comes out. */
export function ConflictingRows({ pair, detail, additions }: { pair: Pair; detail: ComparedDetail; additions: RowAdditions | undefined }) {
  const found = useConflictingRows(pair, detail.object_id);
  const [isWhole, setWhole] = useState(false);
  const [areAll, setAll] = useState(false);
  const areDecidable = areRowsDecidable(detail);
  const talk = additions?.talk?.(detail);
  return (
    <Loaded query={found} label="rows that conflict">
      {({ pages }) => {
        const columns = pages[0]?.columns ?? [];
        const read = pages.flatMap((page) => page.rows);
        // Rows of one file stand in each other's way without a clash: the rows to decide come first.
        const isChosen = (row: ComparedRow) => areDecidable && (detail.rule_table === "keyed" || clashes(row));
        const known = areDecidable ? [...read.filter(isChosen), ...read.filter((row) => !isChosen(row))] : read;
        const rows = areAll ? known : known.slice(0, FIRST_ROWS);
        if (rows.length === 0) return <Muted as="p" isSmall>No row was changed to different values by both.</Muted>;
        const telling = tellingPlaces(columns, rows);
        const naming = tellingApart(columns.length, known.map(imageOf).filter((image) => image !== null));
        const nameOf = (row: ComparedRow) => rowName(row.key, columns, imageOf(row), naming);
        const waiting = known.filter((row) => row.is_open && (!areDecidable || isChosen(row)));
        const chosen = waiting.filter((row) => additions?.result(detail, row)).length;
        // Rows that are not read yet are counted by the comparison, as its first line says.
        const all = found.hasNextPage ? rowsInConflict(detail) : waiting.length;
        const open = Math.max(all, waiting.length) - chosen;
        return (
          <section className="stack tight" aria-label="Rows in conflict">
            <Grid label="Rows that conflict" columns={headsOf(columns, isWhole ? columns.map((_, place) => place) : telling)} className="diff" {...(areAll ? { height: "60vh" } : {})}>
              {rows.map((row) => (
                <Fragment key={row.key}>
                  <RowLines
                    pair={pair}
                    row={row}
                    columns={columns}
                    shown={isWhole ? columns.map((_, place) => place) : telling}
                    outcome={additions?.result(detail, row)}
                    name={nameOf(row)}
                    isBeside={areDecidable && !isChosen(row)}
                  />
                  {(additions && isChosen(row)) || talk ? (
                    <tr className="addition">
                      <td colSpan={(isWhole ? columns.length : telling.length) + 1}>
                        <div className="stack">
                          {isChosen(row) ? additions?.row(detail, row, columns) : null}
                          {talk?.show(row.key, nameOf(row), false, row.source ? { columns, values: row.source } : undefined)}
                        </div>
                      </td>
                    </tr>
                  ) : null}
                </Fragment>
              ))}
            </Grid>
            <Muted as="p" isSmall className="row">
              {counted(rows.length, "row")} shown, {count(open)}{all < waiting.length ? " or more" : ""} to decide.
              {rows.length < known.length ? (
                <Button isSmall onClick={() => setAll(true)}>
                  Show {found.hasNextPage ? "more" : `all ${count(known.length)}`} rows in conflict
                </Button>
              ) : null}
              {areAll && found.hasNextPage ? (
                <Button isSmall disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                  {found.isFetchingNextPage ? "Reading …" : "More conflicts"}
                </Button>
              ) : null}
              {telling.length < columns.length ? <AllColumns count={columns.length} isWhole={isWhole} onChange={setWhole} /> : null}
            </Muted>
            {areDecidable ? additions?.rows(detail, known.filter(isChosen), columns) : null}
          </section>
        );
      }}
    </Loaded>
  );
}

/** The row as somebody has it, who has it. */
function imageOf({ base, source, destination }: ComparedRow): readonly unknown[] | null {
  return destination ?? source ?? base;
}

function headsOf(columns: readonly SidesColumn[], shown: readonly number[]) {
  return [
    { title: "Where" },
    ...shown.map((place) => ({ title: columns[place]?.name, isNumber: isNumericType(columns[place]?.type ?? "") })),
  ];
}

interface LinesProps {
  pair: Pair;
  row: ComparedRow;
  columns: readonly SidesColumn[];
  shown: readonly number[];
  outcome: Outcome | undefined;
  /** What the row is called. */
  name: string;
  /** Whether the row lies in one file with rows in conflict, and clashes with none. */
  isBeside: boolean;
}

function RowLines({ pair, row, columns, shown, outcome, name, isBeside }: LinesProps) {
  const cells = (line: SnapshotLine, lost?: ReadonlySet<number>) =>
    shown.map((place) => (
      <Cell key={place} line={line} place={place} isNumber={isNumericType(columns[place]?.type ?? "")} isLost={lost?.has(place) ?? false} isDecided={outcome !== undefined} />
    ));
  return (
    <>
      {snapshotLines(row).map((line) => (
        <tr key={line.snapshot} className={line.snapshot === "destination" && !outcome ? "" : "update_before"}>
          <th scope="row" className={classes("nowrap", styles.snapshot)} title={line.snapshot === "base" ? undefined : pair[line.snapshot]}>
            <bdi>{line.snapshot === "base" ? "base" : pair[line.snapshot]}</bdi>{" "}
            {line.snapshot === "base" && (outcome !== undefined || !row.is_open) ? <span className="badge person">decided</span> : null}
          </th>
          {line.values === null ? (
            <td colSpan={shown.length} className="muted">
              {line.snapshot === "base" ? `did not exist: ${name}` : `deleted (${name})`}
            </td>
          ) : (
            cells(line, line.snapshot === "base" ? undefined : outcome?.lost[line.snapshot])
          )}
        </tr>
      ))}
      {outcome ? (
        <tr className="result">
          <th scope="row" className="nowrap">
            result
          </th>
          {outcome.values === null ? (
            <td colSpan={shown.length} className="muted">
              deleted ({name})
            </td>
          ) : (
            cells({ snapshot: "destination", values: outcome.values, changed: new Set(), clashing: new Set() })
          )}
        </tr>
      ) : row.is_open ? (
        <tr className="result">
          <th scope="row" className="nowrap">
            result
          </th>
          <td colSpan={shown.length} className="muted">
            {isBeside ? "both changes stay" : "to decide"}
          </td>
        </tr>
      ) : null}
    </>
  );
}

interface CellProps {
  line: SnapshotLine;
  place: number;
  isNumber: boolean;
  isLost: boolean;
  isDecided: boolean;
}

function Cell({ line, place, isNumber, isLost, isDecided }: CellProps) {
  const value = <CellValue value={line.values?.[place]} />;
  const isClash = line.clashing.has(place) && !isDecided;
  const look = isClash ? "clash" : line.changed.has(place) ? "changed" : "";
  return (
    <td className={`${isNumber ? "number" : "nowrap"} ${look}`}>
      {isLost ? <s>{value}</s> : value}
      {isClash ? <span className="visually-hidden"> in conflict</span> : null}
      {isLost ? <span className="visually-hidden"> left out</span> : null}
    </td>
  );
}
