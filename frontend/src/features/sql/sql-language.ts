import { sql, SQLDialect } from "@codemirror/lang-sql";

import { LAKE_KEYWORDS, LAKE_TYPES } from "./keywords";
import type { SqlNames } from "./use-sql-names";

const LAKE = SQLDialect.define({
  keywords: LAKE_KEYWORDS,
  types: LAKE_TYPES,
  identifierQuotes: "`",
  backslashEscapes: true,
  doubleQuotedStrings: true,
});

/** lakeui's SQL with the names that it may complete. */
export function sqlLanguage(names: SqlNames) {
  return sql({ dialect: LAKE, schema: names, upperCaseKeywords: true });
}
