# SPDX-License-Identifier: BSD-3-Clause
"""Captures of a live fabric: what is in them is what ports counted, what is lost is counted, and nothing of a
capture stays when it ends, however it ends."""
import base64
import contextlib
import re
import signal
import subprocess

from roost import captures
from common import *
from test_api import Client

CAPTURES_MAX = 8
LOSSLESS_FLOW = "128KiB"


def idle_fabric(name, start="8ms", preset="spectrum-x", buffer="4MB", size=LOSSLESS_FLOW, dilation=1000, **live):
    """Simulated hosts only, which send nothing before `start`: an incast of five into h1."""
    description = demo(name, attach=(), dilation=dilation, workload=[
        {"kind": "incast", "to": "h1", "from": ["h2", "h3", "h5", "h6", "h7"], "size": size, "at": start}], **live)
    description["switch"]["preset"] = preset
    description["switch"]["buffer"]["size"] = buffer
    del description["tenants"]
    return description


class Section:
    """A pcapng file: packets by interface and direction, and the statistics of each interface."""

    def __init__(self, data):
        self.names, self.packets, self.statistics = [], [], {}
        at = 0
        while at < len(data):
            kind, total = struct.unpack_from("<II", data, at)
            body = data[at + 8:at + total - 4]
            assert struct.unpack_from("<I", data, at + total - 4)[0] == total, f"block at {at}"
            if kind == 1:
                self.names.append(dict(captures.options(body[8:]))[2].decode())
            elif kind == 5:
                options = dict(captures.options(body[12:]))
                self.statistics[self.names[struct.unpack_from("<I", body)[0]]] = {
                    name: struct.unpack("<Q", options[code])[0]
                    for name, code in (("seen", 4), ("lost", 5), ("accepted", 6), ("delivered", 8))
                } | {"comment": options.get(1, b"").decode()}
            elif kind == 6:
                interface, high, low, captured, length = struct.unpack_from("<IIIII", body)
                options = dict(captures.options(body[20 + (captured + 3) // 4 * 4:]))
                direction = {1: "rx", 2: "tx"}.get(struct.unpack("<I", options[2])[0], "?") if 2 in options else "drop"
                self.packets.append((self.names[interface], direction, captures.Packet(
                    high << 32 | low, body[20:20 + captured], length, options.get(1, b"").decode().strip())))
            at += total

    @classmethod
    def read(cls, path):
        return cls(Path(path).read_bytes())

    def count(self, name, direction):
        return sum(one[:2] == (name, direction) for one in self.packets)

    def reasons(self):
        """Dropped packets, by the port where they came in and reason."""
        return collections.Counter((packet.field("port"), packet.field("reason"))
                                   for _, _, packet in self.packets if packet.comment)


class CaptureCase(LiveCase):
    def start(self, fabric, *words):
        """`roost capture` in the background; returns once it captures."""
        running = subprocess.Popen([ROOST, "capture", "-f", fabric.name, *map(str, words)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.reap, running)
        return running

    @staticmethod
    def reap(running):
        if running.poll() is None:
            running.kill()
        running.communicate()

    def start_file(self, fabric, *words):
        """The same into a file; its head is written when the capture has begun."""
        path = self.directory / f"{len(list(self.directory.iterdir()))}.pcapng"
        running = self.start(fabric, *words, "-w", path)
        wait_until(lambda: path.exists() and path.stat().st_size > 0, "the capture begins")
        return running, path

    def end(self, running, how=signal.SIGINT):
        """Ends it; returns its summary."""
        if how is not None:
            running.send_signal(how)
        _, err = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 0, err)
        return err.decode()

    def ports(self, fabric):
        """All ports of a fabric, by name."""
        return {f"{node}.{port}": counters for node, found in fabric.show("interface")["nodes"].items()
                for port, counters in found["ports"].items()}

    def assert_quiet(self, fabric, port, packets):
        """Waits until a port has sent this many packets, and nothing has moved for two retransmission timeouts."""
        last, changed = None, time.monotonic()

        def is_quiet():
            nonlocal last, changed
            now = {name: (one["rx_packets"], one["tx_packets"]) for name, one in self.ports(fabric).items()}
            if now != last:
                last, changed = now, time.monotonic()
            return now[port][1] >= packets and time.monotonic() > changed + 2.5
        wait_until(is_quiet, lambda: f"{port} has sent {packets} packets, but for {last[port]}")


class Exact(CaptureCase):
    """A whole run in captures: they have what the counters have."""

    def run_and_compare(self, description):
        fabric = self.fabric(description)
        ports = [name for name in self.ports(fabric) if not name.startswith("h")]
        both, path = self.start_file(fabric, *ports)
        nics, nics_path = self.start_file(fabric, "h1", "h2.eth1")
        rx, rx_path = self.start_file(fabric, "leaf1.swp1", "--direction", "rx")
        pauses, pauses_path = self.start_file(fabric, "leaf1", "--filter", "ether proto 0x8808", "--snap", "64")
        self.assert_quiet(fabric, "leaf1.swp1", 5 * 32)
        for running in (nics, rx, pauses):
            self.end(running)
        self.assertRegex(self.end(both), r"^roost capture: (\d+) packets captured, \1 passed the ports\n$")
        counters, section = self.ports(fabric), Section.read(path)
        for found in (section, Section.read(nics_path)):
            for name in found.names:
                with self.subTest(name):
                    counted = counters[name]["rx_packets"], counters[name]["tx_packets"]
                    self.assertEqual((found.count(name, "rx"), found.count(name, "tx")), counted)
                    self.assertEqual(found.statistics[name], {"seen": sum(counted), "lost": 0, "accepted": sum(counted),
                                                              "delivered": sum(counted), "comment": ""})
        self.assertEqual(sorted(Section.read(nics_path).names), ["h1.eth1", "h2.eth1"])
        self.assertEqual([packet.ns for _, _, packet in section.packets],
                         sorted(packet.ns for _, _, packet in section.packets))
        received = Section.read(rx_path)
        self.assertEqual({way for _, way, _ in received.packets}, {"rx"})
        self.assertEqual(len(received.packets), counters["leaf1.swp1"]["rx_packets"])
        frames = Section.read(pauses_path)
        control = {name: (one["control_rx"], one["control_tx"]) for name, one in counters.items() if name.startswith("leaf1.")}
        self.assertEqual({name: (frames.count(name, "rx"), frames.count(name, "tx")) for name in control}, control)
        self.assertGreater(sum(map(sum, control.values())), 0)
        self.assertEqual(malformed(path), [])
        self.assertEqual(malformed(pauses_path), [])

    def test_one_worker(self):
        self.run_and_compare(idle_fabric(name_of("capone"), buffer="1MB"))

    def test_two_workers(self):
        self.run_and_compare(idle_fabric(name_of("captwo"), buffer="1MB", workers=2))

    def run_load(self, name, memory):
        """All ports of the switches, while they carry 60,000 packets a second each and pause each other. Returns the
        statistics of all ports, and the path of the capture."""
        fabric = self.fabric(idle_fabric(name, start="160ms", buffer="1MB", size="512KiB", dilation=50,
                                         **{"capture-memory": memory}))
        running, path = self.start_file(fabric, *(one for one in self.ports(fabric) if not one.startswith("h")))
        self.assert_quiet(fabric, "leaf1.swp1", 5 * 128)
        err = self.end(running)
        counters, section = self.ports(fabric), Section.read(path)
        found = collections.Counter(one[:2] for one in section.packets)
        for name in section.names:
            one = section.statistics[name]
            self.assertEqual(one["seen"], counters[name]["rx_packets"] + counters[name]["tx_packets"], name)
            self.assertEqual(one["seen"], one["delivered"] + one["lost"], name)
            self.assertEqual(one["delivered"], found[name, "rx"] + found[name, "tx"], name)
            lost = re.fullmatch(r"lost=(\d+) ring-full=(\d+) client-slow=(\d+)", one["comment"] or "lost=0 ring-full=0 client-slow=0")
            self.assertEqual((int(lost[1]), int(lost[2]) + int(lost[3])), (one["lost"], one["lost"]), name)
            self.assertEqual(one["accepted"], one["delivered"] + int(lost[3]), name)
        self.assertGreater(sum(counters[name]["control_tx"] for name in section.names), 0)
        total = {key: sum(one[key] for one in section.statistics.values()) for key in ("seen", "lost", "delivered")}
        self.assertIn(f"roost capture: {total['delivered']} packets captured, {total['seen']} passed the ports", err)
        return counters, section, total, path

    def test_a_load_that_fits(self):
        """Nothing is lost: every port has in the file what its counters count, pause frames too."""
        counters, section, total, path = self.run_load(name_of("capload"), "32MiB")
        self.assertEqual(total["lost"], 0)
        found = collections.Counter(one[:2] for one in section.packets)
        pauses = collections.Counter(one[:2] for one in section.packets if one[2].data[12:14] == b"\x88\x08")
        for name in section.names:
            self.assertEqual((found[name, "rx"], found[name, "tx"]),
                             (counters[name]["rx_packets"], counters[name]["tx_packets"]), name)
            self.assertEqual((pauses[name, "rx"], pauses[name, "tx"]),
                             (counters[name]["control_rx"], counters[name]["control_tx"]), name)
        self.assertEqual(malformed(path), [])

    def test_a_load_that_does_not_fit(self):
        """What is lost is counted: it and what is in the file are what the ports' counters count."""
        _, section, total, path = self.run_load(name_of("capover"), "64KiB")
        self.assertGreater(total["lost"], 0)
        self.assertGreater(len(section.packets), 0)
        self.assertEqual(malformed(path), [])

    def test_drops_are_what_counters_say(self):
        """Of a lossy fabric with a faulty link: packets dropped on arrival, in full queues, and by the link."""
        description = idle_fabric(name_of("capdrop"), preset="lossy", buffer="256KB")
        description["events"] = [{"at": "1ms", "link": "leaf2-spine1", "loss": "20%"}]
        fabric = self.fabric(description)
        lines = self.start(fabric, "--drops", "-o", "json")
        all_drops, path = self.start_file(fabric, "--drops")
        ports, ports_path = self.start_file(fabric, *(name for name in self.ports(fabric) if name.startswith("leaf")))
        self.assert_quiet(fabric, "leaf1.swp1", 5 * 32)
        counted = collections.Counter({
            (f"{node}.{port}", reason): packets
            for node, found in fabric.show("interface")["nodes"].items() for port, one in found["ports"].items()
            for reason, packets in one.get("drops", {}).items() if packets})
        self.end(ports)
        self.end(all_drops)
        lines.send_signal(signal.SIGINT)
        out, err = lines.communicate(timeout=60)
        self.assertEqual(lines.returncode, 0, err)
        self.assertGreater(len({reason for _, reason in counted}), 1, counted)
        dropped = Section.read(path)
        self.assertEqual(dropped.reasons(), counted)
        self.assertEqual(len(dropped.packets), sum(counted.values()))
        self.assertEqual(sum(one["seen"] for one in dropped.statistics.values()), sum(counted.values()))
        self.assertEqual({way for _, way, _ in dropped.packets}, {"drop"})
        printed = [json.loads(line) for line in out.decode().splitlines()]
        self.assertEqual(collections.Counter((one["in_port"], one["reason"]) for one in printed), counted)
        full = next(one for one in printed if one["reason"] == "egress-pool")
        self.assertRegex(full["queue"], r"^(leaf|spine)\d\.swp\d\.\d$")
        self.assertGreater(full["depth_bytes"], 0)
        self.assertIn("congestion", full["advice"])
        of_ports = Section.read(ports_path)
        self.assertEqual(of_ports.reasons(), collections.Counter(
            {key: count for key, count in counted.items() if key[0].startswith("leaf")}))
        counters = self.ports(fabric)
        for name in of_ports.names:
            self.assertEqual((of_ports.count(name, "rx"), of_ports.count(name, "tx")),
                             (counters[name]["rx_packets"], counters[name]["tx_packets"]), name)


class Busy(CaptureCase):
    """A fabric whose stream never ends."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.name = name_of("capbusy")
        description = demo(cls.name, attach=(), dilation=100, workers=2, workload=[
            {"kind": "stream", "from": "h2", "to": "h6", "packet": "4000B", "rate": "20G"}],
            **{"capture-memory": "64KiB"}) | {"stop": "3600s"}
        path = Path(os.environ.get("TMPDIR", "/tmp")) / f"{cls.name}.yaml"
        path.write_text(to_yaml(description) + "\n")
        cls.addClassCleanup(path.unlink)
        cls.addClassCleanup(lambda: wait_until(lambda: not clean(cls.name), f"{cls.name} is gone"))
        cls.up = Fabric(path, cls.name)
        cls.up.__enter__()
        cls.addClassCleanup(cls.up.__exit__)

    def assert_flows_on(self):
        before = self.ports(self.up)["leaf2.swp2"]["tx_packets"]
        wait_until(lambda: self.ports(self.up)["leaf2.swp2"]["tx_packets"] > before + 100, "the stream flows")
        self.assertEqual(dict(drops(self.up.show("drops")["nodes"])), {})

    def test_overrun_is_counted(self):
        """What is captured and what is lost add up to what passed, and the user learns of it."""
        running, path = self.start_file(self.up, "leaf1.swp2", "leaf2.swp2")
        wait_until(lambda: path.stat().st_size > 2_000_000, "packets are captured")
        err = self.end(running)
        section = Section.read(path)
        self.assertGreater(sum(one["lost"] for one in section.statistics.values()), 0)
        for name, one in section.statistics.items():
            self.assertEqual(one["delivered"], section.count(name, "rx") + section.count(name, "tx"))
            self.assertEqual(one["seen"], one["delivered"] + one["lost"], name)
        self.assertRegex(err, r"\d+ lost, because they arrived faster than they could be read: use")
        self.assert_flows_on()

    def test_slow_reader(self):
        """A client that does not read loses packets, is not disconnected, and costs the fabric nothing."""
        client = Client(self.name)
        self.addCleanup(client.__exit__)
        self.assertEqual(client.ask("capture", ports=["leaf1.swp2"])["result"], {"ports": ["leaf1.swp2"]})
        time.sleep(7)   # beyond the time that a client may take over an answer
        self.assert_flows_on()
        client.say('{"jsonrpc": "2.0", "id": 2, "method": "capture-end"}\n')
        data, last = b"", {}
        while not last.get("end"):
            message = client.hear()
            last = message.get("params", {})
            data += base64.b64decode(last.get("blocks", ""))
        section = Section(data)
        one = section.statistics["leaf1.swp2"]
        self.assertGreater(one["lost"], 0)
        self.assertEqual((one["seen"], one["delivered"]), (one["delivered"] + one["lost"], len(section.packets)))
        self.assertEqual((last["packets"], last["lost"]), (one["delivered"], one["lost"]))
        self.assertIn("result", client.ask("hosts"))

    def test_killed_clients_leave_nothing(self):
        """There are places for a few captures only: those of clients that are killed are free again."""
        for _ in range(2):
            running = [self.start_file(self.up, "leaf1.swp2", "--snap", "64")[0] for _ in range(CAPTURES_MAX)]
            refused = self.up.command("capture", "leaf1.swp2", "-c", "1", status=1)
            self.assertIn("8 captures are running, which is the maximum; end one of them", refused.err)
            for one in running:
                one.kill()
                one.wait()
            wait_until(lambda: self.up.command("capture", "leaf1.swp2", "-c", "1", status=None).status == 0, "places are free")
        self.assert_flows_on()

    def test_lines_count_and_time(self):
        done = self.up.command("capture", "leaf1.swp2", "-c", "3")
        self.assertEqual(len(done.out.splitlines()), 3)
        self.assertRegex(done.out, r"(?m)^\d+\.\d{9} leaf1\.swp2 rx \S+:\d+ > \S+:\d+ udp.* dscp \d+ ecn \d 4\d\d\d bytes$")
        for words, seen in ((["leaf1.swp4"], "passed the ports"), (["--drops"], "dropped")):
            done = self.up.command("capture", *words, "--for", "1s")
            self.assertEqual((done.out, done.err), ("", f"roost capture: 0 packets captured, 0 {seen}\n"))

    def test_a_link(self):
        """Its packets at the end that comes first, whichever way it is called."""
        for link in ("leaf1-spine1", "spine1-leaf1"):
            done = self.up.command("capture", link, "-c", "3", "-o", "json")
            self.assertEqual({json.loads(line)["port"] for line in done.out.splitlines()}, {"leaf1.swp5"})

    def test_mistakes(self):
        for words, pattern, status in (
                (["leaf9.swp1"], "there is no node leaf9", 2),
                (["leaf9"], "there is no node leaf9; did you mean leaf1", 2),
                (["leaf1-spine9"], "there is no node leaf1-spine9; did you mean leaf1", 2),
                (["leaf1-spine1", "leaf1.swp5"], "leaf1.swp5 is named twice", 2),
                (["leaf1.swp99"], "there is no port leaf1.swp99; leaf1 has swp1 .. swp", 2),
                (["leaf1.swp1", "leaf1"], "leaf1.swp1 is named twice", 2),
                ([], "name a port such as leaf1.swp3, or give --drops", 2),
                (["--drops", "--direction", "rx"], "--drops takes no --direction", 2),
                (["leaf1.swp1", "--filter", "udp prt 4791"], r'the filter "udp prt 4791": can\'t parse', 2),
                (["leaf1.swp1", "-w", "/nosuch/x"], "/nosuch/x: No such file or directory", 1)):
            with self.subTest(words):
                self.assertRegex(self.up.command("capture", *words, status=status).err, pattern)
        client = Client(self.name)
        self.addCleanup(client.__exit__)
        for params, pattern in (
                ({}, "must name a port"), ({"ports": ["leaf1.swp1"], "direction": "up"}, "rx, tx or both"),
                ({"ports": ["leaf1.swp1"], "snap": -1}, "snap"), ({"ports": ["leaf1.swp1"], "filter": "udp"}, "tcpdump -ddd"),
                ({"ports": ["leaf1.swp1"], "filter": "1 5 0 0 4294967295"}, "tcpdump -ddd"),     # a jump backwards
                ({"ports": ["leaf1.swp1"], "filter": "99999"}, "tcpdump -ddd")):
            with self.subTest(params):
                error = client.ask("capture", **params)["error"]
                self.assertEqual(error["code"], -32602)
                self.assertRegex(error["message"], pattern)
        self.assertIn("has no capture", client.ask("capture-end")["error"]["message"])


class LargeRings(CaptureCase):
    """The largest rings, of two workers that never sleep."""

    def memory(self):
        """Bytes that the fabric's process has in memory."""
        pid = json.loads(Path(f"/run/roost/{self.up.name}.state").read_text())["pid"]
        return int(re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())[1]) << 10

    def test_others_are_answered(self):
        """A capture begins at once, whatever the size of its rings, and takes memory as it needs it."""
        self.up = self.fabric(demo(name_of("caplarge"), attach=(), workers=2, idle="poll", **{"capture-memory": "1GiB"}))
        before = self.memory()
        with Client(self.up.name) as capturing, Client(self.up.name) as other:
            began = time.monotonic()
            capturing.say('{"jsonrpc": "2.0", "id": 1, "method": "capture", "params": {"drops": true}}\n')
            self.assertIn("result", other.ask("hosts"))
            self.assertEqual(capturing.hear()["result"], {"ports": []})
            for _ in range(50):
                self.assertIn("result", other.ask("hosts"))
            self.assertLess(time.monotonic() - began, 5)
            wait_until(lambda: self.memory() - before > 30 << 20, "memory before the workers is there")
            self.assertLess(self.memory() - before, 200 << 20)
        wait_until(lambda: self.memory() - before < 10 << 20, "the memory is given back")


class SlowEnd(CaptureCase):
    def test_it_waits_while_blocks_come(self):
        """A fabric on a busy machine may need longer for what is in its rings than a client waits for one answer."""
        name = name_of("capend")
        path = Path(f"/run/roost/{name}.sock")
        path.parent.mkdir(exist_ok=True)
        with contextlib.ExitStack() as stack:
            listener = stack.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(str(path))
            self.addCleanup(path.unlink)
            listener.listen()
            listener.settimeout(30)
            running = self.start(collections.namedtuple("Pretended", "name")(name), "leaf1.swp1", "--for", "1s")

            def connect():
                return stack.enter_context(stack.enter_context(listener.accept()[0]).makefile("rw"))
            fabric = connect()
            line = fabric.readline()
            if not line:    # it only looked whether the fabric is up
                fabric = connect()
                line = fabric.readline()

            def say(**message):
                fabric.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
                fabric.flush()
            say(id=json.loads(line)["id"], result={"ports": ["leaf1.swp1"]})
            request = json.loads(fabric.readline())
            self.assertEqual(request["method"], "capture-end")
            say(id=request["id"], result={})
            for _ in range(3):
                time.sleep(4)
                say(method="capture", params={"raw_bytes": 0})
            say(method="capture", params={"end": True, "packets": 0, "lost": 0})
            _, err = running.communicate(timeout=60)
        self.assertEqual((running.returncode, err), (0, b"roost capture: 0 packets captured, 0 passed the ports\n"))


class Attached(CaptureCase):
    def test_attached_hosts_in_tenants(self):
        """Ping between namespaces, at the NIC, the leaf's ports, and in VXLAN between leaves, while tables change."""
        pings, fabric = 4, self.fabric(demo(name_of("capping"), attach=("h1", "h5"), workers=2))
        lines = self.start(fabric, "leaf2.swp1", "-o", "json", "--filter", "icmp", "-c", 2 * pings)
        host, host_path = self.start_file(fabric, "h1.eth1", "leaf1.swp1", "--filter", "icmp")
        uplinks, uplinks_path = self.start_file(fabric, "leaf1.swp5", "leaf1.swp6", "--filter", "udp port 4789", "--snap", "20")
        fabric.exec("h1", "ping", "-c", pings, "-i", "0.2", "-W", "2", HOSTS["h5"])
        fabric.command("set", "switch.qos.tc.3.ecn.min", "60KB")
        fabric.exec("h1", "ping", "-c", pings, "-i", "0.2", "-W", "2", HOSTS["h5"])
        wait_until(lambda: len(Section.read(host_path).packets) == 8 * pings, "pings are captured")
        self.end(host)
        self.end(uplinks)
        section = Section.read(host_path)
        ways = [section.count(name, way) for name in ("h1.eth1", "leaf1.swp1") for way in ("rx", "tx")]
        self.assertEqual(ways, [2 * pings] * 4)
        out, err = lines.communicate(timeout=60)
        self.assertEqual(lines.returncode, 0, err)
        printed = [json.loads(line) for line in out.decode().splitlines()]
        self.assertEqual({(one["src"], one["dst"], one["protocol"]) for one in printed},
                         {(HOSTS["h1"], HOSTS["h5"], "icmp"), (HOSTS["h5"], HOSTS["h1"], "icmp")})
        in_tunnels = Section.read(uplinks_path)
        self.assertEqual([len(packet.data) for _, _, packet in in_tunnels.packets], [20] * 4 * pings)   # cut behind the filter
        self.assertEqual(malformed(host_path), [])


class Down(CaptureCase):
    def test_ends_with_a_whole_file(self):
        description = demo(name_of("capdown"), attach=(), dilation=1000, workload=[
            {"kind": "stream", "from": "h2", "to": "h6", "packet": "1000B", "rate": "10G"}]) | {"stop": "3600s"}
        fabric = Fabric(self.file(description, "down.yaml"), description["fabric"]["name"])
        self.addCleanup(self.assert_clean, fabric.name)
        fabric.__enter__()
        self.addCleanup(lambda: roost("down", fabric.name, status=None))
        running, path = self.start_file(fabric, "leaf1.swp2", "leaf1.swp5")
        wait_until(lambda: path.stat().st_size > 20_000, "packets are captured")
        roost("down", fabric.name)
        self.assertRegex(self.end(running, None), r"^roost capture: (\d+) packets captured, \1 passed the ports\n$")
        section = Section.read(path)
        self.assertEqual(sorted(section.statistics), ["leaf1.swp2", "leaf1.swp5"])
        self.assertEqual(malformed(path), [])
