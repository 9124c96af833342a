"""What a comparison promises of a table is what the merge then makes of it; rows are previewed over HTTP."""

from __future__ import annotations

import secrets
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from catalog_app.domain.roles import Role
from lakeui.access.tokens import token_create
from tests.support.lake import Lake
from tests.support.members import join


class Http:
    """A reader with a token, who looks at table d.t."""

    def __init__(self, lake: Lake) -> None:
        user = get_user_model().objects.create_user(f"reader-{secrets.token_hex(4)}")
        join(user, lake.catalog, Role.VIEWER)
        self.client = Client(headers={"Authorization": f"Bearer {token_create(user=user, name='e2e')[1]}"})
        self.address = f"/api/v1/catalogs/{lake.catalog}/"

    def read(self, path: str) -> Any:
        response = self.client.get(self.address + path)
        assert response.status_code == 200, response.content
        return response.json()

    def table(self, branch: str = "main") -> dict[str, Any]:
        found: dict[str, Any] = self.read(f"branches/{branch}/databases/d/tables/t/")
        return found

    def compared(self) -> dict[str, Any]:
        found: dict[str, Any] = self.read(f"compare/b...main/objects/table/{self.table()['table_id']}/")
        return found


@pytest.fixture
def http(lake: Lake) -> Http:
    """Table d.t with three files of two rows, on main and on branch b."""
    lake.sql("CREATE TABLE d.t (id INT, n INT) PARTITIONED BY (n)")
    for values in ("(1, 0), (2, 0)", "(3, 0), (4, 0)", "(5, 1), (6, 1)"):
        lake.sql(f"INSERT INTO d.t VALUES {values}")
    lake.sql("CREATE BRANCH b")
    return Http(lake)


STORIES = {
    "delete on both sides": (("DELETE FROM d.t WHERE id = 1",), ("DELETE FROM d.t WHERE id = 3",)),
    "update on one side": (("UPDATE d.t SET id = 9 WHERE id = 2",), ()),
    "insert and delete of a new row": (
        ("INSERT INTO d.t VALUES (7, 0), (8, 0)", "DELETE FROM d.t WHERE id = 7"),
        ("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '1')",),
    ),
    "overwrite of a partition": (
        ("INSERT OVERWRITE d.t PARTITION (n = 0) VALUES (10)",),
        ("INSERT INTO d.t VALUES (11, 1)",),
    ),
    "truncate": (("TRUNCATE TABLE d.t",), ("INSERT INTO d.t VALUES (12, 0)",)),
    "update of rows that are gone": (("UPDATE d.t SET id = 9 WHERE id = 2",), ("TRUNCATE TABLE d.t",)),
    "compaction": (("OPTIMIZE d.t",), ()),
    "added column and rows": (("ALTER TABLE d.t ADD COLUMN c INT", "INSERT INTO d.t VALUES (13, 0, 1)"), ()),
}


@pytest.mark.parametrize("story", STORIES)
def test_the_preview_is_what_the_merge_makes(lake: Lake, http: Http, story: str) -> None:
    for branch, statements in zip(("b", "main"), STORIES[story], strict=True):
        for statement in statements:
            lake.sql(statement, branch)
    preview = http.compared()["preview"]
    assert (preview["rows_before"], preview["files_before"]) == (len(lake.rows("d.t")), http.table()["files"])
    result = lake.merge("b")
    after = http.table()
    assert preview["rows_are_exact"] is True
    assert preview["rows_after"] == after["rows"] == len(lake.rows("d.t"))
    assert (preview["files_after"], preview["bytes_after"]) == (after["files"], after["bytes"])
    (merged,) = lake.audit(result["merge_id"])["tables"]
    assert preview["invisible_schema_versions"] == merged["invisible_schema_versions"]
    assert preview["discarded_schema_versions"] == merged["discarded_schema_versions"]
    assert preview["schema_changes"] is bool(merged["visible_schema_versions"])


def test_rows_that_a_compaction_moved_are_promised(lake: Lake, http: Http) -> None:
    """A merge by lineage looks at rows while it is planned."""
    lake.sql("DELETE FROM d.t WHERE id = 1", "b")
    lake.sql("OPTIMIZE d.t")
    compared = http.compared()
    assert (compared["files"]["rewrites"], compared["preview"]["rows_are_exact"]) == (0, True)
    lake.merge("b")
    assert compared["preview"]["rows_after"] == len(lake.rows("d.t")) == 5


