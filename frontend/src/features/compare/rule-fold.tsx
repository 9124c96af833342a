import { useMemo, useState, type ReactNode } from "react";

import type { ComparedDetail, RuleTable, Rules, SideCommit } from "../../api/resources";
import { firstFinding } from "../../model/first-finding";
import { firstPlace, matrixOf, type Place } from "../../model/matrix";
import type { CellAnchor } from "../../model/timeline";
import { findingMark } from "../../model/verdict";
import { useRules, type Pair } from "../../queries/compare";
import { Button } from "../../ui/button";
import { Muted } from "../../ui/muted";
import { Loaded } from "../../ui/states";
import { CellDetail } from "./cell-detail";
import { MatrixTable } from "./matrix-table";
import styles from "./rule-fold.module.css";

type CellAddition = ((detail: ComparedDetail, cell: CellAnchor) => ReactNode) | undefined;

/** The rules that judged the object, for those who ask. */
export function RuleFold({ pair, detail, cellAddition, isOpen: isOpenAtFirst }: { pair: Pair; detail: ComparedDetail; cellAddition: CellAddition; isOpen: boolean }) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const rules = useRules();
  const first = firstFinding(detail);
  return (
    <details className="fold" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Which rule decided this?{" "}
        <Muted isSmall>
          {first?.dest_op ? `${first.source_op} × ${first.dest_op}: ${findingMark(first, undefined).word}` : detail.cells.length === 0 ? "none: only one branch changed it" : ""}
        </Muted>
      </summary>
      {isOpen ? (
        <div className="stack">
          <Loaded query={rules} label="the rules">
            {(known) => <Judgement pair={pair} detail={detail} rules={known} cellAddition={cellAddition} />}
          </Loaded>
        </div>
      ) : null}
    </details>
  );
}

function Judgement({ pair, detail, rules, cellAddition }: { pair: Pair; detail: ComparedDetail; rules: Rules; cellAddition: CellAddition }) {
  const table = rules.tables.find((known) => known.name === detail.rule_table);
  const bySource = detail.cells.filter((cell) => cell.rule_table === "");
  if (!table) return null;
  return (
    <>
      {bySource.map((finding, place) => (
        <CellDetail key={place} pair={pair} rules={rules} findings={[finding]} commits={detail} rule={undefined} />
      ))}
      <JudgedMatrix pair={pair} detail={detail} rules={rules} table={table} cellAddition={cellAddition} />
    </>
  );
}

function JudgedMatrix({
  pair,
  detail,
  rules,
  table,
  cellAddition,
}: {
  pair: Pair;
  detail: ComparedDetail;
  rules: Rules;
  table: RuleTable;
  cellAddition: CellAddition;
}) {
  const [whole, setWhole] = useState(false);
  const done = useMemo(() => operationsDone(detail, table), [detail, table]);
  const matrix = useMemo(
    () => matrixOf(table, detail.cells.filter((cell) => cell.rule_table === table.name), done, whole),
    [table, detail, done, whole],
  );
  const [chosen, setChosen] = useState<{ place: Place; whole: boolean }>();
  const place = chosen?.whole === whole ? chosen.place : firstPlace(matrix);
  const cell = place && matrix.cells[place.row]?.[place.column];
  const neverMet = detail.cells.length === 0;
  return (
    <>
      <div className="row apart">
        <Muted as="p" isSmall>
          {neverMet && !whole ? (
            "Only one branch changed it, so no rule had to decide anything."
          ) : (
            <>
              Rows: what <strong>{pair.source}</strong> did. Columns: what <strong>{pair.destination}</strong> did.
            </>
          )}
        </Muted>
        <Button isSmall aria-pressed={whole} onClick={() => setWhole(!whole)}>
          {whole ? "Show only the rules used" : "Show all rules"}
        </Button>
      </div>
      {neverMet && !whole ? null : (
        <MatrixTable
          matrix={matrix}
          chosen={place}
          onChoose={(next) => setChosen({ place: next, whole })}
          source={pair.source}
          destination={pair.destination}
        />
      )}
      {neverMet && !whole ? null : <Legend />}
      {cell && (cell.isMet || chosen) ? (
        <>
          <CellDetail pair={pair} rules={rules} findings={cell.findings} rule={cell.rule} commits={detail} />
          {cellAddition?.(detail, { rule_table: table.name, source_op: cell.rule.source, dest_op: cell.rule.destination })}
        </>
      ) : null}
    </>
  );
}

function Legend() {
  return (
    <p className={styles.legend}>
      <span>✓ no conflict</span>
      <span>≈ no conflict (checked)</span>
      <span>✕ conflict</span>
      <span>⤓ note</span>
      <span>◆ decided by a person</span>
      <span>· not used</span>
      <span className={styles.dashed}>lakeui’s own rule</span>
    </p>
  );
}

/** Axes of the operations of each branch, from its commits: a cell is known only where both met. */
function operationsDone(detail: ComparedDetail, table: RuleTable): { source: string[]; destination: string[] } {
  const axes = new Set(table.axes.map((axis) => axis.key));
  const keys = (commits: readonly SideCommit[]) => [
    ...new Set(commits.flatMap((commit) => commit.operations.map(({ kind }) => kind)).filter((kind) => axes.has(kind))),
  ];
  return { source: keys(detail.source_commits), destination: keys(detail.dest_commits) };
}
