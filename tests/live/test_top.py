# SPDX-License-Identifier: BSD-3-Clause
"""`roost top`: rates are differences of counters over the fabric's own clock; on a terminal, keys and sizes."""
import fcntl
import pty
import signal
import struct
import termios

from common import *

PACKET = 1000
OVERHEAD = 8 + 4 + 20     # of a frame on a link, whose gap is longer than Ethernet's
PORT_COLUMNS = {"rx_bps", "rx_pps", "tx_bps", "tx_pps", "load", "paused", "pausing", "depth_bytes", "marks_pps", "drops_pps"}


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, *words, rows=24, columns=140, term="xterm"):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = term
            os.execv(ROOST, [str(ROOST), *words])
        self.resize(rows, columns)
        self.seen = ""

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def wait_for(self, pattern, what):
        """Reads until the pattern is on the terminal; forgets what came before it."""
        def found():
            while select.select([self.fd], [], [], 0)[0]:
                try:
                    self.seen += os.read(self.fd, 65536).decode()
                except OSError:
                    break       # it has ended
            return re.search(pattern, self.seen)
        wait_until(found, f"{what}: {pattern!r}")
        self.seen = self.seen[found().end():]

    def press(self, keys):
        os.write(self.fd, keys.encode())

    def end(self):
        status = os.waitpid(self.pid, 0)[1]
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


