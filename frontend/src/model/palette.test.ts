/** The colours of every theme, read from the style sheet itself: contrast, and the three common colour-vision deficiencies. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

type Colour = readonly [number, number, number];
type Matrix = readonly [Colour, Colour, Colour];

const SHEET = readFileSync(resolve(import.meta.dirname, "../styles/tokens.css"), "utf8");
const THEMES = { light: ":root {", dark: ':root[data-theme="dark"] {', contrast: ':root[data-theme="contrast"] {' };

/** Machado, Oliveira, Fernandes 2009: severity 1.0, on linear RGB. */
const DEFICIENCIES: Record<string, Matrix> = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function tokensOf(start: string): Map<string, Colour> {
  const from = SHEET.indexOf(start);
  const block = SHEET.slice(from, SHEET.indexOf("\n}", from));
  const found = new Map<string, Colour>();
  for (const [, name = "", hex = ""] of block.matchAll(/--([\w-]+): #([0-9a-f]{6});/g)) {
    found.set(name, [0, 2, 4].map((at) => linear(parseInt(hex.slice(at, at + 2), 16) / 255)) as unknown as Colour);
  }
  return found;
}

function linear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function luminance([red, green, blue]: Colour): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Colour, other: Colour): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function seenWith(matrix: Matrix, colour: Colour): Colour {
  const clamp = (value: number) => Math.min(1, Math.max(0, value));
  return matrix.map((row) => clamp(row[0] * colour[0] + row[1] * colour[1] + row[2] * colour[2])) as unknown as Colour;
}

/** Euclidean distance in CIE Lab (D65); about 2.3 is just noticeable. */
function distance(one: Colour, other: Colour): number {
  const [a, b] = [lab(one), lab(other)];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

function lab([r, g, b]: Colour): Colour {
  const f = (t: number) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const TEXT_PAIRS: [string, string][] = [
  ...["ground", "paper", "sunken", "hover"].flatMap((ground): [string, string][] =>
    ["ink", "muted", "accent", "conflict-text"].map((ink): [string, string] => [ink, ground]),
  ),
  ["unmet-ink", "paper"],
  ["ink", "accent-ground"],
  ["accent", "accent-ground"],
  ["on-accent", "accent"],
  ["amber-ink", "amber-ground"],
  ["fine-ink", "fine-ground"],
  ["conflict-ink", "conflict-ground"],
  ["note-ink", "note-ground"],
  ["person-ink", "person-ground"],
  ["person-ink", "paper"],
  ...["keyword", "string", "number", "comment"].map((kind): [string, string] => [`code-${kind}`, "paper"]),
];
const OTHER_GROUNDS = ["fine-ground", "note-ground", "person-ground"];

describe.each(Object.entries(THEMES))("the %s theme", (_name, start) => {
  const tokens = tokensOf(start);
  const colour = (name: string): Colour => {
    const found = tokens.get(name);
    if (!found) throw new Error(`no token --${name}`);
    return found;
  };

  it.each(TEXT_PAIRS)("%s on %s has a contrast of at least 4.5", (ink, ground) => {
    expect(contrast(colour(ink), colour(ground))).toBeGreaterThanOrEqual(4.5);
  });

  it.each(["line-strong", "conditional-edge", ...Array.from({ length: 8 }, (_, lane) => `lane-${lane}`)])(
    "%s stands out from the paper by at least 3",
    (name) => expect(contrast(colour(name), colour("paper"))).toBeGreaterThanOrEqual(3),
  );

  it.each(Object.entries(DEFICIENCIES))("with %s a conflict looks unlike every other verdict", (_which, matrix) => {
    const conflict = seenWith(matrix, colour("conflict-ground"));
    for (const name of OTHER_GROUNDS) {
      expect(distance(conflict, seenWith(matrix, colour(name)))).toBeGreaterThan(20);
    }
  });
});
