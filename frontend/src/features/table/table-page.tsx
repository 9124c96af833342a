import { lazy, Suspense } from "react";
import { useParams, useSearchParams } from "react-router";

import { branchAddress, importAddress, sqlAddress } from "../../model/addresses";
import { bytes, counted } from "../../model/format";
import { inOrder } from "../../model/reading-order";
import { tableName } from "../../model/sql";
import type { TableDetail } from "../../api/resources";
import { useMay } from "../../queries/catalogs";
import { useTable, type TablePlace } from "../../queries/tables";
import { LinkButton } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { Muted } from "../../ui/muted";
import { PageHead, Panel } from "../../ui/page";
import { Loading } from "../../ui/states";
import { Tabs } from "../../ui/tabs";
import { Link } from "react-router";
import { LoadedWithBranch } from "../branch/missing-branch";
import { ChangesTab } from "./changes-tab";
import { ColumnsTab, PropertiesTab } from "./columns-tab";
import { HistoryTab } from "./history-tab";
import { RowsTab } from "./rows-tab";
import { SchemasTab } from "./schemas-tab";
import { RestrictedRows } from "./restricted-rows";
import { SegmentsTab } from "./segments-tab";
import { TableMenu } from "./table-menu";
import { TablePipelines } from "./table-pipelines";
import { TableRestrictions } from "./table-restrictions";
import { VersionBar } from "./version-bar";

const LineageTab = lazy(() => import("./lineage-tab"));
const ProfileTab = lazy(() => import("./profile-tab"));

const TAB_KEYS = ["columns", "rows", "profile", "history", "lineage", "segments", "schemas", "changes", "properties"] as const;
type TabKey = (typeof TAB_KEYS)[number];

export function TablePage() {
  const { catalog = "", branch = "", database = "", table = "" } = useParams();
  const place: TablePlace = { catalog, branch, database, table };
  const [query, setQuery] = useSearchParams();
  const version = Number(query.get("version")) || undefined;
  const chosen = TAB_KEYS.find((key) => key === query.get("tab")) ?? "columns";
  const detail = useTable(place, version);
  const mayChange = useMay(catalog, "contributor") && version === undefined;
  const show = (tab: TabKey, at: number | undefined) =>
    setQuery({ ...(tab === "columns" ? {} : { tab }), ...(at === undefined ? {} : { version: String(at) }) });
  return (
    <div className="page">
      <PageHead
        title={inOrder(`${database}.${table}`)}
        actions={
          <>
            <LinkButton to={importAddress(catalog, branch, { database, table })}>
              <Icon name="import" />
              Import rows
            </LinkButton>
            <LinkButton to={sqlAddress(catalog, branch, `SELECT * FROM ${tableName(database, table)} LIMIT 100`)}>
              <Icon name="sql" />
              Query
            </LinkButton>
            {mayChange && detail.data ? <TableMenu place={place} table={detail.data} /> : null}
          </>
        }
      >
        <bdi>{database}</bdi>.<bdi>{table}</bdi>
      </PageHead>
      <LoadedWithBranch catalog={catalog} query={detail} label="the table" restricted={<RestrictedRows place={place} version={version} />}>
        {(found) => (
          <>
            <VersionBar place={place} table={found} version={version} onVersion={(at) => show(chosen, at)} />
            <TableFacts catalog={catalog} branch={branch} table={found} />
            <TablePipelines place={place} />
            <TableRestrictions catalog={catalog} tableId={found.table_id} />
            <Panel>
              <Tabs tabs={tabsOf(found)} chosen={chosen} onChoose={(key) => show(key, version)} label="What the table has">
                <ChosenTab tab={chosen} place={place} table={found} version={version} mayChange={mayChange} />
              </Tabs>
            </Panel>
          </>
        )}
      </LoadedWithBranch>
    </div>
  );
}

function tabsOf(table: TableDetail) {
  return [
    { key: "columns" as const, label: "Columns", count: table.columns.length },
    { key: "rows" as const, label: "Rows" },
    { key: "profile" as const, label: "Profile" },
    { key: "history" as const, label: "History" },
    { key: "lineage" as const, label: "Lineage" },
    { key: "segments" as const, label: "Files", count: table.files },
    { key: "schemas" as const, label: "Schemas" },
    { key: "changes" as const, label: "Row diff" },
    { key: "properties" as const, label: "Properties", count: Object.keys(table.properties).length },
  ];
}

function ChosenTab({
  tab,
  place,
  table,
  version,
  mayChange,
}: {
  tab: TabKey;
  place: TablePlace;
  table: TableDetail;
  version: number | undefined;
  mayChange: boolean;
}) {
  switch (tab) {
    case "columns":
      return <ColumnsTab place={place} table={table} mayChange={mayChange} />;
    case "rows":
      return <RowsTab place={place} table={table} version={version} mayChange={mayChange} />;
    case "profile":
      return (
        <Suspense fallback={<Loading label="the profile" />}>
          <ProfileTab key={table.version} place={place} table={table} version={version} />
        </Suspense>
      );
    case "history":
      return <HistoryTab place={place} table={table} version={version} />;
    case "lineage":
      return (
        <Suspense fallback={<Loading label="the lineage" />}>
          <LineageTab place={place} version={version} />
        </Suspense>
      );
    case "segments":
      return <SegmentsTab place={place} version={version} mayChange={mayChange} />;
    case "schemas":
      return <SchemasTab place={place} />;
    case "changes":
      return <ChangesTab place={place} table={table} />;
    case "properties":
      return <PropertiesTab place={place} table={table} mayChange={mayChange} />;
  }
}

function TableFacts({ catalog, branch, table }: { catalog: string; branch: string; table: TableDetail }) {
  return (
    <Muted as="p" isSmall className="row">
      <span>
        on <Link to={branchAddress(catalog, branch)}>{branch}</Link>
      </span>
      <span>{counted(table.rows, "row")}</span>
      <span>{bytes(table.bytes)}</span>
      <span>{counted(table.files, "file")}</span>
      {table.deleted_rows ? <span>{counted(table.delete_files, "delete file")} for {counted(table.deleted_rows, "old row")}</span> : null}
      {table.partition_by.length ? (
        <span>
          {counted(table.partitions, "partition")} by {table.partition_by.join(", ")}
        </span>
      ) : null}
      {table.primary_key.length ? <span>key {table.primary_key.join(", ")}</span> : null}
      <span>
        schema <code>v{table.schema_version}</code>
      </span>
      {table.comment ? <span>{table.comment}</span> : null}
    </Muted>
  );
}
