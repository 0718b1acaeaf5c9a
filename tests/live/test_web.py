# SPDX-License-Identifier: BSD-3-Clause
"""The console's server: who may read and change what through it, that no client of it costs others anything, and that it
outlives the fabric."""
import base64
import gzip
import selectors
import signal
import tempfile
import threading

from films import Film
from test_api import Client
from test_capture import CAPTURES_MAX, CaptureCase, Section, idle_fabric
from web import *

REQUEST_S = 5           # that a request may take
CONNECTIONS_MAX = 192
DOWNLOADS_MAX = 4
STUCK = 50
QUEUE_BYTES = 512 * 1024        # that wait for a browser, in roost web
FULL_BYTES = 1280 * 1024        # more than that, and what the kernel keeps for a connection


def resident_bytes(pid):
    return int(re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())[1]) * 1024


def is_lost(event):
    return event.startswith("event: lost")


class Stream:
    """A browser that gets events, and reads them only when it is told to."""

    def __init__(self, web):
        # Of a given size: the kernel would let it grow. With one smaller than a segment of loopback, reading would take minutes.
        self.socket, self.rest = socket.socket(), b""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        self.socket.connect((web.host, web.port))
        self.socket.sendall(f"GET /live HTTP/1.0\r\nHost: {web.host}:{web.port}\r\n\r\n".encode())    # 1.0: not in chunks

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def wait_for_head(self):
        """Until events may come. Nothing is read."""
        self.socket.settimeout(60)
        self.socket.recv(1, socket.MSG_PEEK)

    def receive(self, seconds=0.1):
        """The events that came in this time, as text."""
        self.socket.settimeout(seconds)
        try:
            if not (found := self.socket.recv(1 << 16)):
                raise EOFError
            self.rest += found.replace(b"\r\n", b"\n")
        except TimeoutError:
            pass
        *events, self.rest = self.rest.split(b"\n\n")
        return [event.decode() for event in events if event.startswith(b"event: ")]

    def receive_until_lost(self):
        """All until the number of events that were lost, and one after it; or until the server has ended it."""
        events, end = [], time.monotonic() + 60
        while not any(is_lost(one) and not is_lost(two) for one, two in zip(events, events[1:])):
            if time.monotonic() > end:
                raise AssertionError(f"no event was lost; {len(events)} came, at last {events[-1:]}")
            try:
                events += self.receive()
            except (EOFError, ConnectionResetError):
                break
        return events


