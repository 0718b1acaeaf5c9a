# SPDX-License-Identifier: BSD-3-Clause
"""Live fabrics: `with roost.live("lab.yaml") as fabric:` brings one up and takes it down, whatever happens.

The fabric is a child of a guard, a shell that waits for the end of this process. When the block ends, or this process dies, even
by SIGKILL, the guard ends the fabric, which removes its namespaces and devices.
"""
import collections
import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from .client import Client, Event
from .config import Config, file_of
from .counters import Node, Port, State
from .errors import ApiClosed, RoostError
from .program import Done, PathLike, find, run
from .schema import PRIORITIES, Schema, schema

# $0 and its arguments are the fabric. A shell gives a child in the background /dev/null as its input, so 3 is ours.
GUARD = 'exec 3<&0; "$0" "$@" & fabric=$!; { cat <&3; kill -TERM $fabric; } >/dev/null 2>&1 & watch=$!; ' \
        'wait $fabric; status=$?; kill $watch; exit $status'
KEPT_EVENTS = 1000
LEAST_DOWN = 30.0       # seconds


class Fabric:
    """A live fabric, whoever brought it up: Fabric("demo").

    name     its name
    roost    the program (default: program.find())
    timeout  seconds for a command or a call
    """

    def __init__(self, name: str, roost: PathLike | None = None, timeout: float = 60) -> None:
        self.name, self.timeout = name, timeout
        self._roost = roost
        self.last: State | None = None    # what was asked for last
        self._watcher: Watcher | None = None

    @property
    def program(self) -> str:
        """The path of the program."""
        return find(self._roost)

    @contextlib.contextmanager
    def client(self, timeout: float | None = None) -> Iterator[Client]:
        """A connection to its API, for the time of a `with` block."""
        with Client(self.name, timeout or self.timeout) as client:
            yield client

    def call(self, method: str, /, **params: Any) -> Any:
        """Calls a method of the API, on a connection of its own."""
        with self.client() as client:
            return client.call(method, **params)

    def command(self, *words: object, status: int | None = 0, timeout: float | None = None) -> Done:
        """Runs a command of roost on this fabric: `fabric.command("link", "leaf1-spine1", "down")`."""
        return run(self.program, *words, status=status, timeout=timeout or self.timeout,
                   env=os.environ | {"ROOST_FABRIC": self.name})

    def exec(self, host: str, *words: object, status: int | None = 0, timeout: float | None = None) -> Done:
        """Runs a command in the namespace of an attached host: `fabric.exec("h1", "ping", "-c", 1, "10.0.2.1")`."""
        return self.command("exec", host, "--", *words, status=status, timeout=timeout)

    def show(self, *words: object) -> Any:
        """What `roost show WORD ... -o json` prints, parsed."""
        return self.command("show", *words, "-o", "json").json

    def set(self, key: str, value: str) -> Any:
        """Changes one key while traffic runs; returns the answer of the API's `set`."""
        return self.call("set", key=key, value=value)

    def state(self, node: str | None = None) -> State:
        """All counters, as they are now; or those of one node, which is less to send and to read."""
        known = schema(self.program)
        nodes = {name: filled(known, one) for name, one in self.call("counters", node=node)["nodes"].items()}
        before = self.last.looked_at if self.last else {}
        self.last = State(nodes, known, self._events)
        self.last.looked_at.update(before)
        return self.last

    def node(self, name: str) -> Node:
        """A node as it is now: its counters do not change any more. Ask again for later values."""
        return self.state().node(name)

    def port(self, name: str) -> Port:
        """A port as it is now: "leaf1.swp3", or "swp3" where there is one switch."""
        return self.state().port(name)

    @property
    def drops(self) -> collections.Counter[str]:
        """Packets dropped until now, by reason."""
        return self.state().drops

    def wait_until(self, port: str, timeout: float = 10.0, **wanted: int) -> Port:
        """Waits until counters of a port have these values, or more: `fabric.wait_until("leaf1.swp1", rx_packets=10)`. Returns
        the port. Raises AssertionError, with the port's last events, if they do not within `timeout` seconds."""
        __tracebackhide__ = True
        end = time.monotonic() + timeout
        while True:
            now = self.port(port)
            missing = {name: wish for name, wish in wanted.items() if getattr(now, name) < wish}
            if not missing:
                return now
            if time.monotonic() >= end:
                lines = [f"{now.name}: {name} is {getattr(now, name)} after {timeout:g} s, expected {wish}"
                         for name, wish in missing.items()]
                raise AssertionError("\n".join([*lines, *now.story()]))
            time.sleep(0.02)

    def watch(self) -> None:
        """Keeps the last events of the fabric from now on, for messages of assertions."""
        if self._watcher is None:
            self._watcher = Watcher(Client(self.name, self.timeout))

    @property
    def events(self) -> list[Event]:
        """The last events since watch(), at most 1000."""
        return list(self._watcher.events) if self._watcher else []

    def _events(self, port: str, count: int) -> list[str]:
        node, _, name = port.partition(".")
        found = [event for event in self.events if event.get("node") == node and
                 name in (event.get("port"), (event.get("queue") or "").rpartition(".")[0].rpartition(".")[2])]
        return [f"{event['at_ns']} ns  {event['kind']}: " + ", ".join(
            f"{key} {value}" for key, value in event.items() if key not in ("at_ns", "kind", "node", "port"))
            for event in found[-count:]]

    def close(self) -> None:
        """Ends what watch() began. The fabric stays up."""
        if self._watcher is not None:
            self._watcher.close()
            self._watcher = None


