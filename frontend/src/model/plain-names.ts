/** Names of columns that need no backticks: letters, digits and `_`. */
import type { ImportColumn } from "../api/resources";

export interface PlainName {
  source: string;
  before: string;
  name: string;
}

/** The columns that get another name, with it; no two end with one name, whatever the case. */
export function plainNames(columns: readonly ImportColumn[]): PlainName[] {
  const kept = columns.filter(({ name }) => isPlain(name)).map(({ name }) => name.toLowerCase());
  const taken = new Set(kept);
  return columns.flatMap(({ source, name }, place) => {
    if (isPlain(name)) return [];
    const free = freeName(plain(name) || `column_${String(place + 1)}`, taken);
    taken.add(free.toLowerCase());
    return [{ source, before: name, name: free }];
  });
}

/** The columns that have the plain name of what the file calls them. */
export function madePlain(columns: readonly ImportColumn[]): ImportColumn[] {
  const names = new Map(plainNames(columns.map((column) => ({ ...column, name: column.source }))).map(({ source, name }) => [source, name]));
  return columns.filter(({ source, name }) => names.get(source) === name);
}

function isPlain(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name);
}

/** Accents go, and each run of other signs becomes one `_`. Letters without a Latin base stay as they are. */
function plain(name: string): string {
  const bare = name.normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("ß", "ss");
  const joined = bare.replace(/[^\p{L}\p{N}]+/gu, "_").replace(/^_+|_+$/g, "").toLowerCase();
  return /^\p{N}/u.test(joined) ? `_${joined}` : joined;
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const tried = number === 1 ? name : `${name}_${String(number)}`;
    if (!taken.has(tried.toLowerCase())) return tried;
  }
}
