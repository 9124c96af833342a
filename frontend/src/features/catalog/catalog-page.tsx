export function CatalogPage() { return null; }
