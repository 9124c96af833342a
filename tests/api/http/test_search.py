"""Everything with a name, found by part of it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from catalog_app.models import Branch, TableRecord
from catalog_app.selectors import rows
from catalog_app.selectors.search import Wanted, tables_search
from catalog_app.services.files import addresses_allocate
from lakeui.frontdoor import compute
from tests.api.conftest import Caller
from tests.api.sql.test_statements import problem
from tests.benchmarks.resources import LargeLake
from tests.support.lake_memory_engine import LakeMemoryEngine
from tests.support.resource_lake import Lake


@pytest.fixture
def lake(alice: Caller) -> Lake:
    """Flights and a branch of theirs, under names that other tests' lakes do not use."""
    fresh = Lake(alice)
    fresh.sql("CREATE DATABASE zephyr")
    fresh.sql("CREATE TABLE zephyr.zflights (id INT, arr_zdelay INT, dep_zdelay INT)")
    fresh.sql("CREATE TABLE zephyr.weekly_zflights (zulu INT)")
    fresh.sql("CREATE BRANCH feature_zoom")
    fresh.sql("CREATE TAG before_zoom")
    return fresh


HAS_ITS_NAME = {"former_name": None, "until_version": None, "is_dropped": False, "in_trash": False}


def search(lake: Lake, text: str, **more: str) -> list[dict[str, Any]]:
    query = "&".join(f"{name}={value}" for name, value in {"q": text, "catalog": lake.catalog, **more}.items())
    response = lake.caller.get(f"/api/v1/search/?{query}")
    assert response.status_code == 200, response.content
    found: list[dict[str, Any]] = response.json()["results"]
    return found


def labels(lake: Lake, text: str, **more: str) -> list[str]:
    return [f"{entry['kind']} {entry['label']}" for entry in search(lake, text, **more)]


def test_every_kind_is_found_with_its_address_parts(lake: Lake) -> None:
    nothing = dict.fromkeys(("branch", "database", "table", "view", "column", "tag", "merge_id", "version"))
    here = {**nothing, **HAS_ITS_NAME, "catalog": lake.catalog}
    assert search(lake, lake.catalog) == [{**here, "kind": "catalog", "label": lake.catalog}]
    branch, tag = search(lake, "zoom")
    assert branch == {**here, "kind": "branch", "label": "feature_zoom", "branch": "feature_zoom"}
    version = lake.branch("main").head_version
    assert tag == {
        **here, "kind": "tag", "label": "before_zoom", "branch": "main", "tag": "before_zoom", "version": version,
    }  # fmt: skip
    place = {**here, "branch": "main", "database": "zephyr"}
    assert search(lake, "zephyr") == [{**place, "kind": "database", "label": "zephyr"}]
    table = {**place, "table": "zflights"}
    assert search(lake, "zflights")[0] == {**table, "kind": "table", "label": "zephyr.zflights"}
    column = {**table, "kind": "column", "label": "zephyr.zflights.arr_zdelay", "column": "arr_zdelay"}
    assert search(lake, "arr_z") == [column]


def test_merges_are_found_by_branch_and_by_id(lake: Lake) -> None:
    lake.sql("CREATE TABLE zephyr.new (id INT)", "feature_zoom")
    lake.sql("MERGE BRANCH feature_zoom")
    (by_name,) = search(lake, "zoom", kind="merge")
    assert (by_name["label"], by_name["version"]) == ("feature_zoom → main", lake.branch("main").head_version)
    assert search(lake, by_name["merge_id"][:13], kind="merge") == [by_name]


def test_exact_names_come_first_then_prefixes(lake: Lake) -> None:
    lake.sql("CREATE TABLE zephyr.zflights_old (id INT)")
    assert labels(lake, "ZFLIGHTS") == [
        "table zephyr.zflights",
        "table zephyr.zflights_old",
        "table zephyr.weekly_zflights",
    ]


def test_each_word_may_begin_a_names_word(lake: Lake) -> None:
    assert labels(lake, "week zfl") == ["table zephyr.weekly_zflights"]
    assert labels(lake, "zdel") == ["column zephyr.zflights.arr_zdelay", "column zephyr.zflights.dep_zdelay"]
    # Words of two columns are not the words of one.
    assert labels(lake, "arr dep") == []


def test_a_dot_narrows_to_a_database(lake: Lake) -> None:
    lake.sql("CREATE TABLE d.zflights (id INT)")
    assert labels(lake, "zeph.zfl") == ["table zephyr.zflights", "table zephyr.weekly_zflights"]
    assert labels(lake, "d.zfl") == ["table d.zflights"]


