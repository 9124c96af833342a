import { useState } from "react";

import type { Dropped } from "../../api/resources";
import { branchAddress, tableAddress } from "../../model/addresses";
import { counted } from "../../model/format";
import { inOrder } from "../../model/reading-order";
import { databaseUndrop, tableUndrop } from "../../model/sql";
import { useMay } from "../../queries/catalogs";
import { useTrash } from "../../queries/trash";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { Empty, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";
import { TextField, WriteDialog } from "../sql/write-dialog";
import styles from "../../ui/trash.module.css";

/** What was dropped from the branch and can come back. */
export function TrashTab({ catalog, branch }: { catalog: string; branch: string }) {
  const trash = useTrash(catalog, branch);
  const mayWrite = useMay(catalog, "contributor");
  const [wanted, setWanted] = useState<Dropped>();
  return (
    <>
      <Loaded query={trash} label="the trash">
        {({ pages }) => {
          const found = pages.flatMap(({ results }) => results);
          return found.length === 0 ? (
            <Empty title="Nothing was dropped">
              <p>A dropped table or database stands here until it is too old. It comes back with its rows and its history.</p>
            </Empty>
          ) : (
            <ul className={styles.trash} aria-label={`Dropped from ${branch}`}>
              {found.map((entry) => (
                <DroppedRow key={`${entry.kind} ${entry.id}`} entry={entry} branch={branch} onWanted={mayWrite ? setWanted : undefined} />
              ))}
            </ul>
          );
        }}
      </Loaded>
      {trash.hasNextPage ? (
        <p className="inside">
          <Button isSmall disabled={trash.isFetchingNextPage} onClick={() => void trash.fetchNextPage()}>
            Show more
          </Button>
        </p>
      ) : null}
      {wanted ? <BringBackDialog catalog={catalog} branch={branch} entry={wanted} onClose={() => setWanted(undefined)} /> : null}
    </>
  );
}

function nameOf({ database, table }: Dropped): string {
  return inOrder(table ? `${database}.${table}` : database);
}

function DroppedRow({ entry, branch, onWanted }: { entry: Dropped; branch: string; onWanted: ((entry: Dropped) => void) | undefined }) {
  return (
    <li>
      <span className={styles.what}>
        <span className="row">
          <Icon name={entry.kind === "table" ? "tables" : "database"} size={14} />
          <strong className="ellipsis">
            <bdi>{nameOf(entry)}</bdi>
          </strong>
          {entry.kind === "database" ? <Muted isSmall>database with {counted(entry.tables, "table")}</Muted> : null}
        </span>
        {entry.needs_database ? <Muted isSmall>Its database was dropped too. Bring that back first.</Muted> : null}
        {entry.name_taken ? <Muted isSmall>Another {entry.kind} has this name now. It comes back under a new one.</Muted> : null}
      </span>
      <span className="small">
        {entry.operation}
        {entry.author ? ` by ${entry.author}` : ""}, <Time at={entry.dropped_at} />{" "}
        <Muted>
          {entry.branch === branch ? "" : `on ${entry.branch} `}(<code>v{entry.version}</code>)
        </Muted>
      </span>
      <Muted isSmall>
        may expire <Time at={entry.kept_until} />
      </Muted>
      {onWanted && !entry.needs_database ? (
        <Button isSmall onClick={() => onWanted(entry)}>
          Undrop<span className="visually-hidden"> {nameOf(entry)}</span>
        </Button>
      ) : null}
    </li>
  );
}

function BringBackDialog({ catalog, branch, entry, onClose }: { catalog: string; branch: string; entry: Dropped; onClose: () => void }) {
  const own = entry.table || entry.database;
  const [name, setName] = useState(entry.name_taken ? "" : own);
  const wanted = name.trim();
  const as = wanted === own ? "" : wanted;
  const statement = entry.table ? tableUndrop(entry.database, entry.table, entry.id, as) : databaseUndrop(entry.database, entry.id, as);
  const leadsTo = entry.table ? tableAddress(catalog, branch, entry.database, wanted) : `${branchAddress(catalog, branch)}?database=${encodeURIComponent(wanted)}`;
  return (
    <WriteDialog
      title={`Undrop ${nameOf(entry)}`}
      action="Undrop"
      place={{ catalog, branch }}
      statement={wanted && (as || !entry.name_taken) ? statement : undefined}
      leadsTo={leadsTo}
      onClose={onClose}
    >
      <Muted as="p">
        {entry.table ? "It comes back with its rows and its history." : `It comes back with ${counted(entry.tables, "table")}.`}
        {entry.name_taken ? ` Another ${entry.kind} has the name ${own} now, so it needs a new one.` : ""}
      </Muted>
      <TextField label="Name" value={name} onChange={setName} isFirst />
    </WriteDialog>
  );
}
