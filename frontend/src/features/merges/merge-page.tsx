export function MergePage() { return null; }
