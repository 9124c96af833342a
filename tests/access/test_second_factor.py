"""The second factor: set up on its page, asked for at sign-ins by password, demanded by rule, reset by superusers."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.test import Client
from django_otp.oath import TOTP
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from catalog_app.domain.roles import Role
from catalog_app.models import GroupRole
from catalog_app.services.catalogs import catalog_create
from lakeui.access.models import BrowserSession
from lakeui.access.tokens import token_create
from lakeui.access.views import INVITED_BY
from merge_app.audit.accounts import accounts_verify
from merge_app.audit.models import AccountRecord
from tests.support.members import join

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_counts")]

PASSWORD = "a long sentence of its own"
PAGE, CODE = "/second-factor/", "/login/code/"


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice", password=PASSWORD)


def sign_in(client: Client, user: User, wanted: str = "/") -> Any:
    return client.post("/login/", {"username": user.username, "password": PASSWORD, "next": wanted})


def code_of(user: User) -> str:
    """The code that the app shows next. None was used before."""
    device = TOTPDevice.objects.get(user=user)
    # Neither the codes of this half minute nor wrong ones count any more.
    TOTPDevice.objects.filter(pk=device.pk).update(last_t=-1, throttling_failure_count=0)
    app = TOTP(device.bin_key, device.step, device.t0, device.digits)
    app.time = time.time()
    return f"{app.token():06}"


def set_up(client: Client, user: User) -> list[str]:
    """Turn it on in a browser that is signed in; answers the recovery codes."""
    client.get(PAGE)
    page = client.post(PAGE, {"action": "set-up", "password": PASSWORD, "code": code_of(user)})
    assert page.status_code == 200, page.content.decode()
    return re.findall(r"<li><code>([a-z2-7-]+)</code>", page.content.decode())


def is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


@pytest.fixture
def codes(alice: User) -> list[str]:
    """Alice's recovery codes: she has set it up."""
    client = Client()
    client.force_login(alice)
    return set_up(client, alice)


def test_set_up_takes_code_and_password(alice: User) -> None:
    here, elsewhere = Client(), Client()
    for client in (here, elsewhere):
        client.force_login(alice)
    page = here.get(PAGE).content.decode()
    device = TOTPDevice.objects.get(user=alice)
    assert "data:image/svg+xml" in page
    assert device.key not in page
    wrong = here.post(PAGE, {"action": "set-up", "password": PASSWORD, "code": "12 34 5x"})
    assert (wrong.status_code, TOTPDevice.objects.get().confirmed) == (400, False)
    without = here.post(PAGE, {"action": "set-up", "password": "no", "code": code_of(alice)})
    assert (without.status_code, TOTPDevice.objects.get().confirmed) == (400, False)
    shown = set_up(here, alice)
    assert len(set(shown)) == 10
    kept = set(StaticToken.objects.values_list("token", flat=True))
    assert len(kept) == 10
    assert not kept & {code.replace("-", "") for code in shown}
    assert is_in(here)
    assert elsewhere.get(PAGE).status_code == 302
    assert AccountRecord.objects.filter(subject="second factor", name="alice").count() == 1
    assert accounts_verify() == []
    again = here.post(PAGE, {"action": "set-up", "password": PASSWORD, "code": code_of(alice)})
    assert again.status_code == 400


def test_a_secret_is_bound_to_its_session(alice: User) -> None:
    stolen, own = Client(), Client()
    for browser in (stolen, own):
        browser.force_login(alice)
    secrets = []
    for browser in (stolen, stolen, own):
        browser.get(PAGE)
        secrets.append(TOTPDevice.objects.get(user=alice).bin_key)
    assert secrets[0] == secrets[1] != secrets[2]
    sent = {"action": "set-up", "password": PASSWORD, "code": code_of(alice)}
    assert stolen.post(PAGE, sent).status_code == 400
    own.get(PAGE)
    assert own.post(PAGE, {**sent, "code": code_of(alice)}).status_code == 200


