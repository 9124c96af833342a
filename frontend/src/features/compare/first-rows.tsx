import { useState } from "react";

import type { ComparedDetail } from "../../api/resources";
import type { Evidence } from "../../model/first-finding";
import { namedIn } from "../../model/first-look";
import { diffRows, tellingColumns, type DiffRow } from "../../model/row-diff";
import { useComparedRows, type Pair } from "../../queries/compare";
import { Muted } from "../../ui/muted";
import { AllColumns, RowDiffTable, talkOfSide, type RowsTalk } from "../../ui/row-diff-table";
import { Loaded } from "../../ui/states";
import { ConflictingRows, type RowAdditions } from "./conflicting-rows";
import { PartitionsTab, PropertiesTab, SchemaTab } from "./detail-tabs";

/** So many rows show what a conflict is about. */
const FIRST_ROWS = 3;

/** What shows a conflict: the rows, or the part of the definition, that it is about. */
export function FirstRows({ pair, detail, evidence, additions }: { pair: Pair; detail: ComparedDetail; evidence: Evidence; additions: RowAdditions | undefined }) {
  switch (evidence.kind) {
    case "conflicting rows":
      return <ConflictingRows pair={pair} detail={detail} additions={additions} />;
    case "side rows":
      return detail.names[evidence.side] === null ? null : <SideRows pair={pair} detail={detail} evidence={evidence} talk={additions?.talk?.(detail)} />;
    case "columns":
      return <SchemaTab detail={{ ...detail, columns: changedByBoth(detail.columns) }} pair={pair} label="Columns of the conflict" />;
    case "properties":
      return <PropertiesTab detail={{ ...detail, properties: changedByBoth(detail.properties) }} pair={pair} label="Properties of the conflict" />;
    case "partitions":
      return <PartitionsTab detail={detail} pair={pair} />;
  }
}

/** Those that both sides changed; where a rule speaks of others, those that either changed. */
function changedByBoth<Item extends { base: unknown; source: unknown; destination: unknown }>(found: readonly Item[]): Item[] {
  const isOther = (one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other);
  const either = found.filter(({ base, source, destination }) => isOther(base, source) || isOther(base, destination));
  const both = either.filter(({ base, source, destination }) => isOther(base, source) && isOther(base, destination));
  return both.length ? both : either;
}

function SideRows({ pair, detail, evidence, talk }: { pair: Pair; detail: ComparedDetail; evidence: Extract<Evidence, { kind: "side rows" }>; talk: RowsTalk | undefined }) {
  const { side, change } = evidence;
  const found = useComparedRows(pair, detail.object_id, side, { limit: FIRST_ROWS, ...(change ? { change } : {}) });
  const [isWhole, setWhole] = useState(false);
  const label = change === "insert" ? `New rows on ${pair[side]}` : `First rows that ${pair[side]} changed`;
  return (
    <Loaded query={found} label="the rows">
      {({ pages }) => {
        const [page] = pages;
        const columns = page?.columns.slice(2) ?? [];
        const rows = diffRows({ rows: page?.rows ?? [], keys: page?.keys ?? [] });
        if (rows.length === 0) return null;
        const telling = shownOf(columns.map(({ name }) => name), rows, detail);
        return (
          <div className="stack tight">
            <RowDiffTable columns={columns} rows={rows} label={label} hasIds={false} talk={talkOfSide(side, talk)} height="40vh" {...(isWhole ? {} : { shown: telling })} />
            <Muted as="p" isSmall className="row">
              {page?.next ? <span>The first {FIRST_ROWS} of them; the tab Rows has all.</span> : null}
              {telling.length < columns.length ? <AllColumns count={columns.length} isWhole={isWhole} onChange={setWhole} /> : null}
            </Muted>
          </div>
        );
      }}
    </Loaded>
  );
}

/** The columns that the statements of the source name come first; columns without a value in any row are left out. */
function shownOf(columns: readonly string[], rows: readonly DiffRow[], detail: ComparedDetail): number[] {
  const key = detail.columns.flatMap(({ destination }) => (destination && destination.key_position !== null ? [destination.name] : []));
  const named = new Set(namedIn(detail.source_commits.map(({ statement }) => statement), columns));
  const places = tellingColumns(columns, rows, key).filter((place) => named.has(columns[place] ?? "") || rows.some(({ values }) => values[place] !== null));
  const rank = (place: number) => (key.includes(columns[place] ?? "") ? 0 : named.has(columns[place] ?? "") ? 1 : 2);
  return places.toSorted((one, other) => rank(one) - rank(other) || one - other);
}
