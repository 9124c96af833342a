import { useEffect, useRef, type KeyboardEvent, type ReactNode } from "react";

export interface Tab<Key extends string> {
  key: Key;
  label: string;
  count?: number | undefined;
}

/** Tabs and the panel of the chosen one; arrows move between them (WAI-ARIA tabs pattern). */
export function Tabs<Key extends string>({
  tabs,
  chosen,
  onChoose,
  label,
  children,
}: {
  tabs: readonly Tab<Key>[];
  chosen: Key;
  onChoose: (key: Key) => void;
  label: string;
  children: ReactNode;
}) {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex((tab) => tab.key === chosen);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    onChoose(next.key);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.key}"]`)?.focus();
  };
  useEffect(() => {
    const tab = list.current?.querySelector(`[data-tab="${chosen}"]`);
    if (list.current && tab) list.current.scrollLeft += outside(tab.getBoundingClientRect(), list.current.getBoundingClientRect());
  }, [chosen]);
  return (
    <>
      <div className="tabs" role="tablist" tabIndex={-1} aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.key}
            type="button"
            role="tab"
            data-tab={tab.key}
            aria-selected={tab.key === chosen}
            tabIndex={tab.key === chosen ? 0 : -1}
            onClick={() => onChoose(tab.key)}
          >
            {tab.label}
            {tab.count === undefined ? null : <span className="count">{tab.count}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" tabIndex={0} aria-label={tabs.find((tab) => tab.key === chosen)?.label} className="stack">
        {children}
      </div>
    </>
  );
}

/** How far a tab lies to the right of the visible part of the list; negative to the left, 0 within it. */
export function outside(tab: Pick<DOMRect, "left" | "right">, visible: Pick<DOMRect, "left" | "right">): number {
  if (tab.left < visible.left) return tab.left - visible.left;
  return Math.max(0, Math.min(tab.right - visible.right, tab.left - visible.left));
}
