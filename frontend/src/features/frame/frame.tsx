import { lazy, Suspense, useCallback, useState, useSyncExternalStore } from "react";
import { Outlet, useLocation, useNavigation } from "react-router";

import { followNotices, isNoticed } from "../../queries/notices";
import { usePlace } from "./place";
import { Rail } from "./rail";
import { TopBar } from "./top-bar";
import { useKeys } from "./use-keys";
import { useLater } from "./use-later";
import { useSettling } from "./use-settling";

const dialogs = () => import("./dialogs");
const UnsavedDecisions = lazy(() => import("./unsaved-decisions"));
const TaskNotices = lazy(() => import("../tasks/task-notices"));
const NARROW_RAIL = "lakeui.narrow-rail";

/** What stands around every page. */
export function Frame() {
  const place = usePlace();
  const { pathname } = useLocation();
  const navigation = useNavigation();
  const isSettling = useSettling();
  const [open, setOpen] = useState<"palette" | "shortcuts" | undefined>();
  const [railOpenAt, setRailOpenAt] = useState<string | undefined>();
  const [isNarrow, setNarrow] = useState(() => localStorage.getItem(NARROW_RAIL) === "1");
  const hasNotices = useSyncExternalStore(followNotices, isNoticed);
  const later = useLater(dialogs, open !== undefined);
  const close = useCallback(() => setOpen(undefined), []);
  useKeys({
    "ctrl+k": () => setOpen("palette"),
    "/": () => setOpen("palette"),
    "?": () => setOpen("shortcuts"),
  });
  const toggleNarrow = () => {
    localStorage.setItem(NARROW_RAIL, isNarrow ? "0" : "1");
    setNarrow(!isNarrow);
  };
  // The drawer of a small screen closes by itself when it has led somewhere.
  const isRailOpen = railOpenAt === pathname;
  return (
    <div className={`frame ${isNarrow ? "narrow-rail" : ""}`} data-settling={isSettling ? "" : undefined}>
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <TopBar place={place} onSearch={() => setOpen("palette")} onRail={() => setRailOpenAt(pathname)} />
      {isRailOpen ? (
        <button type="button" className="rail-cover" aria-label="Close the menu" onClick={() => setRailOpenAt(undefined)} />
      ) : null}
      <Rail place={place} isOpen={isRailOpen} isNarrow={isNarrow} onToggle={toggleNarrow} />
      <main id="main" className="main" tabIndex={-1} aria-busy={navigation.state === "loading" || isSettling}>
        <Outlet />
      </main>
      <Suspense>
        <UnsavedDecisions />
      </Suspense>
      <Suspense>{hasNotices ? <TaskNotices /> : null}</Suspense>
      {later && open === "palette" ? <later.Palette place={place} onClose={close} /> : null}
      {later && open === "shortcuts" ? <later.ShortcutsDialog onClose={close} /> : null}
    </div>
  );
}
