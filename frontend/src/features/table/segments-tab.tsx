import type { Segment } from "../../api/resources";
import { count } from "../../model/format";
import { useCompaction, useSegments, type TablePlace } from "../../queries/tables";
import { Button } from "../../ui/button";
import { FILE_COLUMNS, FileCells } from "../../ui/file-cells";
import { Grid } from "../../ui/grid";
import { Plots } from "../../ui/plots";
import { SizePlot } from "../../ui/size-plot";
import { Empty, Failure, Loaded, Loading } from "../../ui/states";
import { CompactionAdvice } from "./compaction-advice";
import styles from "./segments-tab.module.css";

/** Of fewer files the list itself says all. */
const PLOTTED_FROM = 5;

export function SegmentsTab({ place, version, mayChange }: { place: TablePlace; version: number | undefined; mayChange: boolean }) {
  const segments = useSegments(place, version);
  const compaction = useCompaction(place, version === undefined);
  // Both at once: what comes later would move the list.
  if (compaction.isLoading) return <Loading label="files" />;
  return (
    <Loaded query={segments} label="files">
      {({ pages }) => {
        const found = pages.flatMap((page) => page.results);
        if (found.length === 0) return <Empty title="No file in this version" />;
        return (
          <>
            {compaction.error ? <Failure error={compaction.error} /> : null}
            {compaction.data ? <CompactionAdvice place={place} found={compaction.data} mayChange={mayChange} /> : null}
            {found.length >= PLOTTED_FROM ? (
              <Plots>
                <SizePlot sizes={found.map((segment) => segment.bytes)} isPart={segments.hasNextPage} />
              </Plots>
            ) : null}
            <SegmentTable segments={found} />
            {segments.hasNextPage ? (
              <p className="inside">
                <Button isSmall onClick={() => void segments.fetchNextPage()}>
                  More files
                </Button>
              </p>
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}

const COLUMNS = [
  ...FILE_COLUMNS,
  { title: <span className="visually-hidden">Size against the largest</span> },
  { title: "Deleted", isNumber: true },
  { title: "Schema is" },
  { title: "Since", isNumber: true },
];

function SegmentTable({ segments }: { segments: readonly Segment[] }) {
  const largest = segments.reduce((most, segment) => Math.max(most, segment.bytes), 1);
  return (
    <Grid label="Files" columns={COLUMNS}>
      {segments.map((segment) => (
        <tr key={segment.segment_id}>
          <FileCells file={segment} />
          <td className={styles.sizeBar} aria-hidden="true">
            <svg width="80" height="8" viewBox="0 0 80 8">
              <rect width={Math.max(1, (80 * segment.bytes) / largest)} height="8" rx="2" />
            </svg>
          </td>
          <td className="number">{segment.deleted_rows ? count(segment.deleted_rows) : "—"}</td>
          <td>{segment.is_visible ? "visible" : "hidden"}</td>
          <td className="number">v{segment.added_version}</td>
        </tr>
      ))}
    </Grid>
  );
}
