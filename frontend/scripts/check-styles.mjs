// Fails where a class of a style sheet is used nowhere, a class of a module is named that it has not, or two sheets have one selector:
// then the look of a page would depend on which page was opened before. Fails too where a sheet that holds for all pages is new.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const files = (folder, ending) =>
  readdirSync(folder, { recursive: true })
    .filter((path) => ending.test(path))
    .map((path) => join(folder, path));
const read = (path) => readFileSync(path, "utf8");
const inCamelCase = (name) => name.replace(/[-_]+([a-zA-Z0-9])/g, (_, letter) => letter.toUpperCase());
const sheets = new Map(files("src", /\.css$/).map((path) => [path, read(path).replace(/\/\*[\s\S]*?\*\//g, "")]));
const sources = new Map(files("src", /(?<!\.test|\.d)\.tsx?$/).map((path) => [path, read(path)]));
const faults = [];

/** Sheets that hold for all pages, by what makes them so (docs/internals/pages.md). All others are modules. */
const OF_ALL_PAGES = ["tokens", "base", "surfaces", "controls", "grid", "row-diff", "states", "frame", "forced-colors"];
const named = new Set(OF_ALL_PAGES.map((name) => join("src", "styles", `${name}.css`)));
for (const sheet of sheets.keys()) if (!sheet.endsWith(".module.css") && !named.has(sheet)) faults.push(`${sheet}: it holds for all pages. Make it a module beside its part.`);
for (const sheet of named) if (!sheets.has(sheet)) faults.push(`${sheet}: scripts/check-styles.mjs names it, and it is not there.`);

/** The selectors of a sheet, each with the condition around it. */
function selectors(css) {
  const found = [];
  const around = [];
  let text = "";
  for (const character of css) {
    if (character === "{") {
      around.push(text.trim());
      if (!text.trim().startsWith("@")) found.push(...text.split(/,(?![^(]*\))/).map((one) => [...around.slice(0, -1), one.trim().replace(/\s+/g, " ")].join(" ")));
      text = "";
    } else if (character === "}") {
      around.pop();
      text = "";
    } else text = character === ";" ? "" : text + character;
  }
  return found.filter((one) => !/^(from|to|\d+%)$|@keyframes/.test(one));
}

const classesIn = (text) => [...text.matchAll(/\.(-?[a-zA-Z_][\w-]*)/g)].map(([, name]) => name);
const moduleClasses = (css) => new Set(selectors(css).flatMap((one) => classesIn(one.replace(/:global\([^)]*\)/g, ""))).map(inCamelCase));

/** Each class of a module is used by who imports it, and each that is named is there. */
function checkModule(sheet, css) {
  const known = moduleClasses(css);
  const used = new Set();
  for (const [path, source] of sources) {
    for (const [, name, from] of source.matchAll(/^import (\w+) from "(\..*\.module\.css)";$/gm)) {
      if (normalize(join(dirname(path), from)) !== sheet) continue;
      for (const [, called] of source.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, "g"))) {
        used.add(called);
        if (!known.has(called)) faults.push(`${path}: ${sheet} has no class ${called}.`);
      }
    }
  }
  for (const name of known) if (!used.has(name)) faults.push(`${sheet}: nothing uses the class ${name}.`);
}

/** Words of the source and of the server's own pages; a class that is put together begins with one that ends with a dash. */
const words = new Set([...sources.values(), ...files("../lakeui/access/templates", /\.html$/).map(read)].flatMap((source) => source.match(/[\w-]+/g) ?? []));
const OF_EDITOR = /^cm-/;
const isNamed = (name) => OF_EDITOR.test(name) || words.has(name) || [...words].some((word) => word.endsWith("-") && name.startsWith(word));

const places = new Map();
for (const [sheet, css] of sheets) {
  if (sheet.endsWith(".module.css")) {
    checkModule(sheet, css);
    continue;
  }
  const own = selectors(css);
  for (const name of new Set(own.flatMap(classesIn))) if (!isNamed(name)) faults.push(`${sheet}: nothing uses the class ${name}.`);
  for (const one of new Set(own)) places.set(one, [...(places.get(one) ?? []), sheet]);
}
for (const [one, where] of places) if (where.length > 1) faults.push(`${where.join(", ")}: each has ${one}.`);

if (faults.length) {
  console.error(faults.join("\n"));
  process.exit(1);
}
