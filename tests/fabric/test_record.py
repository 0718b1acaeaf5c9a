# SPDX-License-Identifier: BSD-3-Clause
"""What `record:` writes: series as CSV, and captures that Wireshark opens."""
import csv

from common import *

CONGESTED = {"preset": "spectrum-x", "buffer": {"size": "4MB"}, "routing": {"mode": "ecmp"},
             "qos": {"tc": {3: {"ecn": {"min": "20KB", "max": "100KB", "probability": "50%"}}}}}
INCAST = {"kind": "incast", "from": ["h2", "h3", "h4"], "to": "h1", "size": "1MB"}
DATA = "infiniband.bth.opcode <= 10"


def rows_of(sim):
    with open(sim.directory / "queues.csv", newline="") as file:
        head, *rows = csv.reader(file)
    return head, [(float(row[0]), *map(int, row[1:])) for row in rows]


def incast(record, **sections):
    return fabric(1, 0, 4, switch=CONGESTED, workload=[INCAST], record=record, **sections)


class Queues(Case):
    def test_a_row_every_interval(self):
        sim = self.sim(incast({"interval": "1us", "queues": ["leaf1.swp1.3", "leaf1.swp2.3"]}))
        head, rows = rows_of(sim)
        self.assertEqual(head, ["time_ns", "leaf1.swp1.3", "leaf1.swp2.3"])
        # From 0 to the end, which of a drained run is the next multiple of 4 us.
        last = sim.summary["last_event_ps"]
        self.assertEqual(sim.summary["sim_ps"] % 4_000_000, 0)
        self.assertTrue(0 <= sim.summary["sim_ps"] - last < 4_000_000)
        self.assertEqual([at for at, *_ in rows], [1000.0 * number for number in range(len(rows))])
        self.assertIn(len(rows) - sim.summary["sim_ps"] // 1_000_000, (0, 1))
        # In whole cells; at first and at last nothing, in between the peak that the counters know is
        # not passed, and come close to.
        port = sim.nodes["leaf1"]["ports"]["swp1"]["queue"][3]
        depths = [depth for _, depth, _ in rows]
        self.assertEqual((depths[0], depths[-1]), (0, 0))
        self.assertEqual({depth % 192 for depth in depths}, {0})
        self.assertLessEqual(max(depths), port["depth_max"])
        self.assertGreater(max(depths), port["depth_max"] - 3 * 10 * 22 * 192)
        # The other queue carries ACKs only, of 62 B, one cell each: it is as good as empty.
        self.assertLess(max(depth for *_, depth in rows), 5000)

    def test_a_queue_that_fills_and_drains_at_known_rates(self):
        # Two senders at 100G into one port of 100G: until the first pause a queue grows by 4224 B (22
        # cells) for each packet time of 334.24 ns. 40 packets from each in 2 us steps.
        sim = self.sim(fabric(1, 0, 3, switch={"preset": "spectrum-x", "buffer": {"size": "64MB"}},
                              workload=[INCAST | {"from": ["h2", "h3"], "size": f"{40 * 4096}B"}],
                              record={"interval": "2us", "queues": ["leaf1.swp1.3"]}))
        _, rows = rows_of(sim)
        depths = dict(rows)
        # Arrivals end 834.56 ns + 39 x 334.24 after the start: at 13.87 us. Then it drains.
        for at in (2000, 4000, 8000, 12000):
            packets = (at - 834.56) / 334.24
            self.assertLessEqual(abs(depths[at] / 4224 - packets), 2, at)
        for at in (16000, 20000, 26000):
            self.assertLessEqual(abs(depths[at] / 4224 - (80 - (at - 834.56) / 334.24)), 2, at)

    def test_odd_intervals(self):
        for interval, ns in (("333ns", 333.0), ("7us", 7000.0), ("1ms", 1e6)):
            _, rows = rows_of(self.sim(incast({"interval": interval, "queues": ["leaf1.swp1.3"]})))
            self.assertEqual([at for at, _ in rows], [ns * number for number in range(len(rows))])
            self.assertGreater(len(rows), 0)

    def test_a_sample_comes_before_its_instant(self):
        # Depth at a snapshot of the same time is the same.
        sim = self.sim(incast({"interval": "5us", "queues": ["leaf1.swp1.3"]},
                              events=[{"at": "25us", "snapshot": "full"}, {"at": "100us", "snapshot": "full"}]))
        depths = dict(rows_of(sim)[1])
        for one in sim.snapshots:
            self.assertEqual(one["nodes"]["leaf1"]["ports"]["swp1"]["queue"][3]["depth"], depths[one["at_ns"]])

    def test_all(self):
        """Those of all switches' ports, of the classes that are in use; their depths are as when named."""
        def run(queues, **more):
            return rows_of(self.sim(fabric(2, 1, 2, switch=CONGESTED | more, record={"interval": "1us", "queues": queues},
                                           workload=[INCAST | {"from": ["h2", "h3", "h4"]}])))
        ports = [f"{leaf}.swp{port}" for leaf in ("leaf1", "leaf2") for port in (1, 2, 3)]
        ports += ["spine1.swp1", "spine1.swp2"]
        head, rows = run("all")
        self.assertEqual(head, ["time_ns", *(f"{port}.{tc}" for port in ports for tc in (0, 3, 6))])
        for one in ("leaf1.swp1.3", "spine1.swp1.3", "leaf2.swp3.6"):
            self.assertEqual([(row[0], row[head.index(one)]) for row in rows], run([one])[1], one)
        self.assertGreater(max(row[head.index("leaf1.swp1.3")] for row in rows), 0)
        trimming = {"qos": {"trim": {"enabled": True, "tc": 5, "eligible-tc": [0]}}}
        self.assertEqual(run("all", **trimming)[0], ["time_ns", *(f"{port}.{tc}" for port in ports for tc in (0, 3, 5, 6))])

    def test_without_a_directory_there_is_none(self):
        roost("sim", self.file(incast({"interval": "1us", "queues": ["leaf1.swp1.3"], "pcap": ["leaf1.swp1"]})),
              cwd=self.directory)
        self.assertEqual([path.name for path in self.directory.iterdir()], ["test.yaml"])


def series(sim, name):
    """(heading, rows) of a series file, rows as dicts."""
    with open(sim.directory / name, newline="") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
    return reader.fieldnames, rows


class Series(Case):
    """Frames of 4096 B take (4170 + 24) x 80 ps = 335.52 ns at 100G (the first 336.8 with its RETH), their ACKs
    (62 + 24) x 80 ps = 6.88 ns."""

    def alone(self, record, size="1MB", **more):
        return self.sim(fabric(1, 0, 2, workload=[flow("h1", "h2", size, name="one")],
                               record={"interval": "1us"} | record, **more))

    def test_loads_are_the_time_spent_sending(self):
        sim = self.alone({"links": "all"})
        head, rows = series(sim, "loads.csv")
        self.assertEqual(head, ["time_ns", "port", "tx_percent"])
        self.assertEqual({row["port"] for row in rows}, {"leaf1.swp1", "leaf1.swp2", "h1.eth1", "h2.eth1"})
        shares = {(row["port"], float(row["time_ns"])): float(row["tx_percent"]) for row in rows}
        for at in range(1, 82):    # 82.1 us of sending
            self.assertEqual(shares["h1.eth1", 1000.0 * at], 100)
        # ACKs: 6.88 ns in each packet's time; 20 us hold 59.6 packets.
        mean = sum(shares["h2.eth1", 1000.0 * at] for at in range(21, 41)) / 20
        self.assertAlmostEqual(mean, 100 * 6.88 / 335.52, delta=100 * 6.88 / 20000)
        # What is told of all intervals is what was sent: 10 ns a percent; four digits are written.
        wire = {link["src"]: link["wire_bytes"] for link in sim.links}
        for port, bytes_ in wire.items():
            told = sum(10 * share for (name, _), share in shares.items() if name == port)
            self.assertAlmostEqual(told, bytes_ * 0.08, delta=0.001 * len(rows))

    def test_links_and_ports_by_name(self):
        sim = self.sim(fabric(2, 2, 2, workload=[flow("h1", "h3", "100KB")],
                              record={"interval": "1us", "links": ["leaf1-spine2", "spine2.swp1", "h1.eth1"]}))
        _, rows = series(sim, "loads.csv")
        first = [row["port"] for row in rows if row["time_ns"] == "1000.000"]
        self.assertEqual(first, ["leaf1.swp4", "spine2.swp1", "h1.eth1"])   # none twice
        self.assertEqual(len(rows), 3 * (sim.summary["sim_ps"] // 1_000_000), "to the end")

    def test_rates_without_congestion_control(self):
        sim = self.alone({"flows": ["one"]})
        head, rows = series(sim, "rates.csv")
        self.assertEqual(head, ["time_ns", "flow", "qpn", "rate_gbps", "target_gbps", "alpha", "achieved_gbps"])
        self.assertEqual({(row["flow"], row["target_gbps"], row["alpha"]) for row in rows}, {("0", "", "")})
        self.assertTrue(all(row["rate_gbps"] == row["achieved_gbps"] for row in rows))
        rates = {float(row["time_ns"]): float(row["rate_gbps"]) for row in rows}
        self.assertEqual(rates[0.0], 0)
        # 2 or 3 packets are acknowledged in a us, 4096 B each.
        for at in range(5, 80):
            self.assertIn(round(rates[1000.0 * at], 6), (65.536, 98.304))
        self.assertAlmostEqual(sum(rates.values()) * 1000 / 8, 1_000_000, delta=1)

    def test_flows_by_id_and_by_item(self):
        work = [flow("h1", "h2", "100KB", name="a"), flow("h2", "h1", "100KB", name="b", qps=3),
                flow("h2", "h1", "100KB", name="c")]
        for names, flows in ((["b"], {"1"}), (["0"], {"0"}), (["c", "0"], {"0", "2"}), ("all", {"0", "1", "2"})):
            sim = self.sim(fabric(1, 0, 2, workload=work, record={"interval": "1us", "flows": names}))
            _, rows = series(sim, "rates.csv")
            self.assertEqual({row["flow"] for row in rows}, flows, names)
            pairs = {(row["flow"], row["qpn"]) for row in rows}
            self.assertEqual(len(pairs), len(flows) + 2 * ("1" in flows))

    def test_pauses_and_pools_as_snapshots_see_them(self):
        at = [20, 40, 60, 100]
        sim = self.sim(incast({"interval": "20us", "pauses": "all", "pools": "all"},
                              events=[{"at": f"{time}us", "snapshot": "full"} for time in at]))
        self.assertGreater(sim.summary["pfc_tx"], 0)
        head, rows = series(sim, "pauses.csv")
        self.assertEqual(head, ["time_ns", "port", "priority", "rx_percent", "tx_percent"])
        self.assertEqual({row["priority"] for row in rows}, {"3"})
        self.assertEqual(len({row["port"] for row in rows}), 8)
        _, pools = series(sim, "pools.csv")
        held = {(float(row["time_ns"]), row["pool"]): int(row["used"]) for row in pools}
        self.assertGreater(max(held.values()), 0)
        for snapshot in sim.snapshots:
            for pool, state in snapshot["nodes"]["leaf1"]["pools"].items():
                self.assertEqual(held[snapshot["at_ns"], pool], state["used"])
            for node, state in snapshot["nodes"].items():
                for port, counters in state["ports"].items():
                    for way in ("rx", "tx"):
                        told = sum(float(row[f"{way}_percent"]) * 200 for row in rows    # ns a percent
                                   if row["port"] == f"{node}.{port}" and float(row["time_ns"]) <= snapshot["at_ns"])
                        self.assertAlmostEqual(told, counters[f"pfc_{way}_pause_ns"][3], delta=1.1)

    def test_what_is_sampled_changes_nothing(self):
        plain = self.sim(incast({}))
        full = self.sim(incast({"interval": "700ns", "queues": ["leaf1.swp1.3"], "flows": "all", "links": "all",
                                "pauses": "all", "pools": "all"}))
        self.assertEqual(plain.digest, full.digest)

    def test_series_of_an_earlier_run_do_not_stay(self):
        out = self.directory / "out"
        everything = {"interval": "5us", "queues": ["leaf1.swp1.3"], "links": "all", "pauses": "all", "pools": "all"}
        series = {"queues.csv", "thresholds.csv", "loads.csv", "pauses.csv", "pools.csv"}
        always = {"counters.csv", "flows.csv", "links.csv", "result.json"}

        def run(record):
            roost("sim", self.file(incast(record)), "-o", out)
            return {path.name for path in out.iterdir()}
        self.assertEqual(run(everything), series | always)
        (out / "notes.csv").write_text("mine\n")    # not one that `record:` makes
        (out / "rates.csv").write_text("of an earlier run\n")
        self.assertEqual(run({"interval": "5us", "links": "all"}), always | {"loads.csv", "notes.csv"})
        run(everything)
        description = incast({})
        del description["record"]
        roost("sim", self.file(description), "-o", out)
        self.assertEqual({path.name for path in out.iterdir()}, always | {"notes.csv"})
        # What is refused leaves all as it was.
        run(everything)
        roost("sim", self.file(incast({"interval": "5us", "queues": ["leaf9.swp1.3"]})), "-o", out, status=2)
        self.assertEqual({path.name for path in out.iterdir()}, series | always | {"notes.csv"})

    def test_what_stands_in_the_way(self):
        """One file that cannot be written is told before the run; all others stay as they were."""
        record = {"interval": "5us", "queues": ["leaf1.swp1.3"], "links": "all", "pcap": ["leaf1.swp1", "h1.eth1"]}
        path = self.file(incast(record))
        names = ["counters.csv", "flows.csv", "h1.eth1.pcapng", "leaf1.swp1.pcapng", "links.csv", "loads.csv",
                 "pools.csv", "queues.csv", "result.json", "thresholds.csv"]
        for blocked in names:
            with self.subTest(blocked):
                out = self.directory / f"out-{blocked}"
                (out / blocked).mkdir(parents=True)
                for name in names:
                    if name != blocked:
                        (out / name).write_text("of an earlier run\n")
                done = roost("sim", path, "-o", out, status=1)
                self.assertEqual((done.out, done.err), ("", f"roost sim: {out}/{blocked}: Is a directory\n"))
                self.assertEqual(sorted(one.name for one in out.iterdir()), names)
                for name in names:
                    if name != blocked:
                        self.assertEqual((out / name).read_text(), "of an earlier run\n", name)

    def test_names_that_are_none(self):
        for record, wrong in (({"flows": ["incats"]}, 'record.flows: no workload item is named incats; did you mean '
                                                      '"incast"'),
                              ({"flows": ["77"]}, "record.flows: no workload item is named 77, and flows are "
                                                  "numbered 0 to 2"),
                              ({"links": ["leaf1-spine1"]}, "record.links: there is no link leaf1-spine1"),
                              ({"links": ["leaf1.swp9"]}, "record.links: there is no port leaf1.swp9"),
                              ({"pauses": ["leaf1-h1"]}, "record.pauses: leaf1-h1 names no port"),
                              ({"pools": ["h1"]}, "record.pools: h1 is a host: pools are a switch's"),
                              ({"pools": ["leaf7"]}, "record.pools: there is no node leaf7")):
            with self.subTest(record=record):
                path = self.file(incast({"interval": "1us"} | record))
                done = roost("check", path, status=2)
                self.assertIn(wrong, done.err)
                self.assertRegex(done.err, r"test.yaml:1:\d+: ")


class Captures(Case):
    PORTS = ["leaf1.swp1", "leaf1.swp2", "h1.eth1", "h2.eth1"]

    def recorded(self, snaplen, **more):
        sim = self.sim(incast({"pcap": self.PORTS, "snaplen": snaplen}, **more))
        self.assertGreater(sim.summary["pfc_tx"], 0)
        self.assertGreater(sim.summary["cnps"], 0)
        return sim

    def path(self, sim, port):
        return sim.directory / f"{port}.pcapng"

    def test_nothing_malformed(self):
        for snaplen in ("full", "128B"):
            for hosts in ({}, {"ip": 6}):
                with self.subTest(snaplen=snaplen, hosts=hosts):
                    sim = self.recorded(snaplen, hosts=hosts)
                    for port in self.PORTS:
                        if snaplen == "full":
                            self.assert_dissects(self.path(sim, port))
                        else:   # cut on purpose
                            self.assertEqual(tshark(self.path(sim, port), display="_ws.malformed"), [])

    def test_captures_hold_what_the_counters_count(self):
        sim = self.recorded("128B")
        for name in self.PORTS:
            node, port = name.split(".")
            counters = sim.nodes[node]["ports"][port]
            packets = read_pcapng(self.path(sim, name))
            self.assertEqual(len(packets), counters["rx_packets"] + counters["tx_packets"])
            self.assertEqual(sum(packet.length for packet in packets), counters["rx_bytes"] + counters["tx_bytes"])
            self.assertEqual([packet.ns for packet in packets], sorted(packet.ns for packet in packets))
            self.assertEqual([len(packet.data) for packet in packets], [min(packet.length, 128) for packet in packets])

    def test_what_is_sent_is_what_arrives(self):
        # Both ends of two links see the same bytes.
        sim = self.recorded("full")
        for host, leaf in (("h1", "swp1"), ("h2", "swp2")):
            near, far = (read_pcapng(self.path(sim, one)) for one in (f"{host}.eth1", f"leaf1.{leaf}"))
            self.assertEqual(sorted(packet.data for packet in near), sorted(packet.data for packet in far))

    def test_marks_notifications_and_pauses(self):
        sim = self.recorded("full")
        path = self.path(sim, "leaf1.swp1")
        port = sim.nodes["leaf1"]["ports"]["swp1"]["queue"][3]
        self.assertEqual(len(tshark(path, display=f"{DATA} && ip.dsfield.ecn == 3")), port["ecn_marked"])
        notices = tshark(path, "ip.dsfield.dscp", "ip.dsfield.ecn", "infiniband.bth.psn", "frame.len",
                         display="infiniband.bth.opcode == 129")
        self.assertEqual(len(notices), sim.summary["cnps"])
        # DSCP 48, not ECT, 14 + 20 + 8 + 12 + 16 + 4 = 74 B
        self.assertEqual(set(notices), {("48", "0", "0", "74")})
        # BECN and nothing else in the BTH's fifth byte, 16 zeros behind it.
        self.assertEqual({(packet.data[46], packet.data[54:70]) for packet in read_pcapng(path)
                          if packet.data[36:38] == b"\x12\xb7" and packet.data[42] == CNP}, {(0x40, bytes(16))})
        pauses = tshark(self.path(sim, "leaf1.swp2"), "eth.dst", "eth.src", "frame.len", "macc.cbfc.enbv",
                        "macc.cbfc.pause_time.c3", display="macc")
        counters = sim.nodes["leaf1"]["ports"]["swp2"]
        self.assertEqual(len(pauses), counters["control_tx"])
        self.assertEqual({one[:4] for one in pauses}, {("01:80:c2:00:00:01", "02:01:00:00:00:02", "60", "0x0008")})
        quanta = [int(one[4]) for one in pauses]
        self.assertEqual(set(quanta), {0, 65535})
        self.assertEqual(quanta[-1], 0)

    def test_full_packets_have_a_valid_icrc(self):
        for ip in (4, 6):
            with self.subTest(ip=ip):
                sim = self.recorded("full", hosts={"ip": ip, "path-mtu": 1024})
                count = 0
                for port in self.PORTS:
                    for packet in read_pcapng(self.path(sim, port)):
                        self.assertEqual(len(packet.data), packet.length)
                        if packet.data[12:14] == b"\x88\x08":
                            continue
                        self.assertTrue(icrc_valid(packet.data), packet)
                        count += 1
                self.assertGreater(count, 3000)

    def test_headers_of_a_write(self):
        # 10,001 B at path MTU 4096: FIRST with a RETH over all of it, MIDDLE, LAST of 1809 B and 3 of
        # padding; each acknowledged by itself.
        sim = self.sim(fabric(1, 0, 2, workload=[flow("h1", "h2", "10001B")],
                              record={"pcap": ["h1.eth1"], "snaplen": "full"}))
        path = sim.directory / "h1.eth1.pcapng"
        data = tshark(path, "infiniband.bth.opcode", "infiniband.bth.padcnt", "infiniband.bth.psn", "infiniband.bth.a",
                      "infiniband.reth.dmalen", "udp.srcport", "udp.dstport", "udp.checksum", "ip.dsfield.dscp",
                      "ip.dsfield.ecn", "ip.ttl", "ip.flags.df", display=DATA)
        self.assertEqual([one[0] for one in data], ["6", "7", "8"])
        self.assertEqual([one[1] for one in data], ["0", "0", "3"])
        psns = [int(one[2]) for one in data]
        self.assertEqual([(psn - psns[0]) % 2**24 for psn in psns], [0, 1, 2])
        self.assertEqual([one[4] for one in data], ["10001", "", ""])
        self.assertEqual({one[6:12] for one in data}, {("4791", "0x0000", "26", "2", "64", "1")})
        self.assertTrue(all(int(one[5]) >= 49152 for one in data))
        acks = tshark(path, "infiniband.bth.psn", "infiniband.aeth.msn", "infiniband.aeth.syndrome.opcode", "ip.ttl",
                      display="infiniband.bth.opcode == 17")
        self.assertEqual([int(one[0]) for one in acks], psns)
        self.assertEqual([int(one[1]) for one in acks], [0, 0, 1])
        self.assertEqual({one[2:] for one in acks}, {("0", "63")})

    def test_stamps_are_when_last_bits_pass(self):
        # 4096 B from h1: 4170 + 12 B are gone 334.56 ns after the start, and are at leaf1 500 ns later; it
        # sends them at once.
        sim = self.sim(fabric(1, 0, 2, workload=[flow("h1", "h2", "4096B", at="10us")],
                              record={"pcap": ["h1.eth1", "leaf1.swp1", "leaf1.swp2", "h2.eth1"], "snaplen": "full"}))
        first = {path.name: read_pcapng(path)[0].ns for path in sim.directory.glob("*.pcapng")}
        first = {name.removesuffix(".pcapng"): ns for name, ns in first.items()}
        self.assertEqual(first, {"h1.eth1": 10334, "leaf1.swp1": 10834, "leaf1.swp2": 11169, "h2.eth1": 11669})


if __name__ == "__main__":
    unittest.main()
