import type { Segment } from "../../api/resources";
import { bytes, count } from "../../model/format";
import { useSegments, type TablePlace } from "../../queries/tables";
import { SizePlot } from "../../ui/size-plot";
import { Empty, Loaded } from "../../ui/states";

export function SegmentsTab({ place, version }: { place: TablePlace; version: number | undefined }) {
  const segments = useSegments(place, version);
  return (
    <Loaded query={segments} label="segments">
      {({ pages }) => {
        const found = pages.flatMap((page) => page.results);
        if (found.length === 0) return <Empty title="No file in this version" />;
        return (
          <>
            {found.length > 1 ? (
              <div className="plots">
                <SizePlot sizes={found.map((segment) => segment.bytes)} isPart={segments.hasNextPage} />
              </div>
            ) : null}
            <SegmentTable segments={found} />
            {segments.hasNextPage ? (
              <p className="inside">
                <button type="button" className="button small" onClick={() => void segments.fetchNextPage()}>
                  More segments
                </button>
              </p>
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}

function SegmentTable({ segments }: { segments: readonly Segment[] }) {
  const largest = Math.max(...segments.map((segment) => segment.bytes));
  return (
    <div className="scroll" role="region" aria-label="Segments" tabIndex={0}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col" className="number">
              Rows
            </th>
            <th scope="col" className="number">
              Deleted
            </th>
            <th scope="col" className="number">
              Size
            </th>
            <th scope="col">
              <span className="visually-hidden">Size against the largest</span>
            </th>
            <th scope="col" className="number">
              Schema
            </th>
            <th scope="col">Schema is</th>
            <th scope="col" className="number">
              Since
            </th>
          </tr>
        </thead>
        <tbody>
          {segments.map((segment) => (
            <tr key={segment.segment_id}>
              <td className="path">
                <code title={segment.path}>{segment.path}</code>
              </td>
              <td className="number">{count(segment.rows)}</td>
              <td className="number">{segment.deleted_rows ? count(segment.deleted_rows) : "—"}</td>
              <td className="number">{bytes(segment.bytes)}</td>
              <td className="size-bar" aria-hidden="true">
                <svg width="80" height="8" viewBox="0 0 80 8">
                  <rect width={Math.max(1, (80 * segment.bytes) / largest)} height="8" rx="2" />
                </svg>
              </td>
              <td className="number">v{segment.schema_version}</td>
              <td>{segment.is_visible ? "visible" : "hidden"}</td>
              <td className="number">v{segment.added_version}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
