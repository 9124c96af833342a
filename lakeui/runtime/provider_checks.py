"""Whether the OpenID provider of the settings answers, and speaks of itself as they do. It signs in no person."""

from __future__ import annotations

import requests

from lakeui.runtime.problems import RuntimeProblem

ANSWER_SECONDS = 10


def provider_check(issuer: str) -> str:
    """What the provider is found to do. Raises RuntimeProblem where no sign-in can work."""
    address = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    try:
        answer = requests.get(address, timeout=ANSWER_SECONDS)
        answer.raise_for_status()
        said = answer.json()
    except requests.exceptions.SSLError as error:
        raise RuntimeProblem(
            f"The certificate of {issuer} is not trusted: {error}",
            remedy="Name the file of your own CA by REQUESTS_CA_BUNDLE, for the web server too.",
        ) from None
    except (requests.RequestException, ValueError) as error:
        raise RuntimeProblem(
            f"{address} does not answer with the configuration of a provider: {error}",
            remedy="Look whether the provider runs, and whether LAKEUI_OIDC_ISSUER is its address.",
        ) from None
    named = said.get("issuer") if isinstance(said, dict) else None
    if named != issuer:
        raise RuntimeProblem(
            f"The provider calls itself {named}, and LAKEUI_OIDC_ISSUER is {issuer}. Every sign-in is refused.",
            remedy=f"Set LAKEUI_OIDC_ISSUER={named}." if named else "Look whether it is the address of a provider.",
        )
    return f"{issuer} answers."
