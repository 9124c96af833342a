import type { GraphNode } from "./graph";

export interface TimeMark {
  column: number;
  label: string;
}

const LABEL_COLUMNS = 3;

/** Where a new day begins among the columns, in local time; where all is of one day, where a new hour begins. */
export function timeMarks(nodes: readonly GraphNode[], timeZone?: string): TimeMark[] {
  const zone = timeZone === undefined ? {} : { timeZone };
  const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", ...zone });
  const hour = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", ...zone });
  const days = new Set(nodes.map((node) => day.format(timeOf(node))));
  return spaced(marksBy(nodes, day), days.size) ?? spaced(marksBy(nodes, hour, 13), 2) ?? [];
}

/** A mark at each column whose label differs from that of the column before; `length` cuts what is compared. */
function marksBy(nodes: readonly GraphNode[], format: Intl.DateTimeFormat, length?: number): TimeMark[] {
  const labels = nodes.map((node) => format.format(timeOf(node)));
  return nodes.flatMap((node, place) => {
    const [label = "", before] = [labels[place], labels[place - 1]];
    return label.slice(0, length) === before?.slice(0, length) ? [] : [{ column: node.column, label }];
  });
}

/** Marks whose labels do not run into each other; undefined when there is only one moment to tell. */
function spaced(marks: TimeMark[], distinct: number): TimeMark[] | undefined {
  if (distinct < 2) return undefined;
  let last = -LABEL_COLUMNS;
  return marks.filter((mark) => {
    if (mark.column - last < LABEL_COLUMNS) return false;
    last = mark.column;
    return true;
  });
}

function timeOf(node: GraphNode): Date {
  return new Date(node.kind === "commit" ? node.commit.time : (node.commits[0]?.time ?? 0));
}
