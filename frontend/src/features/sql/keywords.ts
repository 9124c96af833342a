/** Words of lakeui's SQL, for colouring and completion. */
export const LAKE_KEYWORDS = [
  "add after all alter and as asc at begin between branch branches by cascade case catalog catalogs changes",
  "column columns comment commit create cross database databases dbproperties default delete desc describe distinct drop",
  "dry else end evolution except exists extended false first from full group having history if in inner insert intersect",
  "interval into is join key lateral left like limit matched merge merges name natural not null nulls of on optimize or",
  "order outer over overwrite partition partitioned partitions primary properties rename replace restore right rollback",
  "run schema segments select semi set show source table tables tablesample tag tags target tblproperties then timestamp",
  "to transaction true truncate type undrop union unset update use using vacuum values version view views when where",
  "window with",
].join(" ");

export const LAKE_TYPES = [
  "array bigint binary boolean byte char date decimal double float int integer long map real short smallint string struct",
  "timestamp timestamp_ltz timestamp_ntz tinyint varchar",
].join(" ");