class Console(Shared):
    @classmethod
    def description(cls):
        return demo(cls.name, attach=())

    def web(self, *words):
        web = Web(self.name, *words)
        self.addCleanup(web.close)
        return web

    def web_of(self, *directories):
        web = Web(*directories)
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
        history = self.up.command("history", "-o", "json").json
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
        self.assertEqual(self.up.command("history", "-o", "json").json, history)

        status, answer = writer.rpc("set", change, writer.bearer() | {"Origin": f"http://127.0.0.1:{writer.port}",
                                                                      "Sec-Fetch-Site": "same-origin"})
        self.assertEqual((status, answer["result"]["edits"]), (200, 1))
        self.assertEqual(len(self.up.command("history", "-o", "json").json["revisions"]), len(history["revisions"]) + 1)
        self.up.command("unset", change["key"])

    def test_an_address_that_others_reach_needs_the_token_for_everything(self):
        web = self.web("--listen", "0.0.0.0:0")
        for path in ("/", "/info", "/live", "/metrics", "/page.js", "/film/0", "/capture?port=leaf1.swp1"):
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
            self.up.command("set", "switch.qos.tc.3.ecn.min", "60KB")
            event = live.next("event")
            self.assertEqual((event["kind"], event["what"]), ("apply", "configuration"))
            self.assertIn("ecn.min", event["message"])
            self.up.command("unset", "switch.qos.tc.3.ecn.min")

    def test_too_much_is_refused(self):
        web = self.web()
        self.assertEqual(web.get("/info", X_Long="x" * 60000)[0], 431)
        self.assertEqual(web.request("POST", "/rpc", headers=JSON | {"Content-Length": str(2 << 20)})[0], 413)
        self.assertEqual(web.request("POST", "/rpc", headers=JSON | {"Content-Length": "-1"})[0] // 100, 4)
        self.assertEqual(web.info()["up"], True)

    def test_a_request_must_be_complete_in_time(self):
        """However it is late: no byte, a head or a body byte by byte, also behind an answer. Who waits for events may stay, and
        so may a connection between two requests."""
        web = self.web()
        info = f"GET /info HTTP/1.1\r\nHost: {web.host}:{web.port}\r\n"
        post = f"POST /rpc HTTP/1.1\r\nHost: {web.host}:{web.port}\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n"
        kept = http.client.HTTPConnection(web.host, web.port, timeout=20)
        self.addCleanup(kept.close)

        def ask():
            kept.request("GET", "/info")
            return json.loads(kept.getresponse().read())["up"]
        second = http.client.HTTPConnection(web.host, web.port, timeout=20)
        second.request("GET", "/info")
        second.getresponse().read()
        late = {"silent": (None, b"", b""), "line": (None, b"G", b"E"), "head": (None, info.encode(), b"x"),
                "body": (None, post.encode(), b" "), "second": (second.sock, b"GET /", b"x")}
        with web.live() as live, selectors.DefaultSelector() as selector:
            live.next("state")
            self.assertTrue(ask())
            began, ended = time.monotonic(), {}
            for name, (connection, first, _) in late.items():
                connection = connection or socket.create_connection((web.host, web.port))
                self.addCleanup(connection.close)
                connection.sendall(first)
                selector.register(connection, selectors.EVENT_READ, name)
            while len(ended) < len(late) and time.monotonic() < began + 18:     # 20 s without a byte close any connection
                for key, _ in selector.select(0.1):
                    ended[key.data] = time.monotonic() - began
                    selector.unregister(key.fileobj)
                for key in selector.get_map().values():
                    try:
                        key.fileobj.sendall(late[key.data][2])
                    except OSError:
                        pass    # it is read next
            self.assertEqual(set(ended), set(late))
            for name, seconds in ended.items():
                self.assertGreater(seconds, REQUEST_S - 0.5, name)
                self.assertLess(seconds, REQUEST_S + 5, name)
            self.assertTrue(ask())
            self.up.command("set", "switch.qos.tc.3.ecn.min", "60KB")
            self.assertEqual(live.next("event")["kind"], "apply")
            self.up.command("unset", "switch.qos.tc.3.ecn.min")

    def test_slow_clients_cannot_hold_all_connections(self):
        web, ended = self.web(), threading.Event()
        slow = [socket.create_connection((web.host, web.port)) for _ in range(CONNECTIONS_MAX)]

        def trickle():
            while not ended.wait(0.5):
                for one in slow:
                    try:
                        one.send(b"x")
                    except OSError:
                        pass
        thread = threading.Thread(target=trickle)
        thread.start()
        try:
            self.assertTrue(web.info()["up"])
        finally:
            ended.set()
            thread.join()
            for one in slow:
                one.close()

    def test_many_connections_leave_room(self):
        """Those that say nothing, and those that listen and do not read."""
        web = self.web()
        silent = [socket.create_connection((web.host, web.port)) for _ in range(60)]
        listening = [web.live() for _ in range(50)]
        self.assertTrue(web.info()["up"])
        self.assertEqual(web.rpc("hosts")[0], 200)
        for one in listening + silent:
            one.__exit__()

    def test_browsers_that_never_read(self):
        """The queue of each is bounded: it loses what is sent then, and gets the exact number once it reads, or its connection is
        closed after 20 s. They cost nobody else anything."""
        web = self.web("--allow-changes").with_token()
        events, ended = [], threading.Event()

        def read():
            with Stream(web) as browser:
                while not ended.is_set():
                    events.extend(browser.receive())
        reader = threading.Thread(target=read)
        reader.start()
        stuck = [Stream(web) for _ in range(STUCK)]
        try:
            for one in stuck:
                one.wait_for_head()
            memory, most, slowest, number = resident_bytes(web.process.pid), 0, 0, 0
            while sum(map(len, events)) < FULL_BYTES:
                began = time.monotonic()
                changes = [{"jsonrpc": "2.0", "id": n, "method": "link", "params": {"link": "leaf1-spine1", "rate": f"{50 + n % 2}G"}}
                           for n in range(16)]
                status, _, body = web.request("POST", "/rpc", json.dumps(changes), JSON)
                self.assertTrue(status == 200 and all("result" in one for one in json.loads(body)), body)
                slowest, most = max(slowest, time.monotonic() - began), max(most, resident_bytes(web.process.pid))
            self.assertLess(slowest, 10)
            self.assertLess(most - memory, STUCK * (QUEUE_BYTES + 256 * 1024))
            before = self.up.show("fabric")["time_ns"]
            wait_until(lambda: self.up.show("fabric")["time_ns"] > before, "the fabric runs")
            self.assertFalse([one for one in events if is_lost(one)])
            for one in stuck:
                found = one.receive_until_lost()
                self.assertLess(sum(map(len, found)), FULL_BYTES)
                lost = list(map(is_lost, found))
                if True in lost and False in lost[lost.index(True):]:
                    first = lost.index(True)
                    after = lost.index(False, first)
                    wait_until(lambda: found[after] in events, "the other browser has the same")
                    self.assertEqual(events.index(found[after]) - events.index(found[first - 1]) - 1,
                                     sum(json.loads(one.partition("data: ")[2])["events"] for one in found[first:after]))
        finally:
            ended.set()
            reader.join()
            for one in stuck:
                one.close()
            self.up.command("link", "leaf1-spine1", "clear")

    def test_requests_that_are_seldom_made(self):
        web = self.web("--allow-changes")
        for path, status in (("/", 200), ("/info", 200), ("/metrics", 200), ("/live", 200), ("/nothing", 404)):
            found, headers, body = web.request("HEAD", path)
            self.assertEqual((found, body), (status, b""), path)
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        for method in ("OPTIONS", "PUT", "DELETE", "TRACE", "PATCH"):
            status, headers, _ = web.request(method, "/rpc", headers=web.bearer())
            self.assertEqual(status, 405, method)
            self.assertFalse([name for name in headers if name.startswith("Access-Control-")])
        message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "hosts"})
        for kind, status in (("application/json", 200), ("Application/JSON; charset=utf-8", 200), ("application/jsonp", 415), ("text/plain", 415),
                             ("application/x-www-form-urlencoded", 415), ("multipart/form-data; boundary=x", 415), ("", 415)):
            self.assertEqual(web.request("POST", "/rpc", message, {"Content-Type": kind})[0], status, kind)
        host, chunked = f"Host: {web.host}:{web.port}\r\n", "Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n"
        for head, status in ((f"GET /info HTTP/1.1\r\n{host}", 200), ("GET /info HTTP/1.1\r\n", 400), ("GET /info HTTP/1.0\r\n", 403),
                             (f"GET /info HTTP/1.1\r\nHost: example.org\r\n{host}", 403),
                             (f"GET http://example.org/info HTTP/1.1\r\nHost: example.org\r\n", 403),
                             (f"POST /rpc HTTP/1.1\r\n{host}{chunked}", 411),
                             (f"POST /rpc HTTP/1.1\r\n{host}{chunked}Content-Length: 4\r\n", None)):     # closed at once
            with self.subTest(head), socket.create_connection((web.host, web.port), timeout=60) as connection:
                connection.sendall(f"{head}Connection: close\r\n\r\n".encode())
                with connection.makefile("rb") as answer:
                    line = answer.readline()
                    self.assertEqual(int(line.split()[1]) if line else None, status)

    def test_the_token_stays_here(self):
        """It is in no answer, and the address that has it is not passed on."""
        web = self.web("--allow-changes")
        for path in ("/", f"/?token={web.token}", "/info", f"/info?token={web.token}", "/page.js", "/nothing"):
            _, headers, body = web.get(path)
            self.assertNotIn(web.token.encode(), str(headers).encode() + body, path)
            self.assertEqual((headers["Referrer-Policy"], headers["Cross-Origin-Opener-Policy"]), ("no-referrer", "same-origin"))
        # In an address it is worth reading alone, as the cookie.
        status, _ = web.rpc("discard")
        self.assertEqual(status, 403)
        self.assertEqual(web.request("POST", f"/rpc?token={web.token}", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "discard"}), JSON)[0], 403)

    def test_ipv6(self):
        web = self.web("--listen", "[::1]:0")
        self.assertEqual((web.host, web.token), ("::1", None))
        self.assertTrue(web.info()["up"])
        for host, status in ((f"[::1]:{web.port}", 200), (f"[0:0::1]:{web.port}", 200), (f"localhost:{web.port}", 200), (f"[::1]:{web.port + 1}", 403),
                             ("[::1]", 403), (f"::1:{web.port}", 403), (f"[::1%lo]:{web.port}", 403), (f"[example.org]:{web.port}", 403),
                             (f"[::1]x:{web.port}", 403), (f"[::1:{web.port}", 403)):
            self.assertEqual(web.get("/info", Host=host)[0], status, host)
        mapped = self.web("--listen", "[::ffff:127.0.0.1]:0")     # taken for an address that others reach
        self.assertEqual(mapped.get("/info")[0], 401)

    def test_files_of_a_directory(self):
        """Those of known names only, whole and in parts."""
        directory = self.directory / "out"
        directory.mkdir()
        (self.directory / "film").write_bytes(b"not this")
        (directory / "film").write_bytes(bytes(range(100)))
        (directory / "result.json").write_text("{}")
        (directory / "secret").write_text("secret")
        os.mkfifo(directory / "flows.csv")
        web = self.web_of(directory)
        self.assertEqual(web.get("/dir/0/result.json")[2], b"{}")
        for path in ("/film/1", "/film/", "/film/-1", "/film/0/", "/film/99999999999999999999", "/film/0/../0", "/dir/0/film",
                     "/dir/0/secret", "/dir/0/flows.csv", "/dir/0/links.csv", "/dir/0/../film", "/dir/0/..%2ffilm", "/dir/0//result.json",
                     "/dir/0/result.json/", "/dir/0/./result.json", "/dir/1/result.json", "/dir/0", "/dir/"):
            self.assertEqual(web.get(path)[0], 404, path)
        for given, status, part in (("bytes=0-9", 206, (0, 10)), ("bytes=90-", 206, (90, 100)), ("bytes=-5", 206, (95, 100)), ("bytes=50-999", 206, (50, 100)),
                                    ("bytes=100-", 416, None), ("bytes=-0", 416, None), ("bytes=9-5", 200, (0, 100)), ("bytes=0-4,8-9", 200, (0, 100)),
                                    ("lines=0-4", 200, (0, 100)), ("bytes=99999999999999999999-", 416, None)):
            found, headers, body = web.get("/film/0", Range=given)
            self.assertEqual(found, status, given)
            self.assertEqual(body, bytes(range(*part)) if part else b"", given)
            self.assertEqual(headers["Content-Range"], {206: part and f"bytes {part[0]}-{part[1] - 1}/100", 416: "bytes */100"}.get(status), given)

    def test_a_page_that_opens_later(self):
        """It learns all that the others have been told, whatever has changed since."""
        def blocks(live, count):
            return [base64.b64decode(live.next_text("header"), validate=True) for _ in range(count)]

        web = self.web()
        with web.live() as first:
            self.assertEqual([one[:4] for one in blocks(first, 2)], [b"FILM", b"META"])
            self.up.command("link", "leaf1-spine1", "rate", "50G")
            self.addCleanup(self.up.command, "link", "leaf1-spine1", "clear")
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
        self.record_at(20, 30, 40, 50)
        with self.web().live() as live:
            self.assertIn("films with 4 other intervals are being recorded already: 20, 30, 40, 50 ms; use one of these intervals, or end one", live.next_text("refused"))
            self.assertEqual(live.next("state"), {"up": True})
            self.up.command("link", "leaf1-spine1", "rate", "50G")
            self.addCleanup(self.up.command, "link", "leaf1-spine1", "clear")
            self.assertEqual(live.next("event")["kind"], "apply")

    def test_events_that_the_server_misses(self):
        """Browsers hear of them that they are not to blame. The server stands still for less than the 5 s after which the fabric
        would end its connection."""
        web = self.web()
        self.addCleanup(self.up.command, "link", "leaf1-spine1", "clear")
        with web.live() as live, Client(self.name) as client:
            live.next("state")
            web.process.send_signal(signal.SIGSTOP)
            changes = [{"jsonrpc": "2.0", "id": n, "method": "link", "params": {"link": "leaf1-spine1", "rate": f"{50 + n % 2}G"}}
                       for n in range(16)]
            for _ in range(125):
                client.say(json.dumps(changes) + "\n")
                client.hear()
            web.process.send_signal(signal.SIGCONT)
            client.ask("link", link="leaf1-spine1", rate="52G")
            lost = live.next("lost")
        self.assertGreater(lost.pop("events"), 0)
        self.assertEqual(lost, {"kind": "lost", "by": "server"})

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
            status, answer = web.rpc("hosts")
            self.assertEqual((status, answer["error"]["message"]), (200, "the fabric is not up"))
            roost("up", fabric.file)
            self.assertEqual(live.next("state"), {"up": True})
            self.assertIn("result", web.rpc("hosts")[1])

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
        self.assertRegex(roost("web", "nothing-of-this-name", status=1).err,
                         "(?s)fabric nothing-of-this-name is not up.*nor is there a directory nothing-of-this-name with a film: "
                         "bring a fabric up with `roost up FILE`, or give the directory of `roost sim FILE -o DIRECTORY`")
        self.assertIn("nor is there a directory no/such", roost("web", "no/such", status=2).err)
        with tempfile.TemporaryDirectory() as empty:
            refused = roost("web", empty, status=1).err
            self.assertIn(f"{empty}: the directory has no film", refused)
            self.assertIn(f"film: on}}` into the fabric's file and run `roost sim FILE -o {empty}`", refused)
            self.assertIn("--fabric names a live fabric", roost("web", empty, "-f", self.name, status=2).err)
        self.assertIn("not an address", roost("web", self.name, "--listen", "8080", status=2).err)
        web = self.web()
        self.assertIn("--listen", roost("web", self.name, "--listen", f"127.0.0.1:{web.port}", status=1).err)


