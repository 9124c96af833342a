import { Link } from "react-router";

import type { ComparedDetail, Finding } from "../../api/resources";
import { sqlAddress } from "../../model/addresses";
import { violatingRows, violatorsOf } from "../../model/conflict-reasons";
import { counted } from "../../model/format";
import type { Pair } from "../../queries/compare";
import { Grid } from "../../ui/grid";
import { Muted } from "../../ui/muted";
import { CellValue } from "../../ui/result-grid";

/** The first rows of the result that violate a constraint, and the way to all of them: a query on the side that has them. */
export function Violators({ pair, finding, detail }: { pair: Pair; finding: Finding; detail: ComparedDetail }) {
  const found = violatorsOf(finding, detail.names);
  const shown = violatingRows(finding);
  if (!found && !shown) return null;
  return (
    <>
      {shown ? <Rows {...shown} /> : null}
      {found ? (
        <p className="small">
          <Link to={sqlAddress(pair.catalog, pair[found.side], found.query)}>See these rows of {pair[found.side]}</Link>
        </p>
      ) : null}
    </>
  );
}

function Rows({ columns, rows, count }: NonNullable<ReturnType<typeof violatingRows>>) {
  const isNumber = columns.map((_, place) => rows.every((row) => row[place] === null || typeof row[place] === "number"));
  return (
    <>
      <Grid label="Rows that violate the constraint" columns={columns.map((title, place) => ({ title, isNumber: isNumber[place] ?? false }))}>
        {rows.map((row, at) => (
          // Rows without a primary key have no identity but their place.
          <tr key={at}>
            {row.map((value, place) => (
              <td key={place} className={isNumber[place] ? "number" : "nowrap"}>
                <CellValue value={value} />
              </td>
            ))}
          </tr>
        ))}
      </Grid>
      {count > rows.length ? (
        <Muted as="p" isSmall>
          The first {rows.length} of {counted(count, "row")}.
        </Muted>
      ) : null}
    </>
  );
}
