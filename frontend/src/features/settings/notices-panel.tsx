import { useState, useSyncExternalStore } from "react";

import { followNotices, isNoticed, noticeChoose, noticePermission } from "../../queries/notices";
import { Muted } from "../../ui/muted";
import { Panel } from "../../ui/page";

/** Whether this browser says when a task ends. Off until the person turns it on. */
export function NoticesPanel() {
  const isOn = useSyncExternalStore(followNotices, isNoticed);
  const permission = useSyncExternalStore(followNotices, noticePermission);
  const [isAsking, setAsking] = useState(false);
  const choose = (wanted: boolean) => {
    setAsking(true);
    void noticeChoose(wanted).finally(() => setAsking(false));
  };
  return (
    <Panel title="Notifications" padded>
      <label className="row nowrap-row">
        <input
          type="checkbox"
          checked={isOn}
          disabled={isAsking || permission === "unsupported" || permission === "denied"}
          onChange={(event) => choose(event.target.checked)}
        />
        <span>Show a notification when a task that I started ends</span>
      </label>
      <Muted as="p" isSmall>
        For tasks of 5 seconds or more, in this browser, while a page of lakeui is open. Signing out turns it off.
      </Muted>
      {permission === "denied" ? <p role="note">The browser blocks notifications of this page. Allow them in its settings for this site.</p> : null}
      {permission === "unsupported" ? <p role="note">The browser has no notifications here. They need HTTPS.</p> : null}
    </Panel>
  );
}
