export function MergesPage() { return null; }
