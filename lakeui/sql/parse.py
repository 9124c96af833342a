"""``parse``: the text of one statement to its value. Everything that a statement can begin with is listed here.

A statement is added by one reader and one entry. What is in no table is a syntax error. What Spark knows but may not
be reached from here, or is not there yet, is refused by its name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lakeui.common.errors import NotSupported, SyntaxProblem
from lakeui.sql import catalogs, data, merge_into, recovery, showing, tables, views
from lakeui.sql.alter_table import alter_table
from lakeui.sql.chains import chains_check
from lakeui.sql.common import forbid
from lakeui.sql.common_tables import accept_common_tables
from lakeui.sql.copy_into import copy_into
from lakeui.sql.cursor import Cursor
from lakeui.sql.dialect import too_deep
from lakeui.sql.functions import (
    create_or_replace_temporary_function,
    create_temporary_function,
    describe_function,
    drop_temporary_function,
    functions_of_texts,
    refuse_function_of_database,
)
from lakeui.sql.lexer import Kind
from lakeui.sql.materialized import refuse_materialized_view
from lakeui.sql.messages import accept_message
from lakeui.sql.names import database_given
from lakeui.sql.parameters import NO_PARAMETERS, Parameters, binding_of
from lakeui.sql.session_functions import functions_given
from lakeui.sql.statements import (
    AlterView,
    CreateTable,
    CreateTemporaryFunction,
    CreateTemporaryView,
    CreateView,
    Delete,
    DryRun,
    Explain,
    ExplainMode,
    Insert,
    MergeBranch,
    MergeInto,
    Optimize,
    Select,
    Statement,
    Update,
    Vacuum,
)
from lakeui.sql.temporary import (
    create_or_replace_temporary_view,
    create_temporary_view,
    describe_query,
    drop_temporary_view,
    set_setting,
    temporary_tables,
)
from lakeui.sql.unsupported import FORBIDDEN, UNSUPPORTED, UNSUPPORTED_PHRASES, phrase_of

Reader = Callable[[Cursor], Statement]


def parse(text: str, parameters: Parameters = NO_PARAMETERS) -> Statement:
    """The statement that the text is, with the values of its markers.

    Raises SyntaxProblem, NotSupported or InvalidValue; nothing else, whatever the text.
    """
    return parse_with_message(text, parameters)[0]


def parse_with_message(text: str, parameters: Parameters = NO_PARAMETERS) -> tuple[Statement, str | None]:
    """The statement, and the message of its commit, which is no part of it."""
    cursor = Cursor(text)
    cursor.views = frozenset(name.casefold() for name, _ in parameters.views)
    with database_given(None), functions_given(()):
        cursor.common = temporary_tables(parameters.views, cursor.words)
    with (
        database_given(parameters.database),
        functions_given(functions_of_texts(parameters.functions)),
        binding_of(text, cursor.words, parameters) as binding,
    ):
        try:
            statement = _statement(cursor)
        except SyntaxProblem:
            _refuse_phrase(cursor)
            raise
        if binding.is_used and isinstance(
            statement, CreateView | AlterView | CreateTemporaryView | CreateTemporaryFunction
        ):
            raise NotSupported(
                "A view or function keeps its text, and values are no part of it.", remedy="Write the values."
            )
        binding.end()
    return _overwriting(statement) if parameters.overwrites_dynamically else statement, cursor.message


def _refuse_phrase(cursor: Cursor) -> None:
    """A statement that cannot be read, by the name of what it has and what is not there."""
    words = [item.value.upper() if item.kind in (Kind.WORD, Kind.SYMBOL) else "" for item in cursor.words]
    phrase = phrase_of(words)
    if phrase is not None:
        raise NotSupported(
            f"{phrase} is not supported.", remedy=UNSUPPORTED_PHRASES[phrase], statement=phrase
        ) from None


def _overwriting(statement: Statement) -> Statement:
    """The statement, where INSERT OVERWRITE replaces the partitions of which it has rows."""
    if isinstance(statement, DryRun | Explain):
        return replace(statement, statement=_overwriting(statement.statement))
    is_meant = isinstance(statement, Insert) and statement.overwrite
    return replace(statement, is_dynamic=True) if is_meant else statement  # type: ignore[arg-type]


def _statement(cursor: Cursor) -> Statement:
    _refuse_scripts(cursor)
    chains_check(cursor.words)
    accept_common_tables(cursor)
    is_query = any(cursor.sees(word) for word in _QUERY_WORDS)
    is_dry_run = not is_query and cursor.accept_last("DRY", "RUN")
    if not is_query:
        cursor.message = accept_message(cursor)
    try:
        statement = _reader(cursor)(cursor)
    except RecursionError:
        raise too_deep() from None
    cursor.end()
    return _dry_run(statement) if is_dry_run else statement


def _dry_run(statement: Statement) -> Statement:
    if isinstance(statement, MergeBranch | Vacuum):
        return replace(statement, dry_run=True)
    return statement if isinstance(statement, DryRun) else DryRun(statement)


def _reader(cursor: Cursor) -> Reader:
    """The reader of the longest beginning that fits; the cursor is put behind it (before it for queries)."""
    if any(cursor.sees(word) for word in _QUERY_WORDS):
        return data.select
    first = cursor.current.value.upper() if cursor.current else ""
    for words, reader in _BY_FIRST_WORD.get(first, ()):
        if cursor.accept(*words):
            return reader
    refuse_materialized_view(cursor)
    for phrase, remedy in UNSUPPORTED.items():
        if cursor.sees(*phrase.split()) and not _is_over_files(cursor):
            raise NotSupported(f"{phrase} is not supported.", remedy=remedy, statement=phrase)
    for phrase in ("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"):
        if cursor.sees(*phrase.split()):
            refuse_function_of_database(cursor, phrase)
    for phrase in FORBIDDEN:
        if cursor.sees(*phrase.split()):
            forbid(phrase)
    raise cursor.problem("No statement begins like this; it begins")


def _is_over_files(cursor: Cursor) -> bool:
    """Whether it makes a view ``USING`` a format: what that reads lies elsewhere."""
    words = [word.value.upper() for word in cursor.words]
    return "VIEW" in words and "USING" in words and "AS" not in words[: words.index("USING")]


def _explain(cursor: Cursor) -> Explain | DryRun:
    """``EXPLAIN [EXTENDED | FORMATTED | ANALYZE] statement``."""
    for word in ("CODEGEN", "COST"):
        if cursor.sees(word):
            raise NotSupported(f"EXPLAIN {word} is not supported.", remedy="EXPLAIN FORMATTED shows Spark's plan.")
    mode = ExplainMode.FILES
    if cursor.accept_phrase("EXTENDED", "FORMATTED"):
        mode = ExplainMode.PLAN
    elif cursor.accept("ANALYZE"):
        mode = ExplainMode.ANALYZE
    accept_common_tables(cursor)
    statement = _reader(cursor)(cursor)
    if mode is ExplainMode.ANALYZE and _writes_rows(statement):
        return DryRun(statement, measured=True)
    if mode is not ExplainMode.FILES and not isinstance(statement, Select):
        taken = "a query, or a statement that writes rows" if mode is ExplainMode.ANALYZE else "a query"
        raise NotSupported(
            f"EXPLAIN {'ANALYZE' if mode is ExplainMode.ANALYZE else 'FORMATTED'} takes {taken}.",
            remedy="EXPLAIN says what another statement changes; DRY RUN behind it does all but the commit.",
        )
    return Explain(statement, mode)


def _writes_rows(statement: Statement) -> bool:
    is_made = isinstance(statement, CreateTable) and statement.query is not None
    return is_made or isinstance(statement, Insert | Delete | Update | MergeInto | Optimize)


def _refuse_scripts(cursor: Cursor) -> None:
    """``TRANSFORM (…) USING 'program'`` and its old forms run programs on the host."""
    pairs = zip(cursor.words, cursor.words[1:], strict=False)
    if any(w.kind == Kind.WORD and w.value.upper() == "USING" and n.kind == Kind.STRING for w, n in pairs):
        forbid("TRANSFORM … USING")


_QUERY_WORDS = ("SELECT", "WITH", "VALUES", "FROM", "(")

READERS: dict[str, Reader] = {
    "CREATE CATALOG": catalogs.create_catalog,
    "DROP CATALOG": catalogs.drop_catalog,
    "ALTER CATALOG": catalogs.alter_catalog,
    "DESCRIBE CATALOG": catalogs.describe_catalog,
    "DESC CATALOG": catalogs.describe_catalog,
    "UNDROP CATALOG": recovery.undrop_catalog,
    "SHOW CATALOGS": catalogs.show_catalogs,
    "SHOW DROPPED CATALOGS": catalogs.show_dropped_catalogs,
    "USE CATALOG": catalogs.use_catalog,
    "CREATE BRANCH": catalogs.create_branch,
    "DROP BRANCH": catalogs.drop_branch,
    "ALTER BRANCH": catalogs.alter_branch,
    "SHOW BRANCHES": catalogs.show_branches,
    "USE BRANCH": catalogs.use_branch,
    "USE": catalogs.use_database,
    "MERGE BRANCH": catalogs.merge_branch,
    "UNDROP BRANCH": recovery.undrop_branch,
    "CREATE TAG": catalogs.create_tag,
    "ALTER TAG": catalogs.alter_tag,
    "DROP TAG": catalogs.drop_tag,
    "SHOW TAGS": catalogs.show_tags,
    "RESTORE TABLE": recovery.restore_table,
    "RESTORE": recovery.restore,
    "RESTORE BRANCH": recovery.restore_branch,
    "RESTORE MERGE": recovery.restore_merge,
    "UNDROP TABLE": recovery.undrop_table,
    "VACUUM": recovery.vacuum,
    "BEGIN": catalogs.begin,
    "START TRANSACTION": catalogs.begin,
    "COMMIT": catalogs.commit,
    "ROLLBACK": catalogs.rollback,
    **{
        f"{verb} {noun}": reader
        for noun in ("DATABASE", "SCHEMA", "NAMESPACE")
        for verb, reader in (
            ("CREATE", catalogs.create_database),
            ("DROP", catalogs.drop_database),
            ("ALTER", catalogs.alter_database),
            ("DESCRIBE", catalogs.describe_database),
            ("DESC", catalogs.describe_database),
            ("RESTORE", recovery.restore_database),
            ("UNDROP", recovery.undrop_database),
            ("USE", catalogs.use_database),
        )
    },
    "SHOW DATABASES": showing.show_databases,
    "SHOW SCHEMAS": showing.show_databases,
    "SHOW NAMESPACES": showing.show_databases,
    "CREATE TABLE": tables.create_table,
    "CREATE OR REPLACE TABLE": tables.create_or_replace_table,
    "REPLACE TABLE": tables.replace_table,
    "DROP TABLE": tables.drop_table,
    "ALTER TABLE": alter_table,
    "SHOW TABLES": showing.show_tables,
    "DESCRIBE TABLE": showing.describe_table,
    "DESC TABLE": showing.describe_table,
    "DESCRIBE": showing.describe_table,
    "DESC": showing.describe_table,
    "SHOW TABLE EXTENDED": showing.show_table_extended,
    "SHOW TBLPROPERTIES": showing.show_properties,
    "SHOW COLUMNS": showing.show_columns,
    "SHOW RESTRICTIONS": showing.show_restrictions,
    "SHOW SCHEMA VERSIONS": showing.show_schema_versions,
    **dict.fromkeys(["SHOW FUNCTIONS", "SHOW ALL FUNCTIONS"], showing.show_functions),
    "SHOW USER FUNCTIONS": showing.show_user_functions,
    "DESCRIBE DETAIL": showing.describe_detail,
    "DESC DETAIL": showing.describe_detail,
    "COMMENT ON": showing.comment_on,
    "SHOW CREATE TABLE": tables.show_create_table,
    "SHOW PARTITIONS": tables.show_partitions,
    "SHOW PROFILE": tables.show_profile,
    "CREATE VIEW": views.create_view,
    "CREATE OR REPLACE VIEW": views.create_or_replace_view,
    "ALTER VIEW": views.alter_view,
    **dict.fromkeys(["CREATE TEMPORARY VIEW", "CREATE TEMP VIEW"], create_temporary_view),
    **dict.fromkeys(
        ["CREATE OR REPLACE TEMPORARY VIEW", "CREATE OR REPLACE TEMP VIEW"], create_or_replace_temporary_view
    ),
    **dict.fromkeys(["DROP TEMPORARY VIEW", "DROP TEMP VIEW"], drop_temporary_view),
    "DESCRIBE QUERY": describe_query,
    "DESC QUERY": describe_query,
    "SET": set_setting,
    **dict.fromkeys(["CREATE TEMPORARY FUNCTION", "CREATE TEMP FUNCTION"], create_temporary_function),
    **dict.fromkeys(
        ["CREATE OR REPLACE TEMPORARY FUNCTION", "CREATE OR REPLACE TEMP FUNCTION"],
        create_or_replace_temporary_function,
    ),
    **dict.fromkeys(["DROP TEMPORARY FUNCTION", "DROP TEMP FUNCTION"], drop_temporary_function),
    **dict.fromkeys(["DESCRIBE FUNCTION", "DESC FUNCTION"], describe_function),
    "DROP VIEW": views.drop_view,
    "SHOW VIEWS": showing.show_views,
    "DESCRIBE HISTORY": catalogs.describe_history,
    "DESC HISTORY": catalogs.describe_history,
    "SHOW HISTORY": catalogs.show_history,
    "SHOW SEGMENTS": catalogs.show_segments,
    "SHOW MERGES": catalogs.show_merges,
    "SHOW CHANGES": catalogs.show_changes,
    "SHOW QUERIES": catalogs.show_queries,
    "CANCEL QUERY": catalogs.cancel_query,
    "TABLE": data.table_query,
    "INSERT INTO": data.insert_into,
    "INSERT OVERWRITE": data.insert_overwrite,
    "INSERT WITH SCHEMA EVOLUTION": data.insert_with_schema_evolution,
    "DELETE FROM": data.delete_from,
    "UPDATE": data.update,
    "MERGE INTO": merge_into.merge_into,
    "MERGE WITH SCHEMA EVOLUTION INTO": merge_into.merge_with_schema_evolution,
    "COPY INTO": copy_into,
    "TRUNCATE TABLE": data.truncate_table,
    "OPTIMIZE": data.optimize,
}
"""Reader by beginning."""

READERS["EXPLAIN"] = _explain

_BY_FIRST_WORD: dict[str, list[tuple[list[str], Reader]]] = {}
"""Under their first word all beginnings, the longest first, in words."""
for _phrase in sorted(READERS, key=lambda phrase: -len(phrase.split())):
    _BY_FIRST_WORD.setdefault(_phrase.split()[0], []).append((_phrase.split(), READERS[_phrase]))
