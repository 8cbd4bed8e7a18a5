"""Asking a scheduler that may not be there."""

import socket
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from sidestep.executor_errors import NoAnswer

LIMIT_S = 9.0
"""Whoever has not answered by then does not: a refusal is out within ten seconds."""

T = TypeVar("T")


class _Box(Generic[T]):
    value: T
    error: BaseException | None = None


def within(what: str, address: str, ask: Callable[[], T], limit_s: float | None = None) -> T:
    """What `ask` returns. Errors: `NoAnswer` when it raises that nobody is there, or takes too long."""
    limit_s = LIMIT_S if limit_s is None else limit_s
    box: _Box[T] = _Box()

    def work() -> None:
        try:
            box.value = ask()
        except BaseException as error:
            box.error = error

    # A thread that asks a silent socket cannot be ended: it is left behind.
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
    """Refuses an address of the form `host:port`, with a scheme or not, where nobody listens. Errors: `NoAnswer`."""
    host, _, port = address.rsplit("://", 1)[-1].rpartition(":")
    if not port.isdigit():
        raise NoAnswer(what, address, "expected host:port")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=LIMIT_S / 2):
            return
    except OSError as why:
        raise NoAnswer(what, address, why) from why