class Top(Shared):

    @classmethod
    def description(cls):
        description = demo(cls.name, workload=[{"kind": "stream", "from": "h2", "to": "h6", "rate": "10G", "packet": f"{PACKET}B"},
                                               {"kind": "stream", "from": "h4", "to": "h8", "rate": "5G", "packet": f"{PACKET}B"}])
        description["fabric"]["links"]["framing"] = {"gap": "20B"}
        return description

    def top(self, *words):
        """The rows of each interval."""
        done = self.up.command("top", *words, "-o", "json")
        return [json.loads(line) for line in done.out.splitlines()]

    def test_rates(self):
        times = 3
        answers = self.top("-n", times, "--interval", "300ms")
        self.assertEqual(len(answers), times)
        for answer in answers:
            rows = {row["port"]: row for row in answer["rows"]}
            self.assertEqual(set(rows["leaf1.swp2"]), {"port", "interval_ns"} | PORT_COLUMNS)
            for port, key, gbit in (("leaf1.swp2", "rx", 10), ("leaf2.swp2", "tx", 10), ("leaf1.swp4", "rx", 5)):
                row = rows[port]
                # As many packets as there were, and as there should have been, but for those at both ends.
                packets = row[f"{key}_pps"] * row["interval_ns"] / 1e9
                self.assertAlmostEqual(packets, round(packets), delta=1e-3)
                self.assertAlmostEqual(row[f"{key}_bps"], row[f"{key}_pps"] * 8 * PACKET, delta=1)
                self.assertAlmostEqual(packets, gbit * row["interval_ns"] / 8 / PACKET, delta=2)
            self.assertAlmostEqual(rows["leaf2.swp2"]["load"], (PACKET + OVERHEAD) * 8 * rows["leaf2.swp2"]["tx_pps"] / RATE_BPS,
                                   delta=1e-9)
            self.assertEqual((rows["leaf1.swp1"]["rx_bps"], rows["leaf1.swp2"]["drops_pps"]), (0, 0))

    def test_rates_are_of_show(self):
        """What top counts between its readings is what the counters have grown by."""
        before = self.port("leaf1.swp2")["rx_packets"]
        answers = self.top("-n", 4, "--interval", "100ms")
        after = self.port("leaf1.swp2")["rx_packets"]
        grown = sum(row["rx_pps"] * row["interval_ns"] / 1e9 for answer in answers for row in answer["rows"]
                    if row["port"] == "leaf1.swp2")
        self.assertTrue(0 < grown <= after - before + 0.01, (grown, before, after))

    def watch(self, *words):
        """The first three answers of `show --watch`, in text or JSON."""
        process = subprocess.Popen([ROOST, "show", *words, "-f", self.name, "--watch", "200ms"], stdout=subprocess.PIPE, text=True)
        try:
            return [process.stdout.readline() for _ in range(3)] if "json" in words else process.stdout.read(6000)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()

    def test_rates_beside_counters(self):
        first, second, third = map(json.loads, self.watch("interface", "leaf1.swp2", "-o", "json"))
        ports = [answer["nodes"]["leaf1"]["ports"]["swp2"] for answer in (first, second, third)]
        self.assertNotIn("rx_packets_per_s", ports[0])
        for before, after, was, now in ((first, second, *ports[:2]), (second, third, *ports[1:])):
            passed = (after["node_time_ns"]["leaf1"] - before["node_time_ns"]["leaf1"]) / 1e9
            for key in ("rx_packets", "rx_bytes", "tx_packets"):
                self.assertAlmostEqual(now[f"{key}_per_s"], (now[key] - was[key]) / passed, delta=1e-3)
            self.assertEqual(now["pfc_rx_per_s"], [0] * 8)
        self.assertAlmostEqual(ports[2]["rx_bytes_per_s"] * 8 / 1e9, 10, delta=0.1)
        self.assertRegex(self.watch("queue", "leaf2.swp2"), r"leaf2\.swp2 +3 +\d+ \(12\d{5}/s\) +[\d.]+ .B \((9\.9\d|10)Gb/s\)")

    def test_sorted(self):
        rows = self.top("-n", 1, "--interval", "200ms")[0]["rows"]
        self.assertEqual([row["tx_bps"] for row in rows], sorted((row["tx_bps"] for row in rows), reverse=True))
        rows = self.top("-n", 1, "--interval", "200ms", "--sort", "rx_pps")[0]["rows"]
        self.assertEqual([row["rx_pps"] for row in rows], sorted((row["rx_pps"] for row in rows), reverse=True))
        names = [row["port"] for row in self.top("-n", 1, "--interval", "100ms", "--sort", "name")[0]["rows"]]
        self.assertEqual(names[:1] + names[-1:], ["h1.eth1", "spine2.swp2"])

    def test_queues_and_tenants(self):
        queues = {row["queue"]: row for row in self.top("--queues", "--once", "--interval", "300ms")[0]["rows"]}
        self.assertAlmostEqual(queues["leaf2.swp2.3"]["tx_bps"] / 1e9, 10, delta=0.1)
        tenants = {row["tenant"]: row for row in self.top("--tenants", "--once", "--interval", "300ms")[0]["rows"]}
        self.assertAlmostEqual(tenants["leaf1.red"]["rx_bps"] / 1e9, 10, delta=0.1)
        self.assertAlmostEqual(tenants["leaf1.blue"]["rx_bps"] / 1e9, 5, delta=0.1)

    def test_plain(self):
        text = self.up.command("top", "-n", "2", "--interval", "200ms").out
        head, *lines = text.split("\n\n")[1].splitlines()
        self.assertRegex(head, r"^port +rx Gb/s +rx pkt/s +tx Gb/s +tx pkt/s +load +paused +pausing +depth +marks/s +drops/s$")
        self.assertTrue(any(re.match(r"leaf2\.swp2 +0\.000 +0 +(9\.9|10\.0)", line) for line in lines), text)
        self.assertNotIn("\x1b", text)

    def test_refusals(self):
        for words, message in ((("--sort", "colour"), "--sort colour: no such column"),
                               (("--interval", "1ms"), "--interval: 1ms is out of range: 100ms to 3600s")):
            self.assertIn(message, self.up.command("top", *words, status=2).err)

    def test_terminal(self):
        terminal = Terminal("top", "-f", self.name, "--interval", "200ms")
        terminal.wait_for(rf"{self.name}: every 200 ms; rates in fabric time, dilation {DILATION}", "the title")
        terminal.wait_for(r"leaf2\.swp2", "a row")
        terminal.press("s")                     # by the next column, whose heading is written anew
        terminal.wait_for(r"pkt/s", "a heading")
        terminal.press("\x1b[B")                # down
        terminal.resize(6, 60)
        os.kill(terminal.pid, signal.SIGWINCH)
        terminal.wait_for(rf"{self.name}: every", "the title of a smaller screen")
        terminal.press("q")
        self.assertEqual(terminal.end(), 0)

    def test_dumb_terminal(self):
        terminal = Terminal("top", "-f", self.name, "-n", "1", "--interval", "100ms", term="dumb")
        terminal.wait_for(r"port +rx Gb/s[^\x1b]*leaf2\.swp2[^\x1b]*\n", "a plain table")
        self.assertEqual(terminal.end(), 0)


