# SPDX-License-Identifier: BSD-3-Clause
"""Tenants on one switch: no way from one's ports to another's, and parts of the buffer: what is guaranteed to
a tenant nobody else can take, and beyond that it has no more than its share of a pool.

swp1 and swp2 are red's, swp3 blue's; all send to swp9, which is frozen. In cells: a pool of S, guarantees of
Gr and Gb, a share of f: red alone comes to rest at Gr + floor(f (S - Gr - Gb)), in whole packets.
"""
import unittest

from common import *

NUMBERS = [(192, "100G", 300), (1, "25G", 1000), (128, "400G", 600), (192, "800G", 1500)]
POOL = 400_000
RED, BLUE = ("swp1", "swp2"), ("swp3",)


def buffered(cell, rate, red, blue, pool="ingress-lossless", size=POOL, events=None, **qos):
    ports = {"swp1": {"tenant": "red"}, "swp2": {"tenant": "red"}, "swp3": {"tenant": "blue"}, "swp9": {}}
    return switch(ports, rate, hold("swp9") if events is None else events,
                  buffer={"cell": cell, "pools": {pool: {"size": f"{size}B"}}}, qos=qos,
                  tenants={"red": {"buffer": red}, "blue": {"buffer": blue}})


def filling(ports, count, size, first=1000, dscp=0):
    """Packets of the ports in turn, for swp9."""
    frame = udp(*to("swp9"), size=size, dscp=dscp)
    return by_turns([(port, frame) for port in ports], count, first)


def at_rest(cell, size, guaranteed, share, others, pool=POOL):
    """(packets under the guarantee, packets of the share) that a tenant alone may hold; share: a fraction."""
    packet, mine = cells(size, cell), cells(guaranteed, cell)
    shared = pool // cell - mine - cells(others, cell)
    return mine // packet, int(share * shared) // packet