def test_an_object_is_shown_on_the_current_branch(lake: Lake) -> None:
    def branches(text: str, **more: str) -> list[str]:
        return [entry["branch"] for entry in search(lake, text, **more)]

    assert branches("weekly") == ["main"]
    assert branches("weekly", branch="feature_zoom") == ["feature_zoom"]
    lake.sql("DROP TABLE zephyr.weekly_zflights", "feature_zoom")
    assert branches("weekly", branch="feature_zoom") == ["main"]
    lake.sql("CREATE TABLE zephyr.znew (id INT)", "feature_zoom")
    assert branches("znew") == ["feature_zoom"]


def test_an_object_on_many_branches_is_one_result(lake: Lake) -> None:
    for number in range(3):
        lake.sql(f"CREATE BRANCH b{number}")
        lake.sql(f"ALTER TABLE zephyr.zflights SET TBLPROPERTIES ('k' = '{number}')", f"b{number}")
        lake.sql(f"ALTER TABLE zephyr.zflights ADD COLUMN zmore{number} INT", f"b{number}")
    assert labels(lake, "zflights") == ["table zephyr.zflights", "table zephyr.weekly_zflights"]
    assert [(entry["branch"], entry["column"]) for entry in search(lake, "zmore1")] == [("b1", "zmore1")]


def test_views_are_found_where_they_are(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = LakeMemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: engine)
    lake.sql("CREATE VIEW zephyr.late_zflights AS SELECT * FROM zephyr.zflights")
    lake.sql("CREATE BRANCH later")
    lake.sql("CREATE VIEW zephyr.zlast AS SELECT 1 AS one", "later")
    (found,) = search(lake, "late z", branch="later")
    assert (found["kind"], found["label"], found["view"]) == ("view", "zephyr.late_zflights", "late_zflights")
    assert (found["branch"], found["database"], found["table"]) == ("later", "zephyr", None)
    assert labels(lake, "late_zfl", branch="feature_zoom") == ["view zephyr.late_zflights"]
    assert [entry["branch"] for entry in search(lake, "late_zfl", branch="feature_zoom")] == ["main"]
    assert [entry["branch"] for entry in search(lake, "zeph.zlast")] == ["later"]
    assert labels(lake, "d.zlast") == []
    lake.sql("DROP VIEW zephyr.late_zflights", "later")
    lake.sql("DROP VIEW zephyr.late_zflights")
    version = lake.branch("main").head_version
    assert former(lake, "late z") == [f"view zephyr.late_zflights, dropped in v{version}"]


