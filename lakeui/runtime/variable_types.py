"""The types of environment variables: how a value is read, and what it may be."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Annotated, Literal

from django.core.exceptions import ImproperlyConfigured
from pydantic import AfterValidator, BeforeValidator, Field

from catalog_app.domain.roles import Role
from catalog_app.domain.stores import is_in_store
from lakeui.runtime.database.address import database_settings

_BUCKET = re.compile(
    r"((s3[an]?|gs)://[a-z0-9][a-z0-9._-]{2,62}|abfss?://[a-z0-9][a-z0-9-]{2,62}@[a-z0-9]{3,24}(\.[a-z0-9-]+)*)"
    r"(/[\w.=+-]*[\w=+-])*"
)
"""Behind the container of Azure stands the host, whose first part is the account."""
_ROLES = tuple(role.value for role in Role)


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a value may be, as the end of the sentence "Write …"."""

    text: str


def _names(said: object) -> object:
    return tuple(part.strip() for part in said.split(",") if part.strip()) if isinstance(said, str) else said


def _seconds_by_role(said: object) -> object:
    if not isinstance(said, str):
        return said
    pairs = [[piece.strip() for piece in part.partition("=")] for part in said.split(",") if part.strip()]
    if len({role for role, _, _ in pairs}) < len(pairs):
        raise ValueError("a role is named twice")
    if any(role not in _ROLES for role, _, _ in pairs):
        raise ValueError("this is no role")
    return {role: seconds for role, _, seconds in pairs}


def _groups(said: object) -> object:
    if not isinstance(said, str):
        return said
    pairs = [[piece.strip() for piece in part.rpartition("=")] for part in said.split(",") if part.strip()]
    if any(not (claimed and group) or "/" in group or len(group) > 150 for claimed, _, group in pairs):
        raise ValueError("this is no pair")
    if len({claimed for claimed, _, _ in pairs}) < len(pairs):
        raise ValueError("a value is named twice")
    return {claimed: group for claimed, _, group in pairs}


def _address(url: str) -> str:
    try:
        database_settings(url)
    except ImproperlyConfigured as problem:
        raise ValueError(str(problem)) from None
    return url


def _place(said: str) -> str:
    """A folder from the root on, or an address of an object store, in the one form that it has."""
    parts = said.removeprefix("file://").rstrip("/").split("/")
    if said.startswith(("s3://", "s3a://", "s3n://", "gs://")):
        parts = parts[1:]
    first, *rest = parts
    if first or not rest or any(part in ("", ".", "..") for part in rest) or any(mark in said for mark in "*?[]{}@\\"):
        raise ValueError
    return said


def is_root(said: str) -> bool:
    """Whether it is a folder, or an address of a bucket and what lies below, without keys."""
    return not is_in_store(said) or _BUCKET.fullmatch(said.rstrip("/")) is not None


def _root(said: str) -> str:
    if not is_root(said):
        raise ValueError
    return said


def _signing_key(said: str) -> str:
    if said:
        # Loaded where a key is set only: each start waits for what is loaded.
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        try:
            key = load_pem_private_key(said.encode(), password=None)
        except (TypeError, UnsupportedAlgorithm) as error:
            raise ValueError from error
        if not isinstance(key, Ed25519PrivateKey):
            raise ValueError
    return said


def _networks(said: str) -> str:
    for part in filter(None, (part.strip() for part in said.split(","))):
        ipaddress.ip_network(part)
    return said


