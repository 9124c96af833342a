const LOOKS: Record<string, { symbol: string; kind: string }> = {
  merged: { symbol: "✓", kind: "fine" },
  "nothing to merge": { symbol: "–", kind: "" },
  refused: { symbol: "✕", kind: "conflict" },
  "dry run": { symbol: "◌", kind: "note" },
  failed: { symbol: "✕", kind: "conflict" },
  restored: { symbol: "✓", kind: "fine" },
  undropped: { symbol: "✓", kind: "fine" },
  committed: { symbol: "✓", kind: "fine" },
  vacuumed: { symbol: "✓", kind: "fine" },
  "nothing to do": { symbol: "–", kind: "" },
  changed: { symbol: "±", kind: "" },
  bypassed: { symbol: "!", kind: "conflict" },
};

export function OutcomeBadge({ outcome }: { outcome: string }) {
  const { symbol, kind } = LOOKS[outcome] ?? { symbol: "·", kind: "" };
  return (
    <span className={`badge ${kind}`}>
      <span aria-hidden="true">{symbol}</span>
      {outcome}
    </span>
  );
}
