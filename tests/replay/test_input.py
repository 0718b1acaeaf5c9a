# SPDX-License-Identifier: BSD-3-Clause
"""Bad input: one clear line that says where and what, exit status 2, and nothing left behind."""
import gzip
import os
import unittest
import zlib

from common import *

ONE = udp(*to("swp2"))
GOOD = """\
switch:
  name: dut
  preset: sonic
  ports:
    swp1: {rate: 100G, cable: 5m}
    swp2: {rate: 100G, cable: 5m}
  routes:
    - {prefix: 198.18.2.0/24, via: [{port: swp2, mac: "02:00:00:00:02:02"}]}
events:
  - {at: 5us, port: swp2, tx: off}
"""


def pcap_header(magic=0xA1B23C4D, snaplen=262144, link=1):
    return struct.pack("<IHHiIII", magic, 2, 4, 0, 0, snaplen, link)


def pcap_record(ns, data, length=None):
    return struct.pack("<IIII", ns // 10**9, ns % 10**9, len(data), len(data) if length is None else length) + data


def zstd_frame(data):
    """A zstd frame of raw blocks (RFC 8878) with a window of 2 MB."""
    parts = [data[i:i + 100] for i in range(0, len(data), 100)]
    blocks = [struct.pack("<I", (i == len(parts) - 1) | len(part) << 3)[:3] + part for i, part in enumerate(parts)]
    return bytes.fromhex("28b52ffd0058") + b"".join(blocks)


class BadInput(Case):
    def refused(self, pattern, description=GOOD, inputs=(), status=2, options=()):
        """inputs: (port, bytes of a file or text of a path). The output directory must not come to be."""
        file = self.file(description)
        out = self.directory / "out"
        words = []
        for i, (port, content) in enumerate(inputs or [("swp1", pcap_header() + pcap_record(1000, ONE))]):
            path = content
            if isinstance(content, bytes):
                path = self.directory / f"in{i}.pcap"
                path.write_bytes(content)
            words += ["--in", f"{port}={path}"]
        done = self.assert_refused(pattern, "replay", file, *words, "--out", out, *options, status=status)
        self.assertFalse(out.exists(), f"{done}\nleaves {list(out.iterdir()) if out.exists() else ''}")
        return done

    def test_good(self):
        """What the others spoil is fine as it stands."""
        done = roost("replay", self.file(GOOD), "--in", f"swp1={write_pcap(self.directory / 'a.pcap', [(1000, ONE)])}",
                     "--out", self.directory / "out")
        self.assertEqual((done.out, done.err), ("1 packet in, 1 out, 0 dropped\n", ""))
        self.assertEqual(sorted(os.listdir(self.directory / "out")),
                         ["counters.json", "drops.pcapng", "swp1.pcapng", "swp2.pcapng"])

    def test_the_line_on_success(self):
        """Packets by what became of them, which adds up; pause frames apart."""
        packets = [(i * 100, udp(*to("swp2"), ttl=1 if i < 3 else 64, dscp=3, size=1000)) for i in range(50)]
        pause = [(2000, pfc({3: 100}))]
        run = self.replay(switch(qos={"pg": {3: {"static": "4KB"}}}, events=hold("swp2", until="4us")), {"swp1": packets, "swp2": pause})
        port = run.port("swp1")
        sent, drops = run.port("swp2").tx_packets, run.drops
        self.assertEqual((drops["ttl-expired"], sent + sum(drops.values())), (3, 50))
        self.assertGreater(port.control_tx, 0)
        reasons = ", ".join(f"{reason} {drops[reason]}" for reason in drops if drops[reason])
        self.assertEqual(run.done.out, f"50 packets in, {sent} out, {sum(drops.values())} dropped ({reasons}); "
                                       f"pause frames: 1 in, {port.control_tx} out\n")
        held = self.replay(switch(events=[{"at": "0ns", "port": "swp2", "tx": "off"}]), {"swp1": packets[3:]})
        self.assertEqual(held.done.out, "47 packets in, 0 out, 0 dropped, 47 still queued\n")

    def test_captures(self):
        head = pcap_header()
        two = head + pcap_record(1000, ONE)
        cases = [
            (b"", r"in0\.pcap: .*not a pcap"),
            (b"not a capture at all, just text\n" * 9, r"in0\.pcap: .*not a pcap"),
            (head[:10], r"in0\.pcap: .*not a pcap"),
            (two + pcap_record(2000, ONE)[:-1], r"in0\.pcap: packet 2: .*truncated"),
            (two + b"\1\2\3", r"in0\.pcap: packet 2: .*truncated"),
            (two + pcap_record(999, ONE),
             r"in0\.pcap: packet 2: stamp 0\.000000999 s goes back: packet 1 has 0\.000001000 s"),
            (two + pcap_record(2000, ONE[:100], 300), r"in0\.pcap: packet 2: truncated: 100 of 300 bytes"),
            (two + pcap_record(2000, bytes(16001)), r"in0\.pcap: packet 2: 16001 bytes, longer than the 16000"),
            (pcap_header(link=127) + pcap_record(1, ONE),
             r"in0\.pcap: packet 1: link type IEEE802_11_RADIO \(127\), must be .*; capture on the wired side"),
            (pcap_header(link=101) + pcap_record(1, bytes(40)), r"in0\.pcap: packet 1: link type RAW \(101\): neither IP"),
            (gzip.compress(two)[:-9], r"in0\.pcap: .*the gzip data ends too early"),
            (gzip.compress(two)[:-8] + bytes(8), r"in0\.pcap: packet 1: damaged gzip data: incorrect data check"),
            (b"BZh91AY&SY", r"in0\.pcap: compressed with bzip2; decompress it first"),
            (two + struct.pack("<IIII", 0, 2000, 0xFFFFFFF0, 300), r"in0\.pcap: packet 2: "),
        ]
        for content, pattern in cases:
            with self.subTest(pattern=pattern):
                self.refused(pattern, inputs=[("swp1", content)])
                self.refused(pattern.replace("in0", "in1"), inputs=[("swp2", two), ("swp1", content)])

    def test_missing_files(self):
        self.refused(r"nowhere\.pcap: No such file or directory", inputs=[("swp1", "nowhere.pcap")])
        self.refused(r"/: Is a directory", inputs=[("swp1", "/")])
        self.assert_refused(r"nowhere\.yaml: cannot be read: No such file or directory",
                            "replay", "nowhere.yaml", "--in", "swp1=x.pcap", "--out", self.directory / "out")

    def test_ports(self):
        one = pcap_header()
        self.refused(r"--in swp9=\S+: dut has no port swp9", inputs=[("swp9", one)])
        self.refused(r"--in eth1=\S+: dut has no port eth1", inputs=[("eth1", one)])
        self.refused(r"--in swp1=\S+: swp1 is given twice", inputs=[("swp1", one), ("swp1", one)])
        self.refused(r"--in dut\.swp1=\S+: .*twice", inputs=[("swp1", one), ("dut.swp1", one)])

    def test_description(self):
        """Each says file:line:column, the key, and what is wrong."""
        second, preset, event = "swp2: {rate: 100G, cable: 5m}", "  preset: sonic", "port: swp2, tx: off"
        cases = [
            (second, "swp1: {rate: 100G, cable: 5m}", r"test\.yaml:6:5: .*swp1.*(twice|already)"),
            (second, "swp2: {rate: 100, cable: 5m}", r"test\.yaml:6:\d+: .*rate: 100 has no unit.*[KMG]"),
            (second, "swp2: {rate: 100g, cable: 5m}", r"test\.yaml:6:\d+: .*did you mean \"100G\""),
            (second, "swp2: {rat: 100G, cable: 5m}", r"test\.yaml:6:12: .*rat: unknown key; did you mean \"rate\"\?"),
            ("preset: sonic", "preset: sonik", r"test\.yaml:3:11: switch\.preset: .*did you mean \"sonic\"\?"),
            (preset, preset + "\n  qos: {pfc: {quanta: 99999}}",
             r"test\.yaml:4:23: (switch\.)?qos\.pfc\.quanta: .*65535"),
            (preset, preset + "\n  qos: {pfc: {quanta: 9999q}}",
             r"test\.yaml:4:23: (switch\.)?qos\.pfc\.quanta: .*9999q"),
            (preset, preset + "\n  qos: {pfc: {quantas: 9}}",
             r"test\.yaml:4:15: .*quantas: unknown key; did you mean \"quanta\"\?"),
            (preset, preset + "\n  bufer: {size: 1MB}",
             r"test\.yaml:4:3: .*bufer: unknown key; did you mean \"buffer\"\?"),
            (preset, preset + "\n  qos: {pg: {9: {alpha: 1}}}", r"test\.yaml:4:14: .*9"),
            (preset, preset + "\n  qos: {pg: {3: {alpha: 3}}}", r"test\.yaml:4:25: .*alpha: .*3"),
            (preset, preset + "\n  buffer: {size: 10KB}", r"test\.yaml:4:18: .*buffer\.size: .*hold"),
            ("events:", "evnts:", r"test\.yaml:9:1: evnts: unknown key; did you mean \"events\"\?"),
            (event, "port: swp7, tx: off", r"test\.yaml:10:\d+: .*swp7"),
            ("at: 5us", "at: 5", r"test\.yaml:10:\d+: .*at: 5 has no unit.*us"),
            (event, "port: swp2, pfc: {priorities: [3], quanta: 99999}", r"test\.yaml:10:\d+: .*quanta.*65535"),
            (event, "port: swp2, pfc: {priorities: [8], quanta: 9}", r"test\.yaml:10:\d+: .*priorities.*8"),
            (event, "port: swp2", r"test\.yaml:10:\d+: .*tx.*pfc"),
            (event, "set: switch.qos.tc.3.ecn.mn, to: 1KB", r"test\.yaml:10:\d+: .*mn"),
            (event, "set: switch.latency, to: 5", r"test\.yaml:10:\d+: .*5 has no unit"),
            ("prefix: 198.18.2.0/24", "prefix: 198.18.2.0/33", r"test\.yaml:8:\d+: .*198\.18\.2\.0/33"),
            ("prefix: 198.18.2.0/24", "prefix: 198.18.2.1/24", r"test\.yaml:8:\d+: .*198\.18\.2\.1/24"),
            ("via: [{port: swp2", "via: [{port: swp5", r"test\.yaml:8:\d+: .*swp5"),
            ("02:00:00:00:02:02", "02:00:00:00:02", r"test\.yaml:8:\d+: .*02:00:00:00:02"),
            ("name: dut", "name: dut\n  name: other", r"test\.yaml:3:3: .*name.*(twice|already)"),
            ("    swp1:", "\tswp1:", r"test\.yaml:5:\d+: "),
        ]
        for old, new, pattern in cases:
            with self.subTest(new=new):
                self.assertEqual(GOOD.count(old), 1)
                self.refused(pattern, GOOD.replace(old, new))

    def test_events_that_fail(self):
        """What shows only when an event comes to pass ends the run all the same, and nothing is left of it."""
        line = r"test\.yaml:10:\d+: .*"
        cases = [("set: switch.buffer.size, to: 10KB", r"test\.yaml.*buffer\.size: .*hold"),
                 ("set: switch.buffer.cell, to: 96", line + r"switch\.buffer\.cell: .*cannot change"),
                 ("set: switch.latency, to: 1us", line + r"switch\.latency: .*cannot change"),
                 ("node: dut, route: {prefix: 10.0.0.0/8, via: [spine1]}", line + r"spine1"),
                 # What cannot hold is refused whole, with the numbers: of 64 MB, and 2 ports of 100G.
                 ("set: switch.buffer.pools.ingress-lossy.size, to: 10%", line + r"100%.*10%.*100%"),
                 ("set: switch.qos.pg.3.headroom, to: 40MB", line + r"64000000 B.*8\d{7} B of headroom"),
                 ("set: switch.qos.pg.3.alpha, to: 3", line + r"alpha: .3. is not an alpha: .*1/128 to 64"),
                 ("set: switch.qos.tc.3.min-rate, to: 200G", line + r"200G.*100G.*swp1"),
                 ("set: switch.buffer.headroom-pool.size, to: 65MB", line + r"headroom-pool\.size: 65000000.*64000000"),
                 ("set: switch.qos.watchdog.poll, to: 20s", line + r"watchdog\.poll: 20s is out of range"),
                 ("set: switch.qos.tc.0.red, to: on", line + r"tc\.0\.red: needs ecn"),
                 ("set: switch.qos.tc.3.ecn.min, to: 3MB", line + r"ecn: min \(3000000 .*max \(2097152"),
                 ("set: switch.qos.trim.size, to: 100B", line + r"trim\.size: 100B is out of range: 256B to 1024B"),
                 ('set: switch.qos.ports, to: "{swp9: {trust: []}}"', line + r"has port swp9"),
                 ("restore: swp9.3", line + r"swp9"), ("restore: swp1.8", line + r"swp1\.8"),
                 ("clear: marks", line + r"watermarks")]
        for event, pattern in cases:
            with self.subTest(event=event):
                self.refused(pattern, GOOD.replace("port: swp2, tx: off", event))
        kept = self.directory / "kept"      # a directory that was there stays, with what is not ours
        kept.mkdir()
        (kept / "notes.txt").write_text("mine")
        capture = write_pcap(self.directory / "a.pcap", [(1000, ONE)])
        file = self.file(GOOD.replace("port: swp2, tx: off", "set: switch.latency, to: 1us"))
        roost("replay", file, "--in", f"swp1={capture}", "--out", kept, status=2)
        self.assertEqual(os.listdir(kept), ["notes.txt"])

    def test_truncated_description(self):
        """Cut anywhere: a line for each thing that is wrong, with its place."""
        capture = write_pcap(self.directory / "a.pcap", [(1000, ONE)])
        for length in (1, 5, 30, GOOD.index("100G") + 2, GOOD.index("via") + 6, GOOD.index("at: 5us"), len(GOOD) - 3):
            with self.subTest(text=GOOD[:length][-20:]):
                out = self.directory / "out"
                done = roost("replay", self.file(GOOD[:length]), "--in", f"swp1={capture}", "--out", out, status=2)
                for line in done.err.splitlines():
                    self.assertRegex(line, r"test\.yaml:\d+:\d+: \S")
                self.assertIn(len(done.err.splitlines()), (1, 2))
                self.assertEqual((done.out, out.exists()), ("", False))
        self.refused(r"test\.yaml", "")
        self.refused(r"test\.yaml", "\0\1\2\3")

    def test_not_one_switch(self):
        self.refused(r"test\.yaml.*roost sim", """
fabric: {name: demo, topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}}
""")

    def test_words(self):
        """Wrong usage: status 2, the usage in one line."""
        file = self.file(GOOD)
        capture = write_pcap(self.directory / "a.pcap", [(1000, ONE)])
        out = self.directory / "out"
        full = [file, "--in", f"swp1={capture}", "--out", out]
        for words in ([file], [file, "--out", out], full[:3], full + ["--pace", "fast"], full + ["--until", "5"],
                      full + ["--until", "soon"], full + ["--speed"], full + ["extra"], full[1:],
                      [file, "--in", "swp1", "--out", out], [file, "--in", f"={capture}", "--out", out]):
            with self.subTest(words=words):
                done = roost("replay", *words, status=2)
                self.assertEqual(done.out, "")
                self.assertRegex(done.err, r"^roost replay: (FILE|--\w+|unknown option|an argument|unexpected)")
                self.assertLessEqual(len(done.err.splitlines()), 2)
        self.assertFalse(out.exists())
        self.assertRegex(roost("replay", "--help").out, "roost replay FILE --in PORT=PCAP")

    def test_output(self):
        """A place that cannot be written: status 1, one line that names it."""
        file = self.file(GOOD)
        capture = write_pcap(self.directory / "a.pcap", [(1000, ONE)])
        for out in (capture, self.directory / "none/deeper", "/proc/none"):
            with self.subTest(out=out):
                done = roost("replay", file, "--in", f"swp1={capture}", "--out", out, status=1)
                self.assertEqual((len(done.err.splitlines()), done.out), (1, ""), str(done))
                self.assertIn(str(out), done.err)

    def test_what_stands_in_the_way(self):
        """One file that cannot be written is told before the run; all others stay as they were."""
        file = self.file(GOOD)
        capture = write_pcap(self.directory / "a.pcap", [(1000, ONE)])
        names = ["counters.json", "drops.pcapng", "swp1.pcapng", "swp2.pcapng"]
        for blocked in names:
            with self.subTest(blocked):
                out = self.directory / f"out-{blocked}"
                (out / blocked).mkdir(parents=True)
                for name in names:
                    if name != blocked:
                        (out / name).write_text("of an earlier run\n")
                done = roost("replay", file, "--in", f"swp1={capture}", "--out", out, status=1)
                self.assertEqual((done.out, done.err), ("", f"roost replay: {out}/{blocked}: Is a directory\n"))
                self.assertEqual({one.name: one.read_text() for one in out.iterdir() if one.is_file()},
                                 {name: "of an earlier run\n" for name in names if name != blocked})

    def test_other_formats(self):
        """us pcap, big-endian pcap and pcapng are read as well; the same packets give the same outcome."""
        stamps = [1000, 2000, 5000]
        little = pcap_header() + b"".join(pcap_record(ns, ONE) for ns in stamps)
        micro = pcap_header(0xA1B2C3D4) + b"".join(struct.pack("<IIII", 0, ns // 1000, 300, 300) + ONE for ns in stamps)
        big = struct.pack(">IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1) + \
            b"".join(struct.pack(">IIII", 0, ns, 300, 300) + ONE for ns in stamps)
        section = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
        interface = struct.pack("<IIHHI", 1, 32, 1, 0, 0) + struct.pack("<HHB3xHHI", 9, 1, 9, 0, 0, 32)
        blocks = b"".join(struct.pack("<7I300sI", 6, 332, 0, 0, ns, 300, 300, ONE, 332) for ns in stamps)
        sent = []
        pcapng = section + interface + blocks
        for name, content in (("a.pcap", little), ("b.pcap", micro), ("c.pcap", big), ("d.pcapng", pcapng)):
            path = self.directory / name
            path.write_bytes(content)
            sent.append([(packet.ns, packet.data) for packet in self.replay(switch(), {"swp1": path}).sent["swp2"]])
        self.assertEqual([ns for ns, _ in sent[0]], [ns + 24 for ns in stamps])
        self.assertEqual(sent, [sent[0]] * 4)

    def test_compressed(self):
        """gzip, also of several members, and zstd, by their first bytes; what they hold is as it was."""
        plain = pcap_header() + pcap_record(1000, ONE) + pcap_record(2000, ONE)
        expected = None
        for name, content in (("plain", plain), ("a.pcap", gzip.compress(plain)), ("b.gz", zstd_frame(plain)),
                              ("two", gzip.compress(plain[:300]) + gzip.compress(plain[300:]))):
            path = self.directory / name
            path.write_bytes(content)
            sent = self.replay(switch(), {"swp1": path}).sent["swp2"]
            expected = expected or sent
            self.assertEqual((len(sent), sent), (2, expected), name)

    @unittest.skipIf(SANITIZED, "sanitizers need more than any limit here")
    def test_bomb(self):
        """Half a gigabyte of packets in half a megabyte: read through in little memory, until one is invalid."""
        packets = pcap_record(1000, bytes(16000)) * 65
        engine = zlib.compressobj(9, zlib.DEFLATED, 31)
        content = engine.compress(pcap_header()) + b"".join(engine.compress(packets) for _ in range(500))
        content += engine.compress(pcap_record(1, ONE)) + engine.flush()
        path = self.directory / "bomb.pcap.gz"
        path.write_bytes(content)
        for options in ([], ["--sort"]):
            done = command("bash", "-c", "ulimit -v 500000; exec \"$@\"", "bash", ROOST, "replay", self.file(GOOD), "--in",
                           f"swp1={path}", "--out", self.directory / "out", *options, status=2)
            self.assertRegex(done.err, r"bomb\.pcap\.gz: packet 32501: stamp 0\.000000001 s goes back")

    def test_sort(self):
        stamps = [5000, 1000, 9000, 3000]
        capture = [(ns, udp(*to("swp2"), ident=ns)) for ns in stamps]
        run = self.replay(switch(), {"swp1": capture}, "--sort")
        self.assertEqual([(packet.ns - 24, ip_ident(packet.data)) for packet in run.sent["swp2"]],
                         [(ns, ns) for ns in sorted(stamps)])
        self.refused(r"in0\.pcap: packet 2: stamp 0\.000001000 s goes back: packet 1 has 0\.000005000 s; --sort puts them",
                     inputs=[("swp1", pcap_header() + b"".join(pcap_record(*one) for one in capture))])

    def test_link_types(self):
        """What has no Ethernet header gets one: to the port's MAC, from the address that cooked captures have."""
        source, unknown = mac("02:aa:00:00:00:01"), bytes(6)
        for v6, addresses, af in ((0, to("swp2"), 2), (1, to6("swp2"), 10)):
            frame = udp(*addresses, size=200)
            ethertype, packet = frame[12:14], frame[14:]
            cooked = struct.pack(">HHH", 0, 1, 6) + source + bytes(2) + ethertype + packet
            cooked2 = ethertype + bytes(2) + struct.pack(">IHBB", 3, 1, 0, 6) + source + bytes(2) + packet
            for link, content, src in ((101, packet, unknown), (229 if v6 else 228, packet, unknown),
                                       (0, struct.pack("<I", af) + packet, unknown),
                                       (108, struct.pack(">I", af) + packet, unknown),
                                       (113, cooked, source), (276, cooked2, source)):
                with self.subTest(link=link, v6=v6):
                    path = self.directory / "in.pcap"
                    path.write_bytes(pcap_header(link=link) + pcap_record(1000, content))
                    run = self.replay(switch(events=hold("swp1")), {"swp1": path, "swp2": []})
                    self.assertEqual([one.data for one in run.sent["swp2"]],
                                     [routed(mac(SWITCH_MAC) + src + frame[12:])])
                    self.assertRegex(run.done.err, r"(?m)^roost: warning: \S+in\.pcap: link type \w+: .* MAC of swp1$")

    def test_mixed_link_types(self):
        """A pcapng file may have several, of interfaces that differ in snap length and resolution too."""
        section = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
        one = struct.pack("<IIHHI", 1, 32, 1, 0, 0) + struct.pack("<HHB3xHHI", 9, 1, 9, 0, 0, 32)
        other = struct.pack("<IIHHII", 1, 20, 101, 0, 4096, 20)     # raw IP, stamps in us
        frame = udp(*to("swp2"), size=206)
        blocks = [struct.pack("<7I206s2xI", 6, 240, 0, 0, 2500, 206, 206, frame, 240),
                  struct.pack("<7I192sI", 6, 224, 1, 0, 3, 192, 192, frame[14:], 224)]
        path = self.directory / "mixed.pcapng"
        path.write_bytes(section + one + other + b"".join(blocks))
        sent = self.replay(switch(), {"swp1": path}).sent["swp2"]
        self.assertEqual([(packet.ns, packet.data) for packet in sent],
                         [(2517, routed(frame)), (3017, routed(mac(SWITCH_MAC) + bytes(6) + frame[12:]))])

    def test_empty_input(self):
        """A capture without packets is fine: nothing happens."""
        run = self.replay(switch(), {"swp1": []})
        run.assert_conserved()
        self.assertEqual((run.sent, run.drops), ({"swp1": [], "swp2": []}, {}))


if __name__ == "__main__":
    unittest.main()
