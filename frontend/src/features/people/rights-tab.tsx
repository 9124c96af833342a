import { useState } from "react";

import { rightsSentence } from "../../model/rights";
import { useRightsRecords } from "../../queries/people";
import { Button } from "../../ui/button";
import { Muted } from "../../ui/muted";
import { SearchField } from "../../ui/search-field";
import { SettingList } from "../../ui/setting-list";
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
            <SettingList label="Records">
              {found.map((record) => (
                <li key={`${record.recorded_at} ${record.subject} ${record.name}`}>
                  <strong>{record.name}</strong>
                  <span>{rightsSentence(record)}</span>
                  <Muted isSmall>
                    {record.actor || "lakeui"}, <Time at={record.recorded_at} />
                  </Muted>
                </li>
              ))}
            </SettingList>
          );
        }}
      </Loaded>
      {records.hasNextPage ? (
        <p className="inside">
          <Button isSmall onClick={() => void records.fetchNextPage()}>
            Older records
          </Button>
        </p>
      ) : null}
    </>
  );
}
