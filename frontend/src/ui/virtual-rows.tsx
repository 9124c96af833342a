import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState, type ReactNode } from "react";

import { textScale } from "./narrow";

/** When rows this close to the end are shown, more are asked for. */
const AHEAD = 20;

/** A long list of which only the visible rows exist; `onEnd` is called when its end comes near. */
export function VirtualRows<Item>({
  items,
  rowHeight,
  keyOf,
  onEnd,
  row,
  scrollTo,
  height,
  role = "list",
  rowRole = "listitem",
  label,
  labelled = true,
}: {
  items: readonly Item[];
  /** Pixels at the usual size of text; of each item where they differ. */
  rowHeight: number | ((item: Item) => number);
  keyOf: (item: Item) => string | number;
  onEnd?: (() => void) | undefined;
  row: (item: Item, place: number) => ReactNode;
  /** Place that is to be visible. */
  scrollTo?: number | undefined;
  /** A CSS length: how high the list may become before it scrolls. */
  height: string;
  role?: string;
  rowRole?: string | undefined;
  label: string;
  labelled?: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [scale] = useState(textScale);
  const heightOf = (item: Item) => scale * (typeof rowHeight === "number" ? rowHeight : rowHeight(item));
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: (place) => heightOf(items[place] as Item),
    overscan: 12,
    getItemKey: (place) => keyOf(items[place] as Item),
    initialRect: { width: 400, height: 600 },
  });
  const common = typeof rowHeight === "number" ? rowHeight : 0;
  useEffect(() => virtual.measure(), [common, virtual]);
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (items.length && last >= items.length - AHEAD) onEnd?.();
  }, [last, items.length, onEnd]);
  useEffect(() => {
    if (scrollTo !== undefined && scrollTo >= 0) virtual.scrollToIndex(scrollTo);
  }, [scrollTo, virtual]);
  return (
    <div ref={box} className="scroll" style={{ maxHeight: height }} tabIndex={role === "list" ? 0 : undefined}>
      <div role={role} {...(labelled ? { "aria-label": label } : {})} style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {shown.map((item) => (
          <div
            key={item.key}
            role={rowRole}
            aria-setsize={rowRole === "listitem" ? items.length : undefined}
            aria-posinset={rowRole === "listitem" ? item.index + 1 : undefined}
            style={{ position: "absolute", insetInline: 0, height: item.size, transform: `translateY(${item.start}px)` }}
          >
            {row(items[item.index] as Item, item.index)}
          </div>
        ))}
      </div>
    </div>
  );
}
