import { useState } from "react";
import { Link, useParams } from "react-router";

import { branchAddress, sqlAddress, tableAddress, viewAddress } from "../../model/addresses";
import { inOrder } from "../../model/reading-order";
import { tableName, viewDrop } from "../../model/sql";
import { useMay } from "../../queries/catalogs";
import { useTables } from "../../queries/tables";
import { useView, useViewColumns, useViews, viewKey, type ViewPlace } from "../../queries/views";
import { Button, LinkButton } from "../../ui/button";
import { Copyable } from "../../ui/copyable";
import { Grid } from "../../ui/grid";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { PageHead, Panel } from "../../ui/page";
import { Loaded } from "../../ui/states";
import { Time } from "../../ui/time";
import { WriteDialog } from "../sql/write-dialog";
import { LoadedWithBranch } from "./missing-branch";

/** A view: its query, what that reads, and the columns that come of it. */
export function ViewPage() {
  const { catalog = "", branch = "", database = "", view = "" } = useParams();
  const place: ViewPlace = { catalog, branch, database, view };
  const found = useView(place);
  const mayWrite = useMay(catalog, "contributor");
  const [isDropping, setDropping] = useState(false);
  return (
    <div className="page">
      <PageHead
        title={inOrder(`${database}.${view}`)}
        actions={
          <>
            <LinkButton to={sqlAddress(catalog, branch, `SELECT * FROM ${tableName(database, view)} LIMIT 100`)}>
              <Icon name="sql" />
              Query
            </LinkButton>
            {mayWrite && found.data ? (
              <Button onClick={() => setDropping(true)}>
                Drop …
              </Button>
            ) : null}
          </>
        }
      >
        <bdi>{database}</bdi>.<bdi>{view}</bdi>
      </PageHead>
      {isDropping ? <DropViewDialog place={place} onClose={() => setDropping(false)} /> : null}
      <LoadedWithBranch catalog={catalog} query={found} label="the view" restricted={<Muted as="p">Rows are hidden from you, so the definition is too. You can query the view.</Muted>}>
        {(shown) => (
          <>
            <Muted as="p" isSmall className="row">
              <span>
                view on <Link to={branchAddress(catalog, branch)}>{branch}</Link>
              </span>
              <span>
                made by <code>v{shown.made_version}</code> <Time at={shown.made_at} />
              </span>
              <span>id {shown.view_id}</span>
              {shown.comment ? <span>{shown.comment}</span> : null}
            </Muted>
            <Panel title="Definition" actions={<Copyable text={shown.query} shown="SQL" label="the query" />}>
              <pre className="inside">
                <code>{shown.query}</code>
              </pre>
            </Panel>
            <Panel title="Reads">
              <Reads catalog={catalog} branch={branch} reads={shown.reads} />
            </Panel>
            <Panel title="Columns">
              <Columns place={place} />
            </Panel>
          </>
        )}
      </LoadedWithBranch>
    </div>
  );
}

interface Read {
  database: string;
  table: string;
  columns: readonly string[];
}

function Reads({ catalog, branch, reads }: { catalog: string; branch: string; reads: readonly Read[] }) {
  if (reads.length === 0) return <Muted as="p" className="inside">No table or view of this branch is recorded.</Muted>;
  return (
    <ul aria-label="What the view reads">
      {reads.map((read) => (
        <li key={`${read.database}.${read.table}`} className="inside">
          <ReadName catalog={catalog} branch={branch} database={read.database} name={read.table} />
          {read.columns.length ? <Muted isSmall> {read.columns.join(", ")}</Muted> : null}
        </li>
      ))}
    </ul>
  );
}

/** Leads to the table or the view of the name; to none where neither is there any more. */
function ReadName({ catalog, branch, database, name }: { catalog: string; branch: string; database: string; name: string }) {
  const isNamed = (other: { name: string }) => other.name.toLowerCase() === name.toLowerCase();
  const table = useTables(catalog, branch, database, name).data?.pages[0]?.results.find(isNamed);
  const view = useViews(catalog, branch, database, name).data?.results.find(isNamed);
  const shown = inOrder(`${database}.${name}`);
  if (table) return <Link to={tableAddress(catalog, branch, database, table.name)}>{shown}</Link>;
  return view ? <Link to={viewAddress(catalog, branch, database, view.name)}>{shown}</Link> : <span>{shown}</span>;
}

/** Where a row of DESCRIBE has the comment. */
const COMMENT_AT = 4;

function Columns({ place }: { place: ViewPlace }) {
  return (
    <Loaded query={useViewColumns(place)} label="the columns">
      {(outcome) =>
        outcome.kind === "task" ? (
          <Muted as="p" className="inside">The engine is busy. Look again later.</Muted>
        ) : (
          <Grid label={`Columns of ${place.view}`} columns={[{ title: "Name" }, { title: "Type" }, { title: "Comment" }]}>
            {outcome.answer.rows.map((row, at) => (
              <tr key={at}>
                {[0, 1, COMMENT_AT].map((cell) => (
                  <td key={cell}>{typeof row[cell] === "string" ? row[cell] : ""}</td>
                ))}
              </tr>
            ))}
          </Grid>
        )
      }
    </Loaded>
  );
}

function DropViewDialog({ place, onClose }: { place: ViewPlace; onClose: () => void }) {
  const { catalog, branch, database, view } = place;
  return (
    <WriteDialog
      title={`Drop the view ${database}.${view}?`}
      action="Drop the view"
      place={place}
      statement={viewDrop(database, view)}
      leadsTo={`${branchAddress(catalog, branch)}?database=${encodeURIComponent(database)}`}
      gone={viewKey(place)}
      onClose={onClose}
      isDangerous
    >
      <p>It leaves {branch} only, and no row with it. Views and pipelines that read it fail until a view of the name is there.</p>
    </WriteDialog>
  );
}
