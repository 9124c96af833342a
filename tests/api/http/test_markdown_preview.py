"""``/api/v1/markdown/``: a text as it would be shown, before it is sent."""

from __future__ import annotations

from django.test import Client

from tests.api.conftest import Caller


def test_a_text_is_returned_as_rendered(alice: Caller) -> None:
    response = alice.post("/api/v1/markdown/", {"text": "so *late* <script>alert(1)</script>"})
    assert response.status_code == 200
    assert response.json() == {"html": "<p>so <em>late</em> &lt;script&gt;alert(1)&lt;/script&gt;</p>\n"}


def test_a_text_too_long_to_send_is_refused(alice: Caller) -> None:
    assert alice.post("/api/v1/markdown/", {"text": "x" * 100_001}).status_code == 400


def test_no_one_asks_without_signing_in() -> None:
    response = Client().post("/api/v1/markdown/", {"text": "x"}, content_type="application/json")
    assert response.status_code == 401
