import { Fragment, useState, type ReactNode } from "react";

import type { ComparedDetail, ComparedRow, SidesColumn } from "../../api/resources";
import { sightLines, tellingPlaces, type SightLine } from "../../model/compared-rows";
import { counted, isNumericType } from "../../model/format";
import { useConflictingRows, type Pair } from "../../queries/compare";
import { Grid } from "../../ui/grid";
import { CellValue } from "../../ui/result-grid";
import { AllColumns } from "../../ui/row-diff-table";
import { Loaded } from "../../ui/states";
import "../../styles/row-diff.css";

/** What a page adds beneath a row that conflicts. */
export type RowAddition = (detail: ComparedDetail, row: ComparedRow, columns: readonly SidesColumn[]) => ReactNode;

/** Rows that both sides changed to something else, as base, source and destination have them. */
export function ConflictingRows({ pair, detail, addition }: { pair: Pair; detail: ComparedDetail; addition: RowAddition | undefined }) {
  const found = useConflictingRows(pair, detail.object_id);
  const [isWhole, setWhole] = useState(false);
  return (
    <Loaded query={found} label="rows that conflict">
      {({ pages }) => {
        const columns = pages[0]?.columns ?? [];
        const rows = pages.flatMap((page) => page.rows);
        if (rows.length === 0) return <p className="small muted">No row was changed to different values by both.</p>;
        const telling = tellingPlaces(columns, rows);
        return (
          <section className="stack tight" aria-label="Rows in conflict">
            <h3>Changed by both, and differently</h3>
            <Grid label="Rows that conflict" columns={headsOf(columns, isWhole ? columns.map((_, place) => place) : telling)} className="diff" height="50vh">
              {rows.map((row) => (
                <Fragment key={row.key}>
                  <RowLines pair={pair} row={row} columns={columns} shown={isWhole ? columns.map((_, place) => place) : telling} />
                  {addition ? (
                    <tr className="addition">
                      <td colSpan={(isWhole ? columns.length : telling.length) + 1}>{addition(detail, row, columns)}</td>
                    </tr>
                  ) : null}
                </Fragment>
              ))}
            </Grid>
            <p className="row small muted">
              {counted(rows.length, "row")} shown, {rows.filter((row) => row.is_open).length} to decide.
              {found.hasNextPage ? (
                <button type="button" className="button small" disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                  {found.isFetchingNextPage ? "Reading …" : "More conflicts"}
                </button>
              ) : null}
              {telling.length < columns.length ? <AllColumns count={columns.length} isWhole={isWhole} onChange={setWhole} /> : null}
            </p>
          </section>
        );
      }}
    </Loaded>
  );
}

function headsOf(columns: readonly SidesColumn[], shown: readonly number[]) {
  return [
    { title: "Where" },
    ...shown.map((place) => ({ title: columns[place]?.name, isNumber: isNumericType(columns[place]?.type ?? "") })),
  ];
}

function RowLines({ pair, row, columns, shown }: { pair: Pair; row: ComparedRow; columns: readonly SidesColumn[]; shown: readonly number[] }) {
  return sightLines(row).map((line) => (
    <tr key={line.sight} className={line.sight === "destination" ? "" : "update_before"}>
      <th scope="row" className="nowrap">
        {line.sight === "base" ? "base" : pair[line.sight]}{" "}
        {line.sight === "base" && !row.is_open ? <span className="badge person">decided</span> : null}
      </th>
      {line.values === null ? (
        <td colSpan={shown.length} className="muted">
          {line.sight === "base" ? `not there yet: ${row.key}` : `not there: ${row.key}`}
        </td>
      ) : (
        shown.map((place) => <Cell key={place} line={line} place={place} isNumber={isNumericType(columns[place]?.type ?? "")} />)
      )}
    </tr>
  ));
}

function Cell({ line, place, isNumber }: { line: SightLine; place: number; isNumber: boolean }) {
  const look = line.clashing.has(place) ? "clash" : line.changed.has(place) ? "changed" : "";
  return (
    <td className={`${isNumber ? "number" : "nowrap"} ${look}`}>
      <CellValue value={line.values?.[place]} />
      {look === "clash" ? <span className="visually-hidden"> in conflict</span> : null}
    </td>
  );
}