class TopOfCongestion(Shared):
    """Of a fabric in which packets are held, dropped and marked."""

    INTO_H8 = "leaf2.swp3", "leaf2.swp5", "leaf2.swp6"      # drops count where a packet came in

    @classmethod
    def description(cls):
        return congested(cls.name, f"{PACKET}B")

    def test_values_are_those_of_show(self):
        def counts():
            port = self.port
            return {"marks_pps": sum(queue["ecn_marked"] for queue in port("leaf1.swp1")["queue"]),
                    "drops_pps": sum(sum(port(name)["drops"].values()) for name in self.INTO_H8),
                    "pausing": port("leaf2.swp1")["pfc_tx_pause_ns"][3] / 1e9, "paused": port("h5.eth1")["pfc_rx_pause_ns"][3] / 1e9}

        wait_until(lambda: all(counts().values()), "packets wait, are marked, held and dropped")
        before = counts()
        done = self.up.command("top", "-n", "3", "--interval", "300ms", "-o", "json")
        after = counts()
        answers = [json.loads(line) for line in done.out.splitlines()]
        grown = dict.fromkeys(before, 0)
        for answer in answers:
            rows = {row["port"]: row for row in answer["rows"]}
            for key, ports in (("marks_pps", ["leaf1.swp1"]), ("drops_pps", self.INTO_H8), ("pausing", ["leaf2.swp1"]),
                               ("paused", ["h5.eth1"])):
                grown[key] += sum(rows[port][key] * rows[port]["interval_ns"] / 1e9 for port in ports)
                self.assertGreater(sum(rows[port][key] for port in ports), 0, ports)
            self.assertLess(rows["h5.eth1"]["paused"], 1)
            # The NIC is paused from when the switch's frame is there: a wire and a frame later, for as long.
            self.assertAlmostEqual(rows["h5.eth1"]["paused"], rows["leaf2.swp1"]["pausing"], delta=0.02)
            # 160G go to a port of 100G: 60G of the lossy ones are lost, in packets of 1,024 B on the wire.
            self.assertAlmostEqual(sum(rows[port]["drops_pps"] for port in self.INTO_H8),
                                   160e9 / 8 / PACKET - 100e9 / 8 / (PACKET + 24), delta=2e5)
            self.assertTrue(0 < rows["leaf2.swp4"]["depth_bytes"] <= self.port("leaf2.swp4")["queue"][0]["depth_max"], rows["leaf2.swp4"])
            self.assertEqual((rows["leaf2.swp4"]["marks_pps"], rows["leaf2.swp2"]["drops_pps"], rows["h7.eth1"]["paused"]), (0, 0, 0))
        for key, growth in grown.items():
            self.assertTrue(0 < growth <= after[key] - before[key] + 0.01, (key, growth, before, after))

    def test_queues(self):
        rows = {row["queue"]: row for row in self.up.command("top", "--queues", "--once", "-o", "json").json["rows"]}
        self.assertGreater(rows["leaf1.swp1.3"]["marks_pps"], 0)
        self.assertGreater(rows["leaf2.swp4.0"]["drops_pps"], 0)
        self.assertTrue(0 < rows["leaf2.swp4.0"]["depth_bytes"] <= rows["leaf2.swp4.0"]["depth_max_bytes"])


if __name__ == "__main__":
    unittest.main()
