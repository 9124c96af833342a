"""Answers are compressed for clients that take gzip, and are the same ones."""

from __future__ import annotations

import gzip
import json
from typing import Any

from lakeui.api.http.compression import SMALLEST
from tests.api.conftest import Caller


def ask(caller: Caller, path: str, **headers: str) -> tuple[Any, Any]:
    """The answer as a client that takes gzip gets it, and as any other."""
    return caller.get(path, **headers, **{"Accept-Encoding": "br, gzip"}), caller.get(path, **headers)


def test_a_long_answer_is_compressed_and_the_same(alice: Caller) -> None:
    small, plain = ask(alice, "/api/v1/rules/")
    assert (small["Content-Encoding"], plain.get("Content-Encoding")) == ("gzip", None)
    assert "Accept-Encoding" in small["Vary"]
    assert len(small.content) * 4 < len(plain.content)
    assert gzip.decompress(small.content) == plain.content


def test_a_short_answer_stays_as_it_is(alice: Caller) -> None:
    small, plain = ask(alice, "/api/v1/tokens/")
    assert len(plain.content) < SMALLEST
    assert (small.get("Content-Encoding"), small.content) == (None, plain.content)


def test_a_compressed_answers_etag_is_accepted(alice: Caller) -> None:
    small, plain = ask(alice, "/api/v1/rules/")
    assert small["ETag"] == f"W/{plain['ETag']}"
    for tag in (small["ETag"], plain["ETag"]):
        for answer in ask(alice, "/api/v1/rules/", **{"If-None-Match": tag}):
            assert (answer.status_code, answer.content) == (304, b"")


def test_refusals_and_metadata_are_compressed_too(alice: Caller) -> None:
    small, plain = ask(alice, f"/api/v1/merges/?{'x' * SMALLEST}=1")
    assert (small.status_code, small["Content-Encoding"]) == (400, "gzip")
    sent, whole = json.loads(gzip.decompress(small.content)), plain.json()
    assert [sent[name] for name in ("code", "detail")] == [whole[name] for name in ("code", "detail")]
