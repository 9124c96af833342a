"""Keys for readers, from the service that lends the rights of a role for a while (STS).

They are kept in this process, and handed out as long as half of their time is left.
"""

from __future__ import annotations

from collections import OrderedDict
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from threading import Lock
from typing import Any

from catalog_app.domain.stores import StoreOptions
from catalog_app.domain.vended_keys import LASTING_SECONDS, VendedKeys
from catalog_app.storage.aws_clients import client_open, failure_code
from lakeui.common.errors import StoreFailed

OPERATION = "AssumeRole"
ANSWER_SECONDS = 10
MOST_KEPT = 1000
_Asked = tuple[StoreOptions, str, str]
_kept: OrderedDict[_Asked, VendedKeys] = OrderedDict()
_lock = Lock()


def keys_lend(options: StoreOptions, policy: str, reader: str) -> VendedKeys:
    """Keys of the role of the options, limited by a policy, in a session that is called after the ``reader``. Raises
    StoreFailed where the service refuses or does not answer.
    """
    asked = (options, policy, reader)
    now = datetime.now(UTC)
    with _lock:
        found = _kept.get(asked)
    if found is not None and found.expires_at - now > timedelta(seconds=LASTING_SECONDS / 2):
        return found
    lent = _role_assume(options, policy, reader)
    with _lock:
        _kept[asked] = lent
        _kept.move_to_end(asked)
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return lent


def _role_assume(options: StoreOptions, policy: str, reader: str) -> VendedKeys:
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        answer = _service(options).assume_role(
            RoleArn=options.reader_role, RoleSessionName=reader, DurationSeconds=LASTING_SECONDS, Policy=policy
        )
    except (BotoCoreError, ClientError) as error:
        raise StoreFailed(OPERATION, failure_code(error)) from None
    lent = answer["Credentials"]
    return VendedKeys(lent["AccessKeyId"], lent["Expiration"], lent["SecretAccessKey"], lent["SessionToken"])


@lru_cache(maxsize=8)
def _service(options: StoreOptions) -> Any:
    """The service of a store: a server of one's own lends roles at its own address. It is asked with the keys of the
    options; without, with those of the environment, of its files or of the machine.
    """
    # Only warehouses with a role for readers need them.
    from botocore.config import Config

    waits = Config(connect_timeout=ANSWER_SECONDS, read_timeout=ANSWER_SECONDS, retries={"total_max_attempts": 2})
    return client_open("sts", options, waits)
