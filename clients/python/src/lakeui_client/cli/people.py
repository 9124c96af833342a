"""Commands about people and agents: accounts, roles, tokens, mail, and what is hidden from whom."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from lakeui_client.cli import show
from lakeui_client.cli.place import Place, Said
from lakeui_client.cli.reading import json_read, secret_read
from lakeui_client.cli.statements import result_text
from lakeui_client.http import segment


def restrictions(place: Place, given: Namespace) -> Said:
    """What is hidden of tables, and from whom."""
    catalog = place.catalog
    http, path = catalog.http, f"{catalog.path}restrictions/"
    if given.lift is not None:
        http.write("DELETE", f"{path}{given.lift}/", has_key=False)
        return Said({"lifted": given.lift}, f"Restriction {given.lift} hides nothing any more.")
    if given.table is not None:
        wanted = {"branch": place.settings.branch, "row_filter": given.filter, "role": given.role, "group": given.group}
        database, _, wanted["table"] = given.table.rpartition(".")
        masks = [mask.partition("=") for mask in given.mask]
        body = {name: value for name, value in wanted.items() if value is not None}
        body |= {"database": database, "masks": {column.strip(): text.strip() for column, _, text in masks}}
        if given.preview:
            seen = http.write("POST", f"{path}preview/", body, has_key=False)
            return Said(seen, result_text(seen))
        made = http.write("POST", path, body, has_key=False)
        return Said(made, f"Restriction {made['id']} of {made['table']} holds for {made['role'] or made['group']}.")
    found = http.pages(path)
    shown = [
        {**entry, "masks": ", ".join(f"{name} = {text}" for name, text in entry["masks"].items())} for entry in found
    ]
    return Said(found, show.entries(shown, "id", "table", "role", "group", "row_filter", "masks"))


def agents(place: Place, given: Namespace) -> Said:
    """Accounts of programs, and what holds them."""
    http, path = place.lake.http, "/api/v1/agents/"
    if given.create:
        made = http.write("POST", path, json_read(given.create, dict, "--create"), has_key=False)
        return Said(made, f"Made agent {made['name']}, which changes {made['branches']}.")
    if given.change:
        name, text = given.change
        made = http.write("PATCH", f"{path}{segment(name)}/", json_read(text, dict, "--change"), has_key=False)
        return Said(made, f"Changed agent {made['name']}.")
    if given.token:
        name, purpose = given.token
        made = http.write("POST", f"{path}{segment(name)}/tokens/", {"name": purpose}, has_key=False)
        return Said(made, f"{made['token']}\nIt is shown this once.")
    if given.tokens:
        found = http.pages(f"{path}{segment(given.tokens)}/tokens/")
        return Said(found, show.entries(found, "id", "name", "prefix", "scopes", "expires_at", "last_used_at"))
    if given.end:
        http.write("DELETE", f"{path}{segment(given.end)}/", has_key=False)
        return Said({"ended": given.end}, f"Agent {given.end} does nothing any more.")
    found = http.get(path)["results"]
    return Said(found, show.entries(found, "name", "owner", "model", "purpose", "branches", "catalogs", "tables"))


def people(place: Place, given: Namespace) -> Said:
    names = ("accounts", "rights", "invite", "link", "disable", "enable", "second_factor_off")
    if any(getattr(given, name) for name in names):
        return _accounts(place, given)
    http, path = place.catalog.http, f"{place.catalog.path}members/"
    if given.add:
        made = http.write("POST", path, {"username": given.add, "role": given.role}, has_key=False)
        return Said(made, f"{made['username']} is {made['role']}.")
    if given.change:
        made = http.write("PATCH", f"{path}{segment(given.change)}/", {"role": given.role}, has_key=False)
        return Said(made, f"{made['username']} is {made['role']}.")
    if given.remove:
        http.write("DELETE", f"{path}{segment(given.remove)}/", has_key=False)
        return Said({"removed": given.remove}, f"{given.remove} has no role any more.")
    found = http.pages(path)
    return Said(found, show.entries(found, "username", "role", "full_name", "is_active"))


def _accounts(place: Place, given: Namespace) -> Said:
    """Accounts of the server, for its staff."""
    http, path = place.lake.http, "/api/v1/people/"
    if given.invite:
        wanted = {"username": given.invite, "email": given.email, "groups": given.group}
        made = http.write("POST", path, {name: value for name, value in wanted.items() if value}, has_key=False)
        return Said(made, _link_text(made["invitation"]))
    if given.link:
        made = http.write("POST", f"{path}{segment(given.link)}/link/", has_key=False)
        return Said(made, _link_text(made))
    if name := given.disable or given.enable:
        made = http.write("PATCH", f"{path}{segment(name)}/", {"is_active": bool(given.enable)}, has_key=False)
        return Said(made, f"{name} is {made['state']}.")
    if name := given.second_factor_off:
        http.write("DELETE", f"{path}{segment(name)}/second-factor/", has_key=False)
        return Said({"second_factor_off": name}, f"{name} signs in by password alone. Their sessions have ended.")
    if given.rights:
        found = http.pages("/api/v1/rights-records/")
        return Said(found, show.entries(found, "recorded_at", "actor", "subject", "name", "catalog", "before", "after"))
    found = http.pages(path)
    return Said(found, show.entries(found, "username", "state", "standing", "groups", "email", "last_login"))


def _link_text(made: dict[str, Any]) -> str:
    sent = "It was sent by mail." if made["was_mailed"] else "It was not sent by mail."
    return f"{made['link']}\nIt works once, until {made['expires_at']}, and is shown this once. {sent}"


def tokens(place: Place, given: Namespace) -> Said:
    http, path = place.lake.http, "/api/v1/tokens/"
    if given.create:
        wanted = {"name": given.create, "expires_at": given.expires, "scopes": given.scope}
        made = http.write("POST", path, {name: value for name, value in wanted.items() if value}, has_key=False)
        return Said(made, f"{made['token']}\nIt is shown this once.")
    if given.revoke:
        http.write("DELETE", f"{path}{given.revoke}/", has_key=False)
        return Said({"revoked": given.revoke}, f"Token {given.revoke} does not count any more.")
    found = http.pages(path)
    return Said(found, show.entries(found, "id", "name", "prefix", "scopes", "expires_at", "last_used_at"))


def mail(place: Place, given: Namespace) -> Said:
    http, path = place.lake.http, "/api/v1/account/mail/"
    if given.sent:
        found = http.pages(f"{path}sent/")
        names = ("created_at", "event", "channel", "state", "attempts", "address", "subject", "error")
        return Said(found, show.entries(found, *names))
    if given.test or given.test_chat:
        made = http.write("POST", f"{path}test/", {"channel": "mail" if given.test else "chat"}, has_key=False)
        return Said(made, "A message was asked for. lake mail --sent shows whether the server took it.")
    wanted = _wanted(given)
    held = http.write("PATCH", path, wanted, has_key=False) if wanted else http.get(path)
    to = held["address"] or held["account_address"] or "no address"
    state = "" if held["is_on"] else "This server sends no mail.\n"
    chat = f"\nTo the chat at {held['chat_server']}: {_names(held['chat_events'])}." if held["chat_server"] else ""
    return Said(held, f"{state}To {to}: {_names(held['events'])}.{chat}")


def _wanted(given: Namespace) -> dict[str, Any]:
    """What the person chooses now. The address of a chat comes by standard input: whoever has it can write there."""
    wanted: dict[str, Any] = {} if given.address is None else {"address": given.address.strip()}
    for name in ("events", "chat_events"):
        if (said := getattr(given, name)) is not None:
            wanted[name] = [part.strip() for part in said.split(",") if part.strip()]
    if given.chat:
        wanted["chat_url"] = secret_read("Address of the incoming webhook of your chat: ")
    return wanted | ({"chat_url": ""} if given.no_chat else {})


def _names(events: list[str]) -> str:
    return ", ".join(events) or "nothing"
