import { Fragment, useState, type ReactNode } from "react";

import { isNumericType } from "../model/format";
import type { DiffRow } from "../model/row-diff";
import { rowName, tellingApart } from "../model/row-names";
import type { SeenRow } from "../model/suggestion";
import { Button } from "./button";
import { LongGrid } from "./grid";
import { CellValue } from "./result-grid";
import "../styles/row-diff.css";

const WORDS = { insert: "+ inserted", delete: "− deleted", update_before: "before", update_after: "after" } as const;

/** The choice between the columns that tell what changed and all. */
export function AllColumns({ count, isWhole, onChange }: { count: number; isWhole: boolean; onChange: (isWhole: boolean) => void }) {
  return (
    <label className="row">
      <input type="checkbox" checked={isWhole} onChange={(event) => onChange(event.target.checked)} />
      all {count} columns
    </label>
  );
}

/** What people say about rows. */
export interface RowsTalk {
  /** Whether the person may say something. */
  isAllowed: boolean;
  /** So many conversations are on the row. */
  count: (key: string) => number;
  /** With the form for a new comment open where the person asked for it. `seen`: the row as the source has it. */
  show: (key: string, name: string, isWriting: boolean, seen?: SeenRow) => ReactNode;
}

/** What is said about rows of one side. The rows of the target are not as the source has them. */
export function talkOfSide(side: "source" | "destination", talk: RowsTalk | undefined): RowsTalk | undefined {
  return talk && side === "destination" ? { ...talk, show: (key, name, isWriting) => talk.show(key, name, isWriting) } : talk;
}

/** Rows of a diff, with changed cells coloured. */
export function RowDiffTable({
  columns,
  rows,
  label,
  shown = columns.map((_, place) => place),
  alsoChanged,
  talk,
  hasIds = true,
  height = "60vh",
}: {
  /** Those of the table, without `change` and `row_id`. */
  columns: readonly { name: string; type: string }[];
  rows: readonly DiffRow[];
  label: string;
  /** Places of the columns that are shown. */
  shown?: readonly number[];
  /** Ids of rows that somebody else changed as well, and who. */
  alsoChanged?: { ids: ReadonlySet<unknown>; by: string };
  talk?: RowsTalk | undefined;
  /** Whether the ids of rows are shown. */
  hasIds?: boolean;
  height?: string;
}) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string) => setOpened((before) => (before.has(key) ? new Set([...before].filter((other) => other !== key)) : new Set([...before, key])));
  const numeric = columns.map((column) => isNumericType(column.type));
  const naming = talk ? tellingApart(columns.length, rows.filter(({ change }) => change !== "update_before").map(({ values }) => values)) : [];
  const heads = [
    { title: "Change" },
    ...(hasIds ? [{ title: "Row id", isNumber: true }] : []),
    ...shown.map((at) => ({ title: columns[at]?.name, isNumber: numeric[at] ?? false })),
    ...(talk ? [{ title: <span className="visually-hidden">Comments</span> }] : []),
  ];
  return (
    <LongGrid
      label={label}
      columns={heads}
      className="diff"
      height={height}
      rows={rows}
      row={(row, place) => (
        <Fragment key={place}>
          <tr className={row.change}>
            <th scope="row" className="nowrap">
              {WORDS[row.change]}{" "}
              {alsoChanged?.ids.has(row.rowId) && row.change !== "update_before" ? (
                <span className="badge amber">{alsoChanged.by} too</span>
              ) : null}
            </th>
            {hasIds ? <td className="number muted">{String(row.rowId)}</td> : null}
            {shown.map((at) => (
              <td key={at} className={`${numeric[at] ? "number" : "nowrap"} ${row.changed.has(at) ? "changed" : ""}`}>
                <CellValue value={row.values[at]} />
              </td>
            ))}
            {talk ? (
              <td>
                {talk.isAllowed && row.key && row.change !== "update_before" && talk.count(row.key) === 0 ? (
                  <TalkButton name={rowName(row.key, columns, row.values, naming)} isOpen={opened.has(row.key)} onPress={() => toggle(row.key)} />
                ) : null}
              </td>
            ) : null}
          </tr>
          {talk && row.key && row.change !== "update_before" && (opened.has(row.key) || talk.count(row.key) > 0) ? (
            <tr className="addition">
              <td colSpan={heads.length}>{talk.show(row.key, rowName(row.key, columns, row.values, naming), opened.has(row.key), row.change === "delete" ? undefined : { columns, values: row.values })}</td>
            </tr>
          ) : null}
        </Fragment>
      )}
    />
  );
}

/** Of a row on which nothing was said: what was said stands beneath the row, with a button of its own. */
function TalkButton({ name, isOpen, onPress }: { name: string; isOpen: boolean; onPress: () => void }) {
  return (
    <Button look="quiet" isSmall aria-expanded={isOpen} onClick={onPress}>
      Comment<span className="visually-hidden"> on row {name}</span>
    </Button>
  );
}
