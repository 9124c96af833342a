"""Where webhooks may lead: no request of lakeui's ends inside a network that no one opened to it (SSRF)."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from merge_app.webhooks.addresses import networks_parse, target_find
from merge_app.webhooks.errors import AddressRefused, Undelivered
from merge_app.webhooks.sending import message_send

INSIDE = [
    *("127.0.0.1", "127.1.2.3", "0.0.0.0", "10.0.0.5", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
    *("192.0.2.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fd00::1", "ff02::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.5", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:a00:5::"),
]
PUBLIC = ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"]


def named(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> None:
    """The name service: each look-up is answered with the next of these."""
    left = list(answers)

    def look_up(host: str, port: int, **_: Any) -> list[Any]:
        found = left.pop(0) if len(left) > 1 else left[0]
        return [
            (socket.AF_INET6 if ":" in ip else socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in found
        ]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


def find(url: str, allowed: str = "") -> Any:
    return target_find(url, allowed=networks_parse(allowed))


@pytest.mark.parametrize("ip", INSIDE)
def test_an_address_inside_a_network_is_refused(monkeypatch: pytest.MonkeyPatch, ip: str) -> None:
    named(monkeypatch, [ip])
    with pytest.raises(AddressRefused):
        find("https://hooks.example.org/x")


@pytest.mark.parametrize("ip", PUBLIC)
def test_a_public_address_is_taken(monkeypatch: pytest.MonkeyPatch, ip: str) -> None:
    named(monkeypatch, [ip])
    found = find("https://hooks.example.org/x?y=1")
    assert (found.host, found.port, found.path, found.ip) == ("hooks.example.org", 443, "/x?y=1", ip)


@pytest.mark.parametrize(
    "url", ["http://2130706433/", "http://0x7f000001/", "http://127.1/", "http://[::1]/", "http://localhost/"]
)
def test_other_ways_to_write_loopback_are_refused(url: str) -> None:
    with pytest.raises(AddressRefused):
        find(url)


def test_one_bad_address_of_a_name_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    named(monkeypatch, [PUBLIC[0], "10.0.0.5"])
    with pytest.raises(AddressRefused):
        find("https://hooks.example.org/")


@pytest.mark.parametrize(
    "url",
    [
        *(
            "ftp://example.org/",
            "file:///etc/passwd",
            "https://",
            "example.org",
            "https://u:p@example.org/",
            "https://x:99999/",
        ),
        *(
            "https://example.org/ x",
            "https://example.org/\r\nHost: inside",
            "gopher://example.org/",
            "https://exämple.org/",
        ),
    ],
)
def test_what_is_no_web_address_is_refused(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    named(monkeypatch, PUBLIC[:1])
    with pytest.raises(AddressRefused):
        find(url)


def test_https_is_required_outside_of_allowed_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    named(monkeypatch, PUBLIC[:1])
    with pytest.raises(AddressRefused, match="https"):
        find("http://hooks.example.org/")
    named(monkeypatch, ["10.1.2.3"])
    assert find("http://hooks.internal:8080/", "10.1.0.0/16").authority == "hooks.internal:8080"
    with pytest.raises(AddressRefused):
        find("http://hooks.internal/", "10.2.0.0/16")


def test_name_resolving_otherwise_second_time_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS rebinding: the connection goes to the address that was judged."""
    named(monkeypatch, PUBLIC[:1], ["127.0.0.1"])
    target = find("https://hooks.example.org/")
    went: list[Any] = []

    def connect(address: tuple[str, int], timeout: float) -> socket.socket:
        went.append(address)
        raise OSError

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(Undelivered, match="The connection failed"):
        message_send(target, headers={}, body=b"{}")
    assert went == [(PUBLIC[0], 443)]
