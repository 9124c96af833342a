import type { Key, ReactNode } from "react";

import { classes } from "./classes";
import styles from "./counts-table.module.css";
import { Grid } from "./grid";
import { useIsNarrow } from "./narrow";

export interface CountsHead {
  title: string;
  isNumber?: boolean;
}

/** Counts of one thing. `cells` has one for each head; a text says why there are none. */
export interface CountsLine {
  key: Key;
  /** Undefined where the group has this line alone. */
  name?: ReactNode;
  cells: readonly ReactNode[] | string;
}

export interface CountsGroup {
  key: Key;
  name: ReactNode;
  lines: readonly CountsLine[];
}

/** Counts by column of a table. On a narrow screen each group is a table of its own, with a line for each head: so nothing
 * scrolls sideways. */
export function CountsTable({ label, heads, groups }: { label: string; heads: readonly CountsHead[]; groups: readonly CountsGroup[] }) {
  if (useIsNarrow()) {
    return (
      <section className={styles.narrow} aria-label={label}>
        {groups.map((group) => (
          <NarrowGroup key={group.key} heads={heads} group={group} />
        ))}
      </section>
    );
  }
  return (
    <Grid label={label} columns={[{ title: "Column" }, ...heads]} className={styles.wide}>
      {groups.map((group) => (
        <WideGroup key={group.key} heads={heads} group={group} />
      ))}
    </Grid>
  );
}

/** The name of several lines has a line of its own: beside them it would push the last counts out of view. */
function WideGroup({ heads, group: { name, lines } }: { heads: readonly CountsHead[]; group: CountsGroup }) {
  const isAlone = lines.length === 1 && lines[0]?.name === undefined;
  return (
    <>
      {isAlone ? null : (
        <tr>
          <th scope="colgroup" colSpan={heads.length + 1}>
            {name}
          </th>
        </tr>
      )}
      {lines.map((line) => (
        <tr key={line.key} className={isAlone ? undefined : styles.line}>
          <th scope="row">{isAlone ? name : line.name}</th>
          {typeof line.cells === "string" ? (
            <td colSpan={heads.length} className="muted">
              {line.cells}
            </td>
          ) : (
            heads.map((head, place) => (
              <td key={head.title} className={head.isNumber ? "number" : undefined}>
                {line.cells[place]}
              </td>
            ))
          )}
        </tr>
      ))}
    </>
  );
}

function NarrowGroup({ heads, group: { name, lines } }: { heads: readonly CountsHead[]; group: CountsGroup }) {
  const cellOf = ({ cells }: CountsLine, place: number) => (typeof cells === "string" ? undefined : cells[place]);
  const isEmpty = (cell: ReactNode) => cell === null || cell === undefined;
  const shown = heads.map((head, place) => ({ head, place })).filter(({ place }) => lines.some((line) => !isEmpty(cellOf(line, place))));
  return (
    <table className={classes("grid", styles.group)}>
      <caption>{name}</caption>
      {lines.some((line) => line.name !== undefined) ? (
        <thead>
          <tr>
            <td />
            {lines.map((line) => (
              <th key={line.key} scope="col">
                {line.name}
              </th>
            ))}
          </tr>
        </thead>
      ) : null}
      <tbody>
        {shown.map(({ head, place }, row) => (
          <tr key={head.title}>
            <th scope="row">{head.title}</th>
            {lines.map((line) => {
              if (typeof line.cells !== "string") return <td key={line.key}>{line.cells[place]}</td>;
              if (row > 0) return null;
              return (
                <td key={line.key} rowSpan={shown.length} className="muted">
                  {line.cells}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
