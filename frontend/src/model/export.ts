/** What a person takes away as a file. */

/** RFC 4180, with the header; a text that a spreadsheet would run as a formula is kept from it by an apostrophe. */
export function csvOf(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  return [columns, ...rows].map((row) => row.map(csvField).join(",")).join("\r\n") + "\r\n";
}

function csvField(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return quotedWhereNeeded(JSON.stringify(value));
  return quotedWhereNeeded(/^[=+\-@\t\r]/.test(value) ? `'${value}` : value);
}

function quotedWhereNeeded(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Hand a content to the browser as a download. */
export function fileSave(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
