import { lazy, Suspense, useMemo, useRef, useState } from "react";

import { count, counted, isNumericType } from "../../model/format";
import { allCsv, allTabbed, filtered, isInside, nextSorting, rangeSize, rangeText, sorted, type ResultColumn, type Row, type Sorting } from "../../model/result-table";
import { Button } from "../../ui/button";
import { classes } from "../../ui/classes";
import type { Widths } from "../../ui/column-width";
import { LongGrid } from "../../ui/grid";
import { Icon } from "../../ui/icons";
import { Menu } from "../../ui/menu";
import { Muted } from "../../ui/muted";
import { CellValue } from "../../ui/result-grid";
import { SearchField } from "../../ui/search-field";
import { Select } from "../../ui/select";
import { Loading } from "../../ui/states";
import { useCellRange } from "./use-cell-range";
import styles from "./result-table.module.css";

const ResultChart = lazy(() => import("./result-chart"));

/** How a person looks at a result: it outlives the table, which another tab replaces. */
export interface ResultLook {
  widths: Widths;
  isFrozen: boolean;
}

export const FIRST_LOOK: ResultLook = { widths: undefined, isFrozen: false };

/** A result to look through: sorted, filtered, copied, or drawn. It works on the rows that are shown. */
export function ResultTable({ columns, rows, look, onLook }: { columns: readonly ResultColumn[]; rows: readonly Row[]; look: ResultLook; onLook: (look: ResultLook) => void }) {
  const [sorting, setSorting] = useState<Sorting>();
  const [wanted, setWanted] = useState("");
  const [column, setColumn] = useState<number>();
  const [isChart, setChart] = useState(false);
  const [copied, setCopied] = useState("");
  const shown = useMemo(() => sorted(columns, filtered(columns, rows, wanted, column), sorting), [columns, rows, wanted, column, sorting]);
  const box = useRef<HTMLDivElement>(null);
  const { range, clear } = useCellRange(box, { rows: shown.length, columns: columns.length }, (chosen) => rangeText(columns, shown, chosen));
  const change = (apply: () => void) => {
    clear();
    setCopied("");
    apply();
  };
  const copy = (what: string, text: string) => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(`${what} copied.`),
      () => setCopied("The browser did not let the page copy. Choose cells, and press Ctrl C."),
    );
  };
  const size = range && rangeSize(range);
  const heads = columns.map(({ name, type }, at) => ({
    title: <SortButton name={name} type={type} sorting={sorting?.at === at ? sorting : undefined} onPress={() => change(() => setSorting(nextSorting(sorting, at)))} />,
    isNumber: isNumericType(type),
    sort: sorting?.at === at ? (sorting.isDown ? ("descending" as const) : ("ascending" as const)) : ("none" as const),
  }));
  return (
    <>
      <div className={classes("inside row", styles.tools)}>
        <SearchField label="Filter rows: text, > 5, NULL" text={wanted} onSearch={(text) => change(() => setWanted(text))} />
        <Select aria-label="Column that is filtered" value={column === undefined ? "" : String(column)} onChange={({ target }) => change(() => setColumn(target.value === "" ? undefined : Number(target.value)))}>
          <option value="">all columns</option>
          {columns.map(({ name }, place) => (
            <option key={place} value={String(place)}>
              {name}
            </option>
          ))}
        </Select>
        <Menu label="Copy" buttonClass="button small" button={<>Copy <Icon name="down" size={12} /></>}>
          {range && size ? (
            <button type="button" className="item" onClick={() => copy("The chosen cells are", rangeText(columns, shown, range))}>
              Chosen cells ({count(size.rows)} × {count(size.columns)})
            </button>
          ) : null}
          <button type="button" className="item" onClick={() => copy(`${counted(shown.length, "row")} as TSV`, allTabbed(columns, shown))}>
            {counted(shown.length, "row")} as TSV
          </button>
          <button type="button" className="item" onClick={() => copy(`${counted(shown.length, "row")} as CSV`, allCsv(columns, shown))}>
            {counted(shown.length, "row")} as CSV
          </button>
        </Menu>
        {isChart || columns.length < 2 ? null : (
          <Button isSmall aria-pressed={look.isFrozen} onClick={() => onLook({ ...look, isFrozen: !look.isFrozen })}>
            Freeze first column
          </Button>
        )}
        <Button isSmall aria-pressed={isChart} onClick={() => setChart(!isChart)}>
          {isChart ? "Table" : "Chart"}
        </Button>
      </div>
      <Muted as="p" isSmall className={classes("inside", styles.standing)} role="status">
        {shown.length < rows.length ? `${count(shown.length)} of ${counted(rows.length, "row")} ${shown.length === 1 ? "fits" : "fit"} the filter. ` : ""}
        {size && size.rows * size.columns > 1 && !isChart ? `${counted(size.rows, "row")} × ${counted(size.columns, "column")} chosen; Ctrl C copies. ` : ""}
        {copied}
      </Muted>
      {isChart ? (
        <Suspense fallback={<Loading label="the chart" />}>
          <ResultChart columns={columns} rows={shown} />
        </Suspense>
      ) : null}
      <div ref={box} hidden={isChart}>
        <LongGrid
          label="Result"
          columns={heads}
          className={styles.result}
          height="60vh"
          sizing={{ names: columns.map(({ name }) => name), widths: look.widths, onWidths: (widths) => onLook({ ...look, widths }) }}
          isFrozen={look.isFrozen}
          rows={shown}
          row={(row, place) => (
            // Rows of a result have no identity but their place.
            <tr key={place}>
              {row.map((value, at) => (
                <td key={at} data-cell={`${place},${at}`} className={classes(isNumericType(columns[at]?.type ?? "") ? "number" : "cell", range && isInside(range, place, at) && styles.chosen)}>
                  <CellValue value={value} />
                </td>
              ))}
            </tr>
          )}
        />
      </div>
    </>
  );
}

function SortButton({ name, type, sorting, onPress }: { name: string; type: string; sorting: Sorting | undefined; onPress: () => void }) {
  return (
    <button type="button" className={styles.sort} onClick={onPress} title={`Sort by ${name}`}>
      <bdi>{name}</bdi> <Muted>{type}</Muted>
      <span aria-hidden="true">{sorting ? (sorting.isDown ? " ↓" : " ↑") : ""}</span>
    </button>
  );
}
