/** What a change does to the values of columns, as people read it. */
import type { ColumnProfile } from "../api/resources";

/** Columns of which values or NULLs differ, those with most changed rows first; and the others. */
export function changedFirst(columns: readonly ColumnProfile[]): { changed: ColumnProfile[]; others: ColumnProfile[] } {
  const isChanged = ({ changed, before, after }: ColumnProfile) => changed > 0 || before.rows !== after.rows;
  return { changed: columns.filter(isChanged).toSorted((one, other) => other.changed - one.changed), others: columns.filter((entry) => !isChanged(entry)) };
}

/** `12%`; a share that is not nothing and not all is never said as 0% or 100%. */
export function shareText(part: number, whole: number): string {
  if (whole === 0) return "—";
  const share = (100 * part) / whole;
  if (part > 0 && share < 1) return "<1%";
  if (part < whole && share > 99) return ">99%";
  return `${String(Math.round(share))}%`;
}

const MEAN = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 6 });

export function meanText(mean: number | null): string {
  return mean === null ? "—" : MEAN.format(mean);
}
