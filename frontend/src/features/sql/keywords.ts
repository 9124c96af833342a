/** Words of lakeui's SQL, for colouring and completion. */
export const LAKE_KEYWORDS = [
  "add after all alter analyze and as asc at begin between branch branches by cancel cascade case catalog catalogs changes check",
  "clone cluster column columns comment commit constraint copy create cross database databases dbproperties default delete desc describe distinct drop",
  "dry else end evolution except exists explain extended false first from full function functions group having history if in inner insert intersect",
  "interval into is join key lateral left like limit matched merge merges name natural not null nulls of on optimize or",
  "order outer over overwrite partition partitioned partitions primary properties rename replace reset resolve restore returns right rollback",
  "run schema segments select semi set show source table tables tablesample tag tags target tblproperties temp temporary then timestamp",
  "to transaction true truncate type undrop union unset update use using vacuum values version view views when where",
  "window with zorder",
].join(" ");

export const LAKE_TYPES = [
  "array bigint binary boolean byte char date decimal double float int integer long map real short smallint string struct",
  "timestamp timestamp_ltz timestamp_ntz tinyint varchar",
].join(" ");
