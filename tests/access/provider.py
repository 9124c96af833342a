"""A small OpenID provider on loopback: discovery, keys, and tokens that it really signs."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT = "lakeui-client"
SECRET = "lakeui-secret"


@dataclass
class Provider:
    """``claims`` are laid over those of the next id token, which ``signing_key`` signs; ``key`` is the public one."""

    issuer: str = ""
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "1", "use": "sig"}))
    signing_key: RSAKey | None = None
    claims: dict[str, Any] = field(default_factory=dict)
    sends_id_token: bool = True
    userinfo: dict[str, Any] | None = None
    """What the userinfo endpoint says; without it there is none, and the id token has all claims."""
    asked: dict[str, str] = field(default_factory=dict)
    """The parameters with which the browser came."""
    redeemed: list[dict[str, str]] = field(default_factory=list)

    def visited(self, location: str) -> str:
        """The browser goes where lakeui sends it, and signs in there: the address that it is sent back to."""
        assert location.startswith(f"{self.issuer}/authorize?"), location
        self.asked = dict(parse_qsl(urlsplit(location).query))
        back = urlsplit(self.asked["redirect_uri"])
        return f"{back.path}?{urlencode({'code': 'the-code', 'state': self.asked['state']})}"

    def metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "id_token_signing_alg_values_supported": ["RS256"],
            **({} if self.userinfo is None else {"userinfo_endpoint": f"{self.issuer}/userinfo"}),
        }

    def redeem(self, form: dict[str, str]) -> dict[str, Any]:
        """The tokens for a code; PKCE and the client's secret are held to."""
        self.redeemed.append(form)
        challenge = (
            base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).decode().rstrip("=")
        )
        assert challenge == self.asked["code_challenge"]
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": "subject-1",
            "iat": now,
            "exp": now + 60,
            "nonce": self.asked["nonce"],
            **({"preferred_username": "erin", "email": "erin@example.org"} if self.userinfo is None else {}),
            **self.claims,
        }
        found = {"access_token": "opaque", "token_type": "Bearer", "expires_in": 600}
        if self.sends_id_token:
            key = self.signing_key or self.key
            found["id_token"] = jwt.encode({"alg": "RS256", "kid": "1"}, claims, key)
        return found


@contextmanager
def provider_run() -> Iterator[Provider]:
    """A provider that answers until the end of the block."""
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answers = {
                "/.well-known/openid-configuration": provider.metadata,
                "/keys": lambda: {"keys": [provider.key.as_dict(private=False)]},
            }
            if self.path == "/userinfo":
                assert self.headers["Authorization"] == "Bearer opaque"
                return self._send(provider.userinfo)
            self._send(answers[self.path]())

        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
            assert self.headers["Authorization"] == f"Basic {basic}"
            self._send(provider.redeem({name: values[0] for name, values in parse_qs(text).items()}))

        def _send(self, body: Any) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join(timeout=5)
        server.server_close()
