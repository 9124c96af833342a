export function BranchPage() { return null; }
