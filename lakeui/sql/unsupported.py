"""What people of Spark, Databricks, Delta or Iceberg know and what is not here: each by name, with a way out."""

from __future__ import annotations

from collections.abc import Sequence

_GLOBAL = "Write CREATE TEMPORARY VIEW for one of the session, or make a view of the database by CREATE VIEW."
UNSUPPORTED: dict[str, str] = {
    "ANALYZE": "Leave it out: statistics are kept as files are written.",
    **dict.fromkeys(
        ["CACHE TABLE", "CACHE LAZY TABLE", "UNCACHE TABLE", "CLEAR CACHE"],
        "Leave it out: no statement keeps rows in memory.",
    ),
    **dict.fromkeys(
        ["REFRESH TABLE", "REFRESH FUNCTION", "MSCK REPAIR TABLE"],
        "Leave it out: each statement reads the newest version.",
    ),
    "DROP FUNCTION": "Write DROP TEMPORARY FUNCTION: all functions are of the session.",
    **dict.fromkeys(
        ["INSERT IGNORE", "INSERT OR", "REPLACE INTO", "UPSERT INTO"],
        "Use MERGE INTO .. WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *.",
    ),
    **dict.fromkeys(
        ["DECLARE VARIABLE", "DECLARE OR REPLACE VARIABLE", "DROP TEMPORARY VARIABLE"],
        "Write :name where the value stands, and send the value in parameters.",
    ),
    **dict.fromkeys(
        ["CREATE TEMPORARY TABLE", "CREATE TEMP TABLE"],
        "Write CREATE TEMPORARY VIEW v AS .., or make a table on a branch and drop the branch.",
    ),
    **dict.fromkeys(
        ["CREATE STREAMING TABLE", "CREATE OR REFRESH STREAMING TABLE"],
        "Make a pipeline with append_only or incremental; COPY INTO loads each file once.",
    ),
    "REORG TABLE": "OPTIMIZE takes deleted rows out of files, and VACUUM removes files that no version needs.",
    "CONVERT TO DELTA": "CREATE TABLE .. FROM PARQUET takes over files where they lie.",
    "FSCK REPAIR TABLE": "manage.py check_catalog looks at the metadata and the files of a catalog.",
    "SHOW CURRENT": "SELECT current_catalog(), current_branch(), current_database() says where a statement runs.",
    "SHOW GRANTS": "The page Members of the catalog shows who may do what; SHOW RESTRICTIONS lists hidden rows.",
    "GRANT": "An owner gives roles on the page Members of the catalog.",
    "REVOKE": "An owner takes roles on the page Members of the catalog.",
    **dict.fromkeys(
        [f"CREATE {replaces}GLOBAL {word} VIEW" for replaces in ("", "OR REPLACE ") for word in ("TEMPORARY", "TEMP")],
        _GLOBAL,
    ),
    **dict.fromkeys(
        [
            *(f"SHOW {noun}" for noun in ("ROLES", "USERS", "GROUPS", "PRINCIPALS")),
            "CREATE ROLE",
            "CREATE USER",
            "DENY",
        ],
        "The page Members of the catalog shows and sets who may do what.",
    ),
    **dict.fromkeys(
        ["CREATE INDEX", "CREATE BLOOMFILTER INDEX", "DROP INDEX", "SHOW INDEX"],
        "Leave it out: statistics leave out files, and CLUSTER BY or OPTIMIZE .. ZORDER BY orders rows for them.",
    ),
    **dict.fromkeys(
        ["CREATE PROCEDURE", "CREATE OR REPLACE PROCEDURE", "DROP PROCEDURE", "SHOW PROCEDURES"],
        "Send several statements as a script; a pipeline runs a query at a time.",
    ),
    **dict.fromkeys(
        ["CREATE TRIGGER", "CREATE TASK", "CREATE STREAM", "CREATE FLOW", "APPLY CHANGES", "AUTO CDC"],
        "Make a pipeline: it runs at a time or by hand. table_changes('d.t', n) gives the rows that commits changed.",
    ),
    **dict.fromkeys(
        [f"{verb} {noun}" for verb in ("CREATE", "DROP") for noun in ("VOLUME", "CONNECTION", "SHARE", "RECIPIENT")]
        + [f"SHOW {noun}" for noun in ("VOLUMES", "CONNECTIONS", "SHARES", "RECIPIENTS", "CREDENTIALS")]
        + ["SHOW EXTERNAL LOCATIONS", "CREATE FOREIGN CATALOG"],
        "Files come in by COPY INTO, upload or import; other engines read by Iceberg REST.",
    ),
    **dict.fromkeys(
        ["SAVEPOINT", "LOCK TABLE", "SHOW LOCKS", "SHOW TRANSACTIONS"],
        "BEGIN makes several statements one commit, and a branch keeps them apart; SHOW QUERIES lists what runs.",
    ),
    **dict.fromkeys(
        ["CREATE POLICY", "CREATE OR REPLACE POLICY", "DROP POLICY", "SHOW POLICIES"],
        "ALTER TABLE t SET ROW FILTER (condition) FOR ROLE r hides rows; ALTER COLUMN c SET MASK hides values.",
    ),
    "CREATE SEQUENCE": "Give a column GENERATED ALWAYS AS IDENTITY.",
    "CREATE AGGREGATE FUNCTION": "Write CREATE TEMPORARY FUNCTION over aggregates of Spark SQL.",
    "ALTER FUNCTION": "Write CREATE OR REPLACE TEMPORARY FUNCTION: all functions are of the session.",
    "SHOW SYSTEM FUNCTIONS": "SHOW FUNCTIONS lists them.",
    "SHOW COLLATIONS": "SELECT * FROM collations() lists them.",
    "SHOW VARIABLES": "Write :name where the value stands, and send the value in parameters.",
    "SHOW COMPACTIONS": "OPTIMIZE t runs at once, and is listed by DESCRIBE HISTORY t.",
    "REPAIR TABLE": "Leave it out: each statement reads the newest version.",
    "GENERATE": "Leave it out: other engines read by Iceberg REST, with no manifest to make.",
    "CONVERT TO ICEBERG": "Other engines read every table by Iceberg REST, as it is.",
    "PREPARE": "Write ? or :name where values stand, and send them in parameters.",
    "TRUNCATE": "Write TRUNCATE TABLE t.",
    "COMMENT": "Write COMMENT ON TABLE t IS 'text'.",
}
"""Beginnings that people of Spark know and that are not there, with a way out."""