@pytest.mark.usefixtures("codes")
def test_a_password_alone_opens_nothing(alice: User) -> None:
    client = Client()
    assert sign_in(client, alice, "/tasks")["Location"] == CODE
    assert not is_in(client)
    assert client.get("/api/v1/account/").status_code == 401
    assert client.get(PAGE)["Location"] == "/login/"
    assert client.get(CODE).status_code == 200
    assert client.post(CODE, {"code": "000000"}).status_code == 200
    assert not is_in(client)
    before = client.session.session_key
    assert client.post(CODE, {"code": code_of(alice)})["Location"] == "/tasks"
    assert is_in(client)
    assert client.session.session_key != before
    assert BrowserSession.objects.filter(user=alice, identity__isnull=False).exists()


def test_a_code_opens_once(alice: User, codes: list[str]) -> None:
    first, second = Client(), Client()
    for client in (first, second):
        sign_in(client, alice)
    used = code_of(alice)
    first.post(CODE, {"code": used})
    second.post(CODE, {"code": used})
    assert (is_in(first), is_in(second)) == (True, False)
    for is_opened in (True, False):
        client = Client()
        sign_in(client, alice)
        client.post(CODE, {"code": codes[0].upper()})
        assert is_in(client) is is_opened
    assert StaticToken.objects.count() == 9
    record = AccountRecord.objects.order_by("-number").first()
    assert record is not None
    assert (record.before, record.after) == ({"recovery_codes": 10}, {"recovery_codes": 9})


@pytest.mark.usefixtures("codes")
def test_guessing_codes_is_throttled_like_guessing_passwords(alice: User) -> None:
    client = Client()
    sign_in(client, alice)
    for _ in range(10):
        assert client.post(CODE, {"code": "000000"}).status_code == 200
    TOTPDevice.objects.update(throttling_failure_count=0)
    refused = client.post(CODE, {"code": code_of(alice)})
    assert (refused.status_code, refused["Retry-After"], is_in(client)) == (429, "900", False)
    # The password that is right does not begin the count anew.
    assert sign_in(client, alice).status_code == 429


@pytest.mark.usefixtures("codes")
def test_a_late_code_or_changed_password_begins_anew(alice: User) -> None:
    late, changed, disabled = Client(), Client(), Client()
    for client in (late, changed, disabled):
        sign_in(client, alice)
    session = late.session
    session["unfinished_sign_in"] = {**session["unfinished_sign_in"], "until": time.time() - 1}
    session.save()
    assert late.post(CODE, {"code": code_of(alice)})["Location"] == "/login/"
    alice.set_password("another long sentence")
    alice.save()
    assert changed.post(CODE, {"code": code_of(alice)})["Location"] == "/login/"
    User.objects.update(is_active=False)
    assert disabled.post(CODE, {"code": code_of(alice)})["Location"] == "/login/"
    assert not any(map(is_in, (late, changed, disabled)))


