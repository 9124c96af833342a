"""Merges between two catalogs go by lineage: from their first merge on both count versions together."""

from __future__ import annotations

import itertools
import random

import pytest
from django.db import IntegrityError, connection, transaction

from catalog_app.models import CatalogJoin
from lakeui.common.errors import MergeConflict, NotFound
from tests.support.lake import Lake
from tests.support.two_catalogs import are_joined, breaches, catalog_of, made, take


def test_both_sides_get_what_the_other_changed(lake: Lake) -> None:
    other = made(Lake())
    take(lake, other)
    lake.sql("UPDATE e.t SET v = 1 WHERE id = 1")
    other.sql("DELETE FROM e.t WHERE id = 2")
    other.sql("ALTER TABLE e.t ADD COLUMN w INT")
    take(lake, other)
    take(other, lake)
    assert lake.rows("e.t") == other.rows("e.t") == [(1, 1, None), (3, 0, None)]
    assert breaches(lake, other) == []


def test_merging_makes_both_catalogs_versions_one_sequence(lake: Lake) -> None:
    made(lake, "a.x")
    other = made(Lake())
    before = max(lake.head(), other.head())
    take(lake, other)
    heads = [lake.head()]
    for item in (other, lake, other):
        item.sql("CREATE DATABASE n" + str(len(heads)))
        heads.append(item.head())
    assert heads == [before + n for n in range(1, 5)]


def test_a_refused_merge_joins_nothing(lake: Lake) -> None:
    made(lake)
    other = made(Lake())
    with pytest.raises(MergeConflict):
        take(lake, other)
    assert not are_joined(lake, other)


def test_equal_numbers_of_two_catalogs_are_two_commits(lake: Lake) -> None:
    """Both have commits 1 to 4 and a branch cut at 4; the branch takes in what it lacks, and loses nothing."""
    made(lake, "a.x")
    other = made(Lake())
    other.sql("CREATE BRANCH b")
    other.sql("UPDATE e.t SET v = 5 WHERE id = 3", "b")
    take(lake, other)
    take(other, lake, to="b")
    assert other.rows("a.x", branch="b") == lake.rows("a.x")
    assert other.rows("e.t", branch="b") == [(1, 0), (2, 0), (3, 5)]
    lake.sql("UPDATE e.t SET v = 7 WHERE id = 1")
    lake.sql("ALTER TABLE a.x SET TBLPROPERTIES ('k' = 'v')")
    take(other, lake, to="b")
    assert other.rows("e.t", branch="b") == [(1, 7), (2, 0), (3, 5)]
    take(lake, other, "b")
    assert lake.rows("e.t") == [(1, 7), (2, 0), (3, 5)]
    assert breaches(lake, other) == []


@pytest.mark.parametrize(
    "statement", ["DELETE FROM catalog_app_catalogjoin", "UPDATE catalog_app_catalogjoin SET version = 1"]
)
def test_a_join_is_never_taken_back(lake: Lake, statement: str) -> None:
    take(lake, made(Lake()))
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert CatalogJoin.objects.filter(catalog=catalog_of(lake)).count() == 1


def test_a_third_catalog_joins_all(lake: Lake) -> None:
    other, third = made(Lake()), made(Lake(), "c.z")
    take(lake, other)
    take(third, lake)
    assert CatalogJoin.objects.filter(catalog=catalog_of(third)).count() == 2
    third.sql("DELETE FROM e.t WHERE id = 1")
    other.sql("UPDATE e.t SET v = 2 WHERE id = 2")
    take(other, third)
    assert other.rows("e.t") == [(2, 2), (3, 0)]
    assert other.rows("c.z") == [(1, 0), (2, 0), (3, 0)]
    assert breaches(lake, other, third) == []


def test_the_same_merge_again_brings_nothing(lake: Lake) -> None:
    other = made(Lake())
    take(lake, other)
    head = lake.head()
    take(lake, other)
    take(other, lake)
    assert (lake.head(), lake.rows("e.t")) == (head, other.rows("e.t"))


