/** Line icons on a 16-pixel grid. They say nothing to a screen reader: the text beside them does. */
import type { ReactNode } from "react";

const SHAPES = {
  branch: <path d="M4.5 4v8M4.5 9c4 0 7-.5 7-4M4.5 2.5v1m0 9v1M11.5 3v2" />,
  compare: <path d="M2 5h10M9 2l3 3-3 3M14 11H4m3 3-3-3 3-3" />,
  merge: <path d="M4 3v10M4 4c0 4 3 5 8 5M9.5 6.5 12 9l-2.5 2.5" />,
  request: <path d="M4 5.500v5M4 5.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zm0 8a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zm8 0a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zm0-3V6a2 2 0 0 0-2-2H7.500m2-2-2 2 2 2" />,
  inbox: <path d="M2.500 9.500V13h11V9.500M2.500 9.500 4.500 3h7l2 6.500M2.500 9.500h3.200l.8 1.500h3l.8-1.500h3.200" />,
  tables: <path d="M2.5 3h11v10h-11zM2.5 6.500h11M2.5 9.800h11M6.5 6.500V13" />,
  sql: <path d="m3 5 3 3-3 3M8 12h5" />,
  tasks: <path d="m2.5 4.5 1.2 1.200L6 3.500M8.5 4.500h5M2.5 11.500l1.2 1.200L6 10.500M8.5 11.500h5" />,
  home: <path d="M2.5 7.5 8 3l5.5 4.500M4 7v6h8V7" />,
  settings: <path d="M2 5h7m3 0h2M2 11h2m3 0h7M10.5 3.300v3.400M5.5 9.300v3.4" />,
  search: <path d="M10.5 10.5 14 14M7 11.500a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9z" />,
  menu: <path d="M2 4h12M2 8h12M2 12h12" />,
  shield: <path d="M8 2l5 1.800v4C13 11 11 13 8 14.2 5 13 3 11 3 7.800v-4z" />,
  copy: <path d="M5.5 5.500h8v8h-8zM10.5 5.500v-3h-8v8h3" />,
  done: <path d="m3 8.5 3.5 3.500L13 4.5" />,
  close: <path d="m4 4 8 8m0-8-8 8" />,
  down: <path d="m4.5 6.5 3.5 3.5 3.5-3.5" />,
  left: <path d="M9.5 4 6 8l3.5 4" />,
  right: <path d="M6.5 4 10 8l-3.5 4" />,
  sun: <path d="M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.500v1.300m0 10.400v1.300M1.5 8h1.300m10.4 0h1.300M3.4 3.400l.9.9m7.4 7.4.9.9m0-9.2-.9.9m-7.4 7.4-.9.9" />,
  user: <path d="M8 8.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14c.6-3 2.8-4 5.5-4s4.9 1 5.5 4" />,
  database: <path d="M3 4c0-2.7 10-2.7 10 0v8c0 2.7-10 2.7-10 0zM3 4c0 2.7 10 2.7 10 0M3 8c0 2.7 10 2.7 10 0" />,
  more: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth={2.4} />,
  undo: <path d="M3 6.500h7a3.5 3.5 0 0 1 0 7H6M6 3 2.7 6.5 6 10" />,
  tag: <path d="M2.500 2.500h5.500l6 6-5.500 5.500-6-6zM5.500 5.500h.01" />,
  column: <path d="M2.500 3h11v10h-11zM6.200 3v10M9.800 3v10" />,
  import: <path d="M8 2.500v7.500M4.8 7 8 10.200 11.2 7M2.5 11v2.500h11V11" />,
  pipeline: <path d="M2.500 3.500h4v3h-4zM9.500 9.500h4v3h-4zM4.500 6.500V11h4.800M7.600 9.300 9.400 11l-1.800 1.700" />,
  plus: <path d="M8 3v10M3 8h10" />,
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof SHAPES;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {SHAPES[name]}
    </svg>
  );
}
