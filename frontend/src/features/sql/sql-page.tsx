export function SqlPage() { return null; }