Switch = Annotated[bool, Allowed("1 or 0 (also true, yes, on; false, no, off)")]
Number = Annotated[float, Field(ge=0, lt=1e12, allow_inf_nan=False), Allowed("a number from 0 on, for example 30")]
Count = Annotated[int, Field(ge=0, lt=10**12), Allowed("a whole number from 0 on, for example 30")]
Positive = Annotated[int, Field(ge=1, le=1000), Allowed("a whole number from 1 to 1000")]
Port = Annotated[int, Field(ge=1, le=65535), Allowed("a port number from 1 to 65535")]
Names = Annotated[tuple[str, ...], BeforeValidator(_names), Allowed("names with commas between")]
Places = Annotated[
    tuple[Annotated[str, AfterValidator(_place)], ...],
    BeforeValidator(_names),
    Allowed("folders and addresses with commas between, for example /lake/in, s3://bucket/in"),
]
Origins = Annotated[
    tuple[Annotated[str, Field(pattern=r"^https?://[^/\s]+$")], ...],
    BeforeValidator(_names),
    Allowed("origins with commas between, for example https://lake.example.org"),
]
SecondsByRole = Annotated[
    dict[str, Number],
    BeforeValidator(_seconds_by_role),
    Allowed(f"ROLE=SECONDS with commas between; roles are {', '.join(_ROLES)}"),
]
Groups = Annotated[
    dict[str, str],
    BeforeValidator(_groups),
    Allowed("VALUE=GROUP with commas between, for example lake-admins=owners, staff=readers"),
]
Origin = Annotated[str, Field(pattern=r"^https?://[^/\s]+/?$"), Allowed("an origin such as https://lake.example.org")]
Sender = Annotated[
    str, Field(pattern=r"^[^\r\n]*[^@\s<]+@[^@\s>]+>?$"), Allowed("an address such as lakeui@example.org")
]
Mail = Annotated[
    str,
    Field(pattern=r"^(smtp|smtps|smtp\+starttls)://([^@/\s]+@)?[^@/:\s]+(:\d{1,5})?/?$"),
    Allowed("an address such as smtp+starttls://user:password@host:587, smtps://host or smtp://host:25"),
]
Syslog = Annotated[
    str,
    Field(pattern=r"^(udp|tcp|tls)://(\[[^\]/\s]+\]|[^@/:\s]+)(:\d{1,5})?/?$"),
    Allowed("an address such as tls://logs.example.org:6514, tcp://host:514 or udp://host:514"),
]
Memory = Annotated[str, Field(pattern=r"^[1-9]\d*[mgMG]$"), Allowed("a size such as 3g or 1500m")]
MemoryOrNone = Annotated[str, Field(pattern=r"^(0|[1-9]\d*[mgMG])$"), Allowed("a size such as 3g or 1500m, or 0")]
Database = Annotated[
    str, AfterValidator(_address), Allowed("an address such as postgresql://user:password@host:5432/name")
]
Redis = Annotated[
    str,
    Field(pattern=r"^(rediss?|redis\+socket)://\S+$"),
    Allowed("an address such as redis://:password@host:6379/0"),
]
Spark = Annotated[
    str,
    Field(pattern=r"^sc://(\[[^\]\s]+\]|[^:/;\s]+)(:\d+)?([/;]\S*)?$"),
    Allowed("an address such as sc://host:15002/;token=secret"),
]
SecondFactorRule = Annotated[
    Literal["none", "staff", "owner", "maintainer", "everybody"],
    Allowed("none, staff, owner, maintainer or everybody"),
]
WebAddress = Annotated[str, Field(pattern=r"^https?://\S+$"), Allowed("an address that begins with https://")]
Scopes = Annotated[
    str, Field(pattern=r"^(\S+ )*openid( \S+)*$"), Allowed("scopes with spaces between, `openid` among them")
]
Networks = Annotated[
    str, AfterValidator(_networks), Allowed("networks with commas between, for example 10.1.0.0/16, fd00::/8")
]
_LEVELS = {"WARN": "WARNING", "FATAL": "CRITICAL"}
"""Python's other names of levels."""
Level = Annotated[
    Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"],
    BeforeValidator(lambda said: _LEVELS.get(said.upper(), said.upper()) if isinstance(said, str) else said),
    Allowed("DEBUG, INFO, WARNING, ERROR or CRITICAL"),
]
Format = Annotated[Literal["text", "json"], Allowed("text or json")]
Off = Annotated[Literal["0", "1"], Allowed("1 or 0")]
Text = Annotated[str, Allowed("a text")]
SigningKey = Annotated[str, AfterValidator(_signing_key), Allowed("an Ed25519 key in PEM, without a password")]
Folder = Annotated[str, Allowed("a folder")]
Root = Annotated[
    str,
    AfterValidator(_root),
    Allowed(
        "a folder, or an address such as s3://bucket/lake, gs://bucket/lake or abfss://container@host/lake without keys"
    ),
]
Files = Annotated[tuple[str, ...], BeforeValidator(_names), Allowed("files with commas between")]
