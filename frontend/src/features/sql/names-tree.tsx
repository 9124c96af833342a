import { useQuery } from "@tanstack/react-query";
import { memo, useState } from "react";

import { inOrder } from "../../model/reading-order";
import { quoted } from "../../model/sql";
import { Button } from "../../ui/button";
import { classes } from "../../ui/classes";
import { Input } from "../../ui/field";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { Loaded } from "../../ui/states";
import { columnsQuery, tableNamesQuery } from "./use-sql-names";
import styles from "./names-tree.module.css";

interface TreeProps {
  catalog: string;
  branch: string;
  /** Puts a name into the text where the cursor is. */
  onName: (name: string) => void;
}

/** As the style sheets have it. */
const NARROW = "(max-width: 47.5em)";

/** The tables beside the text. On a narrow page they would lie between it and its results: they are folded at first. With
 * many tables it is much to draw, so a key in the text draws none of it. */
export const TablesPanel = memo(function TablesPanel(props: TreeProps) {
  const [isOpen, setOpen] = useState(() => !window.matchMedia(NARROW).matches);
  return (
    <details className={classes("panel", styles.panel)} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>Tables</h2>
      </summary>
      <NamesTree {...props} />
    </details>
  );
});

/** Databases, tables and columns of the branch. A name that is pressed goes into the text. */
function NamesTree(props: TreeProps) {
  const names = useQuery(tableNamesQuery(props.catalog, props.branch));
  const [wanted, setWanted] = useState("");
  return (
    <nav className={styles.tree} aria-label={`Tables of ${props.branch}`}>
      <Input type="search" placeholder="Find a table" aria-label="Find a table" value={wanted} onChange={(event) => setWanted(event.target.value)} />
      <Loaded query={names} label="the tables">
        {(known) => {
          const databases = Object.entries(known);
          if (databases.length === 0) return <Muted as="p" isSmall>This branch has no database yet.</Muted>;
          return (
            <ul>
              {databases.map(([database, tables]) => (
                <DatabaseNode key={database} {...props} database={database} tables={tables.filter((table) => `${database}.${table}`.toLowerCase().includes(wanted.trim().toLowerCase()))} isOpen={databases.length === 1 || wanted.trim() !== ""} />
              ))}
            </ul>
          );
        }}
      </Loaded>
    </nav>
  );
}

function DatabaseNode({ database, tables, isOpen, ...props }: TreeProps & { database: string; tables: readonly string[]; isOpen: boolean }) {
  const [isShown, setShown] = useState(isOpen);
  return (
    <li>
      <details open={isOpen} onToggle={(event) => setShown(event.currentTarget.open)}>
        <summary>
          <Icon name="database" size={14} /> <bdi>{database}</bdi> <span className="count">{tables.length}</span>
        </summary>
        {isOpen || isShown ? (
          <ul>
            {tables.map((table) => (
              <TableNode key={table} {...props} database={database} table={table} />
            ))}
          </ul>
        ) : null}
      </details>
    </li>
  );
}

function TableNode({ database, table, ...props }: TreeProps & { database: string; table: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Icon name="tables" size={14} /> <bdi>{table}</bdi>
        </summary>
        <ul>
          <li>
            <Button
              look="quiet" isSmall
              title={`Insert ${database}.${table}`}
              onClick={() => props.onName(`${named(database)}.${named(table)}`)}
            >
              Insert {inOrder(`${database}.${table}`)}
            </Button>
          </li>
          {isOpen ? <ColumnNodes {...props} database={database} table={table} /> : null}
        </ul>
      </details>
    </li>
  );
}

function ColumnNodes({ catalog, branch, database, table, onName }: TreeProps & { database: string; table: string }) {
  const columns = useQuery(columnsQuery(catalog, branch, database, table));
  return (
    <Loaded query={columns} label="the columns">
      {(found) =>
        found.map(({ name, type }) => (
          <li key={name}>
            <button type="button" className={styles.name} title={`Insert ${name}`} onClick={() => onName(named(name))}>
              <bdi>{name}</bdi> <Muted>{type}</Muted>
            </button>
          </li>
        ))
      }
    </Loaded>
  );
}

/** Between backticks where it has to be. */
function named(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoted(name);
}
