# SPDX-License-Identifier: BSD-3-Clause
"""The page with a film that arrives while it is shown, from a server of the test's own: it follows, goes back and returns
to the newest interval; a host is dragged to another tenant, and a link failed."""
import base64
import http.server
import json
import queue
import subprocess
import threading
import unittest

import film_maker
from browser import BUILD, ROOST, BrowserCase
from support import wait_until

INTERVALS = 300
CAPTURE = bytes(range(256)) * 300


def blocks(film):
    """The blocks of a film, with their heads."""
    at = 0
    while at < len(film):
        end = at + 16 + int.from_bytes(film[at + 4:at + 8], "little")
        yield film[at:end]
        at = end


class Handler(http.server.BaseHTTPRequestHandler):
    TYPES = {"index.html": "text/html", "page.js": "text/javascript", "page.css": "text/css"}

    def log_message(self, *_):
        pass

    def send(self, data, kind="application/json", status=200):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        path = self.path.split("?")[0].strip("/") or "index.html"
        if path == "info":
            self.send(json.dumps({"mode": "live", "fabric": "made", "up": True, "allow_changes": True, "write": True,
                                  "methods": {"capture": "write", "link": "write"}}).encode())
        elif path == "capture":
            self.server.calls.append((self.path, self.headers["Authorization"]))
            if "filter=" in self.path:
                self.send(json.dumps({"error": "banana: not a filter"}).encode(), status=400)
            else:
                self.send(CAPTURE, "application/x-pcapng")
        elif path == "schema":
            self.send(subprocess.run([ROOST, "schema"], check=True, capture_output=True).stdout)
        elif path == "live":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for event, data in iter(self.server.events.get, None):
                self.wfile.write(f"event: {event}\ndata: {data}\n\n".encode())
        else:
            self.send((BUILD / "control/web/page.work/made" / path).read_bytes(), self.TYPES[path])

    def do_POST(self):
        call = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.calls.append((call["method"], call.get("params")))
        staged = [params for method, params in self.server.calls if method == "edit"]
        result = {"config-diff": {"staged": [{"key": one["key"], "from": None, "to": one["value"]}
                                             for params in staged for one in params["edits"]]},
                  "history": {"revisions": [], "running": 1, "waiting": None}}.get(call["method"], {})
        self.send(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result}).encode())


