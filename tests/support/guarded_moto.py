"""moto, for the Python that it is installed in. A session may do no more than its own policy says.

By itself moto looks at the policies of the role alone. Those of a role in tests let everything be done, so what a
session may do is just what its own policy says.
"""

from __future__ import annotations

import sys

from moto.iam.access_control import AssumedRoleAccessKey
from moto.server import main
from moto.sts.models import sts_backends


def of_session(self: AssumedRoleAccessKey) -> list[str]:
    sessions = sts_backends[self.account_id][self.partition].assumed_roles
    return [session.policy for session in sessions if session.access_key_id == self._access_key_id]


AssumedRoleAccessKey.collect_policies = of_session
main(sys.argv[1:])
