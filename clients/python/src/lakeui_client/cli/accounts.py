"""Commands that begin and end the access of this machine to a server."""

from __future__ import annotations

import os
import platform
import sys
from argparse import Namespace

from lakeui_client.cli.place import Place, Said
from lakeui_client.cli.reading import secret_read
from lakeui_client.cli.settings import VARIABLES, settings_forget, settings_keep, settings_kept, settings_path
from lakeui_client.errors import LakeError, failed
from lakeui_client.lake import Lake

PREFIX_CHARACTERS = 10
"""So much of a token the server shows in its list."""


def login(place: Place, given: Namespace) -> Said:
    """Keep a token: one that is given, or a new one of whoever has a password, or the link of an invitation."""
    url = given.server or place.settings.url
    if given.link:
        from lakeui_client.sign_in import link_read

        url = link_read(given.link)[0]
    token = _token_new(url, given) if given.user or given.link else os.environ.get(VARIABLES["token"])
    token = token or _token_asked(url)
    lake = Lake(url, token)
    account, names = lake.http.get("/api/v1/account/"), [entry["name"] for entry in lake.catalogs()]
    chosen = {"catalog": names[0] if len(names) == 1 else "", "branch": "main"}
    settings_keep(url=url, token=token, **chosen)
    text = f"Signed in at {url} as {account['username']}. The token is kept in {settings_path()}."
    if not chosen["catalog"]:
        text += f"\nChoose a catalog: lake switch -C CATALOG main. There are: {', '.join(names) or 'none yet'}."
    return Said({"url": url, "username": account["username"], "catalogs": names, **chosen}, text)


def _token_asked(url: str) -> str:
    if sys.stdin.isatty():
        # Standard output is for the answer, which a script may read as JSON.
        print(
            f"A token is made on the page {url}/settings. With a password: lake login {url} --user NAME.",
            file=sys.stderr,
        )
    return secret_read("Access token: ")


def _token_new(url: str, given: Namespace) -> str:
    from lakeui_client.sign_in import token_by_link, token_by_password

    purpose = given.purpose or f"lake on {platform.node() or 'a machine'}"
    if given.link:
        password = secret_read("New password: ")
        if sys.stdin.isatty() and secret_read("The same again: ") != password:
            raise failed("The two passwords differ.", "Run the command again; the link was not used.")
        return token_by_link(given.link, password, purpose=purpose, code=_code, expires_at=given.expires)
    password = secret_read(f"Password of {given.user}: ")
    return token_by_password(url, given.user, password, purpose=purpose, code=_code, expires_at=given.expires)


def _code() -> str:
    return secret_read("Code of the second factor: ")


def logout(place: Place, given: Namespace) -> Said:
    """Forget the token that is kept, and revoke it at its server."""
    kept = settings_kept()
    if not kept.get("token"):
        raise failed("No token is kept here.", "lake login keeps one.", code="NOT_FOUND")
    url = kept.get("url", place.settings.url)
    try:
        is_revoked = _revoked(Lake(url, kept["token"]), kept["token"])
    except LakeError as error:
        is_revoked = error.status == 401
    settings_forget("token", "session")
    way_out = "lake tokens --revoke ID, or the page Settings, does."
    text = f"The token is forgotten here. The server did not revoke it: {way_out}"
    if is_revoked:
        text = "The token is revoked and forgotten."
    return Said({"url": url, "is_revoked": is_revoked}, text)


def _revoked(lake: Lake, token: str) -> bool:
    path = "/api/v1/tokens/"
    found = [entry for entry in lake.http.pages(path) if entry["prefix"] == token[:PREFIX_CHARACTERS]]
    if len(found) == 1:
        lake.http.write("DELETE", f"{path}{found[0]['id']}/", has_key=False)
    return len(found) == 1