class Capture(CaptureCase):
    def web(self, *words):
        web = Web(*words)
        self.addCleanup(web.close)
        return web

    def saved(self, body):
        path = self.directory / f"{len(list(self.directory.iterdir()))}.pcapng"
        path.write_bytes(body)
        return path

    def test_has_what_the_port_counts(self):
        """A whole run, which begins after the captures: both directions, one, and what a filter accepts."""
        fabric, found = self.fabric(idle_fabric(name_of("webcap"), start="5ms", buffer="1MB")), {}
        web = self.web(fabric.name, "--allow-changes").with_token()

        def download(words):
            found[words] = web.get(f"/capture?port=leaf1.swp1&seconds=8{words}")
        words = "", "&direction=rx", "&filter=udp+port+4791&direction=tx"
        threads = [threading.Thread(target=download, args=(one,)) for one in words]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assert_quiet(fabric, "leaf1.swp1", 5 * 32)
        for status, headers, body in found.values():
            self.assertEqual((status, headers["Content-Type"], headers["Content-Disposition"]),
                             (200, "application/x-pcapng", f'attachment; filename="{fabric.name}-leaf1.swp1.pcapng"'))
            self.assertEqual(malformed(self.saved(body)), [])
        counters = self.ports(fabric)["leaf1.swp1"]
        counted = {"rx": counters["rx_packets"], "tx": counters["tx_packets"]}
        both, received, sent = (Section(found[one][2]) for one in words)
        self.assertEqual({way: both.count("leaf1.swp1", way) for way in counted}, counted)
        self.assertEqual(both.statistics["leaf1.swp1"], {
            "seen": sum(counted.values()), "lost": 0, "accepted": sum(counted.values()), "delivered": sum(counted.values()),
            "comment": ""})
        self.assertEqual([packet for _, _, packet in received.packets],
                         [packet for _, way, packet in both.packets if way == "rx"])
        matching = [packet for _, way, packet in both.packets if way == "tx" and packet.data[12:14] == b"\x08\x00"
                    and packet.data[23] == 17 and struct.unpack_from(">H", packet.data, 36) == (4791,)]
        self.assertEqual(len(matching), 5 * 32)
        self.assertEqual([packet for _, _, packet in sent.packets], matching)

    def test_mistakes(self):
        fabric = self.fabric(demo(name_of("webcapbad"), attach=()))
        for reader, why in ((self.web(fabric.name), "this roost web is read-only: start it with --allow-changes"),
                            (self.web(fabric.name, "--allow-changes"), "this needs the token: open the address that roost web printed")):
            status, _, body = reader.get("/capture?port=leaf1.swp1")
            self.assertEqual(status, 403)
            self.assertIn(why, json.loads(body)["error"])
        web = self.web(fabric.name, "--allow-changes").with_token()
        for words, status, pattern in (
                ("", 400, r"name a port: /capture\?port=leaf1.swp3"), ("port=", 400, "there is no node"),
                ("port=leaf9.swp1", 400, "there is no node leaf9"), ("port=%ff%22", 400, "there is no node"),
                ("port=leaf1.swp1&direction=up", 400, "rx, tx or both"),
                *((f"port=leaf1.swp1&seconds={text}", 400, "seconds must be a whole number from 1 to 60")
                  for text in ("0", "61", "-1", "1.5", "x", "", "99999999999999999999", "5s")),
                ("port=leaf1.swp1&filter=udp+prt+4791", 400, r'the filter "udp prt 4791": can\'t parse'),
                ("port=leaf1.swp1&filter=" + "udp+or+" * 1000 + "udp", 400, "longer than 4096 bytes")):
            with self.subTest(words[:60]):
                found, _, body = web.get(f"/capture?{words}")
                self.assertEqual(found, status)
                self.assertRegex(json.loads(body)["error"], pattern)
        # A link on a page of another site may show the console, and may not make it do something.
        link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
        self.assertEqual(web.request("GET", "/info", headers=link)[0], 200)
        status, _, body = web.request("GET", "/capture?port=leaf1.swp1", headers=link)
        self.assertEqual((status, json.loads(body)["error"]), (403, "other sites cannot start a capture"))
        self.assertEqual(web.request("HEAD", "/capture?port=leaf1.swp1")[0], 200)
        (self.directory / "films").mkdir()
        (self.directory / "films" / "film").touch()
        status, _, body = self.web(self.directory / "films").get("/capture?port=leaf1.swp1")
        self.assertEqual(status, 404)
        self.assertIn("capture a live fabric", json.loads(body)["error"])

    def test_filter_that_takes_long(self):
        """It delays nobody, and is given up when its browser leaves."""
        fabric = self.fabric(demo(name_of("webfilter"), attach=()))
        web = self.web(fabric.name, "--allow-changes")
        filter = "+and+".join(f"(portrange+{n}-{n + 7}+or+net+{n})" for n in range(120))

        def children():
            return [path for path in Path("/proc").glob("[0-9]*/stat") if is_child(path)]

        def is_child(path):
            try:
                return path.read_text().rpartition(")")[2].split()[1] == str(web.process.pid)
            except OSError:
                return False
        with socket.create_connection((web.host, web.port)) as browser:
            browser.sendall(f"GET /capture?port=leaf1.swp1&filter={filter} HTTP/1.1\r\n"
                            f"Host: {web.host}:{web.port}\r\nAuthorization: Bearer {web.token}\r\n\r\n".encode())
            wait_until(children, "the filter is compiled")
            self.assertTrue(web.info()["up"])
            self.assertEqual(len(children()), 1)
        wait_until(lambda: not children(), "nothing compiles any more")

    def test_ends_with_the_fabric(self):
        description = idle_fabric(name_of("webcapdown"), start="500us")
        fabric = Fabric(self.file(description, "down.yaml"), description["fabric"]["name"])
        self.addCleanup(self.assert_clean, fabric.name)
        fabric.__enter__()
        self.addCleanup(lambda: roost("down", fabric.name, status=None))
        download = Download(self.web(fabric.name, "--allow-changes").with_token(), "leaf1.swp1", 60)
        self.addCleanup(download.close)
        head = download.answer.read(28)
        roost("down", fabric.name)
        section = Section(head + download.answer.read())
        self.assertEqual(section.statistics["leaf1.swp1"]["delivered"], len(section.packets))


