# SPDX-License-Identifier: BSD-3-Clause
"""The console's server: who may read and change what through it, that no client of it costs others anything, and that it
outlives the fabric."""
import base64
import gzip
import signal

from films import Film
from web import *


class Console(Shared):
    @classmethod
    def description(cls):
        return demo(cls.name, attach=())

    def web(self, *words):
        web = Web(self.name, *words)
        self.addCleanup(web.close)
        return web

    def test_the_page_and_its_headers(self):
        web = self.web()
        status, headers, body = web.get("/")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertIn(b"<title>Roost</title>", body)
        self.assertNotIn("unsafe", headers["Content-Security-Policy"])
        for name, value in {"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
                            "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-cache"}.items():
            self.assertEqual(headers[name], value)
        self.assertNotIn("Access-Control-Allow-Origin", headers)
        self.assertEqual(web.get("/", If_None_Match=headers["ETag"])[0], 304)
        packed = web.get("/", Accept_Encoding="gzip")
        self.assertEqual(packed[1]["Content-Encoding"], "gzip")
        self.assertEqual(gzip.decompress(packed[2]), body)
        self.assertEqual(web.get("/info")[1]["Cache-Control"], "no-store")
        self.assertEqual(web.get("/../../etc/passwd")[0], 404)

    def test_methods_pass_through(self):
        web = self.web()
        info = web.info()
        self.assertEqual((info["mode"], info["fabric"], info["up"], info["allow_changes"], info["write"]),
                         ("live", self.name, True, False, False))
        self.assertEqual((info["methods"]["show"], info["methods"]["down"]), ("read", "write"))
        status, answer = web.rpc("show", {"what": "config"})
        self.assertEqual((status, answer["id"]), (200, 7))
        self.assertEqual(answer["result"]["nodes"], self.up.show("config")["nodes"])
        status, answer = web.rpc("show", {"what": "nothing"})
        self.assertEqual((status, answer["error"]["code"]), (200, -32602))
        both = [{"jsonrpc": "2.0", "id": n, "method": "hosts"} for n in (1, 2)]
        status, _, body = web.request("POST", "/rpc", json.dumps(both), JSON)
        self.assertEqual((status, [one["id"] for one in json.loads(body)]), (200, [1, 2]))

    def test_bad_messages(self):
        web = self.web()
        one = {"jsonrpc": "2.0", "id": 1, "method": "hosts"}
        for body, wanted, code in (("", 400, -32700), ("{", 400, -32700), ("[]", 400, -32600), ("{}", 400, -32600), ("7", 400, -32700),
                                   (json.dumps([one] * 17), 400, -32600), (json.dumps([one, 7]), 400, -32600),
                                   ('{"jsonrpc": "2.0", "method": "hosts"}', 400, -32600),
                                   ('{"jsonrpc": "2.0", "id": 1, "method": "hosts\\u0000"}', 400, -32700),
                                   ("[" * 100000, 400, -32700),
                                   (json.dumps(one | {"method": "subscribe"}), 400, -32600),
                                   (json.dumps(one | {"method": "nothing"}), 404, -32601)):
            with self.subTest(body=body[:40]):
                status, _, answer = web.request("POST", "/rpc", body, JSON)
                self.assertEqual((status, json.loads(answer)["error"]["code"]), (wanted, code))
        self.assertEqual(web.request("POST", "/info", "{}", JSON)[0], 404)
        self.assertEqual(web.request("DELETE", "/info")[0], 405)
        self.assertEqual(web.request("OPTIONS", "/rpc", headers={"Origin": "http://example.org"})[0], 403)

    def test_nobody_changes_anything_without_the_right(self):
        """A reader, a missing or wrong token, a cookie alone, and pages of other sites."""
        change = {"key": "switch.qos.tc.3.ecn.min", "value": "60KB"}
        history = self.up.roost("history", "-o", "json").json
        reader, writer = self.web(), self.web("--allow-changes")
        self.assertIsNone(reader.token)
        status, headers, _ = writer.get(f"/?token={writer.token}")
        self.assertEqual(status, 200)
        cookie = headers["Set-Cookie"]
        self.assertRegex(cookie, r"; HttpOnly; SameSite=Strict$")
        self.assertNotIn(writer.token, cookie)
        cookie = {"Cookie": cookie.partition(";")[0]}
        refused = [(reader, {}), (reader, {"Authorization": "Bearer " + "0" * 32}), (writer, {}), (writer, cookie),
                   (writer, {"Authorization": "Bearer"}), (writer, {"Authorization": f"Bearer {writer.token[:-1]}"}),
                   (writer, {"Authorization": f"Bearer {writer.token}x"}), (writer, {"Authorization": f"Basic {writer.token}"}),
                   (writer, writer.bearer() | {"Origin": "http://example.org"}),
                   (writer, writer.bearer() | {"Origin": f"http://127.0.0.1:{writer.port + 1}"}),
                   (writer, writer.bearer() | {"Origin": "null"}),
                   (writer, writer.bearer() | {"Sec-Fetch-Site": "cross-site"}),
                   (writer, writer.bearer() | {"Host": f"example.org:{writer.port}"})]
        for web, headers in refused:
            for method, params in (("set", change), ("down", None), ("discard", None)):
                with self.subTest(headers=headers, method=method):
                    self.assertEqual(web.rpc(method, params, headers)[0], 403)
        both = [{"jsonrpc": "2.0", "id": 1, "method": "hosts"}, {"jsonrpc": "2.0", "id": 2, "method": "set", "params": change}]
        self.assertEqual(writer.request("POST", "/rpc", json.dumps(both), JSON)[0], 403)
        status, _, _ = writer.request("POST", "/rpc", json.dumps(both), writer.bearer() | {"Content-Type": "text/plain"})
        self.assertEqual(status, 415)
        self.assertEqual(self.up.roost("history", "-o", "json").json, history)

        status, answer = writer.rpc("set", change, writer.bearer() | {"Origin": f"http://127.0.0.1:{writer.port}",
                                                                      "Sec-Fetch-Site": "same-origin"})
        self.assertEqual((status, answer["result"]["edits"]), (200, 1))
        self.assertEqual(len(self.up.roost("history", "-o", "json").json["revisions"]), len(history["revisions"]) + 1)
        self.up.roost("unset", change["key"])

    def test_an_address_that_others_reach_needs_the_token_for_everything(self):
        web = self.web("--listen", "0.0.0.0:0")
        for path in ("/", "/info", "/live", "/metrics", "/page.js", "/film/0"):
            self.assertEqual(web.get(path)[0], 401)
        self.assertEqual(web.rpc("hosts")[0], 401)
        self.assertEqual(web.get("/?token=" + "0" * 32)[0], 401)
        status, headers, _ = web.get(f"/?token={web.token}")
        self.assertEqual(status, 200)
        cookie = headers["Set-Cookie"].partition(";")[0]
        self.assertEqual(web.get("/info", Cookie=cookie)[0], 200)
        self.assertEqual(web.get("/info", Cookie=cookie[:-1])[0], 401)
        self.assertEqual(web.get("/info", **web.bearer())[0], 200)

    def test_other_sites_read_nothing(self):
        web = self.web()
        for headers in ({"Host": "example.org"}, {"Host": f"example.org:{web.port}"}, {"Origin": "http://example.org"},
                        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
                        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}):
            with self.subTest(headers=headers):
                self.assertEqual(web.request("GET", "/live", headers=headers)[0], 403)

    def test_events_come(self):
        web = self.web()
        with web.live() as live:
            self.assertEqual(live.answer.headers["Content-Type"], "text/event-stream")
            self.assertEqual(live.next("state"), {"up": True})
            self.up.roost("set", "switch.qos.tc.3.ecn.min", "60KB")
            event = live.next("event")
            self.assertEqual((event["kind"], event["what"]), ("apply", "configuration"))
            self.assertIn("ecn.min", event["message"])
            self.up.roost("unset", "switch.qos.tc.3.ecn.min")

    def test_too_much_is_refused(self):
        web = self.web()
        self.assertEqual(web.get("/info", X_Long="x" * 60000)[0], 431)
        self.assertEqual(web.request("POST", "/rpc", headers=JSON | {"Content-Length": str(2 << 20)})[0], 413)
        self.assertEqual(web.request("POST", "/rpc", headers=JSON | {"Content-Length": "-1"})[0] // 100, 4)
        self.assertEqual(web.info()["up"], True)

    def test_many_connections_leave_room(self):
        """Those that say nothing, and those that listen and do not read."""
        web = self.web()
        silent = [socket.create_connection((web.host, web.port)) for _ in range(60)]
        listening = [web.live() for _ in range(50)]
        self.assertTrue(web.info()["up"])
        self.assertEqual(web.rpc("hosts")[0], 200)
        for one in listening + silent:
            one.__exit__()

    def test_a_page_that_opens_later(self):
        """It learns all that the others have been told, whatever has changed since."""
        def blocks(live, count):
            return [base64.b64decode(live.next_text("header"), validate=True) for _ in range(count)]

        web = self.web()
        with web.live() as first:
            self.assertEqual([one[:4] for one in blocks(first, 2)], [b"FILM", b"META"])
            self.up.roost("link", "leaf1-spine1", "rate", "50G")
            self.addCleanup(self.up.roost, "link", "leaf1-spine1", "clear")
            self.assertEqual(blocks(first, 1)[0][:4], b"META")
            with web.live() as second:
                path = self.directory / "film"
                path.write_bytes(b"".join(blocks(second, 3)))
        film = Film(path)
        self.assertEqual(film.kinds, ["FILM", "META", "META"])
        self.assertEqual(film.meta["nodes"][0]["name"], "leaf1")
        self.assertIn("leaf1-spine1", film.meta["events"][-1]["message"])

    def test_films_of_too_many_intervals(self):
        """The fabric sends four at most: the page is told why there is none, and gets events."""
        others = [subprocess.Popen([ROOST, "record", "-f", self.name, "-o", self.directory / f"{ms}", "--interval", f"{ms}ms"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for ms in (20, 30, 40, 50)]
        for one in others:
            self.addCleanup(one.communicate)
            self.addCleanup(one.kill)
        for ms in (20, 30, 40, 50):
            wait_until(lambda: (self.directory / f"{ms}/film").exists(), "four films are recorded")
        with self.web().live() as live:
            self.assertIn("films of 4 other intervals are being sent", live.next_text("refused"))
            self.assertEqual(live.next("state"), {"up": True})
            self.up.roost("link", "leaf1-spine1", "rate", "50G")
            self.addCleanup(self.up.roost, "link", "leaf1-spine1", "clear")
            self.assertEqual(live.next("event")["kind"], "apply")

    def test_it_outlives_the_fabric(self):
        name = name_of("webdown")
        fabric = self.fabric(demo(name, attach=()))
        web = Web(name)
        self.addCleanup(web.close)
        with web.live() as live:
            self.assertEqual(live.next("state"), {"up": True})
            roost("down", name)
            self.assertEqual(live.next("state"), {"up": False})
            self.assertFalse(web.info()["up"])
            self.assertEqual(web.rpc("hosts")[0], 503)
            roost("up", fabric.file)
            self.assertEqual(live.next("state"), {"up": True})
            self.assertEqual(web.rpc("hosts")[0], 200)

    def test_it_ends_at_once(self):
        """With a browser that listens, and one whose request is not complete."""
        for number in (signal.SIGTERM, signal.SIGINT):
            web = self.web()
            with web.live() as live, socket.create_connection((web.host, web.port)) as half:
                half.sendall(b"POST /rpc HTTP/1.1\r\nHost: ")
                live.next("state")
                web.process.send_signal(number)
                self.assertEqual(web.process.wait(60), 0)
                self.assertEqual(web.process.communicate()[1], "")

    def test_usage(self):
        self.assertIn("not up", roost("web", "nothing-of-this-name", status=1).err)
        self.assertIn("not an address", roost("web", self.name, "--listen", "8080", status=2).err)
        web = self.web()
        self.assertIn("--listen", roost("web", self.name, "--listen", f"127.0.0.1:{web.port}", status=1).err)


if __name__ == "__main__":
    unittest.main()