def test_what_main_dropped_is_found_on_branches(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = LakeMemoryEngine(addresses_allocate)
    monkeypatch.setattr(compute, "engine_make", lambda: engine)
    lake.sql("CREATE VIEW zephyr.zlate AS SELECT * FROM zephyr.zflights")
    lake.sql("CREATE BRANCH older")
    lake.sql("CREATE BRANCH without")
    lake.sql("DROP TABLE zephyr.weekly_zflights", "without")
    lake.sql("DROP VIEW zephyr.zlate")
    lake.sql("DROP TABLE zephyr.weekly_zflights")
    lake.sql("CREATE BRANCH younger")

    def places(text: str, **more: str) -> list[tuple[str, str]]:
        return [(entry["kind"], entry["branch"]) for entry in search(lake, text, **more)]

    assert places("zlate") == [("view", "older")]
    assert places("zlate", branch="without") == [("view", "without")]
    assert places("weekly") == places("zeph.week") == places("weekly", branch="without") == [("table", "older")]
    assert places("weekly", branch="feature_zoom") == [("table", "feature_zoom")]
    lake.sql("DROP DATABASE zephyr CASCADE")
    assert places("zephyr", kind="database") == [("database", "younger")]
    assert places("zflights", branch="older")[:1] == [("table", "older")]
    for branch in ("feature_zoom", "older", "without", "younger"):
        lake.sql(f"DROP BRANCH {branch}")
    version = lake.branch("main").head_version
    assert [former(lake, text, kind=kind) for text, kind in (("zlate", "view"), ("weekly", "table"))] == [
        [f"view zephyr.zlate, dropped in v{version - 2}"],
        [f"table zephyr.weekly_zflights, dropped in v{version - 1}, in the trash"],
    ]
    assert former(lake, "zephyr", kind="database") == [f"database zephyr, dropped in v{version}, in the trash"]


def former(lake: Lake, text: str, **more: str) -> list[str]:
    """What was found, and since when it has the name no longer, in words."""
    found = []
    for entry in search(lake, text, **more):
        was = f", was {entry['former_name']}" if entry["former_name"] else ""
        end = f", {'dropped in' if entry['is_dropped'] else 'until'} v{entry['until_version']}"
        trash = ", in the trash" if entry["in_trash"] else ""
        found.append(f"{entry['kind']} {entry['label']}{was}{end if entry['until_version'] else ''}{trash}")
    return found


def test_renamed_objects_are_found_by_former_names(lake: Lake) -> None:
    lake.sql("COMMENT ON TABLE zephyr.weekly_zflights IS 'no new name'")
    lake.sql("ALTER TABLE zephyr.weekly_zflights RENAME TO by_month")
    table = lake.branch("main").head_version
    lake.sql("ALTER TABLE zephyr.zflights RENAME COLUMN arr_zdelay TO arrival")
    column = lake.branch("main").head_version
    assert former(lake, "week zfl") == [f"table zephyr.by_month, was weekly_zflights, until v{table}"]
    assert former(lake, "arr_z") == [f"column zephyr.zflights.arrival, was arr_zdelay, until v{column}"]
    # What has the name comes first; a branch that was made before the rename has it still.
    lake.sql("CREATE TABLE zephyr.weekly_zflights_again (id INT)")
    assert labels(lake, "weekly") == ["table zephyr.weekly_zflights_again", "table zephyr.by_month"]
    assert former(lake, "weekly_zflights", branch="feature_zoom")[1:] == ["table zephyr.weekly_zflights"]
    assert former(lake, "weekly", kind="column") == []


def test_columns_are_those_of_the_branch(lake: Lake) -> None:
    """Main has both columns under their old names."""
    lake.sql("ALTER TABLE zephyr.zflights RENAME COLUMN arr_zdelay TO arrival", "feature_zoom")
    lake.sql("ALTER TABLE zephyr.zflights DROP COLUMN dep_zdelay", "feature_zoom")
    assert former(lake, "arr_z", branch="feature_zoom") == ["column zephyr.zflights.arrival, was arr_zdelay"]
    (dropped,) = search(lake, "dep_z", branch="feature_zoom")
    assert (dropped["branch"], dropped["is_dropped"]) == ("feature_zoom", True)
    assert former(lake, "zdelay") == ["column zephyr.zflights.arr_zdelay", "column zephyr.zflights.dep_zdelay"]


def test_a_renamed_database_is_found(lake: Lake) -> None:
    lake.sql("ALTER DATABASE zephyr RENAME TO mistral")
    version = lake.branch("main").head_version
    assert former(lake, "zeph", kind="database") == [f"database mistral, was zephyr, until v{version}"]


def test_renamed_branches_are_found_by_former_names(lake: Lake) -> None:
    lake.sql("ALTER BRANCH feature_zoom RENAME TO draft")
    lake.sql("ALTER BRANCH draft RENAME TO feature_carriers")
    assert former(lake, "zoom", kind="branch") == ["branch feature_carriers, was feature_zoom"]
    assert former(lake, "DRAFT") == ["branch feature_carriers, was draft"]
    # Both names hold the text: the branch stands once, by the present one.
    assert former(lake, "feature") == ["branch feature_carriers"]
    lake.sql("CREATE BRANCH feature_zoom")
    assert former(lake, "zoom", kind="branch") == [
        "branch feature_zoom", "branch feature_carriers, was feature_zoom",
    ]  # fmt: skip
    lake.sql("DROP BRANCH feature_carriers")
    assert former(lake, "draft") == ["branch feature_carriers, was draft, in the trash"]
    lake.sql("UNDROP BRANCH feature_carriers AS draft")
    assert former(lake, "carriers") == ["branch draft, was feature_carriers"]


def test_a_dropped_branch_is_found_beside_others(lake: Lake) -> None:
    lake.sql("CREATE BRANCH zoom_out")
    lake.sql("DROP BRANCH feature_zoom")
    assert former(lake, "zoom", kind="branch") == ["branch zoom_out", "branch feature_zoom, in the trash"]


def test_dropped_things_lead_to_the_trash(lake: Lake) -> None:
    lake.sql("DROP BRANCH feature_zoom")
    lake.sql("DROP TAG before_zoom")
    lake.sql("ALTER TABLE zephyr.zflights DROP COLUMN arr_zdelay")
    column = lake.branch("main").head_version
    assert former(lake, "zoom") == ["branch feature_zoom, in the trash"]
    assert former(lake, "zdelay") == [
        "column zephyr.zflights.dep_zdelay",
        f"column zephyr.zflights.arr_zdelay, dropped in v{column}",
    ]
    lake.sql("ALTER TABLE zephyr.zflights RENAME COLUMN dep_zdelay TO departure")
    lake.sql("DROP TABLE zephyr.zflights")
    table = lake.branch("main").head_version
    assert former(lake, "dep_z") == [
        f"column zephyr.zflights.departure, was dep_zdelay, dropped in v{table}, in the trash"
    ]
    assert former(lake, "departure") == [f"column zephyr.zflights.departure, dropped in v{table}, in the trash"]
    lake.sql("UNDROP TABLE zephyr.zflights")
    assert former(lake, "departure") == ["column zephyr.zflights.departure"]
    assert former(lake, "zflights")[0] == "table zephyr.zflights"


def test_what_expired_is_not_found(lake: Lake) -> None:
    lake.sql("DROP BRANCH feature_zoom")
    lake.sql("DROP TAG before_zoom")
    lake.sql("DROP TABLE zephyr.zflights")
    main = lake.branch("main")
    Branch.objects.filter(pk=main.pk).update(oldest_version=main.head_version)
    Branch.objects.filter(name="feature_zoom", catalog=main.catalog).update(expired_at=timezone.now())
    assert [labels(lake, text) for text in ("zoom", "zflights", "zdelay")] == [
        [], ["table zephyr.weekly_zflights"], [],
    ]  # fmt: skip


def test_other_catalogs_are_found_without_a_choice(lake: Lake, alice: Caller) -> None:
    other = Lake(alice)
    other.sql("CREATE TABLE d.zwonder (id INT)")
    assert search(lake, "zwonder") == []
    everywhere = alice.get("/api/v1/search/?q=zwonder").json()["results"]
    assert [(entry["catalog"], entry["table"]) for entry in everywhere] == [(other.catalog, "zwonder")]


@pytest.mark.parametrize("text", ["%25", "'", "\\", "a' | b", "%26", "🛫", "...", ":*", "%C3%A9t%C3%A9"])
def test_any_text_may_be_asked_for(lake: Lake, text: str) -> None:
    assert isinstance(search(lake, text), list)


def test_names_that_are_not_english_are_found(lake: Lake) -> None:
    lake.sql("CREATE TABLE zephyr.`Größe (neu)` (`été-2013` INT)")
    assert labels(lake, "grö") == ["table zephyr.Größe (neu)"]
    assert labels(lake, "neu", kind="table") == ["table zephyr.Größe (neu)"]
    assert labels(lake, "2013") == ["column zephyr.Größe (neu).été-2013"]


@pytest.mark.parametrize(
    "query", ["", "q=", "q=%00", *(f"q=x&{bad}" for bad in ("limit=0", "limit=51", "kind=index", "branch=main"))]
)
def test_a_bad_query_is_refused(alice: Caller, query: str) -> None:
    problem(alice.get(f"/api/v1/search/?{query}"), 400, "INVALID_VALUE")


def test_it_is_few_statements_whatever_is_found(lake: Lake) -> None:
    def statements(text: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            search(lake, text, branch="feature_zoom")
        return len(captured)

    statements("nothing")
    before = statements("nothing")
    for number in range(20):
        lake.sql(f"CREATE TABLE zephyr.many_{number} (many_too INT)")
        lake.sql(f"ALTER TABLE zephyr.many_{number} RENAME TO other_{number}")
    assert statements("many") <= statements("many_1") == before


@pytest.mark.django_db(transaction=True)
def test_searching_reads_few_rows_beside_many_branches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rows, "cursor_open", lambda **_: connection.cursor())
    author = User.objects.create_user("author")
    large = LargeLake(tables=2000, branches=500, segments=1, requests=1, author=author)
    main = large.branch("main")
    dropped = TableRecord.objects.filter(branch=main, superseded_version__isnull=True).order_by("pk")[:200]
    for record in dropped:
        TableRecord.objects.filter(pk=record.pk).update(superseded_version=main.head_version + 1)
        record.pk, record.version, record.is_dropped = None, main.head_version + 1, True
        record.save(force_insert=True)
    Branch.objects.filter(pk=main.pk).update(head_version=main.head_version + 1)
    main.refresh_from_db()
    with CaptureQueriesContext(connection) as captured:
        assert len(tables_search(Wanted("table", 20, frozenset({main.catalog_id}), main.catalog, main))) == 20
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {captured[-1]['sql']}")
        ((plan,),) = cursor.fetchone()
    assert most_rows(plan["Plan"]) < 11_000


def most_rows(node: dict[str, Any]) -> int:
    """The most rows that a step of a plan made or looked at in vain."""
    seen = (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
    return max([seen, *(most_rows(part) for part in node.get("Plans", ()))])
