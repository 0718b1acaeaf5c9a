# SPDX-License-Identifier: BSD-3-Clause
"""OpenSM and the programs of infiniband-diags, unmodified, on fabrics of Roost: they find what there is, program forwarding
tables that lead everywhere and cannot deadlock, hear of links that fail, and read the fabric's own counters."""
import base64
import contextlib
import csv
import shutil
import socket
import subprocess
import threading

from common import *

LIBRARY = Path("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so")
PROGRAMS = ("opensm", "ibnetdiscover", "smpquery", "perfquery", "ibroute", "ibportstate")
ENTRY = re.compile(r"^0x([0-9a-f]{4}) (\d{3}) .*'(\w+)'")
TABLE = re.compile(r"^Unicast lids .*\('?(\w+)'?\):")
RESPONDS = 60


def need_programs():
    missing = [name for name in PROGRAMS if shutil.which(name) is None] + ([] if LIBRARY.exists() else [str(LIBRARY)])
    if missing:
        raise unittest.SkipTest(f"needs {', '.join(missing)} (opensm, infiniband-diags, libumad2sim0)")


def infiniband(name, leaves, spines, hosts, **more):
    return {"fabric": {"name": name, "link-layer": "infiniband", "dilation": DILATION,
                       "topology": {"kind": "leaf-spine", "leaves": leaves, "spines": spines, "hosts-per-leaf": hosts}},
            "switch": {"preset": "lossy"}} | more


def read_dump(text):
    """{switch: {name: port}} of opensm-lfts.dump or of what ibroute prints."""
    tables, current = {}, None
    for line in text.splitlines():
        if found := TABLE.match(line):
            current = tables.setdefault(found[1], {})
        elif found := ENTRY.match(line):
            current[found[3]] = int(found[2])
    return tables


def follow(tables, links, switch, to):
    """The links by which a packet goes from a switch to a host: [(switch, port), ...]."""
    path = []
    while switch in tables:
        path.append((switch, tables[switch][to]))
        if len(path) > 8:
            raise AssertionError(f"the tables lead in a circle: {path}")
        switch = links[path[-1]]
    if switch != to:
        raise AssertionError(f"to {to} the tables lead to {switch}: {path}")
    return path


def cycle(waits):
    """Whether links wait for each other in a cycle; waits: {link: links}."""
    waits = {link: set(to) for link, to in waits.items()}
    while done := [link for link, to in waits.items() if not to & waits.keys()]:
        for link in done:
            del waits[link]
    return bool(waits)


