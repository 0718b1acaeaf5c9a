# SPDX-License-Identifier: BSD-3-Clause
"""LLDP with an unmodified lldpd in a host's namespace, both ways; and hosts of both IP versions."""
import contextlib
import shutil

from common import *

ETH_P_LLDP = 0x88CC
NEAREST_BRIDGE = bytes.fromhex("0180c200000e")
DCBX = "00,80,C2"


def tlv(kind, value):
    return struct.pack(">H", kind << 9 | len(value)) + value


def frame(source, ttl, *more):
    """Builds an LLDP frame as a host sends it."""
    parts = [tlv(1, b"\x04" + source), tlv(2, b"\x05eth1"), tlv(3, struct.pack(">H", ttl)), *more, tlv(0, b"")]
    return (NEAREST_BRIDGE + source + struct.pack(">H", ETH_P_LLDP) + b"".join(parts)).ljust(60, b"\0")


def read(data):
    """The TLVs of a frame, [(type, value), ...], up to the end."""
    found, at = [], 14
    while (kind := (head := struct.unpack_from(">H", data, at)[0]) >> 9) != 0:
        found.append((kind, data[at + 2:at + 2 + (head & 511)]))
        at += 2 + (head & 511)
    return found


def dcbx(tlvs, subtype):
    """The value of the DCBX TLV with this subtype."""
    return next(value[4:] for kind, value in tlvs if kind == 127 and value[:4] == bytes((0, 0x80, 0xC2, subtype)))