FORBIDDEN: tuple[str, ...] = (
    *("RESET", "ADD", "LIST", "DELETE JAR", "LOAD DATA", "LOAD", "CACHE", "REFRESH"),
    *(
        "CREATE FUNCTION",
        "CREATE OR REPLACE FUNCTION",
        "CREATE TEMPORARY",
        "CREATE OR REPLACE TEMPORARY",
        "CREATE TEMP",
    ),
    *("CREATE GLOBAL", "CREATE OR REPLACE GLOBAL", "CREATE OR REPLACE TEMP", "CREATE EXTERNAL"),
    *("DROP TEMPORARY", "EXECUTE", "DECLARE", "CALL", "MSCK", "EXPORT", "IMPORT", "COPY", "MAP", "REDUCE", "TRANSFORM"),
    *("IF", "WHILE", "REPEAT", "LOOP", "FOR", "CASE", "LEAVE", "ITERATE", "SIGNAL", "INSTALL", "ATTACH", "DFS", "!"),
)
"""Beginnings that Spark knows and that reach out of the lake, or run scripts."""

_FIELDS = "Write ADD PARTITION FIELD, CLUSTER BY or TBLPROPERTIES: rows are laid out by these."
_TAGS = "Keep such words as TBLPROPERTIES."
_OWNER = "An owner gives and takes roles on the page Members of the catalog."
_WHOLE = "A branch or tag is of the whole catalog:"
UNSUPPORTED_CHANGES: dict[str, str] = {
    "SET COMMENT": "Write COMMENT ON TABLE db.t IS 'text'.",
    "COMMENT": "Write COMMENT ON TABLE db.t IS 'text'.",
    "SET TAGS": _TAGS,
    "UNSET TAGS": _TAGS,
    "SET OWNER": _OWNER,
    "OWNER": _OWNER,
    "RECOVER PARTITIONS": "Leave it out: each statement reads the newest version.",
    "RENAME": "Write RENAME TO t, or RENAME COLUMN a TO b.",
    "MODIFY": "Write ALTER COLUMN a TYPE x.",
    "WRITE": _FIELDS,
    "SET IDENTIFIER FIELDS": "Give the PRIMARY KEY in CREATE TABLE.",
    "DROP IDENTIFIER FIELDS": "CREATE OR REPLACE TABLE t (..) says another key.",
    "DROP PRIMARY KEY": "CREATE TABLE .. AS SELECT makes a table without the key.",
    "CREATE BRANCH": f"{_WHOLE} write CREATE BRANCH b.",
    "CREATE OR REPLACE BRANCH": f"{_WHOLE} write CREATE BRANCH b, or ALTER BRANCH b RESET TO PARENT.",
    "REPLACE BRANCH": f"{_WHOLE} write ALTER BRANCH b RESET TO PARENT.",
    "DROP BRANCH": f"{_WHOLE} write DROP BRANCH b.",
    "CREATE TAG": f"{_WHOLE} write CREATE TAG x VERSION AS OF n.",
    "CREATE OR REPLACE TAG": f"{_WHOLE} write DROP TAG x, then CREATE TAG x.",
    "REPLACE TAG": f"{_WHOLE} write DROP TAG x, then CREATE TAG x.",
    "DROP TAG": f"{_WHOLE} write DROP TAG x.",
    "DROP ROW FILTER": "Write UNSET ROW FILTER FOR ROLE r.",
    "DROP FEATURE": "Leave it out: tables have no protocol of features.",
    "SET MANAGED": "Leave it out: CREATE TABLE .. FROM takes a table over where it lies.",
    "UNSET MANAGED": "Leave it out: CREATE TABLE .. FROM takes a table over where it lies.",
    "ENABLE PREDICTIVE OPTIMIZATION": "Leave it out: OPTIMIZE t says when files are written anew.",
    "DISABLE PREDICTIVE OPTIMIZATION": "Leave it out: OPTIMIZE t says when files are written anew.",
    "COMPACT": "Write OPTIMIZE t.",
    "TOUCH": "Leave it out: each statement reads the newest version.",
    "EXCHANGE PARTITION": "Write INSERT OVERWRITE t PARTITION (..) SELECT .. FROM the other table.",
    "SWAP": "Write RENAME TO three times on a branch, and merge it; or CREATE OR REPLACE TABLE.",
    "VALIDATE CONSTRAINT": "Leave it out: rows are compared when a constraint is added, and when they are written.",
    "DEFAULT COLLATION": "Write COLLATE in the query: WHERE c COLLATE UTF8_LCASE = 'x'.",
}
"""Changes of a table that are not there, with a way out."""

