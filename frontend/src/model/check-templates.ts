import type { Check } from "../api/resources";

export type Template = Exclude<Check["template"], "">;
export type Field = "table" | "column" | "columns" | "values" | "to_table" | "to_column" | "at_least" | "at_most" | "condition";

interface Known {
  label: string;
  fields: readonly Field[];
  /** Those that may stay empty. */
  optional?: readonly Field[];
  /** Whether it can look at the rows alone that a merge inserts or updates. */
  byChangedRows: boolean;
}

/** As `lakeui/sql/check_templates.py` has them. */
export const TEMPLATES: Record<Template, Known> = {
  not_null: { label: "No NULL in a column", fields: ["table", "column"], byChangedRows: true },
  unique: { label: "No two rows with the same values", fields: ["table", "columns"], byChangedRows: true },
  accepted_values: { label: "Only these values in a column", fields: ["table", "column", "values"], byChangedRows: true },
  relationships: { label: "Values are in another table", fields: ["table", "column", "to_table", "to_column"], byChangedRows: true },
  row_count_change: { label: "The number of rows changes little", fields: ["table", "at_least", "at_most"], optional: ["at_least", "at_most"], byChangedRows: false },
  freshness: { label: "The newest value is not too old", fields: ["table", "column", "at_most"], byChangedRows: false },
  bad_share: { label: "Few rows meet a condition", fields: ["table", "condition", "at_most"], optional: ["at_most"], byChangedRows: true },
};

export const TEMPLATE_NAMES = Object.keys(TEMPLATES) as Template[];

/** What a field is called in the form of a template. */
export function fieldLabel(template: Template, field: Field): string {
  if (field === "at_most" && template === "freshness") return "At most so old, such as 24 hours";
  if (field === "at_most" && template === "bad_share") return "At most % of the rows (empty: none)";
  return {
    table: "Table, as database.table",
    column: "Column",
    columns: "Columns, with commas between them",
    values: "Values, with commas between them",
    to_table: "Other table, as database.table",
    to_column: "Column of the other table",
    at_least: "At least % of the rows before the merge",
    at_most: "At most % of the rows before the merge",
    condition: "Condition of bad rows, such as price < 0",
  }[field];
}

export type Texts = Partial<Record<Field, string>>;

const isShare = (template: Template, field: Field) => field === "at_least" || (field === "at_most" && template !== "freshness");

/** The parameters that the texts of the form mean; undefined while a field lacks a text. */
export function parametersOf(template: Template, texts: Texts, ofChangedRows: boolean): Record<string, unknown> | undefined {
  const known = TEMPLATES[template];
  const parameters: Record<string, unknown> = {};
  for (const field of known.fields) {
    const text = (texts[field] ?? "").trim();
    if (text === "") {
      if (!known.optional?.includes(field)) return undefined;
    } else if (isShare(template, field)) {
      if (!Number.isFinite(Number(text))) return undefined;
      parameters[field] = Number(text) / 100;
    } else {
      parameters[field] = field === "columns" || field === "values" ? listed(text) : text;
    }
  }
  if (template === "row_count_change" && !("at_least" in parameters) && !("at_most" in parameters)) return undefined;
  if (ofChangedRows && known.byChangedRows) parameters.rows = "changed";
  return parameters;
}

/** The texts of a check that is there. */
export function textsOf(check: Pick<Check, "template" | "parameters">): Texts {
  if (check.template === "") return {};
  const template = check.template;
  const shown = (field: Field): string => {
    const value = check.parameters[field];
    if (Array.isArray(value)) return value.map((item) => quoted(String(item))).join(", ");
    if (typeof value === "number") return String(isShare(template, field) ? Number((100 * value).toPrecision(12)) : value);
    return typeof value === "string" ? value : "";
  };
  return Object.fromEntries(TEMPLATES[template].fields.map((field) => [field, shown(field)]));
}

/** What a check of a template says, for people who read no SQL. */
export function inWords(check: Pick<Check, "template" | "parameters">): string {
  if (check.template === "") return "";
  const { label, fields } = TEMPLATES[check.template];
  const texts = textsOf(check);
  const share = (field: Field) => (check.template !== "" && isShare(check.template, field) ? "%" : "");
  const bound = { at_least: "at least ", at_most: "at most " } as Partial<Record<Field, string>>;
  const said = fields.filter((field) => texts[field]).map((field) => `${bound[field] ?? ""}${texts[field] ?? ""}${share(field)}`);
  return `${label}: ${said.join(", ")}${check.parameters.rows === "changed" ? "; of changed rows" : ""}`;
}

/** `a, "b, c"`: quotes keep a comma or blanks inside of a text. */
function listed(text: string): string[] {
  const items = text.match(/\s*(?:"(?:[^"]|"")*"|[^,]*)\s*(?:,|$)/g) ?? [];
  return items
    .map((item) => item.replace(/,$/, "").trim())
    .filter((item) => item !== "")
    .map((item) => (item.startsWith('"') && item.endsWith('"') && item.length > 1 ? item.slice(1, -1).replaceAll('""', '"') : item));
}

const quoted = (text: string) => (/^$|^\s|\s$|[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
