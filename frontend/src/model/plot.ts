/** What plots are drawn from: scales, paths and bins, in units of the caller. */

/** Round values from 0 up to at least `most`, few enough to label: steps of 1, 2 or 5 times a power of ten. */
export function ticks(most: number, wanted = 3): number[] {
  if (most <= 0) return [0];
  const rough = most / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10));
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, place) => place * step);
}

/** A line that holds each value until the next one, through a box of width 1 and height 1 with the origin at its top. */
export function stepPath(values: readonly number[], top: number): string {
  const width = 1 / Math.max(1, values.length);
  return values
    .map((value, place) => {
      const height = fixed(top > 0 ? 1 - value / top : 1);
      return `${place === 0 ? `M0 ${height}` : `V${height}`}H${fixed((place + 1) * width)}`;
    })
    .join("");
}

export interface Bin {
  /** Inclusive. */
  from: number;
  /** Exclusive. */
  to: number;
  count: number;
}

/** How many of the sizes fall into each power of ten, from that of the smallest to that of the largest. */
export function sizeBins(sizes: readonly number[]): Bin[] {
  if (sizes.length === 0) return [];
  const powerOf = (size: number) => Math.floor(Math.log10(Math.max(1, size)) + 1e-9);
  const powers = sizes.map(powerOf);
  const first = powers.reduce((least, power) => Math.min(least, power));
  const last = powers.reduce((most, power) => Math.max(most, power));
  const bins = Array.from({ length: last - first + 1 }, (_, place) => ({ from: 10 ** (first + place), to: 10 ** (first + place + 1), count: 0 }));
  for (const power of powers) {
    const bin = bins[power - first];
    if (bin) bin.count += 1;
  }
  return bins;
}

function fixed(value: number): number {
  return Number(value.toFixed(5));
}
