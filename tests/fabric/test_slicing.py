# SPDX-License-Identifier: BSD-3-Clause
"""Hosts change their tenants while packets of theirs, and everybody's, are under way. What was admitted before
arrives; afterwards not one packet crosses; and nobody else notices.

Two leaves with 4 hosts each: h1..h4 and h5..h8. The tenants are red, blue and, built in, rest.
"""
import unittest

from common import *

US = 1000   # ns
SPEED = "30G"
ENCAPS = {"vxlan": ({"vni": 5001}, {"vni": 5002}), "vlan": ({"vlan": 101}, {"vlan": 102}), "plain": ({}, {})}


def stream(src, dst, until="200us", **more):
    return {"kind": "stream", "from": src, "to": dst, "rate": SPEED, "packet": "1000B", "until": until} | more


def tenants(encap="vxlan", red=("h1", "h5"), blue=("h2", "h6")):
    marks = ENCAPS[encap]
    return {"red": {"hosts": list(red)} | marks[0], "blue": {"hosts": list(blue)} | marks[1]}


def put(at, key, value=None):
    if value is None:
        return {"at": at, "unset": f"tenants.{key}"}
    return {"at": at, "set": f"tenants.{key}", "to": value}


def port_of(host):
    """Where a host meets its leaf."""
    number = int(host[1:]) - 1
    return f"leaf{number // 4 + 1}", f"swp{number % 4 + 1}"