class SubnetCase(LiveCase):
    """A network namespace of the test's own, in which `roost subnet` and the programs run."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        need_programs()

    def setUp(self):
        self.netns = f"roost-{name_of('sm')}"
        command("ip", "netns", "add", self.netns)
        self.addCleanup(command, "ip", "netns", "del", self.netns)

    def words(self, *words):
        return ["nsenter", f"--net=/run/netns/{self.netns}", *map(str, words)]

    def environment(self, host):
        place = f"{self.directory}/"
        return os.environ | {"LD_PRELOAD": str(LIBRARY), "SIM_HOST": host, "OSM_TMP_DIR": place, "OSM_CACHE_DIR": place}

    def start(self, *words, log, **options):
        """A process that is ended, by its id, when the test ends."""
        path = self.directory / log
        with path.open("w") as out:
            process = subprocess.Popen(self.words(*words), stdout=out, stderr=out, cwd=self.directory, **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        return process, path

    def serve(self, *words):
        self.server, self.served = self.start(ROOST, "subnet", *words, log="subnet.log")
        wait_until(lambda: "serving" in self.served.read_text(), lambda: f"roost subnet serves: {self.served.read_text()}")

    def run_program(self, *words, host="h2", status=0):
        return command(*self.words(*words), status=status, cwd=self.directory, env=self.environment(host), timeout=120)

    def manage(self, engine, *words):
        """Runs OpenSM once. Returns what it wrote as tables."""
        done = self.run_program("opensm", "-o", "-R", engine, "-D", "0x43", "-e", "-f", self.directory / "osm.log", *words, host="h1")
        self.assertIn("MASTER", done.out + done.err)
        log = (self.directory / "osm.log").read_text()
        self.assertIn("SUBNET UP", log)
        self.assertNotIn("ERR ", log)
        return read_dump((self.directory / "opensm-lfts.dump").read_text())

    def manage_qos(self, **options):
        """The same with options of OpenSM's file."""
        file = self.directory / "opensm.conf"
        file.write_text("".join(f"{key} {value}\n" for key, value in options.items()))
        return self.manage("minhop", "-Q", "-F", file)

    def level_rows(self, route, port):
        """What smpquery prints of SLtoVLMappingTable: a list for each port that packets come in by."""
        out = self.run_program("smpquery", "-D", "sl2vl", route, port).out
        return [[int(vl) for vl in row.split("|") if vl.strip()] for row in re.findall(r"^ports: in +\d+, out +\d+: (.*)$", out, re.M)]

    def arbitration(self, route, port):
        """The entries with a weight that smpquery prints: high, low, and the limit."""
        out = self.run_program("smpquery", "-D", "vlarb", route, port).out
        low, high = (list(zip(*([int(n, 16) for n in re.findall(r"0x(\w+)", line)] for line in rows)))
                     for rows in re.findall(r"^VL    : (.*)\nWEIGHT: (.*)$", out, re.M))
        found = re.search(r"VLHighLimit:\.+(\d+)\n", self.run_program("smpquery", "-D", "portinfo", route, port).out)
        return [pair for pair in high if pair[1]], [pair for pair in low if pair[1]], int(found[1])

    def partitions(self, route, port):
        out = self.run_program("smpquery", "-D", "pkeys", route, port).out
        return [key for key in re.findall(r"0x(\w{4})", out) if key != "0000"]

    def links(self, description):
        """{(switch, port): what is behind it}."""
        found = {}
        for link in description["links"]:
            for one, other in ((link["a"], link["b"]), (link["b"], link["a"])):
                node, port = one.rsplit(".", 1)
                found[node, int(port[3:])] = other.rsplit(".", 1)[0]
        return found

    def assert_sound(self, tables, links):
        """Every host reaches every other, and no links wait for each other in a cycle."""
        hosts = {node: switch for (switch, _), node in links.items() if switch in tables and node not in tables}
        waits = collections.defaultdict(set)
        for to in hosts:
            for switch in tables:
                path = follow(tables, links, switch, to)
                for before, after in zip(path, path[1:]):
                    waits[before].add(after)
        self.assertFalse(cycle(waits))
        return hosts