def found(value, key):
    """All values of a key, at any depth."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from [inner] if name == key else found(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from found(inner, key)


def fabric(name):
    return {"fabric": {"name": name, "topology": {"kind": "leaf-spine", "leaves": 2, "spines": 1, "hosts-per-leaf": 2},
                       "links": {kind: {"rate": "100G", "delay": "500ns"} for kind in ("host", "fabric")}, "dilation": 100},
            "live": {"workers": 1, "idle": "sleep"},
            "switch": {"preset": "spectrum-x", "buffer": {"size": "4MB"},
                       "qos": {"tc": {3: {"ecn": {"min": "50KB", "max": "500KB"}}}}},
            "hosts": {"ip": [4, 6]},
            "attach": {"h1": {"netns": netns(name, "h1")}, "h3": {"netns": netns(name, "h3"), "nic": "off"}}}


class End(LiveCase):
    """A leaf says that it stops (IEEE 802.1AB, shutdown frame) before what is behind a port goes away."""

    def test_detach_and_down(self):
        name = name_of("lldpend")
        path = self.directory / "fabric.yaml"
        path.write_text(to_yaml(fabric(name)) + "\n", encoding="ascii")
        self.addCleanup(lambda: wait_until(lambda: not clean(name), f"{name} is gone"))
        with Fabric(path, name) as up:
            sockets = {host: raw_socket(netns(name, host), protocol=ETH_P_LLDP) for host in ("h1", "h3")}
            for socket in sockets.values():
                self.addCleanup(socket.socket.close)
            wait_until(lambda: all(up.show("lldp")["nodes"][leaf]["ports"]["swp1"]["sent"] for leaf in ("leaf1", "leaf2")),
                       "both speak")
            up.command("detach", "h1")
            self.assert_last(sockets["h1"])
        self.assert_last(sockets["h3"])

    def assert_last(self, socket):
        frames = []
        for _ in range(2):
            with contextlib.suppress(OSError):      # once, that the interface is gone
                frames += socket.receive()
        said = [read(one.data) for one in frames if one.data[6:8] == b"\x02\x01"]
        self.assertIn((3, b"\x00\x00"), said[-1] if said else [])
        self.assertEqual([kind for kind, _ in said[-1]], [1, 2, 3])


class Lldp(Shared):
    EXACT = False

    @classmethod
    def setUpClass(cls):
        if shutil.which("lldpd") is None:
            raise unittest.SkipTest("needs lldpd")
        super().setUpClass()

    @classmethod
    def description(cls):
        return fabric(cls.name)

    def neighbours(self, port):
        node, name = port.split(".")
        return self.up.show("lldp", port)["nodes"][node]["ports"][name]["neighbours"]

    def unheard(self, port):
        """Frames to reserved addresses that the port has dropped."""
        return drops(self.up.show("drops", port)["nodes"])["reserved-address"]

    def socket(self, host):
        return self.raw(host, ETH_P_LLDP)

    def heard(self, socket, accepts, what, timeout=10):
        """The TLVs of the first frame from the leaf that accepts() takes. Frames that the host itself sends are skipped."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            for arrival in socket.receive(0.5):
                if arrival.data[6:8] == b"\x02\x01" and accepts(tlvs := read(arrival.data)):
                    return tlvs
        self.fail(f"waited {timeout} s in vain: {what}")

    def mac(self, host):
        link = command("ip", "-n", netns(self.name, host), "-j", "link", "show", "eth1").json[0]
        return bytes.fromhex(link["address"].replace(":", ""))

    def lldpd(self, host):
        """Starts lldpd in a host's namespace. Returns a function that runs lldpcli."""
        control = Path(f"/run/{self.name}-{host}.lldpd")     # lldpcli is a user who cannot enter the test's directory
        self.addCleanup(control.unlink, missing_ok=True)
        log = open(self.directory / f"{host}.lldpd.log", "w", encoding="ascii", errors="replace")
        self.addCleanup(log.close)
        # It looks its own name up with every change: one that Roost has written to the namespace's hosts asks no server.
        daemon = subprocess.Popen(["ip", "netns", "exec", netns(self.name, host), "unshare", "--uts", "sh", "-c",
                                   'echo "$0" > /proc/sys/kernel/hostname; exec lldpd -d -u "$1" -I eth1', host, control],
                                  stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.terminate)
        wait_until(control.exists, "lldpd listens")

        def cli(*words, **options):
            return command("lldpcli", "-u", control, *words, **options)
        return daemon, cli

    def test_lldpd(self):
        for host, port in (("h1", "leaf1.swp1"), ("h3", "leaf2.swp1")):
            with self.subTest(host):
                self.both_ways(host, port)

    def both_ways(self, host, port):
        leaf, before = port.split(".")[0], self.unheard(port)
        daemon, cli = self.lldpd(host)
        # What a SuperNIC says, which lldpd only passes on: PFC of priority 3, and RoCE in it.
        cli("configure", "lldp", "custom-tlv", "oui", "00,80,c2", "subtype", "11", "oui-info", "88,08")
        cli("configure", "lldp", "custom-tlv", "oui", "00,80,c2", "subtype", "12", "oui-info", "00,63,12,b7")
        cli("update")

        def leaf_of():
            shown = cli("-f", "json0", "show", "neighbors", "details").json
            return shown if list(found(shown, "chassis")) else None
        shown = wait_until(leaf_of, f"lldpd in {host} has heard {leaf}")
        chassis = next(found(shown, "chassis"))[0]
        self.assertEqual(chassis["name"][0]["value"], leaf)
        self.assertEqual(chassis["id"][0], {"type": "mac", "value": f"02:02:00:00:{int(leaf[4:]) - 1:02x}:00"})
        self.assertEqual([one["value"] for one in chassis["mgmt-ip"]], [f"172.16.0.{leaf[4:]}", f"fd00::1:0:0:{leaf[4:]}:0"])
        self.assertEqual([one["type"] for one in chassis["capability"] if one["enabled"]], ["Router"])
        self.assertIn(f"leaf of the fabric {self.name}", chassis["descr"][0]["value"])
        at = next(found(shown, "port"))[0]
        self.assertEqual((at["id"][0]["value"], at["ttl"][0]["value"], at["descr"][0]["value"]), ("swp1", "120", f"to {host}.eth1"))
        # lldpd does not know DCBX by name, but shows it.
        told = {one["subtype"]: one["value"] for several in found(shown, "unknown-tlv") for one in several if one["oui"] == DCBX}
        self.assertEqual(told.get("11"), "08,08", shown)
        self.assertEqual(told.get("12"), "00,63,12,B7", shown)

        def host_of():
            return next((one for one in self.neighbours(port) if one["system"] == host and "applications" in one), None)
        mine = wait_until(host_of, f"{port} has heard {host} and its DCBX")
        self.assertEqual((mine["chassis"], mine["ttl"]), (self.mac(host).hex(":"), 120))
        self.assertEqual(mine["pfc"], {"willing": True, "classes": 8, "priorities": [3]})
        self.assertEqual(mine["applications"], [{"selector": "udp", "protocol": 4791, "priority": 3}])
        self.assertRegex(self.up.command("show", "lldp", port).out, rf"(?m)^{port} +{host} .* 3 +3 +120$")
        daemon.terminate()
        daemon.wait(30)
        wait_until(lambda: not self.neighbours(port), f"{host} has said that it stops")
        self.assertEqual(self.unheard(port), before)

    def test_what_a_leaf_says(self):
        """The leaf sends at once when the link comes up again, and to a new neighbour."""
        heard = self.socket("h1")
        command("ip", "-n", netns(self.name, "h1"), "link", "set", "eth1", "down")
        wait_until(lambda: self.up.show("interface", "leaf1.swp1")["nodes"]["leaf1"]["ports"]["swp1"]["state"] == "down",
                   "the port is down")
        with contextlib.suppress(OSError):  # of a socket, once, that its interface is down
            heard.receive()
        command("ip", "-n", netns(self.name, "h1"), "link", "set", "eth1", "up")
        tlvs = self.heard(heard, lambda _: True, "a frame when the link is up")
        self.assertEqual([value for kind, value in tlvs if kind in (2, 3, 5)], [b"\x05swp1", b"\x00\x78", b"leaf1"])
        self.assertEqual(dcbx(tlvs, 11), bytes.fromhex("0808"))
        self.assertEqual(dcbx(tlvs, 12), bytes.fromhex("006312b7"))
        ets = bytes.fromhex("00 00030060 3200003200000000 0200000200000000")
        self.assertEqual((dcbx(tlvs, 9), dcbx(tlvs, 10)), (ets, ets))

    def test_neighbours_come_and_go(self):
        socket, source = self.socket("h3"), self.mac("h3")
        for last in range(6):   # as many senders: a port keeps four
            socket.send(frame(source[:5] + bytes((last,)), 120))
        wait_until(lambda: len(self.neighbours("leaf2.swp1")) == 4, "four neighbours")
        for last in range(4):
            socket.send(frame(source[:5] + bytes((last,)), 0))
        wait_until(lambda: not self.neighbours("leaf2.swp1"), "none")
        socket.send(frame(source, 1))
        wait_until(lambda: self.neighbours("leaf2.swp1"), "one for a second")
        wait_until(lambda: not self.neighbours("leaf2.swp1"), "its TTL has ended")
        port = self.up.show("lldp", "leaf2.swp1")["nodes"]["leaf2"]["ports"]["swp1"]
        malformed = port["malformed"]
        socket.send(frame(source, 120)[:20].ljust(60, b"\xff"))
        wait_until(lambda: self.up.show("lldp")["nodes"]["leaf2"]["ports"]["swp1"]["malformed"] == malformed + 1,
                   "the malformed frame is counted")
        self.assertGreaterEqual(port["left_out"], 1)

    def test_off_and_on(self):
        socket, source, before = self.socket("h3"), self.mac("h3"), self.unheard("leaf2.swp1")
        self.up.command("set", "leaf2.lldp", "off")
        tlvs = self.heard(socket, lambda tlvs: (3, b"\x00\x00") in tlvs, "the leaf says that it stops")
        self.assertEqual([kind for kind, _ in tlvs], [1, 2, 3])
        socket.send(frame(source, 120))
        wait_until(lambda: self.unheard("leaf2.swp1") == before + 1, "nobody listens")
        self.assertNotIn("leaf2", self.up.show("lldp")["nodes"])
        self.up.command("set", "leaf2.lldp", "on")
        self.heard(socket, lambda tlvs: (3, b"\x00\x78") in tlvs, "the leaf speaks again")

    def test_both_ip_versions(self):
        addresses = command("ip", "-n", netns(self.name, "h1"), "-j", "addr", "show", "dev", "eth1").json[0]["addr_info"]
        self.assertEqual({one["local"] for one in addresses if one["scope"] == "global"}, {"10.0.1.1", "fd00::1:1"})
        for address in ("10.0.2.1", "fd00::2:1", "h3"):
            self.assertIn("2 received", self.up.exec("h1", "ping", "-c", 2, "-i", "0.1", "-W", 5, address).out)


if __name__ == "__main__":
    unittest.main()
