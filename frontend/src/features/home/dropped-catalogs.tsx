import { useState } from "react";

import type { DroppedCatalog } from "../../api/resources";
import { catalogAddress } from "../../model/addresses";
import { catalogUndrop } from "../../model/sql";
import { useCatalogs, useDroppedCatalogs } from "../../queries/catalogs";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { Panel } from "../../ui/page";
import { Time } from "../../ui/time";
import { TextField, WriteDialog } from "../sql/write-dialog";
import styles from "../../ui/trash.module.css";

/** Catalogs that were dropped and can come back; nothing where there are none. */
export function DroppedCatalogs() {
  const dropped = useDroppedCatalogs();
  const [wanted, setWanted] = useState<DroppedCatalog>();
  const found = dropped.data?.results ?? [];
  if (found.length === 0) return null;
  return (
    <Panel title="Dropped catalogs">
      <ul className={styles.trash} aria-label="Dropped catalogs">
        {found.map((entry) => (
          <li key={entry.catalog_id}>
            <span className={styles.what}>
              <span className="row">
                <Icon name="database" size={14} />
                <strong className="ellipsis">
                  <bdi>{entry.name}</bdi>
                </strong>
              </span>
              {entry.comment ? <Muted isSmall className="ellipsis">{entry.comment}</Muted> : null}
            </span>
            <span className="small">
              dropped <Time at={entry.dropped_at} />
            </span>
            <Muted isSmall>
              may expire <Time at={entry.kept_until} />
            </Muted>
            <Button isSmall onClick={() => setWanted(entry)}>
              Undrop<span className="visually-hidden"> {entry.name}</span>
            </Button>
          </li>
        ))}
      </ul>
      {wanted ? <BringBack entry={wanted} onClose={() => setWanted(undefined)} /> : null}
    </Panel>
  );
}

function BringBack({ entry, onClose }: { entry: DroppedCatalog; onClose: () => void }) {
  const catalogs = useCatalogs();
  const isTaken = catalogs.data?.results.some(({ name }) => name.toLowerCase() === entry.name.toLowerCase()) ?? false;
  const [name, setName] = useState("");
  const wanted = name.trim();
  const isReady = wanted !== "" || !isTaken;
  return (
    <WriteDialog
      title={`Undrop ${entry.name}`}
      action="Undrop"
      place={{ catalog: null, branch: "main" }}
      statement={isReady ? catalogUndrop(entry.name, entry.catalog_id, wanted || undefined) : undefined}
      leadsTo={catalogAddress(wanted || entry.name)}
      onClose={onClose}
    >
      <Muted as="p">It comes back with its branches, tags, tables, members and merge requests.</Muted>
      <TextField
        label={isTaken ? "Another name, as a catalog has this one now" : "Another name (optional)"}
        value={name}
        onChange={setName}
        isFirst
      />
    </WriteDialog>
  );
}
