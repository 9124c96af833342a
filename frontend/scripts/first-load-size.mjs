// Fails when what a browser must load before the first page exceeds the budget.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const BUDGET_BYTES = 150 * 1000;
const manifest = JSON.parse(readFileSync("dist/manifest.json", "utf8"));

const wanted = new Set();
const follow = (key) => {
  if (wanted.has(key)) return;
  wanted.add(key);
  for (const next of manifest[key].imports ?? []) follow(next);
};
follow("src/main.tsx");

let total = 0;
for (const key of wanted) {
  const bytes = gzipSync(readFileSync(`dist/${manifest[key].file}`)).length;
  total += bytes;
  console.log(`${(bytes / 1000).toFixed(1).padStart(8)} kB  ${manifest[key].file}`);
}
console.log(`${(total / 1000).toFixed(1).padStart(8)} kB gzip of JavaScript at first load; at most ${BUDGET_BYTES / 1000} kB`);
if (total > BUDGET_BYTES) process.exit(1);