class Stream(BrowserCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.events, self.server.calls = queue.Queue(), []
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.addCleanup(self.server.events.put, None)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.head, self.meta, *self.chunks = self.made(2)
        for block in (self.head, self.meta, self.chunks.pop(0)):
            self.push(block)
        self.open(f"http://127.0.0.1:{self.server.server_address[1]}/?token=abc&select=leaf1.swp1")
        self.browser.wait("roost.selection?.kind === 'port'")
        self.browser.key("1")

    @staticmethod
    def made(leaves):
        return list(blocks(film_maker.make(leaves=leaves, flows=8, incast=3, intervals=INTERVALS, index=False)))

    def push(self, block):
        self.server.events.put(("chunk" if block.startswith(b"CHNK") else "header", base64.b64encode(block).decode()))

    def test_follows(self):
        self.browser.wait("roost.follow && roost.interval === 63 && roost.frames[0].interval === 63")
        self.push(self.chunks[0])
        self.browser.wait("roost.interval === 127 && roost.frames[0].interval === 127")
        self.browser.key(",")
        self.browser.wait("roost.interval === 126 && !roost.follow")
        self.push(self.chunks[1])
        self.browser.wait("roost.film.count === 192")
        self.assertEqual(self.state("interval"), 126)
        self.browser.key("l")
        self.browser.wait("roost.interval === 191 && roost.follow")
        self.push(self.chunks[3])     # one in between was lost
        self.browser.wait(f"roost.film.missed === {film_maker.CHUNK} && roost.interval === {INTERVALS - 1}")
        self.server.events.put(("event", json.dumps({"kind": "link", "at_ns": 5000, "link": "leaf1-spine1", "state": "down"})))
        self.browser.key("5")
        self.browser.wait("document.querySelector('#side').innerText.includes('leaf1-spine1 down')")
        self.browser.shot("live")
        self.assert_clean()

    def test_begins_again(self):
        event = ("event", json.dumps({"kind": "link", "at_ns": 5000, "link": "leaf1-spine1", "state": "down"}))
        self.push(self.chunks[0])
        self.server.events.put(event)
        self.browser.wait("roost.interval === 127 && roost.events.length === 1")
        # The same film goes on after a connection that was lost for a moment.
        for block in (self.head, self.meta, self.chunks[2]):
            self.push(block)
        self.browser.wait(f"roost.film.count === 256 && roost.film.missed === {film_maker.CHUNK}")
        self.assertEqual(self.state("film.first"), 0)
        self.assertEqual(self.state("events.length"), 1)
        # Another film of the same fabric, while the page shows an instant of the old one.
        self.browser.key(",")
        self.browser.wait("!roost.follow")
        for block in (self.head, self.meta, *self.made(2)[2:4]):
            self.push(block)
        self.browser.wait("roost.film.count === 128 && roost.film.missed === 0 && roost.follow && roost.frames[0]?.interval === 127")
        self.assertEqual(self.state("events.length"), 0)
        self.assertEqual(self.state("film.totals().values[0].length"), 128)
        self.assertEqual(self.state("selection.kind"), "port")
        # A larger fabric; the first of its intervals that arrives has a higher number.
        head, meta, _, _, third, *_ = self.made(3)
        for block in (head, meta, third):
            self.push(block)
        self.browser.wait("roost.film.topology.nodes.filter(node => node.role === 'leaf').length === 3 && roost.frames[0]?.interval === 191")
        self.assertEqual((self.state("film.first"), self.state("film.missed"), self.state("selection")), (128, 0, None))
        self.browser.shot("again")
        self.assert_clean()

    def test_refused(self):
        """The reason stays until the film goes on."""
        self.server.events.put(("refused", "16 clients are subscribed"))
        self.browser.wait("document.querySelector('.notice')?.innerText === 'The fabric sends no film: 16 clients are subscribed'")
        self.push(self.chunks[0])
        self.browser.wait("roost.interval === 127 && !document.querySelector('.notice')")
        self.assert_clean()

    def test_lost(self):
        """The page blames who did not keep up."""
        for lost, said in (({"events": 3}, "This browser could not keep up: 3 events lost."),
                           ({"events": 1, "by": "server"}, "roost web could not keep up with the fabric: 1 event lost.")):
            self.server.events.put(("lost", json.dumps(lost)))
            self.browser.wait(f"document.querySelector('.notice')?.innerText === '{said}'")
        self.assert_clean()

    def test_capture(self):
        self.browser.key("2")
        self.side_says("leaf1.swp1")
        name, data = self.browser.download("#side button:text-is('Capture')")
        self.assertEqual((name, base64.b64decode(data)), ("leaf1.swp1.pcapng", CAPTURE))
        self.assertIn(("/capture?port=leaf1.swp1&seconds=5", "Bearer abc"), self.server.calls)
        self.assert_clean()
        self.browser.select("#side form select", "30")
        self.browser.fill("#side form input", "banana")
        self.press("Capture")
        self.browser.wait("document.querySelector('.notice')?.innerText.includes('not a filter')")
        self.assertIn(("/capture?port=leaf1.swp1&seconds=30&filter=banana", "Bearer abc"), self.server.calls)

    def test_drag_a_host(self):
        self.drag_to_tenant("h1", "green", shot="drag")
        self.browser.wait("document.querySelector('#side').innerText.includes('tenants.green.hosts')")
        edits = next(params for method, params in self.server.calls if method == "edit")
        self.assertEqual(edits, {"stage": True, "edits": [{"kind": "remove", "key": "tenants.blue.hosts", "value": "[h1]"},
                                                         {"kind": "add", "key": "tenants.green.hosts", "value": "[h1]"}]})
        self.assert_clean()

    def test_help_of_a_key(self):
        self.browser.key("6")
        for key, said in (("switch.qos.tc.3.ecn.min", "at or below, no packet is marked"), ("fabric.mtu", "Default: 4200"),
                          ("leaf1.buffer.size", "Default: 64MB"), ("switch.nonsense", "No such key.")):
            self.browser.fill("form.set input >> nth=0", key)
            self.browser.wait(f"document.querySelector('.hint').innerText.includes('{said}')")
        self.browser.fill("form.set input >> nth=0", "switch.qos.tc.")
        self.browser.wait("document.querySelector('#schema-keys option')?.value === 'switch.qos.tc.N'")
        self.assert_clean()

    def test_fail_a_link(self):
        self.browser.key("/")
        self.browser.wait("document.querySelector('dialog .find') === document.activeElement")
        self.browser.type("leaf1-spine2")
        self.browser.key("Enter")
        self.browser.wait("roost.selection?.kind === 'link'")
        self.press("Fail the link")
        wait_until(lambda: ("link", {"link": "spine2.swp1", "state": "down"}) in self.server.calls, "the page asks for it")
        self.assert_clean()


if __name__ == "__main__":
    unittest.main()
