"""Which implementation is taken: by version, by request, by environment."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from lakeui.common.errors import NotSupported
from merge_app.upsert import Implementation, merge, routing
from merge_app.upsert.routing import SWITCH, duckdb_version, implementation_choose, parse_version

NATIVE, FALLBACK = Implementation.NATIVE, Implementation.FALLBACK
BATCH = pa.table({"id": [1], "v": ["a"]})


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("v1.4.0", (1, 4, 0)),
        ("1.10.2", (1, 10, 2)),
        ("v1.4.1-dev35", (1, 4, 1)),
        ("v2.0", (2, 0, 0)),
        ("unknown", (0, 0, 0)),
        ("", (0, 0, 0)),
    ],
)
def test_a_version_is_read_from_its_text(text: str, version: tuple[int, int, int]) -> None:
    assert parse_version(text) == version


def test_version_is_that_of_library_in_use() -> None:
    with duckdb.connect() as connection:
        assert duckdb_version(connection) == parse_version(duckdb.__version__)


@pytest.mark.parametrize(
    ("use_merge", "version", "environment", "chosen"),
    [
        (None, (1, 4, 0), {}, NATIVE),
        (None, (1, 3, 2), {}, FALLBACK),
        (None, (0, 0, 0), {}, FALLBACK),
        (None, (1, 4, 0), {SWITCH: "1"}, FALLBACK),
        (None, (1, 4, 0), {SWITCH: "0"}, NATIVE),
        (None, (1, 4, 0), {SWITCH: ""}, NATIVE),
        (False, (1, 4, 0), {}, FALLBACK),
        (True, (1, 4, 0), {}, NATIVE),
        (True, (1, 10, 0), {}, NATIVE),
    ],
)
def test_version_request_and_environment_choose(
    use_merge: bool | None, version: tuple[int, int, int], environment: dict[str, str], chosen: Implementation
) -> None:
    assert implementation_choose(use_merge, version, environment) is chosen


@pytest.mark.parametrize(("use_merge", "said"), [(None, "native"), (True, "native"), (False, "fallback, as asked for")])
def test_the_log_says_which_is_taken(caplog: pytest.LogCaptureFixture, use_merge: bool | None, said: str) -> None:
    with caplog.at_level("INFO"):
        implementation_choose(use_merge, (1, 4, 0), {})
    assert caplog.messages == [f"keyed merge: {said}"]


@pytest.mark.parametrize(
    ("version", "environment", "why"), [((1, 3, 2), {}, "1.3.2"), ((1, 4, 0), {SWITCH: "1"}, SWITCH)]
)
def test_native_merge_cannot_be_had_by_force(
    version: tuple[int, int, int], environment: dict[str, str], why: str
) -> None:
    with pytest.raises(NotSupported, match=why):
        implementation_choose(True, version, environment)


def test_an_older_duckdb_takes_the_fallback_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routing, "MERGE_SINCE", (99, 0, 0))
    assert merge(BATCH, tmp_path / "t", "upsert", "id").implementation is FALLBACK
    with pytest.raises(NotSupported):
        merge(BATCH, tmp_path / "t", "upsert", "id", use_merge=True)


def test_the_environment_switches_native_merge_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert merge(BATCH, tmp_path / "t", "upsert", "id").implementation is NATIVE
    monkeypatch.setenv(SWITCH, "1")
    assert merge(BATCH, tmp_path / "t", "upsert", "id").implementation is FALLBACK
