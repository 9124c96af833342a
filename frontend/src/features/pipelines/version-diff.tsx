import type { PipelineBody } from "../../api/resources";
import { CONFIG_FILE } from "../../model/mistakes";
import { diffHunks, lineDiff, type DiffLine } from "../../model/line-diff";
import { classes } from "../../ui/classes";
import { Muted } from "../../ui/muted";
import styles from "./version-diff.module.css";

const FACTS = ["name", "layer", "database", "table", "branch", "schedule", "schedule_timezone"] as const;
const FACT_WORDS: Partial<Record<(typeof FACTS)[number], string>> = { schedule_timezone: "time zone" };
const TEXTS = [
  { key: "source", title: "SQL with Jinja" },
  { key: "config", title: CONFIG_FILE },
] as const;

/** What differs between two versions: facts by their values, texts line by line. */
export function VersionDiff({ before, after }: { before: PipelineBody | undefined; after: PipelineBody }) {
  const facts = FACTS.filter((name) => (before?.[name] ?? "") !== after[name]);
  const texts = TEXTS.filter(({ key }) => (before?.[key] ?? "") !== after[key]);
  if (facts.length === 0 && texts.length === 0) return <Muted as="p">Nothing differs.</Muted>;
  return (
    <>
      {facts.length ? (
        <dl className={classes("facts", styles.facts)}>
          {facts.map((name) => (
            <div key={name} style={{ display: "contents" }}>
              <dt>{FACT_WORDS[name] ?? name}</dt>
              <dd>
                {before?.[name] ? <del>{before[name]}</del> : null} <ins>{after[name] || "—"}</ins>
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
      {texts.map(({ key, title }) => (
        <TextDiff key={key} title={title} before={before?.[key] ?? ""} after={after[key]} />
      ))}
    </>
  );
}

function TextDiff({ title, before, after }: { title: string; before: string; after: string }) {
  const hunks = diffHunks(lineDiff(before, after));
  return (
    <section className="stack tight">
      <h2 className="minor">{title}</h2>
      <div className={classes("scroll", styles.text)} role="region" aria-label={`What changed in ${title}`} tabIndex={0}>
        <table>
          {hunks.map((lines) => (
            <tbody key={`${lines[0]?.before ?? ""} ${lines[0]?.after ?? ""}`}>
              {lines.map((line) => (
                <Line key={`${line.before ?? ""} ${line.after ?? ""}`} line={line} />
              ))}
            </tbody>
          ))}
        </table>
      </div>
    </section>
  );
}

const SIGNS: Record<DiffLine["kind"], { sign: string; word: string }> = {
  same: { sign: " ", word: "" },
  removed: { sign: "−", word: "removed" },
  added: { sign: "+", word: "added" },
};

function Line({ line: { kind, text, before, after } }: { line: DiffLine }) {
  return (
    <tr data-kind={kind}>
      <td className="number muted">{before}</td>
      <td className="number muted">{after}</td>
      <td>
        <span aria-hidden="true">{SIGNS[kind].sign}</span>
        <span className="visually-hidden">{SIGNS[kind].word}</span>
      </td>
      <td>
        <code>{text}</code>
      </td>
    </tr>
  );
}