def test_restores_and_undrops_after_the_join_are_news(lake: Lake) -> None:
    other = made(Lake())
    take(lake, other)
    joined = lake.head()
    lake.sql("DELETE FROM e.t WHERE id = 1")
    take(other, lake)
    lake.sql(f"RESTORE TABLE e.t TO VERSION AS OF {joined}")
    take(other, lake)
    assert other.rows("e.t") == [(1, 0), (2, 0), (3, 0)]
    other.sql("DROP TABLE e.t")
    lake.sql("INSERT INTO e.t VALUES (4, 4)")
    take(lake, other)
    other.sql("UNDROP TABLE e.t")
    take(other, lake)
    take(lake, other)
    assert lake.rows("e.t") == other.rows("e.t") == [(1, 0), (2, 0), (3, 0), (4, 4)]
    assert breaches(lake, other) == []


def test_a_table_restores_to_before_the_join(lake: Lake) -> None:
    other = made(Lake())
    before = other.head()
    other.sql("UPDATE e.t SET v = 9 WHERE id = 1")
    take(lake, other)
    other.sql(f"RESTORE TABLE e.t TO VERSION AS OF {before}")
    take(lake, other)
    assert lake.rows("e.t") == [(1, 0), (2, 0), (3, 0)]


PLACES = (0, "main"), (1, "main"), (0, "b"), (1, "b")
TABLES = "e.t", "a.x"


class History:
    """Rows, properties and files change on two branches of each of two catalogs, and merges go every way."""

    def __init__(self, lake: Lake, rng: random.Random) -> None:
        self.lakes, self.rng, self.ids = (lake, made(Lake())), rng, itertools.count(10)
        made(lake, "a.x")
        for item in self.lakes:
            item.sql("CREATE BRANCH b")

    def step(self, place: tuple[int, str]) -> None:
        lake, branch = self.lakes[place[0]], place[1]
        tables = [table for table in TABLES if self.shown(place, table) is not None]
        if self.rng.random() < 0.4 or not tables:
            self.merge(self.rng.choice([item for item in PLACES if item != place]), place)
            return
        table = self.rng.choice(tables)
        row = self.rng.choice([found[0] for found in self.shown(place, table) or ()] or [0])
        text = self.rng.choice(
            [
                f"INSERT INTO {table} (id, v) VALUES ({next(self.ids)}, 1)",
                f"UPDATE {table} SET v = v + 1 WHERE id = {row}",
                f"DELETE FROM {table} WHERE id = {row}",
                f"ALTER TABLE {table} SET TBLPROPERTIES ('k' = '{next(self.ids)}')",
                f"OPTIMIZE {table}",
            ]
        )
        lake.sql(text, branch)

    def merge(self, source: tuple[int, str], target: tuple[int, str]) -> bool:
        try:
            take(self.lakes[target[0]], self.lakes[source[0]], source[1], to=target[1])
        except MergeConflict:
            return False
        return True

    def shown(self, place: tuple[int, str], table: str) -> list[tuple[object, ...]] | None:
        try:
            return self.lakes[place[0]].rows(table, branch=place[1])
        except NotFound:
            return None


@pytest.mark.parametrize("number", range(4))
def test_there_and_back_is_alike_in_random_histories(lake: Lake, number: int) -> None:
    history = History(lake, random.Random(f"two catalogs {number}"))
    for _ in range(20):
        history.step(history.rng.choice(PLACES))
    compared = 0
    for source, target in itertools.permutations(PLACES, 2):
        if history.merge(source, target) and history.merge(target, source):
            compared += 1
            for table in TABLES:
                assert history.shown(source, table) == history.shown(target, table), (source, target, table)
    assert compared
    assert breaches(*history.lakes) == []


def test_another_catalog_meets_only_its_own_updates(lake: Lake) -> None:
    """Its versions are its own: a number of one catalog says nothing of the other."""
    other = Lake()
    other.sql("CREATE DATABASE e")
    other.sql("CREATE TABLE e.t (id INT, v INT)")
    other.sql("INSERT INTO e.t VALUES (1, 0), (2, 0), (3, 0)")
    lake.sql(f"MERGE BRANCH {other.catalog}.main TO main")
    other.sql("UPDATE e.t SET v = 1 WHERE id = 2")
    other.sql("DELETE FROM e.t WHERE id = 1")
    lake.sql("CREATE DATABASE f")
    lake.sql(f"MERGE BRANCH {other.catalog}.main TO main")
    assert lake.rows("e.t") == [(2, 1), (3, 0)]
    lake.sql("INSERT INTO e.t VALUES (5, 0)")
    other.sql("UPDATE e.t SET v = 2 WHERE id = 3")
    assert lake.codes(f"{other.catalog}.main") == {"PREDICATE_DML_VS_INSERT"}