class Download:
    """A capture that a browser may leave or not read."""

    def __init__(self, web, port, seconds):
        self.connection = http.client.HTTPConnection(web.host, web.port, timeout=20)
        self.connection.sock = socket.socket()
        self.connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.connection.sock.settimeout(20)
        self.connection.sock.connect((web.host, web.port))
        self.connection.request("GET", f"/capture?port={port}&seconds={seconds}", headers=web.headers)
        self.answer = self.connection.getresponse()

    def close(self):
        self.answer.close()
        self.connection.close()


class BusyCapture(CaptureCase):
    """A fabric whose stream never ends."""

    def setUp(self):
        super().setUp()
        self.up = self.fabric(demo(name_of("webbusy"), attach=(), dilation=100, workload=[
            {"kind": "stream", "from": "h2", "to": "h6", "packet": "4000B", "rate": "20G"}]) | {"stop": "3600s"})
        self.server = Web(self.up.name, "--allow-changes").with_token()
        self.addCleanup(self.server.close)

    def assert_flows_on(self):
        before = self.ports(self.up)["leaf2.swp2"]["tx_packets"]
        wait_until(lambda: self.ports(self.up)["leaf2.swp2"]["tx_packets"] > before + 100, "the stream flows")

    def assert_no_capture_left(self):
        running = [self.start_file(self.up, "leaf1.swp4")[0] for _ in range(CAPTURES_MAX - 1)]
        wait_until(lambda: self.up.command("capture", "leaf1.swp2", "-c", "1", status=None).status == 0, "places are free")
        for one in running:
            self.end(one)

    def test_browsers_that_leave(self):
        """Of ports that are busy and silent; and a server that is killed."""
        for leave in (lambda: [one.close() for one in downloads], self.server.process.kill):
            downloads = [Download(self.server, port, 60) for port in ("leaf1.swp2", "leaf1.swp4") * (DOWNLOADS_MAX // 2)]
            for one in downloads:
                self.assertEqual(one.answer.status, 200)
                self.assertEqual(one.answer.read(4), b"\x0a\x0d\x0d\x0a")
            status, _, body = self.server.get("/capture?port=leaf1.swp2")
            self.assertEqual((status, json.loads(body)["error"]),
                             (503, "4 captures are being downloaded; try again when one has ended"))
            running = [self.start_file(self.up, "leaf1.swp4")[0] for _ in range(CAPTURES_MAX - DOWNLOADS_MAX)]
            self.assertIn("8 captures are running, which is the maximum; end one of them", self.up.command("capture", "leaf1.swp2", "-c", "1", status=1).err)
            leave()
            for one in running:
                self.end(one)
            self.assert_no_capture_left()
        for one in downloads:
            one.close()

    def test_browser_that_stops_reading(self):
        """It loses packets, which are counted, and the capture in the fabric ends in time."""
        began, download = time.monotonic(), Download(self.server, "leaf1.swp2", 2)
        self.addCleanup(download.close)
        self.assert_flows_on()
        self.assertTrue(self.server.info()["up"])
        wait_until(lambda: time.monotonic() > began + 2.5, "the capture's time is over")
        self.assert_no_capture_left()
        section = Section(download.answer.read())
        one = section.statistics["leaf1.swp2"]
        self.assertGreater(one["lost"], 0)
        self.assertEqual((one["seen"], one["delivered"]), (one["delivered"] + one["lost"], len(section.packets)))
        self.assertEqual({name for name, _, _ in section.packets}, {"leaf1.swp2"})
        self.assert_flows_on()


if __name__ == "__main__":
    unittest.main()
