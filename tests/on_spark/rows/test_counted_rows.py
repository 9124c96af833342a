"""A dry run on Spark counts rows that it does not write, and finds what the write would find."""

from __future__ import annotations

import random
from contextlib import nullcontext
from typing import Any

import pytest
from django.contrib.auth.models import User

from catalog_app.engine.writing import SMALL_ROWS, FileWriter
from catalog_app.models import Agent
from lakeui.common.errors import LakeError, LimitReached
from lakeui.frontdoor import Session, execute
from tests.in_memory.rows.test_dry_runs import files_of
from tests.in_memory.rows.test_merges_foreseen import counted, found
from tests.support.lake import Lake
from tests.support.members import join
from tests.support.soak import IS_SOAK

MANY = 3 * SMALL_ROWS
REFUSED = [
    ("UPDATE d.t SET n = n * 1000000000 WHERE id > 1", "INVALID_VALUE"),
    ("UPDATE d.t SET short = concat('long', id)", "INVALID_VALUE"),
    ("UPDATE d.t SET must = nullif(id, 29999)", "NOT_NULL_VIOLATION"),
    ("UPDATE d.t SET kept = map('a', 10 / (id - 29999))", "INVALID_VALUE"),
    ("INSERT INTO d.t (id, n, must) SELECT id, CAST(concat(id, nullif('x', id)) AS INT), 1 FROM d.t", "INVALID_VALUE"),
    ("INSERT INTO d.t (id, must) SELECT id, nullif(id, 29999) FROM d.t", "NOT_NULL_VIOLATION"),
    ("INSERT INTO d.t (id, must, short) SELECT id, 1, concat('long', id) FROM d.t", "INVALID_VALUE"),
    ("INSERT INTO d.checked SELECT id FROM d.t", "CHECK_VIOLATED"),
    ("UPDATE d.checked SET id = -id - 1", "CHECK_VIOLATED"),
    ("UPDATE d.copied SET n = n * 1000000000 WHERE id > 1", "INVALID_VALUE"),
    ("INSERT INTO d.keyed SELECT id % 20000 FROM d.t", "DUPLICATE_KEY"),
    ("UPDATE d.keyed SET id = 1", "DUPLICATE_KEY"),
]


@pytest.fixture(scope="module")
def filled(services: None) -> Lake:
    """Tables of many rows in files of several partitions, and of few that may not be what they become."""
    lake = Lake()
    lake.sql("CREATE DATABASE d")
    lake.sql(
        "CREATE TABLE d.t (id BIGINT, n INT, short VARCHAR(4), must BIGINT NOT NULL, kept MAP<STRING, DOUBLE>, p INT)"
        " PARTITIONED BY (p)"
    )
    lake.sql(f"INSERT INTO d.t SELECT id, id, 's', id, map('a', id), id % 3 FROM range(0, {MANY}, 1, 4)")
    copies = "TBLPROPERTIES ('write.update.mode' = 'copy-on-write')"
    lake.sql(f"CREATE TABLE d.copied (id BIGINT, n INT, short STRING, kept STRING, p INT) PARTITIONED BY (p) {copies}")
    lake.sql(f"INSERT INTO d.copied SELECT id, id, 's', 'a', id % 3 FROM range(0, {MANY}, 1, 4)")
    lake.sql("INSERT INTO d.copied VALUES (-1, 1, 's', 'a', 1), (-2, 2, 's', 'a', 2), (-3, 3, 's', 'a', 2)")
    lake.sql("CREATE TABLE d.checked (id BIGINT, CONSTRAINT low CHECK (id >= 0 AND id < 29999))")
    lake.sql("INSERT INTO d.checked VALUES (1)")
    lake.sql("CREATE TABLE d.keyed (id BIGINT, PRIMARY KEY (id))")
    lake.sql("INSERT INTO d.keyed VALUES (1), (2)")
    return lake


def no_job(patch: pytest.MonkeyPatch) -> None:
    """No rows are encoded by a job."""
    patch.setattr(FileWriter, "write_spark", lambda *_: pytest.fail("a job writes rows"))


def but_bytes(metrics: Any) -> dict[str, int]:
    return {**metrics, "bytes_written": 0}


def by_chance(chance: random.Random) -> str:
    where = chance.choice(["", " WHERE p = 1", f" WHERE id % 7 < {chance.randint(0, 6)}", f" WHERE id < {MANY // 2}"])
    if chance.random() < 0.4:
        p = chance.choice(["p", "id % 5"])
        return f"INSERT INTO d.t SELECT id + {MANY}, n, short, must, kept, {p} FROM d.t{where}"
    value = chance.choice(["n = n + 1", "p = p + 1", "short = 'x', p = id % 2", "n = 7, kept = NULL", "short = short"])
    return f"UPDATE d.t SET {value}{where}"