def test_both_sides_of_conflicts_show_rows_and_files(lake: Lake, http: Http) -> None:
    lake.sql("UPDATE d.t SET id = 9 WHERE id = 2", "b")
    lake.sql("INSERT INTO d.t VALUES (7, 0)")
    compared = http.compared()
    (of_source,), (of_target,) = compared["source_commits"], compared["dest_commits"]
    assert (of_source["operation"], of_source["rows"], of_source["files_added"], of_source["files_touched"]) == (
        "UPDATE",
        1,
        1,
        1,
    )
    assert [file["is_new"] for file in of_source["files"]] == [False, True]
    assert of_source["files"][0]["path"] in {row[0] for row in lake.sql("SHOW SEGMENTS d.t").rows}
    assert (of_target["operation"], of_target["rows"], of_target["files_added"]) == ("INSERT", 1, 1)
    assert [cell["code"] for cell in compared["cells"] if cell["verdict"] == "conflict"] == ["PREDICATE_DML_VS_INSERT"]
    assert (compared["preview"], compared["files"]) == (None, None)


def test_rows_are_previewed_at_any_version(lake: Lake, http: Http) -> None:
    before = lake.head()
    lake.sql("DELETE FROM d.t WHERE n = 1")
    path = "branches/main/databases/d/tables/t/rows/"
    now = http.read(path)
    assert sorted(now["rows"]) == [[1, 0], [2, 0], [3, 0], [4, 0]]
    assert now["columns"] == [{"name": "id", "type": "int"}, {"name": "n", "type": "int"}]
    assert (now["row_count"], now["truncated"]) == (4, False)
    old = http.read(f"{path}?version={before}&limit=5")
    assert (old["row_count"], old["truncated"], old["version"]) == (5, True, before)


def test_sizes_count_live_rows_and_partitions(lake: Lake, http: Http) -> None:
    lake.sql("DELETE FROM d.t WHERE id = 1")
    found = http.table()
    assert (found["rows"], found["files"], found["partitions"]) == (5, 3, 2)
    assert (found["delete_files"], found["deleted_rows"]) == (1, 1)
    partitions = http.read("branches/main/databases/d/tables/t/partitions/")["results"]
    assert [(entry["partition"], entry["rows"], entry["files"]) for entry in partitions] == [
        ("n=0", 3, 2),
        ("n=1", 2, 1),
    ]
    first = http.read("branches/main/databases/d/tables/t/segments/")["results"][0]
    assert (first["rows"], first["deleted_rows"], first["delete_files"], first["partition"]) == (2, 1, 1, {"n": "0"})


@pytest.mark.parametrize("kinds", [("STRING DEFAULT 'd'", "INT"), ("INT DEFAULT 1", "STRING")])
def test_rows_are_compared_beside_types_that_clash(lake: Lake, kinds: tuple[str, str]) -> None:
    """Both added column c, with types of which neither widens: no type reads the rows of both, and the merge is
    refused.
    """
    lake.sql("CREATE TABLE d.t (id INT, v STRING) TBLPROPERTIES ('merge.conflicts' = 'cell')")
    lake.sql("INSERT INTO d.t VALUES (1, 'a'), (2, 'a')")
    lake.sql("CREATE BRANCH b")
    for branch, kind in zip(("b", "main"), kinds, strict=True):
        lake.sql(f"ALTER TABLE d.t ADD COLUMN c {kind}", branch)
        value = "'word'" if "STRING" in kind else "7"
        lake.sql(f"UPDATE d.t SET v = '{branch}', c = {value} WHERE id = {1 if branch == 'b' else 2}", branch)
    http = Http(lake)
    rows = http.read(f"compare/b...main/objects/table/{http.table()['table_id']}/rows/sides/")
    assert [(row["source_change"], row["dest_change"]) for row in rows["rows"]] == [("update", None), (None, "update")]
    assert [row["result"][:2] for row in rows["rows"]] == [[1, "b"], [2, "main"]]
    assert lake.codes("b") == {"COLUMN_TYPE_NARROWING"}
