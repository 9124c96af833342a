/** What a row is called: by its primary key; without one by the first columns that tell the shown rows apart, with its id behind. */
import { cellText } from "./format";
import { keyText } from "./decisions";

/** More columns than these are no name. */
const MOST_COLUMNS = 3;

/** Places of the first columns that tell rows apart. Columns that no row has a value in are no help. */
export function tellingApart(columnCount: number, rows: readonly (readonly unknown[])[]): number[] {
  const chosen: number[] = [];
  let parts = 1;
  for (let place = 0; place < columnCount && chosen.length < MOST_COLUMNS && (parts < rows.length || chosen.length === 0); place += 1) {
    if (rows.every((row) => row[place] === null || row[place] === undefined)) continue;
    const found = new Set(rows.map((row) => JSON.stringify([...chosen, place].map((at) => row[at])))).size;
    if (chosen.length > 0 && found === parts) continue;
    // A first column that is the same in all rows gives way to one that is not.
    if (chosen.length === 1 && parts === 1) chosen.pop();
    chosen.push(place);
    parts = found;
  }
  return chosen;
}

/** Places of the columns that show which rows of a table without a key these are: those that tell them apart, and the first
 * ones with values up to three. */
export function identifying(columnCount: number, rows: readonly (readonly unknown[])[]): number[] {
  const found = new Set(tellingApart(columnCount, rows));
  for (let place = 0; place < columnCount && found.size < MOST_COLUMNS; place += 1) {
    if (rows.some((row) => row[place] !== null && row[place] !== undefined)) found.add(place);
  }
  return [...found].sort((left, right) => left - right);
}

/** `id = 1` by key; `carrier = UA, flight = 1545 (row 23)` by columns. */
export function rowName(key: string, columns: readonly { name: string }[], values: readonly unknown[] | null, places: readonly number[]): string {
  if (isKey(key) || values === null || places.length === 0) return keyText(key);
  return `${places.map((place) => `${columns[place]?.name ?? ""} = ${cellText(values[place])}`).join(", ")} (row ${key})`;
}

/** Whether it is a primary key, and not the id of a row. */
function isKey(key: string): boolean {
  return key.startsWith("{");
}