class Live(SubnetCase):

    def programmed(self):
        return self.served.read_text().count("programmed the forwarding tables")

    def tables_of(self, up):
        """What `show lft` says, {switch: {name: port}}, of hosts and switches."""
        return {name: {one["of"].split(".")[0]: int(one["via"][0]["port"][3:]) if one["via"] else 0
                       for one in node["lft"].values()} for name, node in up.show("lft")["nodes"].items()}

    def test_engines(self):
        """32 switches and 512 hosts: with each engine the fabric forwards as OpenSM has computed."""
        up = self.fabric(infiniband(name_of("engines"), 16, 16, 32))
        links = self.links(api(up, "topology"))
        own = self.tables_of(up)
        self.serve(up.name)
        # To other spines updn gives spines no way, and dumps say so in words.
        def to_hosts(tables):
            return {switch: {name: port for name, port in table.items() if name.startswith("h")} for switch, table in tables.items()}
        for engine in ("minhop", "updn", "ftree"):
            with self.subTest(engine=engine):
                tables = to_hosts(self.manage(engine))
                wait_until(lambda: to_hosts(self.tables_of(up)) == tables, lambda: f"as dumped: {self.served.read_text()}")
                hosts = self.assert_sound(tables, links)
                self.assertEqual((len(tables), len(hosts)), (32, 512))
                # Of 480 hosts behind other leaves, each of 16 uplinks leads to 30. ftree's rule differs.
                for leaf in ("leaf1", "leaf16"):
                    used = collections.Counter(tables[leaf][host] for host in hosts if hosts[host] != leaf)
                    if engine != "ftree":
                        self.assertEqual(used, {port: 30 for port in range(33, 49)})
                        self.assertEqual(used, collections.Counter(own[leaf][h] for h in hosts if hosts[h] != leaf))
                # Ways are as long as the built-in manager's.
                for to in ("h1", "h40", "h512"):
                    for switch in tables:
                        self.assertEqual(len(follow(tables, links, switch, to)), len(follow(own, links, switch, to)))
        api(up, "lft", {"reset": True})
        self.assertEqual(self.tables_of(up), own)

    def test_link_fails(self):
        """OpenSM hears of it by a trap and programs other ways, and traffic goes on."""
        up = self.fabric(infiniband(name_of("fails"), 2, 2, 2, workload=[
            {"kind": "flow", "from": "h1", "to": "h3", "size": "4KB", "repeat": 1000000, "gap": "10us"}]))
        self.serve(up.name)
        log = self.directory / "osm.log"
        manager, _ = self.start("opensm", "-R", "updn", "-f", log, "-s", "0", log="opensm.out", env=self.environment("h4"))
        wait_until(lambda: self.programmed() == 1, lambda: f"tables are programmed: {self.served.read_text()}", RESPONDS)
        port = self.tables_of(up)["leaf1"]["h3"]
        # h4's LID is 8: a class for which OpenSM has not registered does not reach it.
        self.assertIn("100% packet loss", self.run_program("ibping", "-c", 1, 8, host="h1", status=None).out)
        self.assertIsNone(manager.poll())
        link = next(one["link"] for one in api(up, "topology")["links"] if f"leaf1.swp{port}" in (one["a"], one["b"]))
        up.command("link", link, "down")
        wait_until(lambda: self.tables_of(up)["leaf1"]["h3"] != port, "leaf1 sends another way", RESPONDS)
        self.assertRegex(log.read_text(), r"trap.*128|Trap.*128|128.*[Tt]rap")

        def arrived():
            return port_of(up.name, "leaf2", "swp1")["tx_packets"]
        before = arrived()
        wait_until(lambda: arrived() > before + 100, "packets arrive again")
        programmed = self.programmed()
        up.command("link", link, "up")
        wait_until(lambda: self.programmed() > programmed, lambda: f"and again: {self.served.read_text()}", RESPONDS)
        self.assert_sound({n: {h: p for h, p in t.items()} for n, t in self.tables_of(up).items()},
                          self.links(api(up, "topology")))

    def test_what_programs_print(self):
        up = self.fabric(infiniband(name_of("print"), 2, 2, 2, workload=[
            {"kind": "flow", "from": "h1", "to": "h3", "size": "400KB"}]))
        self.serve(up.name)
        tables = self.manage("minhop")
        topology = api(up, "topology")
        wait_until(lambda: port_of(up.name, "h3", "eth1")["rx_packets"] >= 90, "the flow has arrived")

        # ibnetdiscover: each link twice, with the names of both ends.
        node, found = None, {}
        for line in self.run_program("ibnetdiscover").out.splitlines():
            if head := re.match(r'(?:Switch|Ca)\s+\d+ "[SH]-\w+"\s+# "(\w+)"', line):
                node = head[1]
            elif link := re.match(r'\[(\d+)\](?:\(\w+\))?\s+"[SH]-\w+"\[\d+\](?:\(\w+\))?\s+# (?:lid \d+ lmc \d )?"(\w+)"', line):
                found[node, int(link[1])] = link[2]
        self.assertEqual(found, self.links(topology))

        # smpquery and ibroute, by LIDs: Roost's own, which OpenSM keeps.
        lids = {one["name"]: one["lid"] for one in topology["nodes"] if one["role"] != "host"}
        self.assertEqual(lids, {"leaf1": 1, "leaf2": 2, "spine1": 3, "spine2": 4})
        self.assertRegex(self.run_program("smpquery", "nodedesc", 2).out, r"Node Description:\.+leaf2\n")
        self.assertRegex(self.run_program("smpquery", "portinfo", 1, 3).out, r"LinkState:\.+Active\n")
        for name, lid in lids.items():
            self.assertEqual(read_dump(self.run_program("ibroute", lid).out)[name], tables[name])

        # perfquery: words of four bytes.
        def counters(*words):
            return {key: int(value) for key, value in re.findall(r"(\w+):\.+(\d+)\n", self.run_program("perfquery", *words).out)}
        port = port_of(up.name, "leaf1", "swp1")
        self.assertGreaterEqual(port["rx_packets"], 90)
        for words in ((), ("-x",)):
            read = counters(*words, 1, 1)
            self.assertEqual((read["PortRcvPkts"], read["PortRcvData"]), (port["rx_packets"], port["rx_bytes"] // 4))
            self.assertEqual((read["PortXmitPkts"], read["PortXmitData"]), (port["tx_packets"], port["tx_bytes"] // 4))
        counters("-R", 1, 1)
        self.assertEqual(counters("-x", 1, 1)["PortRcvPkts"], 0)
        self.assertEqual(port_of(up.name, "leaf1", "swp1")["rx_packets"], port["rx_packets"], "Roost's own stay")

        # ibportstate takes the link down.
        self.run_program("ibportstate", 1, 3, "disable")
        wait_until(lambda: port_of(up.name, "leaf1", "swp3")["state"] == "down", "leaf1-spine1 is down")
        self.run_program("ibportstate", "-D", "0,1", 3, "enable")
        wait_until(lambda: port_of(up.name, "leaf1", "swp3")["state"] == "up", "leaf1-spine1 is up")


    def test_waiting_for_credit(self):
        """PortXmitWait is the time that all lanes of a port have waited."""
        up = self.fabric(infiniband(name_of("wait"), 2, 1, 2, workload=[
            {"kind": "incast", "to": "h1", "from": ["h2", "h3", "h4"], "size": "4MB"}]) |
                         {"switch": {"preset": "lossy", "buffer": {"cell": 64}, "qos": {"flow-control": "credit"}}})
        self.serve(up.name)
        self.manage("minhop")

        def waited():
            return sum(port_of(up.name, "h3", "eth1")["credit_wait_ns"])
        wait_until(lambda: port_of(up.name, "h1", "eth1")["rx_bytes"] > 12_000_000, "the incast has arrived")
        time.sleep(0.2)     # older counters are not reported
        lid = next(one["lid"] for one in api(up, "topology")["hosts"] if one["host"] == "h3")
        found = re.search(r"PortXmitWait:\.+(\d+)\n", self.run_program("perfquery", lid, 1).out)
        self.assertGreater(waited(), 0)
        self.assertEqual(int(found[1]), waited())

    def test_top_while_waiting_for_credit(self):
        """h3 may send a third of what its link carries, and waits for credit for the rest of the time."""
        up = self.fabric(infiniband(name_of("top"), 2, 1, 2, workload=[
            {"kind": "incast", "to": "h1", "from": ["h2", "h3", "h4"], "size": "400MB"}]) |
                         {"switch": {"preset": "lossy", "buffer": {"cell": 64}, "qos": {"flow-control": "credit"}}})
        wait_until(lambda: port_of(up.name, "h1", "eth1")["rx_bytes"] > 10_000_000, "the incast is under way")
        rows = {row["port"]: row for row in up.command("top", "--once", "--interval", "500ms", "-o", "json").json["rows"]}
        self.assertAlmostEqual(rows["h3.eth1"]["load"] + rows["h3.eth1"]["paused"], 1, delta=.2)
        self.assertGreater(rows["h3.eth1"]["paused"], .4)
        self.assertEqual(rows["leaf1.swp1"]["paused"], 0)

    def test_arbitration(self):
        """Tables of lanes are the fabric's own. Those that OpenSM sets are programmed, and decide the shares of lanes."""
        work = [{"kind": "flow", "from": source, "to": "h1", "size": "100MB", "repeat": 1000000, "priority": priority}
                for source, priority in (("h2", 0), ("h3", 3), ("h4", 3), ("h2", 0))]
        up = self.fabric(infiniband(name_of("lanes"), 2, 1, 2, workload=work) | {
            "switch": {"preset": "infiniband"},
            "leaf1": {"qos": {"credit": {"arbitration": {"high": "6:16", "low": "3:65,0:65", "limit": 1}}}}})
        self.serve(up.name)
        lanes = [0, 0, 0, 3, 0, 0, 6, 0] + [15] * 8
        self.assertEqual(self.level_rows("0,1", 3), [lanes] * 4)
        self.assertEqual(self.level_rows("0", 1), [lanes])
        self.assertEqual(self.arbitration("0,1", 1), ([(6, 16)], [(3, 65), (0, 65)], 1))
        self.assertEqual(self.arbitration("0,1,3", 1), ([(6, 255)], [(0, 255), (3, 255)], 255))      # schedulers of the spine
        self.assertEqual(self.arbitration("0", 1), ([(6, 255)], [(0, 1), (3, 1)], 255))
        for place in (("0", 1), ("0,1", 1), ("0,1", 3)):
            self.assertEqual(self.partitions(*place), ["ffff"])

        def share():
            """Of lane 3, of what h1 gets in a while."""
            def sent():
                return [port_of(up.name, "leaf1", "swp1")["queue"][lane]["packets"] for lane in (0, 3)]
            before = sent()
            wait_until(lambda: min(sent()[i] - before[i] for i in (0, 1)) > 300, "packets of both lanes arrive")
            counts = [after - first for after, first in zip(sent(), before)]
            return counts[1] / sum(counts)

        def values(switch):
            shown = up.show("config")["nodes"][switch]["values"]
            return [shown[f"qos.credit.arbitration.{key}"]["value"] for key in ("high", "low", "limit")]

        def unlike():
            return [line for line in self.served.read_text().splitlines() if not line.startswith(("serving", "programmed"))]

        # Without -Q, OpenSM leaves lanes alone, and agrees with the fabric.
        self.manage("minhop")
        wait_until(lambda: self.programmed() == 1, lambda: f"tables are programmed: {self.served.read_text()}")
        self.assertAlmostEqual(share(), .5, delta=.05)
        time.sleep(.3)
        self.assertNotIn("arbitration", self.served.read_text())

        # An entry of lane 5 means nothing to the fabric, nor does one without a weight.
        own = ",".join(map(str, lanes))
        options = {"qos_high_limit": 2, "qos_vlarb_high": "6:8,5:7", "qos_vlarb_low": "0:64,3:190,6:0", "qos_sl2vl": own}
        self.manage_qos(**options)
        for switch in ("leaf1", "leaf2", "spine1"):
            wait_until(lambda: values(switch) == ['"6:8"', '"0:64,3:190"', "2"], lambda: f"{values(switch)} {self.served.read_text()}")
        self.assertIn("programmed the arbitration of 3 switches\n", self.served.read_text())
        self.assertEqual(self.arbitration("0,1", 1), ([(6, 8), (5, 7)], [(0, 64), (3, 190)], 2))
        self.assertAlmostEqual(share(), .75, delta=.05)
        self.assertEqual(unlike(), [])
        # What the fabric changes itself, its agents say too; others keep what OpenSM set, with entries that mean nothing.
        roost("set", "leaf2.qos.credit.arbitration", '{high: "6:9", low: "0:1,3:2", limit: 0}', "-f", up.name)
        wait_until(lambda: self.arbitration("0,1,3,2", 1) == ([(6, 9)], [(0, 1), (3, 2)], 0), "leaf2 answers with its new tables")
        self.assertEqual(self.arbitration("0,1", 1), ([(6, 8), (5, 7)], [(0, 64), (3, 190)], 2))

        # Lane 3 is in use: it cannot be left without a weight. The other levels of these tables are not the fabric's.
        self.manage_qos(**options | {"qos_vlarb_low": "0:64", "qos_sl2vl": "0,1,2,3,4,5,6,7,0,0,0,0,0,0,0,0"})
        wait_until(lambda: len(unlike()) == 2, lambda: f"two lines: {self.served.read_text()}")
        self.assertEqual(unlike()[0], "leaf1 and 6 more: the subnet manager maps SL 0 to 7 to VL 0,1,2,3,4,5,6,7; the fabric keeps VL "
                         "0,0,0,3,0,0,6,0, because lanes cannot change while it runs: set qos.priority-to-tc in its file")
        refused = "the arbitration of lanes stays as it is: leaf1.qos.credit.arbitration: "
        self.assertTrue(unlike()[1].startswith(refused + "lane 3, of priority 3, is in neither table"), unlike())
        # Nor can all lanes: that is no return to the schedulers.
        self.manage_qos(**options | {"qos_vlarb_high": "0:0", "qos_vlarb_low": "0:0"})
        wait_until(lambda: len(unlike()) == 3, lambda: f"another line: {self.served.read_text()}")
        self.assertTrue(unlike()[2].startswith(refused + "lane 0, of priority 0, is in neither table"), unlike())
        self.assertEqual(values("leaf1"), ['"6:8"', '"0:64,3:190"', "2"])

    def test_noise_holds_nothing_up(self):
        """Messages that change nothing, one each ms, do not put programming off."""
        up = self.fabric(infiniband(name_of("noise"), 2, 2, 2))
        self.serve(up.name)
        ended = threading.Event()

        def send():
            while not ended.wait(0.001):
                with contextlib.suppress(BlockingIOError):
                    opened.sendto(b"x", socket.MSG_DONTWAIT, "\0sim:ctl\0")
        with inside(self.netns, lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as opened:
            thread = threading.Thread(target=send)
            thread.start()
            try:
                self.manage("minhop")
                wait_until(lambda: self.programmed() >= 1, lambda: f"tables are programmed: {self.served.read_text()}")
            finally:
                ended.set()
                thread.join()

    def test_tables_beside_those_of_a_file(self):
        """A call that sets one table leaves the others as `subnet.lfts` has them."""
        ports = {"leaf1": (1, 2, 3, 3), "leaf2": (3, 3, 1, 2), "spine1": (1, 1, 2, 2), "spine2": (1, 1, 2, 2)}
        dump = self.directory / "written.dump"
        dump.write_text("".join(
            f"Unicast lids [0-8] of switch Lid 1 guid 0x1 ('{switch}'):\n" +
            "".join(f"0x{lid:04x} {port:03} # Channel Adapter portguid 0x1: 'h{lid - 4}'\n" for lid, port in enumerate(row, 5))
            for switch, row in ports.items()))
        up = self.fabric(infiniband(name_of("beside"), 2, 2, 2, subnet={"lfts": str(dump)}))

        def at_leaf1():
            return tuple(self.tables_of(up)["leaf1"][f"h{i}"] for i in range(1, 5))
        self.assertEqual(at_leaf1(), ports["leaf1"])
        table = base64.b64encode(bytes([255] * 5 + list(ports["spine2"]))).decode()
        self.assertEqual(api(up, "lft", {"tables": [{"switch": "spine2", "ports": table}]}), {"lids": 9})
        self.assertEqual(at_leaf1(), ports["leaf1"])
        api(up, "lft", {"reset": True})
        self.assertEqual(at_leaf1(), ports["leaf1"])

    def test_ethernet_is_refused(self):
        up = self.fabric({"fabric": {"name": name_of("ether"), "dilation": DILATION,
                                     "topology": {"kind": "leaf-spine", "leaves": 2, "spines": 1, "hosts-per-leaf": 1}}})
        done = command(*self.words(ROOST, "subnet", up.name), status=2)
        self.assertIn("the fabric is not one of InfiniBand switches, and takes no tables", done.err)


class OfAFile(SubnetCase):

    def test_tables_of_opensm_in_a_sim(self):
        """What OpenSM computes for a file decides the ways of a sim: every link carries what the tables say."""
        pairs = [("h1", "h9"), ("h2", "h10"), ("h3", "h11"), ("h5", "h1"), ("h13", "h6")]
        description = infiniband("offline", 4, 2, 4, workload=[
            {"kind": "flow", "from": a, "to": b, "size": "40KB"} for a, b in pairs])
        file = self.file(description, "offline.yaml")
        self.serve(file)
        tables = self.manage("ftree")
        dump = (self.directory / "opensm-lfts.dump").read_text()
        self.assert_carries(description, dump, pairs)
        # With another port for h9 at leaf1, h1's packets to it take the other spine.
        other = {5: 6, 6: 5}[tables["leaf1"]["h9"]]
        head, _, rest = dump.partition("('leaf1'):\n")
        line = next(line for line in rest.splitlines() if line.endswith("'h9'"))
        changed = f"{head}('leaf1'):\n{rest.replace(line, re.sub(r' 00[56] ', f' 00{other} ', line), 1)}"
        self.assertEqual(read_dump(changed)["leaf1"]["h9"], other)
        self.assert_carries(description, changed, pairs)

    def assert_carries(self, description, dump, pairs):
        """A sim with these tables uses the ports of switches on the ways between these hosts, and no others."""
        path = self.directory / "tables.dump"
        path.write_text(dump)
        run, tables = self.sim(description | {"subnet": {"lfts": str(path)}}), read_dump(dump)
        names, expected = self.names(run), set()
        for source, to in [*pairs, *((b, a) for a, b in pairs)]:
            switch = names[source]
            while switch != to:
                expected.add(out := f"{switch}.swp{tables[switch][to]}")
                switch = names[out]
        self.assertEqual(self.carried(run), expected)

    def rows(self, run):
        with (run.directory / "links.csv").open() as file:
            return list(csv.DictReader(file))

    def carried(self, run):
        """Ports of switches that have sent anything."""
        return {row["src"] for row in self.rows(run) if not row["src"].startswith("h") and int(row["wire_bytes"]) > 0}

    def names(self, run):
        """What is behind a port, or a host's."""
        found = {}
        for row in self.rows(run):
            found[row["src"]] = row["dst"].split(".")[0]
            if row["src"].startswith("h"):
                found[row["src"].split(".")[0]] = row["dst"].split(".")[0]
        return found

    def notes(self):
        return [line for line in self.served.read_text().splitlines() if not line.startswith("serving")]

    def test_partitions(self):
        """Tenants' keys are at hosts and at the ports that check them. OpenSM's default is another partition, and a line says so."""
        self.serve(self.file(infiniband("keys", 2, 1, 2) | {"tenants": {"red": {"hosts": ["h1", "h3"]}, "blue": {"hosts": ["h2"]}}}))
        keys = {"h1": "8001", "h2": "8002", "h3": "8001", "h4": "8003"}     # h4 is in `rest`
        for host, key in keys.items():
            out = self.run_program("smpquery", "-D", "pkeys", "0", 1, host=host).out
            self.assertRegex(out, rf"0: 0x{key}( 0x0000){{7}}\n")
        self.assertEqual([self.partitions("0,1", port) for port in (1, 2, 3)], [["8001"], ["8002"], ["ffff"]])
        self.assertRegex(self.run_program("smpquery", "-D", "portinfo", "0,1", 1).out, r"PartEnforceInb:\.+1\nPartEnforceOutb:\.+1\n")
        self.manage("minhop")
        wait_until(self.notes, "a line says what differs")
        self.assertEqual(self.notes(), ["h1 and 3 more: the subnet manager sets P_Key 0xffff; the fabric keeps 0x8001, because partitions "
                                        "cannot change while it runs: set `tenants:` in its file"])
        # With the tenants as OpenSM's partitions there is nothing to say: hosts agree again.
        guids = {host: re.search(r"PortGuid:\.+(\w+)", self.run_program("smpquery", "-D", "nodeinfo", "0", host=host).out)[1] for host in keys}
        file = self.directory / "partitions.conf"
        file.write_text("Default=0x7fff: ALL=limited, SELF=full;\n" + "".join(
            f"key{key}=0x{int(key, 16) & 0x7fff:x}: {', '.join(f'{guids[host]}=full' for host in keys if keys[host] == key)};\n"
            for key in sorted(set(keys.values()))))
        self.manage("minhop", "-P", file)
        self.assertEqual(set(self.partitions("0,1", 1)), {"8001", "ffff"})      # h1, where OpenSM is
        self.assertEqual(set(self.partitions("0,1", 2)), {"8002", "7fff"})
        time.sleep(.3)
        self.assertEqual(len(self.notes()), 1)

    def test_ethernet(self):
        """A file of Ethernet switches, without credits, says what its schedulers do."""
        self.serve(self.file({"fabric": {"topology": {"kind": "leaf-spine", "leaves": 2, "spines": 1, "hosts-per-leaf": 2}},
                              "switch": {"qos": {"priority-to-tc": {1: 1, 3: 0, 6: 0, "default": 0}, "tc": {0: {"weight": 50}, 1: {"weight": 10}},
                                                 "ports": {"swp2": {"tc": {1: {"scheduler": "strict"}}}}}}}))
        self.assertEqual(self.level_rows("0,1", 1)[0], [0, 1] + [0] * 6 + [15] * 8)
        self.assertEqual(self.arbitration("0,1", 1), ([], [(0, 255), (1, 51)], 0))
        self.assertEqual(self.arbitration("0,1", 2), ([(1, 255)], [(0, 255)], 255))
        self.assertEqual(self.arbitration("0", 1), ([(1, 255)], [(0, 1)], 255))     # h2's NIC has what its port has
        self.assertEqual(self.partitions("0,1", 1), ["ffff"])
        self.assertRegex(self.run_program("smpquery", "-D", "portinfo", "0,1", 1).out, r"VLCap:\.+VL0-1\n(?s:.*)OperVLs:\.+VL0-1\n")
        self.manage_qos(qos_sl2vl="0,1,0,0,0,0,0,0", qos_vlarb_low="0:8,1:8", qos_vlarb_high="0:0")
        wait_until(self.notes, "a line says that there are no tables")
        self.assertEqual(self.notes(), ["leaf1 and 2 more: the subnet manager sets arbitration tables; the file keeps its own: "
                                        "set qos.credit.arbitration there"])

    def test_others_are_not_answered(self):
        """Messages of another user, and such as are none, change nothing."""
        self.serve(self.file(infiniband("closed", 2, 2, 2)))

        def make():
            opened = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            opened.bind(f"\0asker-{os.getpid()}-{time.monotonic_ns()}")
            opened.settimeout(0.5)
            return opened

        def ask(data, uid=0):
            with inside(self.netns, make) as opened:
                if uid:
                    os.setuid(uid)
                opened.sendto(data, "\0sim:ctl\0")
                try:
                    return opened.recv(512)
                except TimeoutError:
                    return None
        connect = struct.pack("=IIII", 0xDEADBEEF, 0, 1, 44).ljust(80, b"\0")
        self.assertEqual(struct.unpack_from("=I", ask(connect), 8)[0], 0)   # no such program: an error
        for data in (b"", b"x" * 79, b"x" * 80, b"x" * 81, b"x" * 4000):
            self.assertIsNone(ask(data))
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                status = 0 if ask(connect, 65534) is None else 1
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertEqual(self.served.read_text().count("ignored a message of user 65534: run the program as root or as user 0"), 1)
        self.assertRegex(self.run_program("smpquery", "-D", "nodedesc", "0,1").out, "leaf1")


def api(up, method, params=None):
    """Calls a method of a fabric."""
    with socket.socket(socket.AF_UNIX) as opened:
        opened.connect(f"/run/roost/{up.name}.sock")
        request = {"jsonrpc": "2.0", "id": 1, "method": method} | ({"params": params} if params else {})
        opened.sendall(json.dumps(request).encode() + b"\n")
        return json.loads(opened.makefile().readline())["result"]


if __name__ == "__main__":
    unittest.main()
