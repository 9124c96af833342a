"""Branches that have expired are dropped once, and only where nothing is in the way."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from catalog_app.models import Branch, CatalogMember, Transaction, TransactionState
from catalog_app.selectors.expiries import expiry_read
from lakeui.common.errors import BranchProtected, InvalidValue, NotFound
from lakeui.frontdoor import Session, execute
from lakeui.frontdoor.rows import committing
from merge_app.audit.models import MergeAttempt
from merge_app.review import expiring
from merge_app.review.expiring import branches_expire, expiry_waits
from merge_app.webhooks.models import Webhook, WebhookDelivery
from tests.review.conftest import ReviewLake

HOUR = timedelta(hours=1)


def let_expire(lake: ReviewLake, name: str = "b", by: str = "alice") -> datetime:
    """The branch expires in an hour; the time from which on it has expired."""
    lake.write(f"ALTER BRANCH {name} SET EXPIRY '1 hour'", by)
    found = lake.branch(name).expires_at
    assert found is not None
    return found + timedelta(seconds=1)


def shown(lake: ReviewLake, name: str = "b") -> dict[str, Any]:
    found: dict[str, Any] = lake.read(f"branches/{name}/")
    return found


def is_there(lake: ReviewLake, name: str = "b") -> bool:
    valid = Branch.objects.filter(catalog__name=lake.catalog, name=name, dropped_at__isnull=True)
    return valid.exists()


def settings_records(lake: ReviewLake) -> list[tuple[str, Any, Any]]:
    records = MergeAttempt.objects.filter(catalog__name=lake.catalog, kind="settings").order_by("number")
    return [(record.destination, record.body["before"], record.body["after"]) for record in records]


def test_expired_branches_drop_once_and_return_without_expiry(lake: ReviewLake) -> None:
    owner = lake.people["dora"].user
    catalog = lake.branch("b").catalog
    Webhook.objects.create(catalog=catalog, url="http://127.0.0.1:9/", events=["drop"], created_by=owner)
    at = let_expire(lake)
    head = lake.branch("b").head_version
    assert branches_expire(at - HOUR) == 0
    assert is_there(lake)
    assert [branches_expire(at), branches_expire(at)] == [1, 0]
    assert not is_there(lake)
    *_, (name, before, after) = settings_records(lake)
    expired = (at - timedelta(seconds=1)).isoformat()
    assert (name, before, after) == ("expired branch b", {"expires_at": expired, "set_by": "alice", "head": head}, None)
    assert WebhookDelivery.objects.filter(event="drop").count() == 1
    lake.write("UNDROP BRANCH b", "alice")
    assert (shown(lake)["expires_at"], shown(lake)["head_version"]) == (None, head)
    assert branches_expire(at) == 0


def test_branches_made_with_expiry_keep_it_when_renamed(lake: ReviewLake) -> None:
    lake.write("CREATE BRANCH trial FROM b WITH EXPIRY '2 days'", "alice")
    lake.write("CREATE BRANCH IF NOT EXISTS trial WITH EXPIRY '9 days'", "alice")
    lake.write("ALTER BRANCH trial RENAME TO tried", "alice")
    found = lake.branch("tried")
    assert found.expires_at is not None
    assert abs(found.expires_at - timezone.now() - timedelta(days=2)) < timedelta(minutes=1)
    assert found.expiry_set_by == lake.people["alice"].user
    (row,) = [row for row in lake.write("SHOW BRANCHES", "alice").rows if row[0] == "tried"]
    assert datetime.fromisoformat(row[-1]) == found.expires_at
    assert branches_expire(found.expires_at) == 1


def test_setting_and_unsetting_are_recorded_when_changing_something(lake: ReviewLake) -> None:
    day = (timezone.now() + timedelta(days=9)).date().isoformat()
    lake.write(f"ALTER BRANCH b SET EXPIRY '{day}'", "alice")
    lake.write(f"ALTER BRANCH b SET EXPIRY '{day} 00:00:00'", "bob")
    assert lake.branch("b").expiry_set_by == lake.people["alice"].user
    for _ in range(2):
        lake.write("ALTER BRANCH b UNSET EXPIRY", "bob")
    assert lake.branch("b").expiry_set_by is None
    at = {"expires_at": f"{day}T00:00:00+00:00"}
    never = {"expires_at": None}
    assert settings_records(lake) == [("branch b", never, at), ("branch b", at, never)]


@pytest.mark.parametrize("side", ["source", "destination"])
def test_an_open_merge_request_holds_it_until_closed(lake: ReviewLake, side: str) -> None:
    lake.write("CREATE BRANCH c FROM b", "alice")
    lake.write("ALTER TABLE d.t SET TBLPROPERTIES ('k' = '2')", "alice", "c")
    request = lake.open(source="b", destination="main") if side == "source" else lake.open(source="c", destination="b")
    at = let_expire(lake)
    assert branches_expire(at) == 0
    Branch.objects.filter(name="b", dropped_at__isnull=True).update(expires_at=timezone.now())
    assert shown(lake)["expiry_waits_for"] == f"Merge request {request.number} is open."
    lake.patch("alice", f"{request.number}/", {"state": "closed"})
    assert branches_expire(at) == 1


def test_an_open_transaction_holds_it(lake: ReviewLake) -> None:
    at = let_expire(lake)
    session = Session(catalog=lake.catalog, branch="b", user=lake.people["alice"].user)
    execute("BEGIN", session)
    assert branches_expire(at) == 0
    assert expiry_waits([lake.branch("b")], at) == {lake.branch("b").pk: "A transaction is open."}
    Transaction.objects.update(state=TransactionState.ROLLED_BACK)
    assert branches_expire(at) == 1


def test_protected_branches_get_no_expiry_and_never_expire(lake: ReviewLake) -> None:
    at = let_expire(lake)
    lake.protect("b", refuse_deletion=True)
    for statement in ("ALTER BRANCH b SET EXPIRY '2 hours'", "DROP BRANCH b"):
        with pytest.raises(BranchProtected):
            lake.write(statement, "dora")
    lake.protect("kept/*", refuse_deletion=True)
    with pytest.raises(BranchProtected):
        lake.write("CREATE BRANCH `kept/1` WITH EXPIRY '1 hour'", "alice")
    assert not is_there(lake, "kept/1")
    assert branches_expire(at) == 0
    assert expiry_waits([lake.branch("b")], at) == {lake.branch("b").pk: "The branch is protected by b."}
    lake.write("ALTER BRANCH b UNSET EXPIRY", "alice")
    assert branches_expire(at) == 0


def test_main_and_branches_of_dropped_catalogs_stay(lake: ReviewLake) -> None:
    with pytest.raises(InvalidValue):
        lake.write("ALTER BRANCH main SET EXPIRY '1 hour'", "dora")
    at = let_expire(lake)
    lake.write(f"DROP CATALOG {lake.catalog}", "dora")
    assert branches_expire(at) == 0


def test_former_members_have_no_say_and_it_drops(lake: ReviewLake) -> None:
    at = let_expire(lake)
    CatalogMember.objects.filter(user=lake.people["alice"].user).delete()
    with pytest.raises(NotFound):
        lake.write("ALTER BRANCH b UNSET EXPIRY", "alice")
    assert branches_expire(at) == 1


def test_an_interrupted_drop_drops_nothing_and_is_retried(lake: ReviewLake, monkeypatch: pytest.MonkeyPatch) -> None:
    at = let_expire(lake)
    records = len(settings_records(lake))

    def killed(**_: Any) -> None:
        raise SystemExit

    with monkeypatch.context() as broken:
        broken.setattr(expiring, "event_emit", killed)
        with pytest.raises(SystemExit):
            branches_expire(at)
    assert (is_there(lake), len(settings_records(lake))) == (True, records)
    assert branches_expire(at) == 1
    assert len(settings_records(lake)) == records + 1


def test_later_commits_are_refused_and_earlier_ones_kept(lake: ReviewLake, monkeypatch: pytest.MonkeyPatch) -> None:
    at = let_expire(lake)
    lake.write("CREATE DATABASE kept", "alice", "b")
    original = committing.statement_commit

    def overtaken(*args: Any, **kwargs: Any) -> Any:
        assert branches_expire(at) == 1
        return original(*args, **kwargs)

    with monkeypatch.context() as late:
        late.setattr(committing, "statement_commit", overtaken)
        with pytest.raises(NotFound):
            lake.write("CREATE DATABASE refused", "alice", "b")
    lake.write("UNDROP BRANCH b", "alice")
    found = [row[0] for row in lake.write("SHOW DATABASES", "alice", "b").rows]
    assert found == ["d", "kept"]


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("90 minutes", timedelta(minutes=90)),
        ("1 Hour", timedelta(hours=1)),
        (" 7days ", timedelta(days=7)),
        ("2 weeks", timedelta(days=14)),
        ("2026-01-02 01:00:00", timedelta(days=1, hours=1)),
        ("2026-01-02T01:00:00+01:00", timedelta(days=1)),
    ],
)
def test_an_expiry_is_a_length_or_a_time(text: str, after: timedelta) -> None:
    now = datetime.fromisoformat("2026-01-01T00:00:00+00:00")
    assert expiry_read(text, now) == now + after


@pytest.mark.parametrize("text", ["", "7", "days", "-1 days", "0 days", "1 month", "3651 days", "2025-12-31", "٧ days"])
def test_another_expiry_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue):
        expiry_read(text, datetime.fromisoformat("2026-01-01T00:00:00+00:00"))
