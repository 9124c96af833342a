import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";

import type { CompareFilter } from "../../api/paths";
import type { ComparedDatabase, ComparedObject, Comparison } from "../../api/resources";
import { count, counted } from "../../model/format";
import { listEntries, nameInGroup, type ListEntry } from "../../model/object-groups";
import { rowsAndColumns } from "../../model/brings";
import { objectMark } from "../../model/verdict";
import { ChangeBars } from "../../ui/change-bars";
import { classes } from "../../ui/classes";
import { Input } from "../../ui/field";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { Select } from "../../ui/select";
import { VirtualRows } from "../../ui/virtual-rows";
import { objectKey } from "./use-compared";
import styles from "./object-list.module.css";

/** What the address keeps of a filter; empty for all. */
interface Filter {
  search?: string;
  verdict?: string;
  kind?: string;
}

const ROW_HEIGHT = 48;
const DATABASE_HEIGHT = 30;
const SEARCH_DELAY_MS = 250;
const VERDICT_NAMES = { conflict: "Conflict", decided: "Decided", note: "Note", ok: "No conflict", new: "New" } as const;

/** What the source changed. The list is one stop of the keyboard; arrows, j and k move in it. */
export function ObjectList({
  objects,
  summary,
  chosen,
  filter,
  onFilter,
  onChoose,
  isViewed,
  onEnd,
}: {
  objects: readonly ComparedObject[];
  summary: Comparison;
  chosen: number;
  filter: CompareFilter;
  onFilter: (filter: Filter) => void;
  isViewed: (object: ComparedObject) => boolean;
  onChoose: (object: ComparedObject | undefined) => void;
  onEnd: (() => void) | undefined;
}) {
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onChoose(objects[chosen + step]);
  };
  const active = objects[chosen];
  const entries = useMemo(() => listEntries(objects, summary.databases), [objects, summary.databases]);
  const place = entries.findIndex((entry) => entry.kind === "object" && entry.object === active);
  return (
    <section className={classes("panel", styles.list)} aria-label="Changed objects">
      <ListFilter filter={filter} summary={summary} onFilter={onFilter} />
      {objects.length === 0 ? <Muted as="p" className="inside">Nothing like that was changed.</Muted> : null}
      <div
        role="listbox"
        aria-label="Changed objects, conflicts first"
        tabIndex={0}
        aria-activedescendant={active ? optionId(active) : undefined}
        onKeyDown={press}
      >
        <VirtualRows
          items={entries}
          rowHeight={heightOf}
          keyOf={keyOf}
          label="Changed objects"
          labelled={false}
          role="presentation"
          rowRole="presentation"
          height="max(320px, calc(100dvh - 300px))"
          // The first object with the line of its database above it.
          scrollTo={place === 1 ? 0 : place}
          onEnd={onEnd}
          row={(entry) =>
            entry.kind === "database" ? (
              <DatabaseLine database={entry.database} />
            ) : (
              <ObjectOption object={entry.object} isChosen={entry.object === active} isViewed={isViewed(entry.object)} onChoose={() => onChoose(entry.object)} />
            )
          }
        />
      </div>
    </section>
  );
}

function heightOf(entry: ListEntry): number {
  return entry.kind === "database" ? DATABASE_HEIGHT : ROW_HEIGHT;
}

function keyOf(entry: ListEntry): string {
  return entry.kind === "database" ? `database line ${entry.database.name}` : objectKey(entry.object);
}

function DatabaseLine({ database }: { database: ComparedDatabase }) {
  return (
    <div className={classes("small", styles.database)}>
      <Icon name="database" size={14} />
      <strong className="ellipsis">{database.name}</strong>
      <Muted className="nowrap">
        {counted(database.objects, "object")}
        {database.conflict ? `, ${count(database.conflict)} in conflict` : ""}
      </Muted>
    </div>
  );
}

function ListFilter({
  filter,
  summary,
  onFilter,
}: {
  filter: CompareFilter;
  summary: Comparison;
  onFilter: (filter: Filter) => void;
}) {
  const [text, setText] = useState(filter.search ?? "");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = (value: string) => {
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onFilter({ search: value }), SEARCH_DELAY_MS);
  };
  return (
    <div className={styles.filter}>
      <Input
        type="search"
        placeholder="Filter by name"
        aria-label="Filter by name"
        value={text}
        onChange={(event) => search(event.target.value)}
      />
      <Select
        aria-label="Filter by verdict or kind"
        value={filter.verdict ? `verdict:${filter.verdict}` : filter.kind ? `kind:${filter.kind}` : ""}
        onChange={(event) => {
          const [by = "", value = ""] = event.target.value.split(":");
          onFilter({ verdict: "", kind: "", ...(by ? { [by]: value } : {}) });
        }}
      >
        <option value="">All ({count(summary.counts.objects)})</option>
        {(["conflict", "decided", "note", "ok", "new"] as const).map((verdict) => (
          <option key={verdict} value={`verdict:${verdict}`}>
            {VERDICT_NAMES[verdict]} ({count(summary.counts[verdict])})
          </option>
        ))}
        <option value="kind:table">Tables only</option>
        <option value="kind:database">Databases only</option>
      </Select>
    </div>
  );
}

function ObjectOption({ object, isChosen, isViewed, onChoose }: { object: ComparedObject; isChosen: boolean; isViewed: boolean; onChoose: () => void }) {
  const mark = objectMark(object.verdict);
  return (
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- the list that holds the options has the keys
    <div
      id={optionId(object)}
      role="option"
      aria-selected={isChosen}
      tabIndex={-1}
      className={classes(styles.option, isViewed && styles.viewed)}
      onClick={onChoose}
    >
      <span className={`badge ${mark.kind}`}>
        <span aria-hidden="true">{mark.symbol}</span>
        <span className="visually-hidden">{mark.word}: </span>
      </span>
      <span className={classes("ellipsis", styles.name)} title={object.name} aria-hidden="true">
        <bdi>{nameInGroup(object)}</bdi>
      </span>
      <span className="visually-hidden">{object.name} </span>
      <Muted isSmall className={classes("ellipsis", styles.ops)}>
        {changeText(object)}
        <ChangeBars brings={object.brings} short />
        {object.since_review ? <span className={styles.mark}>{object.since_review === "new" ? "new since your review" : "changed since your review"}</span> : null}
        {isViewed ? <span className={styles.mark}>viewed</span> : null}
      </Muted>
    </div>
  );
}

/** What the signs do not say: that it comes or goes, and settings. */
function changeText({ action, kind, brings, source_ops }: ComparedObject): string {
  if (action === "create") return `new ${kind} `;
  if (action === "drop") return "dropped ";
  if (action === "untouched") return "left out ";
  return rowsAndColumns(brings).length ? "" : source_ops.join(", ");
}

function optionId(object: ComparedObject): string {
  return `object-${object.kind}-${object.object_id}`;
}
