# SPDX-License-Identifier: BSD-3-Clause
"""Films of a live fabric: `roost record`, and the events of the kind `film`."""
import base64
import signal
import subprocess

from common import *
from films import Film, reader

INCAST = {"kind": "incast", "to": "h1", "from": ["h2", "h5", "h6"], "size": "500KB", "at": "12ms"}   # 12 s from `up` on


def totals(fabric):
    """{(column, node, port, index): value} of what the counters say, as Film.totals() has it."""
    found = {}
    names = {"tx_bytes": "tx_bytes", "tx_packets": "tx_packets"}
    for node, one in fabric.show("interface")["nodes"].items():
        for port, counters in one["ports"].items():
            found |= {(column, node, port, 0): counters[name] for name, column in names.items()}
            for name, column in (("pfc_rx_pause_ns", "paused"), ("pfc_tx_pause_ns", "pausing")):
                found |= {(column, node, port, i): value for i, value in enumerate(counters[name])}
    for node, one in fabric.show("queue")["nodes"].items():
        for port, counters in one["ports"].items():
            for i, queue in enumerate(counters["queue"]):
                found |= {("marked", node, port, i): queue["ecn_marked"], ("refused", node, port, i): queue["dropped"],
                          ("depth_max", node, port, i): queue["depth_max"]}
    return {key: value for key, value in found.items() if value}


