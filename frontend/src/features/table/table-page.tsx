export function TablePage() { return null; }
