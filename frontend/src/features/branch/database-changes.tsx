import { useState } from "react";

import type { Database } from "../../api/resources";
import { branchAddress } from "../../model/addresses";
import { commentOn, databaseDrop, databaseRename, quoted } from "../../model/sql";
import { TextField, WriteDialog } from "../sql/write-dialog";
import { Button } from "../../ui/button";
import { classes } from "../../ui/classes";
import { Muted } from "../../ui/muted";
import styles from "./database-changes.module.css";

interface DatabaseProps {
  catalog: string;
  branch: string;
  database: Database;
}

const CHANGES = { rename: "Rename", comment: "Comment", drop: "Drop" } as const;
type Change = keyof typeof CHANGES;

/** What can be done with a database as a whole. */
export function DatabaseChanges({ catalog, branch, database }: DatabaseProps) {
  const [asked, setAsked] = useState<Change>();
  const given = { catalog, branch, database, onClose: () => setAsked(undefined) };
  return (
    <div className={classes("row inside", styles.changes)}>
      <Muted isSmall>Database {database.name}</Muted>
      {(Object.keys(CHANGES) as Change[]).map((change) => (
        <Button key={change} look="quiet" isSmall onClick={() => setAsked(change)}>
          {CHANGES[change]}
          <span className="visually-hidden"> the database {database.name}</span>
        </Button>
      ))}
      {asked === "rename" ? <RenameDialog {...given} /> : null}
      {asked === "comment" ? <CommentDialog {...given} /> : null}
      {asked === "drop" ? <DropDialog {...given} /> : null}
    </div>
  );
}

type DialogProps = DatabaseProps & { onClose: () => void };

function RenameDialog({ catalog, branch, database, onClose }: DialogProps) {
  const [name, setName] = useState(database.name);
  const wanted = name.trim();
  return (
    <WriteDialog
      title={`Rename the database ${database.name}`}
      action="Rename"
      place={{ catalog, branch }}
      statement={wanted && wanted !== database.name ? databaseRename(database.name, wanted) : undefined}
      leadsTo={`${branchAddress(catalog, branch)}?database=${encodeURIComponent(wanted)}`}
      gone={["catalog", catalog, "branch", branch, "tables", database.name]}
      onClose={onClose}
    >
      <Muted as="p">Its tables stay. Views and pipelines that name it find it no longer.</Muted>
      <TextField label="New name" value={name} onChange={setName} isFirst />
    </WriteDialog>
  );
}

function CommentDialog({ catalog, branch, database, onClose }: DialogProps) {
  const [comment, setComment] = useState(database.comment);
  const wanted = comment.trim();
  return (
    <WriteDialog
      title={`Comment on the database ${database.name}`}
      action="Save the comment"
      place={{ catalog, branch }}
      statement={wanted === database.comment ? undefined : commentOn("DATABASE", quoted(database.name), wanted)}
      onClose={onClose}
    >
      <TextField label="Comment" value={comment} onChange={setComment} maxLength={1000} isFirst />
    </WriteDialog>
  );
}

function DropDialog({ catalog, branch, database, onClose }: DialogProps) {
  const [withTables, setWithTables] = useState(false);
  return (
    <WriteDialog
      title={`Drop the database ${database.name}?`}
      action="Drop the database"
      place={{ catalog, branch }}
      statement={databaseDrop(database.name, withTables)}
      leadsTo={`${branchAddress(catalog, branch)}?tab=trash`}
      gone={["catalog", catalog, "branch", branch, "tables", database.name]}
      onClose={onClose}
      isDangerous
    >
      <p>It leaves {branch} only. The trash of the branch keeps it, and brings it back with the tables that go with it.</p>
      <label className="row">
        <input type="checkbox" checked={withTables} onChange={(event) => setWithTables(event.target.checked)} />
        Drop its tables with it (CASCADE)
      </label>
    </WriteDialog>
  );
}
