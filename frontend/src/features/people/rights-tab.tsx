import { useState } from "react";

import { rightsSentence } from "../../model/rights";
import { useRightsRecords } from "../../queries/people";
import { SearchField } from "../../ui/search-field";
import { Empty, Loaded } from "../../ui/states";
import { Time } from "../../ui/time";

/** Who gave whom which right, when. */
export function RightsTab() {
  const [name, setName] = useState("");
  const records = useRightsRecords(name);
  return (
    <>
      <div className="inside row">
        <SearchField label="Name of a person or group" text="" onSearch={setName} />
      </div>
      <Loaded query={records} label="the records">
        {({ pages }) => {
          const found = pages.flatMap((page) => page.results);
          if (found.length === 0) return <Empty title="No records" />;
          return (
            <ul className="setting-list" aria-label="Records">
              {found.map((record) => (
                <li key={`${record.recorded_at} ${record.subject} ${record.name}`}>
                  <strong>{record.name}</strong>
                  <span>{rightsSentence(record)}</span>
                  <span className="small muted">
                    {record.actor || "lakeui"}, <Time at={record.recorded_at} />
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      {records.hasNextPage ? (
        <p className="inside">
          <button type="button" className="button small" onClick={() => void records.fetchNextPage()}>
            Older records
          </button>
        </p>
      ) : null}
    </>
  );
}
