import { useState } from "react";

import type { TableDetail } from "../../api/resources";
import type { TablePlace } from "../../queries/tables";
import { Icon } from "../../ui/icons";
import { Menu } from "../../ui/menu";
import { AddColumnDialog } from "./column-dialogs";
import { CommentDialog, DropTableDialog, MoveDialog, PartitionDialog, PropertyDialog, RenameDialog } from "./table-dialogs";

const CHANGES = {
  rename: "Rename …",
  move: "Move …",
  comment: "Comment …",
  column: "Add a column …",
  property: "Set a property …",
  addPartition: "Add a partition …",
  dropPartition: "Drop a partition …",
  drop: "Drop …",
} as const;
type Change = keyof typeof CHANGES;

/** What can be done with a table as a whole; each leads to a form that shows its statement. */
export function TableMenu({ place, table }: { place: TablePlace; table: TableDetail }) {
  const [asked, setAsked] = useState<Change>();
  const isPartitioned = table.partition_by.length > 0;
  const offered = (Object.keys(CHANGES) as Change[]).filter((change) => isPartitioned || !change.endsWith("Partition"));
  return (
    <>
      <Menu label={`Change ${place.database}.${table.name}`} button={<>Change <Icon name="down" size={12} /></>} buttonClass="button">
        {offered.map((change) => (
          <button key={change} type="button" className="item" onClick={() => setAsked(change)}>
            {CHANGES[change]}
          </button>
        ))}
      </Menu>
      {asked ? <ChangeDialog change={asked} place={place} table={table} onClose={() => setAsked(undefined)} /> : null}
    </>
  );
}

function ChangeDialog({ change, ...given }: { change: Change; place: TablePlace; table: TableDetail; onClose: () => void }) {
  switch (change) {
    case "rename":
      return <RenameDialog {...given} />;
    case "move":
      return <MoveDialog {...given} />;
    case "comment":
      return <CommentDialog {...given} />;
    case "column":
      return <AddColumnDialog {...given} />;
    case "property":
      return <PropertyDialog {...given} />;
    case "addPartition":
      return <PartitionDialog change="ADD" {...given} />;
    case "dropPartition":
      return <PartitionDialog change="DROP" {...given} />;
    case "drop":
      return <DropTableDialog {...given} />;
  }
}
