"""The one Spark Connect session of a process: made when first needed, made again after the server ended."""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from catalog_app.engine.failures import is_lost, is_unknown, translate
from lakeui.common.errors import EngineAway, EngineLost

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

logger = logging.getLogger(__name__)
Result = TypeVar("Result")

CONFIGURATION = {
    "spark.sql.ansi.enabled": "true",
    # Else Spark puts settings, and variables of the server's environment, in the place of ${name} in a statement.
    "spark.sql.variable.substitute": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.fieldId.write.enabled": "true",
    "spark.sql.parquet.fieldId.read.enabled": "true",
    "spark.sql.parquet.fieldId.read.ignoreMissing": "true",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.shuffle.partitions": "16",
    # One file while the data are small: partitions are joined up to this size, however many cores are idle.
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": "128m",
    # Listing explicit files in the driver is faster than a job, up to a few hundred of them.
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "512",
    # A limited query with few matches would otherwise run as several jobs, one after another.
    "spark.sql.limit.initialNumPartitions": "64",
    # Filters are inferred by writing columns out in all that is known of them. Of long CASEs in UPDATE and MERGE that
    # takes minutes, and all of the server's memory.
    "spark.sql.constraintPropagation.enabled": "false",
    # Parquet's dictionaries tell 0.0 from -0.0, so a condition on a field of a struct lost rows. Columns have names of
    # their own while they are read, and their conditions never reach Parquet.
    "spark.sql.optimizer.nestedPredicatePushdown.supportedFileSources": "",
    # The rule fails on correlated scalar subqueries (SPARK-59042). Files of two schemas are read as a union.
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.PushProjectionThroughUnion",
    # Spark's parser keeps what it learned of each text for good. From this percentage of the heap on it forgets.
    "spark.sql.parser.manageParserCaches": "true",
    "spark.sql.parser.parserDfaCacheFlushRatio": "10.0",
}
QUERY_CONFIGURATION = CONFIGURATION | {
    # Without inferred filters an outer join stays one where no row without a partner can be in the answer.
    "spark.sql.constraintPropagation.enabled": "true",
    # Nothing is written, so no core waits for the sake of fewer files.
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "true",
}
"""For queries that people write."""
_ONE_LOADER = {
    "spark.sql.artifact.isolation.enabled": "false",
    "spark.sql.artifact.isolation.alwaysApplyClassloader": "false",
}
"""Sessions share one loader of classes, as no session adds classes. Spark keeps generated code for one loader."""
_importing = threading.Lock()
_RETRIES = {"max_retries": 10, "max_backoff": 1000}
"""Milliseconds. A pause of four seconds would be added to the start of a server that is there again."""
_RECONNECTING = [("grpc.initial_reconnect_backoff_ms", 200), ("grpc.max_reconnect_backoff_ms", 1000)]
"""gRPC tries an address again after pauses that grow up to two minutes. A server that starts again within half a minute
would wait for its clients longer than for itself.
"""
_ASKED = "spark.sql.ansi.enabled"
LEFT_SECONDS = 30.0
"""So long a lost session is kept: calls of other threads that wait for it end before it closes."""
TRUSTED_SECONDS = 1.0
"""So long after an answer the server is taken to know the session. A lost one is found by the work itself."""


