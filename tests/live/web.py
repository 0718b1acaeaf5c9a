# SPDX-License-Identifier: BSD-3-Clause
"""A `roost web` or `roost metrics --listen` of a test's own, and a browser's side of it."""
import http.client
import signal
import subprocess

from common import *

STARTED = re.compile(r"http://([^/]+):(\d+)/(?:metrics)?(?:\?token=([0-9a-f]{32}))? shows ")
JSON = {"Content-Type": "application/json"}


class Web:
    """A `roost web` of the test's own."""

    def __init__(self, *words, command="web"):
        self.process = subprocess.Popen([ROOST, command, "--listen", "127.0.0.1:0", *map(str, words)], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = STARTED.match(line)
        if not found:
            raise AssertionError(line + self.process.communicate()[1])
        self.host, self.token, self.headers = found[1].strip("[]"), found[3], {}
        self.port = int(found[2])

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        finally:
            self.process.kill()
            self.process.communicate()

    def request(self, method, path, body=None, headers=None):
        """(status, headers, body) of one request on a connection of its own."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        try:
            connection.request(method, path, body, self.headers | (headers or {}))
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def get(self, path, **headers):
        return self.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def with_token(self):
        """Gives each request the token; returns itself."""
        self.headers = self.bearer()
        return self

    def bearer(self):
        return {"Authorization": f"Bearer {self.token}"}

    def rpc(self, method, params=None, headers=None):
        """(status, answer) of a method."""
        message = {"jsonrpc": "2.0", "id": 7, "method": method} | ({"params": params} if params else {})
        status, _, body = self.request("POST", "/rpc", json.dumps(message), JSON | (headers or {}))
        return status, json.loads(body)

    def info(self):
        return json.loads(self.get("/info")[2])

    def live(self):
        return Live(self)


class Live:
    """The events that a browser gets."""

    def __init__(self, web):
        self.connection = http.client.HTTPConnection(web.host, web.port, timeout=60)
        self.connection.request("GET", "/live")
        self.answer = self.connection.getresponse()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def next(self, event):
        """The data of the next event of this name, which is JSON."""
        return json.loads(self.next_text(event))

    def next_text(self, event):
        name, end = None, time.monotonic() + 60     # a beat comes now and then
        while (line := self.answer.readline()) and time.monotonic() < end:
            key, _, value = line.decode().rstrip("\n").partition(": ")
            if key == "event":
                name = value
            elif key == "data" and name == event:
                return value
        raise AssertionError(f"no {event} has come")