@pytest.mark.usefixtures("codes")
def test_a_password_link_does_not_bypass_it(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    root = User.objects.create_superuser("root")
    headers = {"Authorization": f"Bearer {token_create(user=root, name='test')[1]}"}
    made = Client().post(f"/api/v1/people/{alice.username}/link/", headers=headers).json()
    client = Client()
    client.get(made["link"])
    assert client.session[INVITED_BY]
    new = "one more long sentence"
    answer = client.post("/invitation/", {"new_password1": new, "new_password2": new})
    assert (answer["Location"], is_in(client)) == (CODE, False)


def test_renewing_and_turning_off_take_password_and_code(alice: User, codes: list[str]) -> None:
    client = Client()
    client.force_login(alice)
    for action in ("codes", "off"):
        assert client.post(PAGE, {"action": action, "password": PASSWORD, "code": "000000"}).status_code == 400
        assert client.post(PAGE, {"action": action, "password": "no", "code": codes[0]}).status_code == 400
    page = client.post(PAGE, {"action": "codes", "password": PASSWORD, "code": codes[0]}).content.decode()
    renewed = re.findall(r"<li><code>([a-z2-7-]+)</code>", page)
    assert (len(renewed), set(renewed) & set(codes)) == (10, set())
    assert client.post(PAGE, {"action": "off", "password": PASSWORD, "code": codes[1]}).status_code == 400
    # django-otp makes the person wait after a wrong one.
    StaticDevice.objects.update(throttling_failure_count=0)
    assert client.post(PAGE, {"action": "off", "password": PASSWORD, "code": renewed[0]})["Location"] == "/login/"
    assert not is_in(client)
    assert sign_in(client, alice)["Location"] == "/"
    assert (TOTPDevice.objects.count(), StaticToken.objects.count()) == (0, 0)


RULES = [
    ("none", {"person": False, "contributor": False, "maintainer": False, "owner": False, "staff": False}),
    ("staff", {"person": False, "contributor": False, "maintainer": False, "owner": False, "staff": True}),
    ("owner", {"person": False, "contributor": False, "maintainer": False, "owner": True, "staff": True}),
    ("maintainer", {"person": False, "contributor": False, "maintainer": True, "owner": True, "staff": True}),
    ("everybody", {"person": True, "contributor": True, "maintainer": True, "owner": True, "staff": True}),
]


@pytest.mark.parametrize(("rule", "asked"), RULES)
def test_a_rule_says_of_whom_it_is_demanded(rule: str, asked: dict[str, bool], settings: Any) -> None:
    settings.LAKEUI = {**settings.LAKEUI, "SECOND_FACTOR": rule}
    catalog = catalog_create(name="c")
    for name, is_asked in asked.items():
        user = User.objects.create_user(name, password=PASSWORD, is_staff=name == "staff")
        if name in ("contributor", "owner"):
            join(user, "c", Role(name))
        if name == "maintainer":
            group = Group.objects.create(name="g")
            user.groups.add(group)
            GroupRole.objects.create(catalog=catalog, group=group, role=Role.MAINTAINER.value)
        assert (sign_in(Client(), user)["Location"] == PAGE) is is_asked, name


def test_a_demanded_factor_is_set_up_first(alice: User, settings: Any) -> None:
    settings.LAKEUI = {**settings.LAKEUI, "SECOND_FACTOR": "everybody"}
    client = Client()
    assert sign_in(client, alice, "/tasks")["Location"] == PAGE
    assert "asks you for a second factor" in client.get(PAGE).content.decode()
    assert not is_in(client)
    assert client.post(PAGE, {"action": "off", "code": code_of(alice)}).status_code == 400
    page = client.post(PAGE, {"action": "set-up", "code": code_of(alice)}).content.decode()
    codes = re.findall(r"<li><code>([a-z2-7-]+)</code>", page)
    assert (len(codes), 'href="/tasks"' in page, is_in(client)) == (10, True, True)
    off = client.post(PAGE, {"action": "off", "password": PASSWORD, "code": codes[0]})
    assert (off.status_code, TOTPDevice.objects.get().confirmed) == (400, True)


@pytest.mark.usefixtures("codes")
def test_a_superuser_turns_it_off_staff_does_not(alice: User) -> None:
    address = f"/api/v1/people/{alice.username}/second-factor/"
    browser = Client()
    browser.force_login(alice)

    def ask(user: User, method: str, path: str = address) -> Any:
        headers = {"Authorization": f"Bearer {token_create(user=user, name='test')[1]}"}
        return getattr(Client(), method)(path, headers=headers)

    staff = User.objects.create_user("staff", is_staff=True)
    root = User.objects.create_superuser("root")
    assert ask(alice, "get").status_code == 403
    shown = ask(staff, "get").json()
    assert (shown["is_on"], shown["is_required"], shown["recovery_codes"]) == (True, False, 10)
    assert ask(alice, "get", "/api/v1/account/second-factor/").json() == shown
    assert [ask(user, "delete").status_code for user in (alice, staff)] == [403, 403]
    own = ask(root, "delete", f"/api/v1/people/{root.username}/second-factor/")
    assert (own.status_code, "with password and code" in own.json()["detail"]) == (400, True)
    assert ask(root, "delete").status_code == 204
    assert browser.get(PAGE).status_code == 302
    assert sign_in(Client(), alice)["Location"] == "/"
    assert ask(root, "delete").status_code == 400
    record = AccountRecord.objects.order_by("-number").first()
    assert record is not None
    assert (record.subject, record.actor_name, record.before) == ("second factor", "root", {"by": "root"})


@pytest.mark.usefixtures("codes")
def test_the_command_turns_it_off_for_last_superuser(alice: User) -> None:
    call_command("second_factor", "alice", "--off")
    assert not TOTPDevice.objects.exists()
    assert accounts_verify() == []
    with pytest.raises(CommandError, match="no second factor"):
        call_command("second_factor", "alice", "--off")
    with pytest.raises(CommandError, match="no user"):
        call_command("second_factor", "none", "--off")
