"""Queries to a scheduler that may not exist."""

import socket
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from sidestep.executor_errors import NoAnswer

LIMIT_S = 9.0
"""Limit of an answer: a refusal then arrives within ten seconds."""

T = TypeVar("T")


class _Box(Generic[T]):
    value: T
    error: BaseException | None = None


def within(what: str, address: str, ask: Callable[[], T], limit_s: float | None = None) -> T:
    """Returns the result of `ask`. Errors: `NoAnswer` when it raises a connection error or takes too long."""
    limit_s = LIMIT_S if limit_s is None else limit_s
    box: _Box[T] = _Box()

    def work() -> None:
        try:
            box.value = ask()
        except BaseException as error:
            box.error = error

    # A thread that waits at a silent socket cannot be stopped: it is left behind.
    thread = threading.Thread(target=work, name=f"asking {address}", daemon=True)
    thread.start()
    thread.join(limit_s)
    if thread.is_alive():
        raise NoAnswer(what, address, f"no answer within {limit_s:.0f} s")
    if isinstance(box.error, OSError | TimeoutError):
        raise NoAnswer(what, address, box.error) from box.error
    if box.error is not None:
        raise box.error
    return box.value


def listens(what: str, address: str) -> None:
    """Refuses an address `host:port`, with or without a scheme, where no process listens. Errors: `NoAnswer`."""
    host, _, port = address.rsplit("://", 1)[-1].rpartition(":")
    if not port.isdigit():
        raise NoAnswer(what, address, "expected host:port")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=LIMIT_S / 2):
            return
    except OSError as why:
        raise NoAnswer(what, address, why) from why
