import { useDeferredValue, useState } from "react";
import { Link } from "react-router";

import type { Database, TableSummary } from "../../api/resources";
import { tableAddress, viewAddress } from "../../model/addresses";
import { bytes, counted } from "../../model/format";
import { useMay } from "../../queries/catalogs";
import { useDatabases, useTables } from "../../queries/tables";
import { useViews } from "../../queries/views";
import { classes } from "../../ui/classes";
import { Input } from "../../ui/field";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { Empty, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";
import { VirtualRows } from "../../ui/virtual-rows";
import { DatabaseChanges } from "./database-changes";
import styles from "./object-tree.module.css";

const ROW_HEIGHT = 36;
/** With more databases than these, only the one that was asked for is open at first. */
const OPEN_AT_FIRST = 3;

export function ObjectTree({ catalog, branch, opened }: { catalog: string; branch: string; opened: string | null }) {
  const [text, setText] = useState("");
  const search = useDeferredValue(text);
  const databases = useDatabases(catalog, branch);
  const mayWrite = useMay(catalog, "contributor");
  return (
    <Loaded query={databases} label="databases">
      {({ results }) =>
        results.length === 0 ? (
          <Empty title="No database yet">
            <p>The button New database makes one; then a table can be made by its columns, or from a file.</p>
          </Empty>
        ) : (
          <div>
            <div className="inside">
              <Input
                type="search"
                placeholder="Find a table or view"
                aria-label="Find a table or view by name"
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
            </div>
            {results.map((database) => (
              <DatabaseBranch
                key={database.database_id}
                catalog={catalog}
                branch={branch}
                database={database}
                search={search}
                mayWrite={mayWrite}
                isOpen={opened === null ? results.length <= OPEN_AT_FIRST : opened === database.name}
              />
            ))}
          </div>
        )
      }
    </Loaded>
  );
}

function DatabaseBranch({
  catalog,
  branch,
  database,
  search,
  isOpen,
  mayWrite,
}: {
  catalog: string;
  branch: string;
  database: Database;
  search: string;
  isOpen: boolean;
  mayWrite: boolean;
}) {
  const [open, setOpen] = useState(isOpen);
  return (
    <details open={open || search !== ""} onToggle={(event) => setOpen(event.currentTarget.open)} className={styles.database}>
      <summary>
        <Icon name="database" size={14} /> <strong>{database.name}</strong>{" "}
        <Muted isSmall>{database.comment}</Muted>
      </summary>
      {open || search !== "" ? (
        <>
          <Tables catalog={catalog} branch={branch} database={database.name} search={search} />
          <Views catalog={catalog} branch={branch} database={database.name} search={search} />
          {mayWrite ? <DatabaseChanges catalog={catalog} branch={branch} database={database} /> : null}
        </>
      ) : null}
    </details>
  );
}

function Tables({
  catalog,
  branch,
  database,
  search,
}: {
  catalog: string;
  branch: string;
  database: string;
  search: string;
}) {
  const tables = useTables(catalog, branch, database, search);
  return (
    <Loaded query={tables} label={`tables of ${database}`}>
      {({ pages }) => {
        const found = pages.flatMap((page) => page.results);
        if (found.length === 0) return <Muted as="p" className="inside">{search ? "No table has that in its name." : "No table yet."}</Muted>;
        return (
          <VirtualRows
            items={found}
            rowHeight={ROW_HEIGHT}
            keyOf={(table) => table.table_id}
            label={`Tables of ${database}`}
            height="520px"
            onEnd={tables.hasNextPage && !tables.isFetchingNextPage ? () => void tables.fetchNextPage() : undefined}
            row={(table) => <TableRow table={table} address={tableAddress(catalog, branch, database, table.name)} />}
          />
        );
      }}
    </Loaded>
  );
}

/** Nothing where the database has no view. */
function Views({ catalog, branch, database, search }: { catalog: string; branch: string; database: string; search: string }) {
  const views = useViews(catalog, branch, database, search);
  if (views.error) return <Muted as="p" className="inside">The views of {database} could not be read.</Muted>;
  const found = views.data?.results ?? [];
  if (found.length === 0) return null;
  return (
    <>
      <ul aria-label={`Views of ${database}`}>
        {found.map((view) => (
          <li key={view.view_id} className={styles.viewRow}>
            <Link className="ellipsis" to={viewAddress(catalog, branch, database, view.name)}>
              {view.name}
            </Link>
            <Muted isSmall>view</Muted>
            <Muted isSmall className="ellipsis">{view.comment}</Muted>
          </li>
        ))}
      </ul>
      {views.data?.next ? <Muted as="p" isSmall className="inside">There are more views. Type a part of the name to find one.</Muted> : null}
    </>
  );
}

function TableRow({ table, address }: { table: TableSummary; address: string }) {
  return (
    <div className={styles.tableRow}>
      <Link className="ellipsis" to={address}>
        {table.name}
      </Link>
      <Muted isSmall className={classes("ellipsis", styles.comment)}>{table.comment}</Muted>
      <span className={classes("number small", styles.columns)}>{counted(table.column_count, "column")}</span>
      <span className="number small">{table.sizes ? counted(table.sizes.rows, "row") : ""}</span>
      <span className={classes("number small", styles.size)}>{table.sizes ? bytes(table.sizes.bytes) : ""}</span>
      <Muted isSmall className={styles.lastChange}>
        {table.last_change ? (
          <>
            <code title={table.last_change.operation}>v{table.last_change.version}</code> <Time at={table.last_change.time} />{" "}
            <span className={styles.author}>{table.last_change.author}</span>
          </>
        ) : null}
      </Muted>
    </div>
  );
}