class Shares(Case):
    def test_lossless_is_paused(self):
        """Red floods by two ports: beyond guarantee and share what comes goes to the ports' headroom, and both are
        paused; blue's port is not, whatever red does, and blue's packets within its guarantee find room. No
        packet is lost."""
        for cell, rate, size in NUMBERS:
            for share in ("25%", "50%"):
                with self.subTest(cell=cell, rate=rate, share=share):
                    under, beyond = at_rest(cell, size, 20_000, int(share[:-1]) / 100, 30_000)
                    fits = under + beyond
                    packet = cells(size, cell) * cell
                    of_blue = cells(30_000, cell) * cell // packet
                    description = buffered(cell, rate, {"guaranteed": "20KB", "share": share}, {"guaranteed": "30KB"},
                                           pg={3: {"headroom": "100KB"}})
                    flood = filling(RED, (fits + 21) // 2, size, dscp=3)
                    end = max(ns for packets in flood.values() for ns, _ in packets)
                    late = filling(BLUE, of_blue, size, first=end + 1000, dscp=3)
                    run = self.replay(description, flood | late, "--until", f"{end + 40_000}ns")
                    run.assert_conserved()
                    self.assertEqual(run.drops, {})
                    sent = (fits + 21) // 2 * 2
                    red, blue = run.switch.counters["tenants"]["red"], run.switch.counters["tenants"]["blue"]
                    self.assertEqual((red["packets"], red["used"], red["used_max"], red["dropped"]),
                                     (sent, sent * packet, sent * packet, 0))
                    groups = [run.port(port).group(3).counters for port in RED]
                    self.assertEqual(sum(group["headroom"] for group in groups), (sent - fits) * packet)
                    self.assertEqual((blue["used"], blue["dropped"], blue["guaranteed"]),
                                     (of_blue * packet, 0, 2 * cells(30_000, cell) * cell))   # in either ingress pool
                    self.assertEqual([bool(run.port(port).group(3).xoff) for port in (*RED, *BLUE)],
                                     [True, True, False])
                    self.assertEqual((run.sent["swp3"], run.port("swp3").priorities.pfc_tx), ([], [0] * 8))
                    # The first packet that does not fit makes XOFF of its port.
                    first = next(frame for frame in pfc_frames(run.sent[RED[fits % 2]]))
                    self.assertEqual(first.ns, pfc_stamp((1000 + fits * 100) * 1000, rate))

    def test_lossy_is_dropped(self):
        """The same in the lossy pool: red's excess is dropped, for its share; blue, within its guarantee and share,
        loses nothing. Without `buffer` under tenants red takes all there is."""
        for cell, rate, size in NUMBERS:
            with self.subTest(cell=cell, rate=rate):
                under, beyond = at_rest(cell, size, 20_000, 0.5, 30_000)
                packet = cells(size, cell) * cell
                count = POOL // packet // 2 + 50
                flood = filling(RED, count, size)
                end = max(ns for packets in flood.values() for ns, _ in packets)
                of_blue = sum(at_rest(cell, size, 30_000, 0.25, 20_000))
                late = filling(BLUE, of_blue + 10, size, first=end + 1000)
                run = self.replay(buffered(cell, rate, {"guaranteed": "20KB", "share": "50%"},
                                           {"guaranteed": "30KB", "share": "25%"}, "ingress-lossy"), flood | late)
                run.assert_conserved()
                red, blue = run.switch.counters["tenants"]["red"], run.switch.counters["tenants"]["blue"]
                self.assertEqual((red["used"] // packet, blue["used"] // packet), (under + beyond, of_blue))
                self.assertEqual((red["dropped"], blue["dropped"]), (2 * count - under - beyond, 10))
                self.assertEqual(run.drops, {"tenant-share": red["dropped"] + blue["dropped"]})
                run = self.replay(buffered(cell, rate, {}, {}, "ingress-lossy"), flood | late)
                run.assert_conserved()
                full = POOL // cell // cells(size, cell)
                self.assertEqual((run.switch.tenant("red").used // packet, run.switch.tenant("blue").used),
                                 (full, 0))
                self.assertEqual(set(run.drops), {"ingress-pool"})

    def test_guarantee_is_set_aside(self):
        """Red may have all that is shared, and fills it; blue's guarantee is as free as before, to the last packet,
        and the next one is lost for want of room in the pool."""
        for cell, rate, size in NUMBERS:
            for count, lost in ((0, 0), (1, 1), (5, 5)):
                with self.subTest(cell=cell, rate=rate, beyond=count):
                    packet = cells(size, cell) * cell
                    description = buffered(cell, rate, {"share": "100%"}, {"guaranteed": "60KB"}, "ingress-lossy")
                    flood = filling(RED, POOL // packet // 2 + 20, size)
                    end = max(ns for packets in flood.values() for ns, _ in packets)
                    of_blue = cells(60_000, cell) * cell // packet
                    run = self.replay(description, flood | filling(BLUE, of_blue + count, size, first=end + 1000))
                    run.assert_conserved()
                    shared = (POOL // cell - cells(60_000, cell)) // cells(size, cell)
                    # What the last packet leaves free of the shared space may not be enough for another.
                    held = [run.switch.tenant(tenant).used // packet for tenant in ("red", "blue")]
                    self.assertEqual(held, [shared, of_blue])
                    self.assertEqual(run.port("swp3").drops, {"ingress-pool": lost} if lost else {})

    def test_share_by_alpha(self):
        """A share of alpha times what is free: alone at alpha / (1 + alpha) of what is shared; both at
        alpha / (1 + 2 alpha) each: 1/2 and 1/3 for 1, 4/5 and 4/9 for 4, to a packet."""
        for alpha in (1, 4):
            for cell, rate, size in NUMBERS:
                with self.subTest(alpha=alpha, cell=cell):
                    packet = cells(size, cell) * cell
                    description = buffered(cell, rate, {"share": alpha}, {"share": alpha}, "ingress-lossy")
                    count = POOL // packet + 10
                    run = self.replay(description, filling(RED, count // 2, size))
                    run.assert_conserved()
                    held = run.switch.tenant("red").used
                    self.assertLessEqual(abs(held - POOL * alpha / (1 + alpha)), packet + cell)
                    run = self.replay(description, filling((RED[0], *BLUE), count, size))
                    run.assert_conserved()
                    for tenant in ("red", "blue"):
                        held = run.switch.tenant(tenant).used
                        self.assertLessEqual(abs(held - POOL * alpha / (1 + 2 * alpha)), packet + cell)
                    self.assertEqual(set(run.drops), {"tenant-share"})

    def test_marks(self):
        """40 packets of each port in turn wait at swp9: all are marked that have more than 20 cells of 192 B, 6 a packet,
        behind them: not the last four. Each mark counts for the tenant of the packet too, on every way out."""
        frame = udp(*to("swp9"), size=1000, dscp=3, ecn=2)
        inputs = by_turns([(port, frame) for port in (*RED, *BLUE)], 40, 1000)
        for way, keys in (("fast", {}), ("full", {"max-rate": "10G"})):
            with self.subTest(way=way):
                description = buffered(192, "100G", {"share": 4}, {"share": 4}, events=hold("swp9", until="30us"),
                                       tc={3: {"ecn": {"min": "3840B", "max": "3840B"}} | keys})
                run = self.replay(description, inputs)
                run.assert_conserved()
                self.assertEqual([ecn_of(packet.data) for packet in run.sent["swp9"]], [3] * 116 + [2] * 4)
                tenants = run.switch.counters["tenants"]
                self.assertEqual((tenants["red"]["ecn_marked"], tenants["blue"]["ecn_marked"]), (78, 38))
                self.assertEqual(run.port("swp9").queue(3).ecn_marked, 116)

    def test_egress_pool(self):
        """A share holds in each pool that has an end: here on the way out, where two queues of swp9 and swp8 take
        from the lossy pool; what red has beyond is dropped there."""
        for cell, rate, size in NUMBERS:
            with self.subTest(cell=cell, rate=rate):
                packet = cells(size, cell) * cell
                ports = {"swp1": {"tenant": "red"}, "swp3": {"tenant": "blue"}, "swp8": {}, "swp9": {}}
                description = switch(ports, rate, hold("swp8", "swp9"), buffer={
                    "cell": cell, "pools": {"egress-lossy": {"size": f"{POOL}B"}}},
                    tenants={"red": {"buffer": {"share": "30%"}}, "blue": {"buffer": {"share": "50%"}}})
                each = int(0.3 * (POOL // cell)) // cells(size, cell)
                flood = [(100 * (i + 1), udp(*to(("swp8", "swp9")[i % 2]), size=size)) for i in range(each + 30)]
                late = filling(BLUE, 20, size, first=1_000_000)
                run = self.replay(description, {"swp1": flood} | late)
                run.assert_conserved()
                self.assertEqual((run.port("swp1").drops, run.port("swp3").drops), ({"tenant-share": 30}, {}))
                self.assertEqual(sum(run.port(port).queue(0).dropped for port in ("swp8", "swp9")), 30)

    def test_recovers(self):
        """When red's packets have left it has its share again, and XON is sent on its ports."""
        for cell, rate, size in NUMBERS[:3]:
            with self.subTest(cell=cell, rate=rate):
                description = buffered(cell, rate, {"share": "25%"}, {}, events=hold("swp9", until="400us"),
                                       pg={3: {"headroom": "100KB", "xon-offset": "9216B"}})
                under, beyond = at_rest(cell, size, 0, 0.25, 0)
                count = (under + beyond) // 2 + 15
                run = self.replay(description, filling(RED, count, size, dscp=3))
                run.assert_conserved()
                self.assertEqual((run.drops, run.switch.tenant("red").used), ({}, 0))
                for port in RED:
                    self.assertEqual(pfc_frames(run.sent[port])[-1].quanta[3], 0)
                self.assertEqual(len(run.sent["swp9"]), 2 * count)


class Routes(Case):
    def test_no_way_across(self):
        """Ports of VRFs red and blue: a packet for the other's addresses is dropped as `no-route` at the port that it
        came by, IPv4 and IPv6; nothing leaves there, and what is red's own passes."""
        for cell, rate in ((192, "100G"), (1, "25G"), (128, "400G")):
            for preset in ("sonic", "spectrum-x"):
                with self.subTest(rate=rate, preset=preset):
                    description = switch(4, rate, preset=preset, buffer={"cell": cell})
                    for port, settings in description["switch"]["ports"].items():
                        settings["vrf"] = settings["tenant"] = "red" if port in RED else "blue"
                    for route in description["switch"]["routes"]:
                        route["vrf"] = "red" if route["via"][0]["port"] in RED else "blue"
                    description["switch"]["tenants"] = {"red": {}, "blue": {}}
                    frames = [udp(*addresses(port)) for port in ("swp2", "swp3", "swp4") for addresses in (to, to6)]
                    run = self.replay(description, {"swp1": [(1000 * (i + 1), frame) for i, frame in enumerate(frames)],
                                                    "swp4": [(500, udp(*to("swp1"))), (1500, udp(*to("swp3")))]})
                    run.assert_conserved()
                    self.assertEqual({port: len(sent) for port, sent in run.sent.items()},
                                     {"swp1": 0, "swp2": 2, "swp3": 1, "swp4": 0})
                    self.assertEqual((run.port("swp1").drops, run.port("swp4").drops),
                                     ({"no-route": 4}, {"no-route": 1}))
                    self.assertEqual([run.switch.tenant(name).dropped for name in ("red", "blue")], [4, 1])


if __name__ == "__main__":
    unittest.main()