class Slicing(Case):
    def fabric(self, work, events, sliced=None, **more):
        description = fabric(2, 2, 4, workload=work, events=events, **more)
        description["switch"] = dict(description.get("switch", {})) | {"icmp": "off"}   # what is refused is refused in silence
        return description | ({"tenants": sliced} if sliced is not None else {})

    def assert_arrived(self, sim, at=None):
        """Whatever was sent has been received, or was refused where it entered the fabric: at a host's port."""
        sent = received = refused = 0
        for name, node in sim.nodes.items():
            for port, one in node["ports"].items():
                drops = dict(one["drops"])
                if name.startswith("h"):
                    sent, received = sent + one["tx_packets"], received + one["rx_packets"]
                elif (name, port) in map(port_of, ("h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8")):
                    refused += drops.pop("no-route", 0)
                self.assertEqual(drops, {}, f"{name}.{port}")
        self.assertEqual(sent, received + refused)
        self.assertEqual(sim.summary["pfc_tx"], 0)
        return sent, received, refused

    def words(self, sim):
        return [entry["message"] for entry in sim.result["log"]]

    def times(self, sim):
        return [entry["at_ns"] for entry in sim.result["log"]]

    def test_leaves_and_comes_back(self):
        """Whatever the encapsulation and addresses of tenants, the packets under way arrive, and all else goes on."""
        for encap in ENCAPS:
            for underlay in (4, 6) if encap == "vxlan" else (4,):
                with self.subTest(encap=encap, underlay=underlay):
                    work = [stream("h1", "h5"), stream("h5", "h1"), stream("h2", "h6"), stream("h3", "h7"),
                            stream("h6", "h2"), stream("h8", "h4")]
                    moves = [put("50us", "red.hosts", ["h1"]), put("90us", "red.hosts", ["h1", "h5"]),
                             put("130us", "red", None), put("160us", "red", {"hosts": ["h1", "h5"], **ENCAPS[encap][0]})]
                    description = self.fabric(work, moves, tenants(encap))
                    description["fabric"]["underlay"] = underlay
                    sim = self.sim(description)
                    sent, _, refused = self.assert_arrived(sim)
                    # Between the two 40 us, and once without red at all both are at rest: they reach each other.
                    self.assertGreater(refused, 200)
                    self.assertLess(refused, 400)
                    texts = self.words(sim)
                    self.assertRegex(texts[0], r"^tenant rest: h5 from red; [1-9]\d* packets drained, 0 dropped$")
                    self.assertRegex(texts[1], r"^tenant red: h5 from rest; 0 packets drained, 0 dropped$")
                    self.assertRegex(texts[2], r"^tenant rest: h1, h5 from red; [1-9]\d* packets drained, 0 dropped$")
                    self.assertRegex(texts[3], r"^tenant red: h1, h5 from rest; [1-9]\d* packets drained, 0 dropped$")

    def test_first_and_last_tenant(self):
        """From a fabric without tenants to one with, where all others go from plain to VXLAN under way, and back."""
        work = [stream("h1", "h5"), stream("h5", "h1"), stream("h3", "h7"), stream("h7", "h4")]
        for start in (None, {}):
            with self.subTest(start=start):
                events = [put("50us", "red", {"hosts": ["h1", "h5"], "vni": 5001}),
                          put("100us", "red.vni", 6001),
                          {"at": "150us", "unset": "tenants.red" if start == {} else "tenants"}]
                sim = self.sim(self.fabric(work, events, start))
                _, _, refused = self.assert_arrived(sim)
                self.assertEqual(refused, 0)
                self.assertEqual(len(self.words(sim)), 3)

    def test_nobody_else_notices(self):
        """The others' counters are those of a run in which nothing is changed, and they come as fast."""
        work = [stream("h1", "h5"), stream("h2", "h6"), stream("h3", "h7"), flow("h8", "h4", "500KB", at="20us"),
                flow("h6", "h2", "300KB", at="45us")]
        quiet = self.sim(self.fabric(work, [put("900us", "red.dscp", "pipe")], tenants()))
        moved = self.sim(self.fabric(work, [put("50us", "red.hosts", ["h1"]), put("80us", "blue.hosts", ["h2", "h5", "h6"])],
                                     tenants()))
        counted = ("rx_packets", "rx_bytes", "tx_packets", "tx_bytes", "drops", "pfc_rx", "pfc_tx")
        for host in ("h2", "h3", "h4", "h6", "h7", "h8"):
            for name, port in ((host, "eth1"), port_of(host)):
                before, after = (sim.nodes[name]["ports"][port] for sim in (quiet, moved))
                self.assertEqual({key: before[key] for key in counted}, {key: after[key] for key in counted}, name)
        self.assertEqual([one["retransmitted"] for one in moved.flows if one["bytes"]],
                         [one["retransmitted"] for one in quiet.flows if one["bytes"]])
        self.assertEqual((moved.summary["out_of_order"], moved.summary["pfc_tx"]), (0, 0))
        self.assertGreater(moved.drops["no-route"], 300)

    def test_not_one_packet_afterwards(self):
        """From the moment the command is over nothing of the old tenant reaches the moved host: neither from its own
        leaf, nor from another, nor the other way round."""
        work = [stream("h1", "h5"), stream("h7", "h5"), stream("h5", "h1"), stream("h5", "h7"), stream("h3", "h6")]
        for encap in ENCAPS:
            with self.subTest(encap=encap):
                sim = self.sim(self.fabric(work, [put("50us", "red.hosts", ["h1", "h7"])],
                                           tenants(encap, red=("h1", "h5", "h7"), blue=("h2",)),
                                           record={"pcap": [".".join(port_of(host)) for host in ("h1", "h5", "h7")]}))
                self.assert_arrived(sim)
                over, = self.times(sim)
                self.assertLess(over, 60 * US)
                for host in ("h1", "h5", "h7"):
                    last = 0
                    for packet in read_pcapng(sim.directory / (".".join(port_of(host)) + ".pcapng")):
                        towards = packet.data[:6] == bytes((2, 0, 10, *self.place(host)))
                        last = max(last, packet.ns if towards else 0)
                    self.assertTrue(50 * US <= last <= over, f"{host}: {last}, over at {over}")

    @staticmethod
    def place(host):
        number = int(host[1:]) - 1
        return 0, number // 4 + 1, number % 4 + 1

    def test_deadline(self):
        """What cannot leave in 10 ms drops, all of it and nothing else: of hosts that have not moved nothing does,
        even behind the same frozen port."""
        work = [stream("h1", "h5", "60us"), stream("h3", "h7", "60us"), stream("h7", "h3", "60us")]
        freeze = [{"at": "30us", "port": f"spine{i}.swp2", "tx": "off"} for i in (1, 2)]
        free = [{"at": "12ms", "port": f"spine{i}.swp2", "tx": "on"} for i in (1, 2)]
        everybody = [f"h{i}" for i in range(1, 9)]
        slices = {"red": {"hosts": everybody, "vni": 5001}}
        events = [{"at": "40us", "snapshot": "full"}, put("50us", "red.hosts", everybody[:4]),
                  {"at": "70us", "snapshot": "full"}, put("80us", "red.hosts", everybody),
                  {"at": "110us", "snapshot": "full"}]
        work = [stream("h1", "h2"), stream("h5", "h6")]
        sim = self.sim(self.fabric(work, events, slices))
        told = [sorted(shot["nodes"]["leaf2"]["tenants"]) for shot in sim.snapshots]
        self.assertEqual(told, [["red"], ["red", "rest"], ["red", "rest"]])

    def test_names_change_hands(self):
        """Places of tenants that are gone go to others, and their counters begin anew."""
        work = [stream("h1", "h5"), stream("h2", "h6"), stream("h3", "h7")]
        events = [put("50us", "blue"), put("90us", "green", {"hosts": ["h3", "h7"], "vni": 5009}),
                  {"at": "199us", "snapshot": "full"}]
        sim = self.sim(self.fabric(work, events, tenants()))
        self.assert_arrived(sim)
        shot, = sim.snapshots
        counted = shot["nodes"]["leaf1"]["tenants"]
        self.assertEqual(sorted(counted), ["green", "red", "rest"])
        per_us = counted["red"]["packets"] / 199
        self.assertAlmostEqual(counted["green"]["packets"] / per_us, 109, delta=2)
        # A flow was its tenant's, whoever has the place in the end.
        mine = flow("h2", "h6", "10KB", tenant="blue")
        self.assertEqual(self.sim(self.fabric(work + [mine], events, tenants())).flows[0]["tenant"], "blue")
        # A VNI goes from one tenant to another: not while packets of the first are under way.
        for at, status in (("90us", 0), ("51us", 2)):
            path = self.file(self.fabric(work, [put("50us", "red.vni", 7777), put(at, "blue.vni", 5001)], tenants()))
            done = roost("sim", path, "-o", self.directory / f"out{status}", status=status)
            if status == 0:
                self.assert_arrived(Sim(self.directory / "out0", done))
            else:
                self.assertIn("VNI 5001 of tenant blue belonged to red until now", done.err)


if __name__ == "__main__":
    unittest.main()
