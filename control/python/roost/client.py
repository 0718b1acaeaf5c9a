# SPDX-License-Identifier: BSD-3-Clause
"""A client of the API of a live fabric; doc/api.md lists the methods.

    with roost.Client("demo") as client:
        print(client.call("show", what="fabric")["name"])
        client.subscribe("link", "drops")
        event = client.wait_for(lambda event: event["kind"] == "link", timeout=10)
"""
import collections
import json
import os
import select
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from .errors import ApiClosed, ApiError, ApiTimeout

Event = dict[str, Any]
"""The parameters of a notification: `kind`, `at_ns` (fabric time) and those of its kind."""


def socket_path(fabric: str | os.PathLike[str]) -> Path:
    """The socket of a fabric: of its name, or the path itself where it has a slash."""
    text = os.fspath(fabric)
    if "/" in text:
        return Path(text)
    places = [Path("/run/roost")]
    if os.environ.get("XDG_RUNTIME_DIR"):
        places.insert(0 if os.geteuid() != 0 else 1, Path(os.environ["XDG_RUNTIME_DIR"], "roost"))
    paths = [place / f"{text}.sock" for place in places]
    return next((path for path in paths if path.exists()), paths[0])


class Client:
    """A connection to a live fabric. One thread uses it at a time.

    fabric   its name, or the path of its socket
    timeout  seconds that a call waits for its answer

    Raises ApiClosed if there is no such fabric, or if it closes the connection.
    """

    def __init__(self, fabric: str | os.PathLike[str], timeout: float = 10.0) -> None:
        self.path, self.timeout = socket_path(fabric), timeout
        self._number, self._received = 0, b""
        self._notifications: collections.deque[tuple[str, Event]] = collections.deque()
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout)
        try:
            self._socket.connect(str(self.path))
        except OSError as error:
            self._socket.close()
            raise ApiClosed(f"{self.path}: {error.strerror or error}; `roost list` shows which fabrics are up") from None

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection, and with it subscriptions and captures."""
        self._socket.close()

    def call(self, method: str, /, **params: Any) -> Any:
        """Calls a method and returns its result. Parameters are written with `_` instead of `-`: wait_ms=100; None leaves
        one out. Raises ApiError if the fabric refuses, ApiTimeout if no answer comes in time."""
        self._number += 1
        given = {name.rstrip("_").replace("_", "-"): value for name, value in params.items() if value is not None}
        request = {"jsonrpc": "2.0", "id": self._number, "method": method} | ({"params": given} if given else {})
        try:
            self._socket.sendall(json.dumps(request).encode() + b"\n")
        except OSError:
            pass    # turned away: the answer, if there is one, says why
        end = time.monotonic() + self.timeout
        while True:
            message = self._receive(end, method)
            if message.get("id") == self._number or (message.get("id") is None and "error" in message):
                break
        if "error" in message:
            raise ApiError(method, int(message["error"]["code"]), str(message["error"]["message"]))
        return message.get("result")

    def subscribe(self, *kinds: str, pause_over_ns: int | None = None, film_ms: int | None = None) -> None:
        """Has events of these kinds sent from now on (default: all but films); events() and wait_for() return them."""
        self.call("subscribe", kinds=list(kinds) or None, pause_over_ns=pause_over_ns, film_ms=film_ms)

    def notifications(self, timeout: float | None = None) -> Iterator[tuple[str, Event]]:
        """(method, parameters) of each notification: "event", "capture" or "probe". Ends when none has come for `timeout`
        seconds (None: waits without end); 0 returns what is there."""
        while True:
            if not self._notifications:
                try:
                    self._receive(None if timeout is None else time.monotonic() + timeout, "a notification")
                except ApiTimeout:
                    return
            while self._notifications:
                yield self._notifications.popleft()

    def events(self, timeout: float | None = None) -> Iterator[Event]:
        """The events of subscribe(). The timeout is that of notifications()."""
        return (params for method, params in self.notifications(timeout) if method == "event")

    def wait_for(self, condition: Callable[[Event], bool], timeout: float = 10.0) -> Event:
        """The first event for which the condition is true. Raises ApiTimeout, with the last events that came instead, if
        none comes within `timeout` seconds."""
        end, others = time.monotonic() + timeout, collections.deque[Event](maxlen=5)
        while (left := end - time.monotonic()) > 0:
            for event in self.events(left):
                if condition(event):
                    return event
                others.append(event)
                if time.monotonic() >= end:
                    break
        came = "".join(f"\n  {json.dumps(event)}" for event in others) or " no other"
        raise ApiTimeout(f"no such event within {timeout:g} s; the last that came:{came}")

    def _receive(self, end: float | None, what: str) -> dict[str, Any]:
        """The next message. A notification is also put into the queue."""
        while b"\n" not in self._received:
            left = None if end is None else max(end - time.monotonic(), 0)
            try:
                if not select.select([self._socket], [], [], left)[0]:
                    raise ApiTimeout(f"{self.path}: {what}: nothing came in time")
                data = self._socket.recv(1 << 16)
            except (ConnectionResetError, ValueError):      # ValueError: this side has closed it
                data = b""
            if not data:
                raise ApiClosed(f"{self.path}: {what}: the fabric has closed the connection")
            self._received += data
        line, _, self._received = self._received.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        if "method" in message:
            self._notifications.append((message["method"], message["params"]))
        return message
