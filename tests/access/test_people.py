"""Accounts, links, groups and sessions: who may do what to whom, and what ends at once."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import Group, User
from django.core import mail
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from catalog_app.domain.roles import Role
from catalog_app.models import Agent
from catalog_app.services.catalogs import catalog_create
from lakeui.access.models import AccessToken, BrowserSession, Invitation
from lakeui.access.tokens import token_create
from lakeui.common.errors import PermissionDenied
from lakeui.tasks.statements import user_require_active
from merge_app.audit.accounts import accounts_verify
from merge_app.audit.models import AccountChain, AccountRecord
from tests.support.members import join

pytestmark = pytest.mark.django_db

PEOPLE, GROUPS, SESSIONS = "/api/v1/people/", "/api/v1/groups/", "/api/v1/account/sessions/"
FORM = "application/x-www-form-urlencoded"
PASSWORD = "a long sentence of its own"


class Asker:
    """Somebody with a token."""

    def __init__(self, name: str, **standing: Any) -> None:
        self.user = User.objects.create_user(name, password=PASSWORD, **standing)
        self.headers = {"Authorization": f"Bearer {token_create(user=self.user, name='test')[1]}"}

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        sent = {} if body is None else {"data": body, "content_type": "application/json"}
        return getattr(Client(), method)(path, headers=self.headers | headers, **sent)

    def invite(self, name: str, **also: Any) -> Any:
        return self.send("post", PEOPLE, {"username": name, **also})


@pytest.fixture
def root() -> Asker:
    return Asker("root", is_superuser=True, is_staff=True)


@pytest.fixture
def staff() -> Asker:
    return Asker("staff", is_staff=True)


@pytest.fixture
def person() -> Asker:
    return Asker("person")


def refused(response: Any, status: int, code: str) -> dict[str, Any]:
    body: dict[str, Any] = response.json()
    assert (response.status_code, body["code"]) == (status, code), body
    return body


def test_a_link_shows_once_works_once_signs_in(staff: Asker) -> None:
    made = staff.invite("erin", email="erin@example.org")
    assert (made.status_code, made["Cache-Control"]) == (201, "no-store")
    link = made.json()["invitation"]["link"]
    assert made.json()["state"] == "invited"
    assert link not in staff.send("get", PEOPLE).content.decode()
    assert link.partition("secret=")[2] not in map(str, Invitation.objects.values_list().get())
    browser = Client()
    moved = browser.get(link)
    assert (moved.status_code, moved["Location"]) == (302, "/invitation/")
    assert "erin" in browser.get("/invitation/").content.decode()
    weak = browser.post("/invitation/", {"new_password1": "12345678", "new_password2": "12345678"})
    assert weak.status_code == 400
    assert "entirely numeric" in weak.content.decode()
    done = browser.post("/invitation/", {"new_password1": PASSWORD, "new_password2": PASSWORD})
    assert (done.status_code, done["Location"]) == (302, "/")
    assert browser.get("/api/v1/account/").json()["username"] == "erin"
    assert Client().get(link).status_code == 410
    assert browser.post("/invitation/", {"new_password1": "other " + PASSWORD}).status_code == 410
    assert staff.send("get", f"{PEOPLE}erin/").json()["state"] == "active"


def test_a_link_ends_by_time_or_newer_link(staff: Asker) -> None:
    first = staff.invite("erin").json()["invitation"]["link"]
    second = staff.send("post", f"{PEOPLE}erin/link/").json()["link"]
    assert Client().get(first).status_code == 410
    assert Client().get(second).status_code == 302
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert Client().get(second).status_code == 410
    third = staff.send("post", f"{PEOPLE}erin/link/").json()["link"]
    staff.send("patch", f"{PEOPLE}erin/", {"is_active": False})
    staff.send("patch", f"{PEOPLE}erin/", {"is_active": True})
    assert Client().get(third).status_code == 410


def test_a_link_is_mailed_where_server_is_set(staff: Asker, settings: Any) -> None:
    assert staff.invite("none", email="none@example.org").json()["invitation"]["was_mailed"] is False
    settings.LAKEUI = settings.LAKEUI | {"MAIL": True}
    made = staff.invite("erin", email="erin@example.org").json()["invitation"]
    assert made["was_mailed"] is True
    assert mail.outbox[0].to == ["erin@example.org"]
    assert made["link"] in mail.outbox[0].body


def test_an_unreachable_mail_server_leaves_the_link(staff: Asker, settings: Any) -> None:
    settings.LAKEUI = settings.LAKEUI | {"MAIL": True}
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    made = staff.invite("erin", email="erin@example.org").json()["invitation"]
    assert made["was_mailed"] is False
    assert Client().get(made["link"]).status_code == 302


def test_disabling_an_account_ends_sessions_and_tokens(staff: Asker, person: Asker) -> None:
    browser = Client()
    browser.login(username="person", password=PASSWORD)
    assert browser.get("/api/v1/account/").status_code == 200
    assert staff.send("patch", f"{PEOPLE}person/", {"is_active": False}).json()["state"] == "disabled"
    assert browser.get("/api/v1/account/").status_code in (401, 403)
    assert person.send("get", "/api/v1/account/").status_code == 401
    assert not BrowserSession.objects.filter(user=person.user).exists()
    assert not browser.login(username="person", password=PASSWORD)
    staff.send("patch", f"{PEOPLE}person/", {"is_active": True})
    assert browser.get("/api/v1/account/").status_code in (401, 403)
    assert person.send("get", "/api/v1/account/").status_code == 401
    assert browser.login(username="person", password=PASSWORD)


def test_people_are_listed_for_staff_alone(person: Asker, staff: Asker) -> None:
    for method, path, body in (
        ("get", PEOPLE, None),
        ("post", PEOPLE, {"username": "erin"}),
        ("get", f"{PEOPLE}staff/", None),
        ("patch", f"{PEOPLE}staff/", {"is_active": False}),
        ("post", f"{PEOPLE}staff/link/", None),
        ("get", "/api/v1/rights-records/", None),
        ("post", GROUPS, {"name": "g"}),
    ):
        refused(person.send(method, path, body), 403, "PERMISSION_DENIED")
    AccessToken.objects.filter(user=staff.user).update(scopes=["read"])
    assert "scope admin" in refused(staff.send("get", PEOPLE), 403, "PERMISSION_DENIED")["detail"]


def test_the_staff_gains_nothing_and_touches_no_administrator(staff: Asker, root: Asker, person: Asker) -> None:
    Group.objects.create(name="owners")
    for method, path, body in (
        ("patch", f"{PEOPLE}staff/", {"standing": "superuser"}),
        ("patch", f"{PEOPLE}person/", {"standing": "staff"}),
        ("patch", f"{PEOPLE}root/", {"is_active": False}),
        ("post", f"{PEOPLE}root/link/", None),
        ("post", f"{PEOPLE}person/link/", None),
        ("put", f"{GROUPS}owners/members/staff/", None),
        ("delete", f"{GROUPS}owners/", None),
        ("post", PEOPLE, {"username": "erin", "groups": ["owners"]}),
    ):
        refused(staff.send(method, path, body), 403, "PERMISSION_DENIED")
    assert not User.objects.filter(username="erin").exists()
    assert not AccountRecord.objects.exists()


def test_a_superuser_makes_links_for_used_accounts(root: Asker, person: Asker) -> None:
    assert root.send("post", f"{PEOPLE}person/link/").status_code == 201


@pytest.mark.parametrize("change", [{"is_active": False}, {"standing": "staff"}, {"standing": "person"}])
def test_one_active_superuser_stays(root: Asker, change: dict[str, Any]) -> None:
    User.objects.create_superuser("asleep", is_active=False)
    body = refused(root.send("patch", f"{PEOPLE}root/", change), 400, "INVALID_VALUE")
    assert "last active superuser" in body["detail"]
    root.send("patch", f"{PEOPLE}asleep/", {"is_active": True})
    assert root.send("patch", f"{PEOPLE}root/", change).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_two_superusers_cannot_disable_each_other_at_once(root: Asker) -> None:
    other = Asker("other", is_superuser=True)
    meet, answers = threading.Barrier(2), []

    def disable(asker: Asker, whom: str) -> None:
        meet.wait()
        answers.append(asker.send("patch", f"{PEOPLE}{whom}/", {"is_active": False}).status_code)
        connection.close()

    threads = [threading.Thread(target=disable, args=pair) for pair in ((root, "other"), (other, "root"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert User.objects.filter(is_superuser=True, is_active=True).count() == 1
    assert answers.count(200) == 1


def test_changing_what_was_changed_meanwhile_is_refused(root: Asker, person: Asker) -> None:
    tag = root.send("get", f"{PEOPLE}person/")["ETag"]
    root.send("patch", f"{PEOPLE}person/", {"first_name": "Pat"})
    answer = root.send("patch", f"{PEOPLE}person/", {"is_active": False}, **{"If-Match": tag})
    refused(answer, 412, "STALE")


@pytest.mark.parametrize("name", ["a b", "", "a/b", "..", "x" * 151])
def test_names_that_are_none_are_refused(staff: Asker, name: str) -> None:
    assert staff.invite(name).status_code == 400
    assert staff.invite("erin", email="nowhere").status_code == 400
    assert not User.objects.filter(username__in=[name, "erin"]).exists()


@pytest.mark.parametrize("name", ["", " ", "a/b", ".", "a\u200bb"])
def test_groups_that_no_address_leads_to_are_refused(root: Asker, name: str) -> None:
    assert root.send("post", GROUPS, {"name": name}).status_code == 400
    assert not Group.objects.exists()


def test_a_name_is_taken_in_any_case(staff: Asker, person: Asker) -> None:
    refused(staff.invite("Person"), 409, "ALREADY_EXISTS")


def test_people_are_found_by_name_state_and_group(root: Asker, person: Asker) -> None:
    root.send("post", GROUPS, {"name": "g"})
    root.invite("erin", first_name="Erin", groups=["g"])
    root.send("patch", f"{PEOPLE}person/", {"is_active": False})

    def named(query: str) -> list[str]:
        return [entry["username"] for entry in root.send("get", f"{PEOPLE}?{query}").json()["results"]]

    assert named("search=ERI") == ["erin"]
    assert [named(f"state={state}") for state in ("invited", "disabled", "active")] == [["erin"], ["person"], ["root"]]
    assert named("group=g") == ["erin"]
    page = root.send("get", f"{PEOPLE}?limit=2").json()
    rest = root.send("get", page["next"]).json()
    assert [entry["username"] for entry in page["results"] + rest["results"]] == ["erin", "person", "root"]


# -- accounts that open something --------------------------------------------------------------------------------------


@pytest.fixture
def agent(person: Asker) -> Asker:
    """An agent that person answers for."""
    made = Asker("fixer")
    made.user.set_unusable_password()
    made.user.save()
    Agent.objects.create(user=made.user, owner=person.user, purpose="corrects values")
    return made


RIGHTS: dict[str, Any] = {
    "group": lambda user: user.groups.add(Group.objects.create(name="g")),
    "role": lambda user: join(user, catalog_create(name="lake").name, Role.VIEWER),
    "token": lambda user: token_create(user=user, name="t"),
    "standing": lambda user: User.objects.filter(pk=user.pk).update(is_staff=True),
}


@pytest.mark.parametrize("right", RIGHTS)
def test_staff_makes_no_link_for_accounts_with_rights(staff: Asker, root: Asker, right: str) -> None:
    before = staff.invite("erin").json()["invitation"]["link"]
    RIGHTS[right](User.objects.get(username="erin"))
    refused(staff.send("post", f"{PEOPLE}erin/link/"), 403, "PERMISSION_DENIED")
    assert Client().get(before).status_code == 410
    link = root.send("post", f"{PEOPLE}erin/link/").json()["link"]
    assert Client().get(link).status_code == 302


def test_agent_accounts_are_not_managed_as_people(root: Asker, agent: Asker) -> None:
    refused(root.send("post", f"{PEOPLE}fixer/link/"), 403, "PERMISSION_DENIED")
    for body in ({"is_active": False}, {"standing": "superuser"}, {"email": "x@example.org"}):
        refused(root.send("patch", f"{PEOPLE}fixer/", body), 403, "PERMISSION_DENIED")
    root.send("delete", "/api/v1/agents/fixer/")
    refused(root.send("patch", f"{PEOPLE}fixer/", {"is_active": True}), 403, "PERMISSION_DENIED")


def test_a_link_older_than_its_agent_opens_nothing(root: Asker, person: Asker) -> None:
    link = root.invite("fixer").json()["invitation"]["link"]
    user = User.objects.get(username="fixer")
    Agent.objects.create(user=user, owner=person.user, purpose="corrects values")
    assert Client().get(link).status_code == 410


def test_an_agent_cannot_sign_in_by_browser(agent: Asker, person: Asker) -> None:
    agent.user.set_password(PASSWORD)
    agent.user.save()
    browser, from_before = Client(), Client()
    assert browser.post("/login/", {"username": "fixer", "password": PASSWORD}).status_code == 200
    from_before.force_login(agent.user)
    assert from_before.get("/api/v1/account/").status_code in (401, 403)
    assert agent.send("get", "/api/v1/account/").status_code == 200


def test_an_agent_is_no_last_superuser_or_owner(root: Asker, person: Asker, agent: Asker) -> None:
    User.objects.filter(pk=agent.user.pk).update(is_superuser=True)
    refused(root.send("patch", f"{PEOPLE}root/", {"is_active": False}), 400, "INVALID_VALUE")
    catalog_create(name="lake")
    join(person.user, "lake", Role.OWNER)
    join(agent.user, "lake", Role.OWNER)
    refused(root.send("delete", "/api/v1/catalogs/lake/members/person/"), 400, "INVALID_VALUE")
    assert root.send("delete", "/api/v1/catalogs/lake/members/fixer/").status_code == 204


def test_an_agent_is_shut_out_with_its_owner(agent: Asker, person: Asker) -> None:
    secret = agent.headers["Authorization"].split()[1]
    asked = urlencode({"grant_type": "client_credentials", "client_secret": secret})

    def doors() -> tuple[int, int]:
        tokens = Client().post(reverse("iceberg-tokens", args=["lake", "main"]), asked, content_type=FORM)
        return agent.send("get", "/api/v1/account/").status_code, tokens.status_code

    user_require_active(User.objects.get(pk=agent.user.pk))
    assert doors() == (200, 200)
    User.objects.filter(pk=person.user.pk).update(is_active=False)
    with pytest.raises(PermissionDenied, match="who answers for it"):
        user_require_active(User.objects.get(pk=agent.user.pk))
    assert doors() == (401, 401)


# -- groups -----------------------------------------------------------------------------------------------------------


def test_the_greatest_role_counts_until_its_group_ends(root: Asker, person: Asker) -> None:
    catalog_create(name="lake")
    roles = "/api/v1/catalogs/lake/groups/"
    for name, role in (("readers", "viewer"), ("writers", "maintainer")):
        root.send("post", GROUPS, {"name": name})
        assert root.send("post", roles, {"group": name, "role": role}).status_code == 201
    assert person.send("get", "/api/v1/catalogs/lake/").status_code == 404
    for name in ("readers", "writers"):
        root.send("put", f"{GROUPS}{name}/members/person/")
    assert person.send("get", "/api/v1/catalogs/lake/").json()["role"] == "maintainer"
    assert [one["name"] for one in person.send("get", "/api/v1/catalogs/").json()["results"]] == ["lake"]
    root.send("patch", f"{roles}writers/", {"role": "contributor"})
    assert person.send("get", "/api/v1/catalogs/lake/").json()["role"] == "contributor"
    join(person.user, "lake", Role.REVIEWER)
    assert person.send("get", "/api/v1/catalogs/lake/").json()["role"] == "reviewer"
    person.user.refresh_from_db()
    assert root.send("delete", "/api/v1/catalogs/lake/members/person/").status_code == 204
    root.send("delete", f"{GROUPS}writers/members/person/")
    root.send("delete", f"{roles}readers/")
    assert person.send("get", "/api/v1/catalogs/lake/").status_code == 404


def test_owners_give_groups_roles_of_their_catalog_only(root: Asker, person: Asker) -> None:
    for name in ("mine", "yours"):
        catalog_create(name=name)
    root.send("post", GROUPS, {"name": "g"})
    join(person.user, "mine", Role.OWNER)
    join(person.user, "yours", Role.MAINTAINER)
    assert person.send("post", "/api/v1/catalogs/mine/groups/", {"group": "g", "role": "owner"}).status_code == 201
    refused(
        person.send("post", "/api/v1/catalogs/yours/groups/", {"group": "g", "role": "viewer"}),
        403,
        "PERMISSION_DENIED",
    )
    refused(person.send("put", f"{GROUPS}g/members/person/"), 403, "PERMISSION_DENIED")


def test_names_match_in_composed_and_decomposed_unicode(root: Asker) -> None:
    for name in ("Re\u0301becca", "R\u00e9gine"):
        assert root.send("post", GROUPS, {"name": name}).status_code == 201
        assert root.invite(name, groups=[name]).status_code == 201
        assert root.send("get", f"{GROUPS}{name}/").json()["member_count"] == 1
        assert root.send("patch", f"{PEOPLE}{name}/", {"first_name": "R"}).status_code == 200


def test_a_group_with_a_role_is_not_removed(root: Asker, person: Asker) -> None:
    catalog_create(name="lake")
    root.send("post", GROUPS, {"name": "g"})
    root.send("put", f"{GROUPS}g/members/person/")
    root.send("post", "/api/v1/catalogs/lake/groups/", {"group": "g", "role": "viewer"})
    assert "lake" in refused(root.send("delete", f"{GROUPS}g/"), 400, "INVALID_VALUE")["detail"]
    root.send("delete", "/api/v1/catalogs/lake/groups/g/")
    assert root.send("delete", f"{GROUPS}g/").status_code == 204
    refused(root.send("get", f"{GROUPS}g/"), 404, "NOT_FOUND")


# -- records ----------------------------------------------------------------------------------------------------------


def test_changes_of_rights_record_who_and_when(root: Asker, person: Asker) -> None:
    catalog_create(name="lake")
    root.send("post", GROUPS, {"name": "g"})
    root.send("put", f"{GROUPS}g/members/person/")
    root.send("put", f"{GROUPS}g/members/person/")
    root.send("post", "/api/v1/catalogs/lake/groups/", {"group": "g", "role": "viewer"})
    root.send("post", "/api/v1/catalogs/lake/members/", {"username": "person", "role": "viewer"})
    root.send("patch", f"{PEOPLE}person/", {"standing": "staff"})
    root.send("delete", f"{GROUPS}g/members/person/")
    first = root.send("get", "/api/v1/rights-records/?limit=4").json()
    rest = root.send("get", first["next"]).json()
    reported = [
        (one["actor"], one["subject"], one["name"], one["catalog"], one["before"] and list(one["before"].values())[-1])
        for one in first["results"] + rest["results"]
    ]
    assert [entry[:4] for entry in reported] == [
        ("root", "group member", "person", None),
        ("root", "account", "person", None),
        ("root", "role", "person", "lake"),
        ("root", "role of a group", "g", "lake"),
        ("root", "group member", "person", None),
        ("root", "group", "g", None),
    ]
    changed = first["results"][1]
    assert (changed["before"]["standing"], changed["after"]["standing"]) == ("person", "staff")
    of_group = root.send("get", "/api/v1/rights-records/?name=g").json()["results"]
    assert [one["subject"] for one in of_group] == ["role of a group", "group"]


def test_staff_sees_roles_only_in_catalogs_it_sees(root: Asker, staff: Asker, person: Asker) -> None:
    for name in ("seen", "unseen"):
        catalog_create(name=name)
        root.send("post", f"/api/v1/catalogs/{name}/members/", {"username": "person", "role": "viewer"})
    join(staff.user, "seen", Role.VIEWER)
    reported = staff.send("get", "/api/v1/rights-records/").json()["results"]
    assert [one["catalog"] for one in reported] == ["seen"]


def test_records_are_append_only_and_chain_reports_changes(staff: Asker) -> None:
    for name in ("a", "b"):
        staff.invite(name)
    assert accounts_verify() == []
    for change in (AccountRecord.objects.all().delete, lambda: AccountRecord.objects.update(name="c")):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            change()
    call_command("verify_audit", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE merge_app_accountrecord DISABLE TRIGGER accountrecord_append_only")
    AccountRecord.objects.filter(number=2).update(name="c")
    assert accounts_verify() == ["record 2 was changed after it was written"]
    AccountRecord.objects.filter(number=AccountChain.objects.get().records).delete()
    assert "end with" in accounts_verify()[-1]
    with pytest.raises(CommandError):
        call_command("verify_audit", verbosity=0)


# -- sessions and the password ----------------------------------------------------------------------------------------


def signed_in(agent: str = "Browser 1") -> Client:
    client = Client(headers={"User-Agent": agent})
    answer = client.post("/login/", {"username": "person", "password": PASSWORD})
    assert answer.status_code == 302
    return client


def test_a_person_lists_and_ends_own_sessions(person: Asker) -> None:
    here, there = signed_in("Here"), signed_in("There")
    other = Asker("other")
    listed = here.get(SESSIONS).json()["results"]
    assert {(one["agent"], one["is_this"]) for one in listed} == {("Here", True), ("There", False)}
    assert str(there.session.session_key) not in here.get(SESSIONS).content.decode()
    ended = next(one["id"] for one in listed if not one["is_this"])
    refused(other.send("delete", f"{SESSIONS}{ended}/"), 404, "NOT_FOUND")
    assert there.get("/api/v1/account/").status_code == 200
    assert person.send("delete", f"{SESSIONS}{ended}/").status_code == 204
    assert there.get("/api/v1/account/").status_code in (401, 403)
    assert [one["agent"] for one in here.get(SESSIONS).json()["results"]] == ["Here"]


def test_session_use_is_noted_at_most_each_minute(person: Asker) -> None:
    here = signed_in()
    long_ago = timezone.now() - timedelta(hours=1)
    BrowserSession.objects.update(last_seen_at=long_ago)
    here.get("/api/v1/account/")
    seen = BrowserSession.objects.get(user=person.user).last_seen_at
    assert seen > long_ago + timedelta(minutes=59)
    here.get("/api/v1/account/")
    assert BrowserSession.objects.get(user=person.user).last_seen_at == seen


def change_password(client: Client, present: str, new: str) -> Any:
    body = {"present": present, "new": new}
    return client.put("/api/v1/account/password/", body, content_type="application/json")


def test_a_new_password_keeps_rules_ends_other_sessions(person: Asker) -> None:
    here, there = signed_in(), signed_in()
    rules = here.get("/api/v1/account/").json()["password_rules"]
    assert any("8 characters" in rule for rule in rules)
    assert refused(change_password(here, "wrong", "x" * 20), 400, "INVALID_VALUE")["field"] == "present"
    assert refused(change_password(here, PASSWORD, "person1"), 400, "INVALID_VALUE")["field"] == "new"
    assert change_password(here, PASSWORD, "another " + PASSWORD).status_code == 204
    assert here.get("/api/v1/account/").status_code == 200
    assert there.get("/api/v1/account/").status_code in (401, 403)
    assert AccountRecord.objects.get().subject == "password"


def test_wrong_present_passwords_count_as_failed_sign_ins(person: Asker) -> None:
    here = signed_in()
    for _ in range(10):
        refused(change_password(here, "wrong", "x" * 20), 400, "INVALID_VALUE")
    refused(change_password(here, PASSWORD, "another " + PASSWORD), 403, "PERMISSION_DENIED")


def test_a_token_without_scope_changes_no_account(person: Asker) -> None:
    AccessToken.objects.update(scopes=["read", "write"])
    body = {"present": PASSWORD, "new": "another " + PASSWORD}
    refused(person.send("put", "/api/v1/account/password/", body), 403, "PERMISSION_DENIED")