class Watcher:
    """A thread that reads events as they come."""

    def __init__(self, client: Client) -> None:
        self.events: collections.deque[Event] = collections.deque(maxlen=KEPT_EVENTS)
        self._client, self._stop = client, threading.Event()
        client.subscribe()
        self._thread = threading.Thread(target=self._read, name="roost-events", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with contextlib.suppress(ApiClosed):
            while not self._stop.is_set():
                for event in self._client.events(0.1):
                    self.events.append(event)
                    if self._stop.is_set():
                        break

    def close(self) -> None:
        """Ends the thread and the connection."""
        self._stop.set()
        self._thread.join()
        self._client.close()


def filled(known: Schema, node: dict[str, Any]) -> dict[str, Any]:
    """A node of the API's method `counters` in the form of counters.json: what is left out there has its initial value."""
    ports = {}
    for name, given in node["ports"].items():
        port = known.port()
        for key, value in given.items():
            if key in ("pg", "queue"):
                for index, counters in value.items():
                    port[key][int(index)].update(counters)
            elif key in known.rows["priority"]:
                for index, number in value.items():
                    port[key][int(index)] = number
            else:
                port[key] = value
        ports[name] = port
    scopes = {scope: {name: known.initial(scope) | given for name, given in node[scope].items()}
              for scope in ("pools", "packets", "tenants") if scope in node}
    return node | {"ports": ports} | scopes


def _name_of(log: Path, guard: "subprocess.Popen[bytes]", timeout: float) -> str:
    """Waits until `roost run` has written its first line, "NAME runs; ...", and returns the name."""
    end = time.monotonic() + timeout
    while True:
        line, newline, _ = log.read_text().partition("\n")
        if newline:
            return line.split()[0]
        if guard.poll() is not None:
            raise RoostError(f"the fabric did not come up: exit status {guard.returncode}\n"
                             f"{log.with_suffix('.err').read_text().strip()}")
        if time.monotonic() >= end:
            raise RoostError(f"the fabric is not up after {timeout:g} s\n{log.with_suffix('.err').read_text().strip()}")
        time.sleep(0.02)


def _end(guard: "subprocess.Popen[bytes]", pipe: IO[bytes], timeout: float) -> None:
    """Has the guard end the fabric, and waits for that."""
    pipe.close()
    try:
        guard.wait(timeout)
    except subprocess.TimeoutExpired:
        raise RoostError(f"the fabric is not down after {timeout:g} s; process {guard.pid} still waits for it") from None


@contextlib.contextmanager
def live(config: Config, *options: object, roost: PathLike | None = None, timeout: float = 60) -> Iterator[Fabric]:
    """Brings a fabric up for the time of a `with` block, and takes it down, also after an exception.

    config   the file of the fabric, or its YAML as text or dicts. fabric.name must differ from that of other live fabrics
    roost    the program (default: program.find())
    timeout  seconds to bring it up, for each command and call, and to take it down (then at least 30)
    options  further words of `roost run`

    Needs root where `roost run` does. Raises RoostError, with what Roost says, if the fabric does not come up.
    """
    program, directory = find(roost), Path(tempfile.mkdtemp(prefix="roost-live-"))
    log = directory / "run.out"
    try:
        with open(log, "wb") as out, open(log.with_suffix(".err"), "wb") as err:
            # A session of its own: Ctrl-C reaches this process alone, which then ends the fabric.
            guard = subprocess.Popen(["/bin/sh", "-c", GUARD, program, "run", os.fspath(file_of(config, directory)),
                                      *map(str, options)],
                                     stdin=subprocess.PIPE, stdout=out, stderr=err, start_new_session=True)
        assert guard.stdin is not None
        try:
            fabric = Fabric(_name_of(log, guard, timeout), program, timeout)
            try:
                fabric.watch()
                yield fabric
            finally:
                fabric.close()
        finally:
            _end(guard, guard.stdin, max(timeout, LEAST_DOWN))
        if guard.returncode != 0:
            raise RoostError(f"the fabric has ended with exit status {guard.returncode}\n"
                             f"{log.with_suffix('.err').read_text().strip()}")
    finally:
        shutil.rmtree(directory, ignore_errors=True)
