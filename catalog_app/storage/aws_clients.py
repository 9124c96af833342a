"""Clients of botocore for services of S3's kind, and what their refusals are called. botocore is loaded when one is
made.
"""

from __future__ import annotations

import os
from typing import Any

from catalog_app.domain.stores import StoreOptions


def client_open(service: str, options: StoreOptions, config: Any) -> Any:
    """A client of the service that the options name, with their keys; without, with those of the environment, of its
    files or of the machine.
    """
    from botocore.session import Session

    return Session().create_client(
        service,
        region_name=options.region or os.environ.get("AWS_REGION") or "us-east-1",
        endpoint_url=options.endpoint or None,
        aws_access_key_id=options.access_key or None,
        aws_secret_access_key=options.secret_key or None,
        config=config,
    )


def failure_code(error: Exception) -> str:
    """What an error of botocore is called: the code of the answer, or why there is none."""
    from botocore.exceptions import ClientError, NoCredentialsError, PartialCredentialsError

    if isinstance(error, ClientError):
        # A proxy answers without a code.
        status = f"HTTP {error.response['ResponseMetadata']['HTTPStatusCode']}"
        return str(error.response.get("Error", {}).get("Code") or status)
    lacks_keys = isinstance(error, NoCredentialsError | PartialCredentialsError)
    return "NO_CREDENTIALS" if lacks_keys else "NETWORK_CONNECTION"
