import type { RequestDetail } from "../../api/resources";
import { limitText, spotRowName, spotValues } from "../../model/policies";
import { Muted } from "../../ui/muted";

/** What the merge policies of the target say of a request, and the rows that they drew. */
export function PolicyLines({ request }: { request: RequestDetail }) {
  if (request.policies.length === 0) return null;
  return (
    <>
      {request.policies.map((verdict) => (
        <details key={verdict.pattern}>
          <summary className="small">
            {verdict.message}{" "}
            <Muted>
              (version {verdict.version} of the rule {verdict.pattern})
            </Muted>
          </summary>
          {verdict.judgements.map(({ policy, lets_through, reasons }) => (
            <div key={policy}>
              <p className="small">
                {policy}: {lets_through ? "lets it through" : "does not let it through"}
              </p>
              <ul className="small" aria-label={`What ${policy} says`}>
                {reasons.map(({ limit, is_met, message }) => (
                  <li key={limit}>
                    {is_met ? "✓" : "✗"} {limitText(limit)}: {message}
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </details>
      ))}
      {request.spot_rows.length ? (
        <>
          <p className="small">Rows that were drawn: look at them before you approve.</p>
          <ul className="small" aria-label="Rows to look at">
            {request.spot_rows.map((row) => (
              <li key={`${row.table} ${row.key}`}>
                {spotRowName(row)}
                <ul>
                  {spotValues(row).map((value) => (
                    <li key={value.column}>
                      <bdi>{value.column}</bdi>: {value.old}
                      {value.old !== undefined && value.new !== undefined ? " → " : ""}
                      {value.new}
                    </li>
                  ))}
                </ul>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </>
  );
}
