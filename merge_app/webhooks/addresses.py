"""Where a webhook may lead: public addresses, and networks that whoever runs lakeui allows.

A name is looked up once, every address that it has is judged, and the connection goes to one that was judged. A name
that answers differently the second time changes nothing (DNS rebinding).
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from merge_app.webhooks.errors import AddressRefused

Network = IPv4Network | IPv6Network
_TRANSLATED = (ip_network("64:ff9b::/96"), ip_network("64:ff9b:1::/48"))
"""NAT64 (RFC 6052, RFC 8215): a gateway sends these on to the IPv4 address that they end in."""


@dataclass(frozen=True, slots=True)
class Target:
    """A checked address: connect to ``ip``, and speak to ``host`` there."""

    scheme: str
    host: str
    port: int
    path: str
    ip: str

    @property
    def authority(self) -> str:
        """The value of the Host header."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == _PORTS[self.scheme] else f"{name}:{self.port}"


_PORTS = {"https": 443, "http": 80}


def networks_parse(text: str) -> tuple[Network, ...]:
    """Networks between commas, as in ``10.1.0.0/16, fd00::/8``. Raises ValueError."""
    return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether the address is one of the open internet, also where it wraps another one."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if inner is not None:
            return is_public(inner)
        if any(address in network for network in _TRANSLATED):
            return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    return address.is_global and not address.is_multicast


def target_find(url: str, *, allowed: Sequence[Network]) -> Target:
    """Look up where the address leads. Raises AddressRefused; every address of the name has to be fit."""
    scheme, host, port, path = _parts(url)
    addresses = _addresses(host, port)
    private = [address for address in addresses if not _is_allowed(address, allowed)]
    if any(not is_public(address) for address in private):
        raise AddressRefused(
            f"{host} is an address inside of a network; webhooks go to public ones.",
            remedy="Choose a public address, or have LAKEUI_WEBHOOK_NETWORKS allow its network.",
        )
    if scheme == "http" and private:
        raise AddressRefused("A webhook on the open internet needs https.", remedy="Send an https address.")
    return Target(scheme, host, port, path, str(addresses[0]))


def _parts(url: str) -> tuple[str, str, int, str]:
    try:
        split = urlsplit(url)
        scheme, host, port = split.scheme.lower(), split.hostname or "", split.port
    except ValueError:
        scheme, host, port, split = "", "", None, urlsplit("")
    is_plain = url.isascii() and url.isprintable() and " " not in url
    if scheme not in _PORTS or not host or not is_plain or split.username is not None or split.password is not None:
        raise AddressRefused("This is no address of a web server.", remedy="Send https://host/path without a password.")
    path = split.path or "/"
    return scheme, host, port or _PORTS[scheme], f"{path}?{split.query}" if split.query else path


def _addresses(host: str, port: int) -> list[IPv4Address | IPv6Address]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise AddressRefused(f"{host} cannot be found.", remedy="Check the name.") from None
    return [ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]


def _is_allowed(address: IPv4Address | IPv6Address, allowed: Sequence[Network]) -> bool:
    return any(address in network for network in allowed)