class SparkSessions:
    """Hands the process's session to pieces of work. Thread safe; a forked child makes its own."""

    def __init__(
        self,
        remote: str,
        *,
        configuration: Mapping[str, str] = CONFIGURATION,
        observe: Callable[[str, float], None] | None = None,
    ) -> None:
        """``observe`` gets the outcome ("done", "failed", "lost") and seconds of each piece of work."""
        self._remote = remote
        self._configuration = configuration
        self._observe = observe
        self._lock = threading.Lock()
        self._session: SparkSession | None = None
        self._process = 0
        self._failed = 0
        self._answered_at = 0.0
        self._thread = threading.local()

    def run(self, work: Callable[[SparkSession], Result]) -> Result:
        """Do ``work`` with the session; a session that the server no longer knows is made anew before.

        Raises EngineAway if no server answers; EngineLost if it ended under the work, which is not done again: it may
        be what ended the server.
        """
        began, outcome = time.perf_counter(), "failed"
        try:
            result = self._run(work)
            outcome = "done"
            return result
        except EngineLost:
            outcome = "lost"
            raise
        finally:
            if self._observe is not None:
                self._observe(outcome, time.perf_counter() - began)

    def _run(self, work: Callable[[SparkSession], Result]) -> Result:
        _spark_import()
        from pyspark.errors import PySparkException

        failures = _transport_failures(PySparkException)
        try:
            session = self._known(failures)
        except failures as error:
            if not is_lost(error):
                raise translate(error) from error
            logger.warning("The Spark server does not answer: %s", error)
            raise EngineAway from error
        began = time.monotonic()
        try:
            result = self._tagged(session, work)
        except failures as error:
            if not is_lost(error):
                raise translate(error) from error
            if is_unknown(error) and time.monotonic() - began < TRUSTED_SECONDS:
                # No server starts again so fast: this one ended before the work began.
                logger.warning("The Spark server was started again before a piece of work: %s", error)
                self._forget(session)
                self._answered_at = 0.0
                raise EngineAway from error
            logger.error("The Spark server ended under a piece of work: %s", error)
            self._forget(session)
            raise EngineLost from error
        self._answered_at = time.monotonic()
        return result

    def _known(self, failures: tuple[type[Exception], ...]) -> SparkSession:
        """A session that the server knows. It is asked only where the last answer is some time ago."""
        session = self._current()
        if time.monotonic() - self._answered_at < TRUSTED_SECONDS:
            return session
        try:
            session.conf.get(_ASKED)
        except failures as error:
            if not is_lost(error):
                raise
            logger.warning("The Spark session was lost (%s); making a new one.", error)
            self._forget(session)
            session = self._current()
        return session

    @contextmanager
    def interruptible(self, tag: str) -> Iterator[None]:
        """What this thread runs inside can be stopped by ``interrupt(tag)`` from another thread."""
        before, self._thread.tag = getattr(self._thread, "tag", None), tag
        try:
            yield
        finally:
            self._thread.tag = before

    def _tagged(self, session: SparkSession, work: Callable[[SparkSession], Result]) -> Result:
        # Here and not once for all: a session made anew in the middle of the work knows no tags.
        tag = getattr(self._thread, "tag", None)
        if tag is None:
            return work(session)
        session.addTag(tag)
        try:
            return work(session)
        finally:
            session.removeTag(tag)

    def interrupt(self, tag: str) -> None:
        """Stop what runs under the tag in this process; nothing happens if nothing does."""
        if self._session is not None:
            self.run(lambda session: session.interruptTag(tag))

    def close(self) -> None:
        """End the session, if there is one."""
        with self._lock:
            session, self._session = self._session, None
        if session is not None and self._process == os.getpid():
            session.stop()

    def _current(self) -> SparkSession:
        """Raises EngineAway where another thread found meanwhile that no server answers."""
        failed = self._failed
        with self._lock:
            if self._session is not None and self._process == os.getpid():
                return self._session
            if self._failed != failed:
                raise EngineAway
            try:
                session = _connect(self._remote, self._configuration)
            except Exception as error:
                # Raised again, whatever it is. A lost server is counted for the threads that wait here.
                self._failed += is_lost(error)
                raise
            self._session, self._process = session, os.getpid()
            return session

    def _forget(self, session: SparkSession) -> None:
        with self._lock:
            if self._session is not session:
                return
            self._session = None
        _leave(session)


def _spark_import() -> None:
    """Import all that pieces of work use of PySpark, in one thread at a time.

    Its modules import each other: threads that import them at once end in a deadlock, which Python breaks by an error.
    """
    with _importing:
        import pyspark.sql.connect.functions
        import pyspark.sql.connect.session
        import pyspark.sql.functions
        import pyspark.sql.pandas.types  # noqa: F401 - the imports are all that is wanted


def _transport_failures(base: type[Exception]) -> tuple[type[Exception], ...]:
    """Exceptions by which Spark's client reports trouble, beside the family ``base``."""
    import grpc

    return (base, grpc.RpcError)


def _silence_query_contexts() -> None:
    """Spark's client prints every failed query with its stack trace, even a misspelled column. ``translate`` logs what
    is no fault of the user's.
    """
    from pyspark.logger import PySparkLogger

    PySparkLogger.getLogger("SQLQueryContextLogger").disabled = True


def _leave(session: SparkSession) -> None:
    """Nothing stays of a session that is lost."""
    _drop_at_exit(session)
    # Its last reference closes it, which can wait for an answer: it falls in a thread of its own.
    kept = threading.Timer(LEFT_SECONDS, _nothing, (session,))
    kept.daemon = True
    kept.start()


def _drop_at_exit(session: SparkSession) -> None:
    """The client holds itself until the process ends, and then asks its server, for 8 s where that does not answer.
    It has no public way to end that.
    """
    atexit.unregister(session.client._on_exit)  # noqa: SLF001


def _nothing(_: SparkSession) -> None:
    """What a timer calls that only keeps a reference."""


def _connect(remote: str, configuration: Mapping[str, str]) -> SparkSession:
    from pyspark.sql.connect.client import DefaultChannelBuilder
    from pyspark.sql.connect.client.retries import DefaultPolicy
    from pyspark.sql.connect.session import SparkSession

    _silence_query_contexts()
    first = SparkSession.builder.channelBuilder(DefaultChannelBuilder(remote, _RECONNECTING)).create()
    # The client's own policy waits for ten minutes; people do not.
    policy = DefaultPolicy(**_RETRIES)
    first.client.set_retry_policies([policy])
    try:
        # The public set() makes a call for each.
        first.conf._set_all({**configuration, **_ONE_LOADER}, silent=False)  # noqa: SLF001
        # A session has its loader from its first call on, so the settings come too late for it. A copy has them.
        session = first.cloneSession()
    except BaseException:
        # No server is there to release it.
        first.release_session_on_close = False
        raise
    finally:
        first.stop()
        _drop_at_exit(first)
    session.client.set_retry_policies([policy])
    return session
