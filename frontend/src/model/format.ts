/** Numbers, sizes and times as people read them. */

const INTEGER = new Intl.NumberFormat("en-GB");
const SIZE_UNITS = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

export function count(value: number): string {
  return INTEGER.format(value);
}

/** The text, or another one where there is none. */
export function textOr(text: string | null | undefined, other: string): string {
  return text === null || text === undefined || text === "" ? other : text;
}

const PLURAL = new Intl.PluralRules("en");

/** `row` for 1, `rows` for 1,000; the plural is the singular with an s unless it is given. */
export function pluralised(value: number, singular: string, plural = `${singular}s`): string {
  return PLURAL.select(value) === "one" ? singular : plural;
}

/** `1 row`, `1,000 rows`. */
export function counted(value: number, singular: string, plural?: string): string {
  return `${count(value)} ${pluralised(value, singular, plural)}`;
}

/** Bytes in powers of 1000, three significant digits. */
export function bytes(value: number): string {
  let size = value;
  let unit = 0;
  while (size >= 999.5 && unit < SIZE_UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return `${size.toFixed(digits)} ${SIZE_UNITS[unit] ?? ""}`;
}

/** A round number of bytes, as on an axis: without the digits that say nothing. */
export function bytesRound(value: number): string {
  return bytes(value)
    .replace(/\.0+ /, " ")
    .replace(/(\.[0-9]*[1-9])0+ /, "$1 ");
}

/** A span of time given in milliseconds: `340 ms`, `2.5 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 3600) return joined(Math.floor(seconds / 60), "min", seconds % 60, "s");
  const minutes = Math.round(seconds / 60);
  return joined(Math.floor(minutes / 60), "h", minutes % 60, "min");
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small ? `${large} ${largeUnit} ${small} ${smallUnit}` : `${large} ${largeUnit}`;
}

const STEPS: readonly [seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [31_557_600, "year"],
  [2_629_800, "month"],
  [86_400, "day"],
  [3600, "hour"],
  [60, "minute"],
];
const RELATIVE = new Intl.RelativeTimeFormat("en-GB", { numeric: "auto", style: "long" });

/** `just now`, `5 minutes ago`, `yesterday`; of the future `in 5 minutes`, `in less than a minute`. */
export function relativeTime(moment: Date, now: Date): string {
  const seconds = (moment.getTime() - now.getTime()) / 1000;
  for (const [length, unit] of STEPS) {
    if (Math.abs(seconds) >= length) return RELATIVE.format(Math.trunc(seconds / length), unit);
  }
  return seconds > 0 ? "in less than a minute" : "just now";
}

/** The moment in local time and in UTC, to the second: what a hover shows. */
export function exactTime(moment: Date, timeZone?: string): string {
  const local = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "medium",
    timeStyle: "medium",
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(moment);
  return `${local} (${moment.toISOString().slice(0, 19).replace("T", " ")} UTC)`;
}

/** A cell of a result. Structures are shown as JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (typeof value === "string") return value;
  return JSON.stringify(value);
}

export function isNumericType(type: string): boolean {
  return /^(tinyint|smallint|int|bigint|float|double|decimal)\b/i.test(type);
}
