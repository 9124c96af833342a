import { bytes, bytesRound, count } from "../../model/format";
import { useTableVersions, type TablePlace, type TableVersions } from "../../queries/tables";
import { Grid } from "../../ui/grid";
import { Muted } from "../../ui/muted";
import { Plots } from "../../ui/plots";
import { StepPlot } from "../../ui/step-plot";
import { Loaded } from "../../ui/states";
import { Time } from "../../ui/time";

/** Rows and bytes after each version that changed the data, drawn and as a table. */
export function GrowthPlots({ place, version }: { place: TablePlace; version: number | undefined }) {
  const versions = useTableVersions(place);
  return (
    <Loaded query={versions} label="sizes over versions">
      {(found) => (found.results.length > 1 ? <Growth versions={found} version={version ?? found.version} /> : null)}
    </Loaded>
  );
}

function Growth({ versions, version }: { versions: TableVersions; version: number }) {
  const points = versions.results;
  const marked = Math.max(0, points.findLastIndex((point) => point.version <= version));
  const of = (value: (point: (typeof points)[number]) => number) =>
    points.map((point) => ({ value: value(point), label: `v${point.version} ${point.operation}` }));
  return (
    <>
      <Plots>
        <StepPlot title="Rows" points={of((point) => point.rows)} format={count} marked={marked} />
        <StepPlot title="Size" points={of((point) => point.bytes)} format={bytes} formatTick={bytesRound} marked={marked} />
      </Plots>
      <details className="inside small">
        <summary>
          The same as a table
          {versions.total > points.length ? <Muted> ({count(points.length)} of {count(versions.total)} versions)</Muted> : null}
        </summary>
        <SizeTable points={points} />
      </details>
    </>
  );
}

const COLUMNS = [
  { title: "Version", isNumber: true },
  { title: "Operation" },
  { title: "When" },
  { title: "Rows", isNumber: true },
  { title: "Size", isNumber: true },
  { title: "Files", isNumber: true },
];

function SizeTable({ points }: { points: TableVersions["results"] }) {
  return (
    <Grid label="Size after each version" columns={COLUMNS} height="40vh">
      {points.toReversed().map((point) => (
        <tr key={point.version}>
          <th scope="row" className="number">
            v{point.version}
          </th>
          <td>{point.operation}</td>
          <td>
            <Time at={point.time} />
          </td>
          <td className="number">{count(point.rows)}</td>
          <td className="number">{bytes(point.bytes)}</td>
          <td className="number">{count(point.files)}</td>
        </tr>
      ))}
    </Grid>
  );
}