_MERGE = "Use MERGE INTO t USING u ON .. WHEN MATCHED THEN .. WHEN NOT MATCHED THEN .."
_LIMIT = "Write LIMIT n behind the query."
_COLLATION = "Write COLLATE in the query: WHERE c COLLATE UTF8_LCASE = 'x'."
_ROWS = "Name the rows by a condition."
UNSUPPORTED_PHRASES: dict[str, str] = {
    "SELECT TOP": _LIMIT,
    "FETCH FIRST": _LIMIT,
    "FETCH NEXT": _LIMIT,
    "ON CONFLICT": _MERGE,
    "ON DUPLICATE KEY": _MERGE,
    "RETURNING": "A write answers counts; SHOW CHANGES t FROM VERSION a TO VERSION b shows the rows.",
    "DEFAULT VALUES": "Write VALUES (DEFAULT, ..), one for each column.",
    "INSERT .. BY POSITION": "Leave BY POSITION out: columns go by their place, unless BY NAME stands there.",
    "DELETE .. LIMIT": _ROWS,
    "UPDATE .. LIMIT": _ROWS,
    "DELETE .. USING": _MERGE,
    "UPDATE .. SET (": "Write SET a = 1, b = 2.",
    "MERGE .. EXCEPT": "Name the columns.",
    "MERGE .. DO NOTHING": "Leave the clause out: rows that no clause takes stay as they are.",
    "CLUSTER BY AUTO": "Name the columns: CLUSTER BY (a, b).",
    "OPTIMIZE .. FULL": "OPTIMIZE t writes anew what has another layout; ZORDER BY (a, b) writes all rows anew.",
    "DEFAULT COLLATION": _COLLATION,
    "CREATE .. COLLATE": _COLLATION,
    "ALTER .. COLLATE": _COLLATION,
    "CREATE .. ROW FILTER": "Write ALTER TABLE t SET ROW FILTER (condition) FOR ROLE r behind it.",
    "CREATE .. MASK": "Write ALTER TABLE t ALTER COLUMN c SET MASK (expression) FOR ROLE r behind it.",
    "ALTER .. DROP MASK": "Write ALTER COLUMN c UNSET MASK FOR ROLE r.",
    "ALTER .. SET TAGS": "Keep such words in the comment of the column.",
    "ALTER .. SET COMMENT": "Write COMMENT ON DATABASE d IS 'text', or of a column ALTER COLUMN c COMMENT 'text'.",
    "ALTER .. OWNER TO": _OWNER,
    "ALTER .. DROP IDENTITY": "CREATE OR REPLACE TABLE .. AS SELECT makes a plain column of it.",
    "CREATE .. AUTO_INCREMENT": "Write GENERATED ALWAYS AS IDENTITY.",
    "CREATE .. SKEWED BY": "Use PARTITIONED BY (bucket(16, column)) or CLUSTER BY.",
    "CREATE .. WITH METRICS": "Name the query by CREATE VIEW v AS SELECT ..",
    "DESCRIBE .. AS JSON": "DESCRIBE EXTENDED t says the same; answers by REST are JSON.",
    "DESC .. AS JSON": "DESCRIBE EXTENDED t says the same; answers by REST are JSON.",
    "DESCRIBE .. PARTITION": "SHOW PARTITIONS t PARTITION (..) lists partitions; SHOW SEGMENTS t lists files.",
    "SHOW .. AS SERDE": "Leave AS SERDE out: the answer is a statement that can be run here.",
    "SHOW TABLES DROPPED": "UNDROP TABLE names what can come back; the page Trash of a branch lists it.",
    "DROP TABLE .. CASCADE": "Leave CASCADE out: it is for DROP DATABASE.",
    "DROP BRANCH .. CASCADE": "Leave CASCADE out: a branch is dropped with all of its changes.",
    "COMMENT ON VIEW": "Write ALTER VIEW v SET TBLPROPERTIES ('comment' = 'text').",
    "COMMENT ON CATALOG": "CREATE CATALOG takes the comment.",
    "COMMENT ON FUNCTION": "Leave it out: functions are of the session.",
    "COPY .. WITH (": "Leave it out: places are read with the rights of the server.",
    "COPY .. VALIDATE": "Write DRY RUN behind the statement: it reads the files and loads none.",
    "FROM STREAM": "table_changes('d.t', n) gives the rows that commits changed; a pipeline loads what is new.",
    "MATCH_RECOGNIZE": "Use window functions: lag, lead, and sum(..) OVER (..).",
}
"""Words that stand inside of a statement which cannot be read. ``..`` is whatever stands between."""


def phrase_of(words: Sequence[str]) -> str | None:
    """The first of ``UNSUPPORTED_PHRASES`` that the words, in capitals, have."""
    return next((phrase for phrase in UNSUPPORTED_PHRASES if _has(words, phrase)), None)


def _has(words: Sequence[str], phrase: str) -> bool:
    first, between, then = phrase.partition(" .. ")
    wanted = first.split()
    if not between:
        return _place(words, wanted) is not None
    is_begun = list(words[: len(wanted)]) == wanted
    return is_begun and _place(words[len(wanted) :], then.split()) is not None


def _place(words: Sequence[str], wanted: Sequence[str]) -> int | None:
    starts = range(len(words) - len(wanted) + 1)
    return next((start for start in starts if list(words[start : start + len(wanted)]) == list(wanted)), None)
