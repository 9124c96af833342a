"""Files of landing zones: read by name, archived with the run that read them, and with no other."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from catalog_app.storage.warehouse import Warehouse
from lakeui.common.errors import AlreadyExists, InvalidValue
from lakeui.frontdoor.entries import pipeline_runs
from lakeui.frontdoor.entries.pipeline_runs import run_dry
from merge_app.pipelines import landing
from merge_app.pipelines.definition.mistakes import InvalidConfig
from merge_app.pipelines.models import LandingFile
from tests.pipelines.strategies.pipes import Attempt, Pipe, Pipes

SOURCE = "SELECT CAST(id AS INT) AS id, name FROM {{ landing('orders') }}"
ARCHIVES = "archive_landing_zones: true"
Send = Callable[..., LandingFile]


@pytest.fixture
def send(tmp_path: Path) -> Send:
    def send(pipe: Pipe, text: str, name: str = "a.csv", zone: str = "orders") -> LandingFile:
        assert pipe.pipeline is not None
        file = tmp_path / uuid.uuid4().hex
        file.write_text(text)
        return landing.landing_put(
            pipe.pipeline, zone=zone, name=name, file=file, declared=None, user_id=None, warehouse=_warehouse()
        )[0]

    return send


def _warehouse() -> Warehouse:
    return Warehouse(settings.LAKEUI["WAREHOUSE"])


def _made(pipes: Pipes, *config: str, source: str = SOURCE) -> Pipe:
    """A pipeline whose first run found a zone that never had a file."""
    pipe = pipes(*config)
    pipe.run(source)
    return pipe


def _states(pipe: Pipe) -> dict[str, bool]:
    assert pipe.pipeline is not None
    files = LandingFile.objects.filter(pipeline=pipe.pipeline).values_list("name", "archived_at")
    return {name: archived is not None for name, archived in files}


def _log(pipe: Pipe) -> str:
    return "\n".join(entry["message"] for entry in pipe.runs[-1].log)


def test_files_are_read_by_name_and_archived(pipes: Pipes, send: Send) -> None:
    pipe = _made(pipes, "merge_strategy: append_only", ARCHIVES)
    assert "never had a file" in _log(pipe)
    send(pipe, "id,name\n1,one\n2,two\n")
    send(pipe, "name,id\nthree,3\n", "b.csv")
    pipe.start()
    assert sorted(pipe.rows()) == [(1, "one"), (2, "two"), (3, "three")]
    assert _states(pipe) == {"a.csv": True, "b.csv": True}
    assert "3 rows of 2 files" in _log(pipe)


def test_an_archived_file_is_not_read_again(pipes: Pipes, send: Send) -> None:
    pipe = _made(pipes, "merge_strategy: append_only", ARCHIVES)
    send(pipe, "id,name\n1,one\n")
    pipe.start()
    before = pipe.operations()
    pipe.start()
    assert pipe.operations() == before
    send(pipe, "id,name\n2,two\n")
    pipe.start()
    assert sorted(pipe.rows()) == [(1, "one"), (2, "two")]


def test_without_the_key_every_run_reads_all_files(pipes: Pipes, send: Send) -> None:
    pipe = _made(pipes, "merge_strategy: append_only")
    send(pipe, "id,name\n1,one\n")
    pipe.start()
    pipe.start()
    assert pipe.rows() == [(1, "one"), (1, "one")]
    assert _states(pipe) == {"a.csv": False}


def test_an_empty_zone_keeps_its_last_files_columns(pipes: Pipes, send: Send) -> None:
    source = f"{SOURCE} UNION ALL SELECT CAST(id AS INT), name FROM {{{{ landing('late') }}}}"
    pipe = _made(pipes, "merge_strategy: append_only", ARCHIVES, source=source)
    send(pipe, "id,name\n1,one\n")
    send(pipe, "id,name\n2,two\n", zone="late")
    pipe.start()
    send(pipe, "id,name\n3,three\n", zone="late")
    pipe.start()
    assert sorted(pipe.rows()) == [(1, "one"), (2, "two"), (3, "three")]


def test_full_refresh_without_waiting_files_keeps_the_table(pipes: Pipes, send: Send) -> None:
    pipe = _made(pipes, "merge_strategy: full_refresh", ARCHIVES)
    send(pipe, "id,name\n1,one\n")
    pipe.start()
    pipe.start()
    assert pipe.rows() == [(1, "one")]


def test_a_run_that_fails_archives_nothing(pipes: Pipes, send: Send) -> None:
    pipe = _made(pipes, "merge_strategy: append_only", ARCHIVES)
    send(pipe, "id,name\n1,one\n")
    with pytest.raises(InvalidConfig):
        pipe.run(SOURCE, config=f"merge_strategy: incremental\nunique_key: nothing\n{ARCHIVES}")
    assert _states(pipe) == {"a.csv": False}
    pipe.run(SOURCE, config=f"merge_strategy: append_only\n{ARCHIVES}")
    assert pipe.rows() == [(1, "one")]
    assert _states(pipe) == {"a.csv": True}


def test_checks_that_fail_archive_nothing(pipes: Pipes, send: Send) -> None:
    pipe = _made(pipes, "merge_strategy: append_only", ARCHIVES, "publish: checked", "checks: ['id > 1']")
    bad = send(pipe, "id,name\n1,one\n")
    with pytest.raises(Exception, match="1 row is not"):
        pipe.start()
    assert _states(pipe) == {"a.csv": False}
    landing.landing_remove(bad, warehouse=_warehouse())
    send(pipe, "id,name\n2,two\n")
    pipe.start()
    assert pipe.rows() == [(2, "two")]
    assert _states(pipe) == {"a.csv": True}


@pytest.mark.parametrize("publish", ["direct", "checked"])
def test_a_worker_dying_before_archiving_reads_nothing_twice(
    pipes: Pipes, send: Send, monkeypatch: pytest.MonkeyPatch, publish: str
) -> None:
    pipe = _made(pipes, "merge_strategy: append_only", ARCHIVES, f"publish: {publish}")
    send(pipe, "id,name\n1,one\n")
    with monkeypatch.context() as patch:
        patch.setattr(pipeline_runs, "claims_archive", _killed)
        with pytest.raises(KeyboardInterrupt):
            pipe.start()
    assert _states(pipe) == {"a.csv": False}
    send(pipe, "id,name\n2,two\n", "b.csv")
    pipe.start()
    assert sorted(pipe.rows()) == [(1, "one"), (2, "two")]
    assert _states(pipe) == {"a.csv": True, "b.csv": True}


def _killed(**_: object) -> int:
    raise KeyboardInterrupt


def test_the_second_attempt_of_a_committed_run_archives(
    pipes: Pipes, send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = _made(pipes, "merge_strategy: append_only", ARCHIVES)
    send(pipe, "id,name\n1,one\n")
    with monkeypatch.context() as patch:
        patch.setattr(pipeline_runs, "claims_archive", _killed)
        with pytest.raises(KeyboardInterrupt):
            pipe.start()
    run = pipe.runs[-1]
    pipe.again(run, attempt=2)
    assert pipe.rows() == [(1, "one")]
    assert _states(pipe) == {"a.csv": True}


def test_a_file_arriving_while_a_run_reads_waits(pipes: Pipes, send: Send, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = _made(pipes, "merge_strategy: append_only", ARCHIVES)
    send(pipe, "id,name\n1,one\n")

    class Late(Attempt):
        def step(self, name: str, detail: str = "") -> None:
            super().step(name, detail)
            if name == "execute":
                send(pipe, "id,name\n2,two\n", "b.csv")

    pipe.start(context=Late)
    assert _states(pipe) == {"a.csv": True, "b.csv": False}
    pipe.start()
    assert sorted(pipe.rows()) == [(1, "one"), (2, "two")]


def test_a_dry_run_reads_and_archives_nothing(pipes: Pipes, send: Send) -> None:
    pipe = _made(pipes, "merge_strategy: append_only", ARCHIVES)
    send(pipe, "id,name\n1,one\n")
    pipe.start()
    send(pipe, "id,name\n2,two\n", "b.csv")
    assert pipe.pipeline is not None
    found = run_dry(pipe.pipeline, {}, session=pipe.session(), context=Attempt(uuid.uuid4()))
    assert found.metrics["rows_inserted"] == 1
    assert _states(pipe) == {"a.csv": True, "b.csv": False}
    assert LandingFile.objects.filter(claimed_by__isnull=False, archived_at__isnull=True).count() == 0


def test_a_file_that_lacks_a_column_is_named(pipes: Pipes, send: Send) -> None:
    pipe = _made(pipes, "merge_strategy: append_only")
    send(pipe, "id,name\n1,one\n")
    send(pipe, "id\n2\n", "b.csv")
    pipe.start()
    assert sorted(pipe.rows(), key=str) == [(1, "one"), (2, None)]
    assert "b.csv of the landing zone orders lacks name" in _log(pipe)


def test_texts_and_numbers_of_csv_files_are_texts(pipes: Pipes, send: Send) -> None:
    pipe = _made(pipes, "merge_strategy: append_only", source="SELECT code FROM {{ landing('orders') }}")
    send(pipe, "code,x\n12,1\n")
    send(pipe, "code,x\n007,\n", "b.csv")
    send(pipe, "code,x\n,2\n", "c.csv")
    pipe.start()
    assert sorted(pipe.rows(), key=str) == [("007",), ("12",), (None,)]


def test_the_same_file_twice_is_one(pipes: Pipes, send: Send) -> None:
    pipe = _made(pipes, "merge_strategy: append_only", ARCHIVES)
    first = send(pipe, "id,name\n1,one\n")
    assert send(pipe, "id,name\n1,one\n").pk == first.pk
    with pytest.raises(AlreadyExists):
        send(pipe, "id,name\n2,two\n")
    pipe.start()
    send(pipe, "id,name\n2,two\n")
    archived = LandingFile.objects.get(pk=first.pk)
    with pytest.raises(AlreadyExists):
        landing.landing_return(archived)
    assert pipe.rows() == [(1, "one")]


def test_a_returned_file_is_read_again(pipes: Pipes, send: Send) -> None:
    pipe = _made(pipes, "merge_strategy: append_only", ARCHIVES)
    send(pipe, "id,name\n1,one\n")
    pipe.start()
    landing.landing_return(LandingFile.objects.get())
    pipe.start()
    assert pipe.rows() == [(1, "one"), (1, "one")]


def test_archives_go_after_the_days_of_history(pipes: Pipes, send: Send) -> None:
    pipe = _made(pipes, "merge_strategy: append_only", ARCHIVES)
    made = send(pipe, "id,name\n1,one\n")
    pipe.start()
    send(pipe, "id,name\n2,two\n", "b.csv")
    assert landing.archives_sweep(timezone.now()) == 0
    later = timezone.now() + timedelta(days=settings.LAKEUI["RETENTION_DAYS"] + 1)
    assert landing.archives_sweep(later) == 1
    assert _states(pipe) == {"b.csv": False}
    assert not Path(_warehouse().absolute(made.path)).exists()


@pytest.mark.parametrize("zone", ["", "a/b", "a@b", "x" * 256, "a\u200bb"])
def test_names_no_template_or_address_holds_are_refused(pipes: Pipes, send: Send, zone: str) -> None:
    pipe = _made(pipes, "merge_strategy: append_only")
    with pytest.raises(InvalidValue):
        send(pipe, "id,name\n1,one\n", zone=zone)


def test_a_view_reads_no_landing_zone(pipes: Pipes) -> None:
    with pytest.raises(InvalidValue, match="view reads no landing zone"):
        _made(pipes, "materialized: view")
    with pytest.raises(InvalidConfig, match="reads no files"):
        _made(pipes, "materialized: view", ARCHIVES)
