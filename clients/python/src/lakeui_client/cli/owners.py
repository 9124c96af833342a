"""Commands of who owns a catalog: protection, groups, settings, webhooks."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from lakeui_client.catalogs import Catalog
from lakeui_client.cli import show
from lakeui_client.cli.place import Place, Said
from lakeui_client.cli.reading import json_read
from lakeui_client.errors import LakeError, failed
from lakeui_client.http import segment


def rule_find(catalog: Catalog, pattern: str) -> dict[str, Any] | None:
    """The protection rule of that pattern."""
    found = catalog.http.pages(f"{catalog.path}protection-rules/")
    return next((rule for rule in found if rule["pattern"].casefold() == pattern.casefold()), None)


def rule_missing(pattern: str) -> LakeError:
    return failed(f"No rule protects {pattern}.", "lake protect lists the rules of the catalog.", code="NOT_FOUND")


def protect(place: Place, given: Namespace) -> Said:
    """The rules that protect branches. What is not said of a rule stays as it is."""
    catalog = place.catalog
    http, path = catalog.http, f"{catalog.path}protection-rules/"
    if not given.pattern:
        found = http.pages(path)
        names = ("pattern", "required_approvals", "required_checks", "required_statuses", "merge_role")
        return Said(found, show.entries([{**rule, **_joined(rule)} for rule in found], *names))
    rule = rule_find(catalog, given.pattern)
    if given.remove:
        if rule is None:
            raise rule_missing(given.pattern)
        http.write("DELETE", f"{path}{rule['id']}/", has_key=False)
        return Said({"removed": rule["pattern"]}, f"No rule protects {rule['pattern']} any more.")
    wanted = _rule_wanted(given)
    if rule is None:
        made = http.write("POST", path, {"pattern": given.pattern, **wanted}, has_key=False)
    else:
        made = http.write("PATCH", f"{path}{rule['id']}/", wanted, has_key=False) if wanted else rule
    return Said(made, _rule_text(made))


def _joined(rule: dict[str, Any]) -> dict[str, str]:
    return {name: ", ".join(rule[name]) for name in ("required_checks", "required_statuses")}


def _rule_wanted(given: Namespace) -> dict[str, Any]:
    members = {
        "required_approvals": given.approvals,
        "required_checks": given.check,
        "required_statuses": given.status,
        "merge_role": given.role,
    }
    wanted = {name: value for name, value in members.items() if value is not None}
    return wanted | (json_read(given.set, dict, "--set") if given.set else {})


def _rule_text(rule: dict[str, Any]) -> str:
    needs = [f"{rule['required_approvals']} approvals" if rule["required_approvals"] != 1 else "1 approval"]
    needs += [f"check {name}" for name in rule["required_checks"]]
    needs += [f"status {name}" for name in rule["required_statuses"]]
    return f"A merge into {rule['pattern']} takes {', '.join(needs)} and the role {rule['merge_role']}."


def groups(place: Place, given: Namespace) -> Said:
    """Groups and their roles in the catalog; for the staff, the groups of the server."""
    if given.all or given.create or given.delete or given.put or given.take:
        return _groups_of_the_server(place, given)
    http, path = place.catalog.http, f"{place.catalog.path}groups/"
    if given.remove:
        http.write("DELETE", f"{path}{segment(given.remove)}/", has_key=False)
        return Said({"removed": given.remove}, f"Group {given.remove} has no role any more.")
    found = http.pages(path)
    if given.add:
        has_role = any(entry["group"] == given.add for entry in found)
        address = f"{path}{segment(given.add)}/" if has_role else path
        body = {"role": given.role} if has_role else {"group": given.add, "role": given.role}
        made = http.write("PATCH" if has_role else "POST", address, body, has_key=False)
        return Said(made, f"Group {made['group']} is {made['role']}.")
    return Said(found, show.entries(found, "group", "role"))


def _groups_of_the_server(place: Place, given: Namespace) -> Said:
    http, path = place.lake.http, "/api/v1/groups/"
    if given.create:
        made = http.write("POST", path, {"name": given.create}, has_key=False)
        return Said(made, f"Made group {made['name']}.")
    if given.delete:
        http.write("DELETE", f"{path}{segment(given.delete)}/", has_key=False)
        return Said({"removed": given.delete}, f"Removed group {given.delete}.")
    if given.put or given.take:
        name, group = given.put or given.take
        method = "PUT" if given.put else "DELETE"
        http.write(method, f"{path}{segment(group)}/members/{segment(name)}/", has_key=False)
        return Said({"name": name, "group": group}, f"{name} is {'in' if given.put else 'not in'} group {group} now.")
    found = http.pages(path)
    return Said(found, show.entries(found, "name"))


def settings(place: Place, given: Namespace) -> Said:
    catalog = place.catalog
    parts = {"settings": given.set, "pipeline-policy": given.pipelines}
    found: dict[str, Any] = {}
    for part, text in parts.items():
        address = f"{catalog.path}{part}/"
        body = json_read(text, dict, "--set" if part == "settings" else "--pipelines") if text else None
        held = catalog.http.write("PATCH", address, body, has_key=False) if body else catalog.http.get(address)
        found[part.replace("-", "_")] = held
    shown = [{"name": name, "value": value} for part in found.values() for name, value in part.items()]
    return Said(found, show.entries(shown, "name", "value"))


def webhooks(place: Place, given: Namespace) -> Said:
    """The addresses that get events of the catalog."""
    catalog = place.catalog
    http, path = catalog.http, f"{catalog.path}webhooks/"
    if given.create:
        wanted = {"url": given.create, "events": given.event} | ({"form": given.form} if given.form else {})
        made = http.write("POST", path, wanted, has_key=False)
        return Said(
            made,
            f"Webhook {made['id']} gets {', '.join(made['events'])}. Its secret, shown this once:\n{made['secret']}",
        )
    if given.remove is not None:
        http.write("DELETE", f"{path}{given.remove}/", has_key=False)
        return Said({"removed": given.remove}, f"Webhook {given.remove} gets nothing any more.")
    if given.test is not None:
        made = http.write("POST", f"{path}{given.test}/test/", has_key=False)
        return Said(made, f"A message was asked for. lake webhooks --sent {given.test} shows whether it arrived.")
    if given.sent is not None:
        found = http.pages(f"{path}{given.sent}/deliveries/")
        return Said(found, show.entries(found, "created_at", "event", "state", "attempts", "status", "error"))
    found = http.get(path)["results"]
    shown = [{**entry, "events": ", ".join(entry["events"])} for entry in found]
    return Said(found, show.entries(shown, "id", "url", "form", "is_active", "events"))
