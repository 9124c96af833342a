"""``SPARK_REMOTE=.. python -m tests.differential.record``: have plain Spark answer the cases, and write its answers."""

from __future__ import annotations

import os
from contextlib import closing

from tests.differential.cases import FOLDER, answered, cases_of, write
from tests.differential.peer import Peer, plain_session


def main() -> None:
    session = plain_session(os.environ["SPARK_REMOTE"])
    for path in sorted(FOLDER.glob("*.sql")):
        recorded = []
        for case in cases_of(path):
            with closing(Peer(session)) as peer:
                recorded.append(answered(case, peer))
        write(path, recorded)
    session.stop()


if __name__ == "__main__":
    main()
