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

INTERVALS = 300


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

    def send(self, data, kind="application/json"):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        path = self.path.split("?")[0].strip("/") or "index.html"
        if path == "info":
            self.send(json.dumps({"mode": "live", "fabric": "made", "up": True, "allow_changes": True, "write": True,
                                  "methods": {"link": "write"}}).encode())
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
                  "history": {"revisions": [], "running": 1}}.get(call["method"], {})
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
        film = film_maker.make(leaves=2, flows=8, incast=3, intervals=INTERVALS, index=False)
        head, meta, *self.chunks = blocks(film)
        for block in (head, meta, self.chunks.pop(0)):
            self.push(block)
        self.open(f"http://127.0.0.1:{self.server.server_address[1]}/")

    def push(self, block):
        self.server.events.put(("chunk" if block.startswith(b"CHNK") else "header", base64.b64encode(block).decode()))

    def middle(self, host):
        return self.browser.evaluate(f"""(() => {{ const b = roost.views[0].layout.boxes[roost.film.topology.by_name.get("{host}")],
            c = document.querySelector(".fabric canvas").getBoundingClientRect(); return [c.x + b.x + b.w / 2, c.y + b.y + b.h / 2]; }})()""")

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

    def test_drag_a_host(self):
        self.browser.mouse(*self.middle("h1"))
        self.browser.mouse(*self.middle("h1"), "down")
        self.browser.mouse(*self.middle("h3"))
        self.browser.wait("document.querySelector('.target[data-tenant=green]')")
        x, y = self.browser.evaluate("""(() => { const b = document.querySelector(".target[data-tenant=green]").getBoundingClientRect();
            return [b.x + b.width / 2, b.y + b.height / 2]; })()""")
        self.browser.mouse(x, y)
        self.browser.wait("document.querySelector('.target.over')")
        self.browser.shot("drag")
        self.browser.mouse(x, y, "up")
        self.browser.wait("document.querySelector('#side').innerText.includes('tenants.green.hosts')")
        edits = next(params for method, params in self.server.calls if method == "edit")
        self.assertEqual(edits, {"stage": True, "edits": [{"kind": "remove", "key": "tenants.blue.hosts", "value": "[h1]"},
                                                         {"kind": "add", "key": "tenants.green.hosts", "value": "[h1]"}]})
        self.assert_clean()

    def test_help_of_a_key(self):
        self.browser.key("6")
        for key, said in (("switch.qos.tc.3.ecn.min", "never marked up to here"), ("fabric.mtu", "Default: 4200"),
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
        self.browser.click("#side button:text-is('Fail the link')")
        self.browser.wait("document.querySelector('#side button:not([disabled])')")
        self.assertIn(("link", {"link": "leaf1-spine2", "state": "down"}), self.server.calls)
        self.assert_clean()


if __name__ == "__main__":
    unittest.main()