@pytest.mark.parametrize("seed", range(20 if IS_SOAK else 1))
def test_statements_by_chance_count_as_they_write(filled: Lake, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    for number in range(4):
        branch, text = f"own_{seed}_{number}", by_chance(chance)
        filled.sql(f"CREATE BRANCH {branch}")
        before = files_of(filled)
        with monkeypatch.context() as patch:
            no_job(patch)
            dry = filled.sql(f"{text} DRY RUN", branch)
        assert files_of(filled) == before, text
        done = filled.sql(text, branch)
        assert but_bytes(dry.metrics) == but_bytes(done.metrics), text
        assert dry.metrics["bytes_written"] < 4 * done.metrics["bytes_written"] + 1, text
        assert dry.extra.get("parent_merge", {}).get("mergeable", True), text


@pytest.mark.parametrize(("where", "files"), [("id % 7 = 0 OR id = -2", 4), ("id > -3", 1), ("p = 1", 0)])
def test_copies_of_counted_rows_are_foreseen(
    filled: Lake, where: str, files: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of which some rows are updated, and such of which all are."""
    branch, text = f"copied_{files}", f"UPDATE d.copied SET n = n + 1 WHERE {where}"
    filled.sql(f"CREATE BRANCH {branch}")
    with monkeypatch.context() as patch:
        no_job(patch)
        dry = filled.sql(f"{text} DRY RUN", branch)
    done = filled.sql(text, branch)
    assert but_bytes(dry.metrics) == but_bytes(done.metrics)
    assert done.metrics["files_rewritten"] == files
    assert len(dry.extra["examples"]) == 10


def test_examples_are_rows_before_and_after(filled: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    filled.sql("CREATE BRANCH shown")
    no_job(monkeypatch)
    dry = filled.sql("UPDATE d.t SET n = n + 1000 WHERE id >= 10 DRY RUN", "shown")
    before, after = dry.extra["examples"][::2], dry.extra["examples"][1::2]
    assert {item["change"] for item in before} == {"update_before"}
    assert {item["change"] for item in after} == {"update_after"}
    for one, other in zip(before, after, strict=True):
        assert other["row"] == {**one["row"], "n": one["row"]["id"] + 1000}
    dry = filled.sql("INSERT INTO d.t SELECT id + 90000, n, short, must, kept, p FROM d.t DRY RUN", "shown")
    assert len(dry.extra["examples"]) == 10
    assert all(item["change"] == "insert" and item["row"]["id"] >= 90000 for item in dry.extra["examples"])


def test_long_rows_are_counted_too(filled: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    filled.sql("CREATE TABLE d.long (id BIGINT, v STRING)")
    monkeypatch.setattr(FileWriter, "write", lambda *_, **__: pytest.fail("rows are written"))
    dry = filled.sql("INSERT INTO d.long SELECT id, repeat(uuid(), 1000) FROM d.t WHERE id % 100 = 0 DRY RUN")
    assert dry.metrics["rows_inserted"] == MANY // 100
    assert [len(item["row"]["v"]) for item in dry.extra["examples"]] == [36_000] * len(dry.extra["examples"])
    assert len(dry.extra["examples"]) >= 3


@pytest.mark.parametrize(("text", "code"), REFUSED if IS_SOAK else [REFUSED[place] for place in (1, 2, 4, 7, 10)])
def test_what_the_write_refuses_is_refused(filled: Lake, text: str, code: str) -> None:
    before = files_of(filled)
    refusals = []
    for said in (f"{text} DRY RUN", text):
        with pytest.raises(LakeError) as refusal:
            filled.sql(said)
        refusals.append((refusal.value.code, refusal.value.message))
        # A write that is refused leaves files to VACUUM.
        assert text == said or files_of(filled) == before
    assert refusals[0] == refusals[1]
    assert refusals[0][0] == code


def test_counted_rows_meet_news_of_the_parent(filled: Lake) -> None:
    """Both branches changed the rows, so the files of the dry run are written after all."""
    filled.sql("CREATE BRANCH parent")
    filled.sql("CREATE BRANCH own FROM parent")
    filled.sql("UPDATE d.t SET n = 1 WHERE id < 3", "parent")
    before, text = files_of(filled), "UPDATE d.t SET n = -id"
    dry = filled.sql(f"{text} DRY RUN", "own")
    assert files_of(filled) == before
    done = filled.sql(text, "own")
    assert but_bytes(dry.metrics) == but_bytes(done.metrics)
    merge, said = filled.dry_run("own", "parent"), dry.extra["parent_merge"]
    assert counted(said["conflicts"]) == found(merge["conflicts"])
    assert said["conflicts"]


def test_counted_rows_reach_the_limit_of_an_agent(filled: Lake) -> None:
    person, boss = (User.objects.create_user(name) for name in ("counted", "boss"))
    join(person, filled.catalog)
    Agent.objects.create(user=person, owner=boss, purpose="counts rows", rows_per_hour=MANY - 1)
    own = "agent/counted/own"
    execute(f"CREATE BRANCH `{own}`", Session(filled.catalog, "main", person))
    for where, is_refused in (("id > 0", False), ("true", True)):
        with pytest.raises(LimitReached) if is_refused else nullcontext():
            execute(f"UPDATE d.t SET n = -1 WHERE {where}", Session(filled.catalog, own, person, dry_run=True))
