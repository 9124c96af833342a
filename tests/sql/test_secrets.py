"""Which texts may hold a password or a token; those are not kept."""

from __future__ import annotations

import pytest

from lakeui.sql.secrets import may_hold_secret


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM d.users WHERE password = 'hush'",
        "INSERT INTO d.users (name, passwd) VALUES ('ann', 'hush')",
        "UPDATE d.t SET api_key = :key WHERE id = 5",
        "SELECT * FROM d.t WHERE token = 4711",
        "SELECT token FROM d.t -- it is hush",
        "SELECT /* the secret: hush */ 1",
        "SELECT 1 -- password hush",
        "ALTER TABLE d.t SET TBLPROPERTIES ('access-key' = 'hush')",
        "SELECT 'lake_0123456789abcdefghij0123456789'",
        "COPY INTO d.t FROM 'https://ann:hush@example.org/f.csv'",
        "SELECT 'AKIAABCDEFGHIJKLMNOP'",
        "SELECT '-----BEGIN PRIVATE KEY-----'",
        "SELECT 'eyJhbGciOi.eyJzdWIi.x'",
        "SELECT password = 'never closed",
    ],
)
def test_what_may_be_a_secret_counts_as_one(text: str) -> None:
    assert may_hold_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT token, count(*) FROM d.t GROUP BY token LIMIT 10 OFFSET 20",
        "SELECT * FROM d.tokens VERSION AS OF 3",
        "SELECT * FROM d.users WHERE password = :password",
        "SELECT * FROM d.users WHERE password = ?",
        "SELECT * FROM d.flights WHERE carrier = 'UA' -- of one carrier",
        "SELECT 'never closed",
        "CREATE TABLE d.t (password STRING)",
    ],
)
def test_names_without_values_are_none(text: str) -> None:
    assert not may_hold_secret(text)