class Films(Case):
    @classmethod
    def setUpClass(cls):
        need_live()

    def fabric(self):
        name = name_of("film")
        description = demo(name, attach=(), workload=[INCAST])
        description["tenants"] = {"red": {"hosts": ["h1", "h2", "h5", "h6"]}}
        return Fabric(self.file(description), name)

    def record(self, fabric, directory, *words):
        return subprocess.Popen([ROOST, "record", "--fabric", fabric.name, "-o", directory, *words],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_sums_are_the_counters(self):
        """From before the first packet to after the last; by Ctrl-C, of another film by time, both at once."""
        with self.fabric() as fabric:
            one, other = self.directory / "one", self.directory / "other"
            process = self.record(fabric, one, "--interval", "50ms")
            second = self.record(fabric, other, "--interval", "20ms", "--for", "400ms")
            try:
                wait_until(lambda: (one / "film").exists() and len(Film(one / "film").ends) > 0, "the film grows")
                self.assertEqual(fabric.show("interface")["nodes"]["leaf1"]["ports"]["swp1"]["tx_packets"], 0,
                                 "the film began before the flows")
                before = wait_until(lambda: (last := totals(fabric)) and last == totals(fabric) and last, "the flows end", 60)
                count = len(Film(one / "film").ends)
                wait_until(lambda: len(Film(one / "film").ends) > count + 4, "the film goes on")
                wait_until(lambda: all(flow["end_ns"] is not None for flow in Film(one / "film").meta["flows"]), "flows have times")
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 0)
                self.assertRegex(err, rf"^roost record: writing {one}/film: up to about [\d.]+ KB a second, and about 1GB at most \(--limit\)\n$")
                self.assertRegex(out, r"^\S+/one/film: \d+ intervals, [\d.]+ KB\n$")
                self.assertEqual(second.wait(60), 0)
            finally:
                for left in (process, second):
                    left.kill()
                    left.communicate()
            film = Film(one / "film")
        self.assertEqual({key: value for key, value in film.totals().items() if not key[0].startswith("tenant")}, before)
        self.assertEqual((film.meta["kind"], film.meta["interval_ns"]), ("live", 50_000_000 // DILATION))
        self.assertEqual(film.meta["ended"], {"at_ns": film.ends[-1], "why": "end"})
        self.assertGreater(max(film.of("depth_max", "leaf1.swp1", 3)), 100_000)
        film.assert_overview(self)
        received = sum(value for key, value in film.totals().items() if key[0] == "tenant_bytes" and key[-1] == 0)
        self.assertEqual({key[1] for key in film.totals() if key[0] == "tenant_bytes"}, {"leaf1", "leaf2"})
        self.check_report(one, fabric.name, before, received)
        Film(other / "film").assert_overview(self)
        self.assertEqual(Film(other / "film").meta["interval_ns"], 20_000_000 // DILATION)

    def check_report(self, directory, name, counted, received):
        """A report of the film, without result.json, has the counters of the fabric."""
        done = roost("report", directory, "-o", self.directory / "report.html")
        self.assertEqual(done.out, f"{self.directory}/report.html\n")
        text = (self.directory / "report.html").read_text()
        rows = dict(re.findall('<tr><th scope="row">([^<]*)</th><td>([^<]*)</td></tr>', text))
        sums = {column: sum(value for key, value in counted.items() if key[0] == column) for column in ("tx_packets", "marked")}
        self.assertGreater(sums["tx_packets"], 0)
        self.assertEqual((rows["fabric"], rows["recorded from"], rows["flows complete"]), (name, "a live fabric", "3 of 3"))
        red = re.search('<tr><t.[^>]*>red</t.><td[^>]*>([^<]*)</td>', text)[1]
        self.assertEqual(red, f"{received / 1e6:.4g} MB")
        self.assertEqual((rows["packets sent by all ports"], rows["packets marked by ECN"]),
                         tuple(f"{sums[column]:,}" for column in ("tx_packets", "marked")))

    def test_flows_are_those_of_the_file(self):
        """As `roost sim` lists them, with their times as soon as these are known; not those that are left to attached hosts."""
        later = {"kind": "flow", "name": "later", "from": "h4", "to": "h8", "size": "40KB", "at": "2ms", "op": "read"}
        left = {"kind": "flow", "name": "left", "from": "h3", "to": "h4", "size": "40KB"}
        never = {"kind": "flow", "name": "never", "from": "h7", "to": "h8", "size": "40KB", "at": "100s"}
        work = [{"kind": "flow", "name": "first", "from": "h2", "to": "h6", "size": "2KB"}, left, INCAST | {"at": "1ms"}, later, never]
        description = demo(name_of("film"), attach=(), workload=work)
        del description["tenants"]
        description["record"] = {"interval": "50us", "film": True}
        description["stop"] = "10ms"
        self.file(description, "sim.yaml")
        roost("sim", "sim.yaml", "-o", "sim", cwd=self.directory)
        simulated = Film(self.directory / "sim/film").meta["flows"]
        del description["record"]
        description["attach"] = {"h3": {"netns": netns(name_of("film"), "h3")}}
        with Fabric(self.file(description), name_of("film")) as fabric:
            process, film = self.record(fabric, self.directory / "live", "--interval", "50ms"), self.directory / "live/film"
            self.addCleanup(process.communicate)
            self.addCleanup(process.kill)

            def flows():
                return Film(film).meta["flows"] if film.exists() and "META" in Film(film).kinds else []

            found = wait_until(lambda: (last := flows()) and sum(one["end_ns"] is not None for one in last) == 5 and last,
                               "all but one flow end", 60)
            begun = next(json.loads(data)["flows"] for kind, _, _, data in reader.blocks(film) if kind == "META")
            process.send_signal(signal.SIGINT)
            process.wait(60)

        def what(flows):
            return [{key: one[key] for key in ("id", "item", "src", "dst", "tenant", "bytes")} for one in flows]

        self.assertEqual(what(found), what(one for one in simulated if one["item"] != "left"))
        self.assertEqual(what(begun), what(found))
        for one in found:
            if one["item"] == "never":
                self.assertEqual((one["start_ns"], one["end_ns"]), (100_000_000_000, None))
            else:
                self.assertEqual(one["start_ns"], next(sim["start_ns"] for sim in simulated if sim["id"] == one["id"]), one)
                self.assertGreater(one["end_ns"], one["start_ns"])

    def test_over_the_api(self):
        with self.fabric() as fabric, socket.socket(socket.AF_UNIX) as api:
            api.connect(f"/run/roost/{fabric.name}.sock")
            lines = api.makefile("r")

            def call(**params):
                api.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "subscribe", "params": params}).encode() + b"\n")
                return json.loads(lines.readline())

            self.assertRegex(call(kinds=[], **{"film-ms": 5})["error"]["message"], '^"film-ms": 5 is out of range: 10 to 1000$')
            ports = sum(len(node["ports"]) for node in fabric.show("interface")["nodes"].values())
            self.assertEqual(call(kinds=[], **{"film-ms": 30})["result"], {"kinds": [], "film_bytes_per_s": ports * 10 * 1000 // 30})
            path = self.directory / "film"
            with path.open("wb") as film:
                for _ in range(6):
                    event = json.loads(lines.readline())["params"]
                    self.assertEqual((event["kind"], event["interval_ms"]), ("film", 30))
                    film.write(base64.b64decode(event["block"], validate=True))
            film = Film(path)
            self.assertEqual(film.kinds, ["FILM", "META", "CHNK", "CHNK", "CHNK", "CHNK"])
            self.assertEqual(film.meta["nodes"][0]["name"], "leaf1")

    def test_what_cannot_be(self):
        """A film that is there stays unless a new one begins."""
        there = self.directory / "film"
        there.write_text("of yesterday")
        with self.fabric() as fabric:
            for words, pattern, status in ((("--interval", "2s"), "--interval must be a whole number of milliseconds, 10ms to 1s", 2),
                                           (("--interval", "50500us"), "--interval must be a whole number of", 2),
                                           (("--fabric", "nosuch"), "nosuch", 1)):
                with self.subTest(words):
                    done = fabric.command("record", "-o", self.directory, *words, status=status)
                    self.assertRegex(done.err, pattern)
                    self.assertEqual((done.out, there.read_text()), ("", "of yesterday"))
            self.assertRegex(fabric.command("record", "-o", "/dev/null/x", status=1).err, "/dev/null/x: ")
            done = fabric.command("record", "-o", "/dev/full", status=1)
            self.assertRegex(done.err, "/dev/full")

    def test_ends_with_the_fabric(self):
        """With the fabric, which is no error."""
        name = name_of("film")
        description = demo(name, attach=(), workload=[{"kind": "stream", "from": "h2", "to": "h6", "rate": "10G"}])
        description["stop"] = "3600s"
        del description["tenants"]
        with Fabric(self.file(description), name) as fabric:
            process, film = self.record(fabric, self.directory), self.directory / "film"
            self.addCleanup(process.communicate)
            self.addCleanup(process.kill)
            wait_until(lambda: film.exists() and len(Film(film).ends) > 0, "the film grows")
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertRegex(out, r"^\S+/film: \d+ intervals, ")
        self.assertEqual(Film(film).meta["ended"]["why"], "end")


if __name__ == "__main__":
    unittest.main()
