import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";

import type { CompareFilter } from "../../api/paths";
import type { ComparedDatabase, ComparedObject, Comparison } from "../../api/resources";
import { count, counted } from "../../model/format";
import { listEntries, nameInGroup, type ListEntry } from "../../model/object-groups";
import { objectMark } from "../../model/verdict";
import { Icon } from "../../ui/icons";
import { VirtualRows } from "../../ui/virtual-rows";
import { objectKey } from "./use-compared";

const ROW_HEIGHT = 48;
const DATABASE_HEIGHT = 30;
const SEARCH_DELAY_MS = 250;
const VERDICT_NAMES = { conflict: "Conflict", decided: "Decided", note: "Note", ok: "Fine", new: "New" } as const;

/** What the source changed. The list is one stop of the keyboard; arrows, j and k move in it. */
export function ObjectList({
  objects,
  summary,
  chosen,
  filter,
  onFilter,
  onChoose,
  onEnd,
}: {
  objects: readonly ComparedObject[];
  summary: Comparison;
  chosen: number;
  filter: CompareFilter;
  onFilter: (filter: { search?: string; verdict?: string }) => void;
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
    <section className="panel object-list" aria-label="Changed objects">
      <ListFilter filter={filter} summary={summary} onFilter={onFilter} />
      {objects.length === 0 ? <p className="inside muted">Nothing like that was changed.</p> : null}
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
              <ObjectOption object={entry.object} isChosen={entry.object === active} onChoose={() => onChoose(entry.object)} />
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
    <div className="database-line small">
      <Icon name="database" size={14} />
      <strong className="ellipsis">{database.name}</strong>
      <span className="muted nowrap">
        {counted(database.objects, "object")}
        {database.conflict ? `, ${count(database.conflict)} in conflict` : ""}
      </span>
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
  onFilter: (filter: { search?: string; verdict?: string }) => void;
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
    <div className="list-filter">
      <input
        className="input"
        type="search"
        placeholder="Filter by name"
        aria-label="Filter by name"
        value={text}
        onChange={(event) => search(event.target.value)}
      />
      <select
        className="input"
        aria-label="Filter by verdict"
        value={filter.verdict ?? ""}
        onChange={(event) => onFilter({ verdict: event.target.value })}
      >
        <option value="">All ({count(summary.counts.objects)})</option>
        {(["conflict", "decided", "note", "ok", "new"] as const).map((verdict) => (
          <option key={verdict} value={verdict}>
            {VERDICT_NAMES[verdict]} ({count(summary.counts[verdict])})
          </option>
        ))}
      </select>
    </div>
  );
}

function ObjectOption({ object, isChosen, onChoose }: { object: ComparedObject; isChosen: boolean; onChoose: () => void }) {
  const mark = objectMark(object.verdict);
  return (
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- the list that holds the options has the keys
    <div
      id={optionId(object)}
      role="option"
      aria-selected={isChosen}
      tabIndex={-1}
      className="object-option"
      onClick={onChoose}
    >
      <span className={`badge ${mark.kind}`}>
        <span aria-hidden="true">{mark.symbol}</span>
        <span className="visually-hidden">{mark.word}: </span>
      </span>
      <span className="ellipsis name" title={object.name} aria-hidden="true">
        {nameInGroup(object)}
      </span>
      <span className="visually-hidden">{object.name} </span>
      <span className="ellipsis small muted ops">{operationsText(object)}</span>
    </div>
  );
}

/** `update, insert × insert`: what the source did, then what the destination did. */
function operationsText(object: ComparedObject): string {
  if (object.verdict === "new") return `new ${object.kind}`;
  return `${object.source_ops.join(", ") || "nothing"} × ${object.dest_ops.join(", ") || "nothing"}`;
}

function optionId(object: ComparedObject): string {
  return `object-${object.kind}-${object.object_id}`;
}
