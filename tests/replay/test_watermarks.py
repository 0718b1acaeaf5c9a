# SPDX-License-Identifier: BSD-3-Clause
"""The most that a queue, a group, its headroom, a pool and a tenant have held, and clearing that.

swp1's packets wait in swp2 and fill it in quarters of what fits; a snapshot after each, one after 20 packets
more than fit, one when all have left. Clearing sets a maximum to what is held at that instant; the user's
watermarks and the persistent ones are cleared apart.
"""
import unittest

from common import *

STEP_US = 100               # a quarter comes in each
QUARTERS = [(i + 1) * STEP_US * 1000 for i in range(4)]
FULL_NS, EMPTY_NS = 5 * STEP_US * 1000, 6 * STEP_US * 1000

# Cell, rate, packet, and how many packets fit.
NUMBERS = [(192, "100G", 300, 100), (1, "25G", 1000, 60), (128, "400G", 600, 200), (192, "800G", 1500, 80)]


def filling(count, size, over=20, **options):
    """Quarters of `count` packets, `over` more, each quarter from 1 us after the snapshot before."""
    frame = udp(*to("swp2"), size=size, **options)
    packets = []
    for quarter in range(4):
        packets += [(quarter * STEP_US * 1000 + 1000 + 100 * i, frame)
                    for i in range(count * (quarter + 1) // 4 - count * quarter // 4)]
    return packets + [(4 * STEP_US * 1000 + 1000 + 100 * i, frame) for i in range(over)]


def events(*more):
    shots = QUARTERS + [FULL_NS, EMPTY_NS]
    return hold("swp2", until=f"{FULL_NS}ns") + [{"at": f"{at}ns", "snapshot": "full"} for at in shots] + list(more)


class Watermarks(Case):
    def follow(self, run, count, size, cell, what):
        """what: {name: function of a switch's counters that tells (now, maximum, persistent maximum)}, in bytes.
        Each is a quarter, a half, .. of what fits; more does not pass that; it stays when all have left."""
        run.assert_conserved()
        packet = cells(size, cell) * cell
        for name, read in what.items():
            for quarter, at in enumerate(QUARTERS):
                held = count * (quarter + 1) // 4 * packet
                self.assertEqual(read(run.snapshot(at).counters), (held, held, held), (name, at))
            self.assertEqual(read(run.snapshot(FULL_NS).counters), (count * packet,) * 3, name)
            self.assertEqual(read(run.snapshot(EMPTY_NS).counters), (0, count * packet, count * packet), name)

    @staticmethod
    def queue(tc):
        def read(node):
            queue = node["ports"]["swp2"]["queue"][tc]
            return queue["depth"], queue["depth_max"], queue["depth_max_persistent"]
        return read

    @staticmethod
    def group(pg, name):
        def read(node):
            group = node["ports"]["swp1"]["pg"][pg]
            return group[name], group[f"{name}_max"], group[f"{name}_max_persistent"]
        return read

    @staticmethod
    def pool(name):
        def read(node):
            pool = node["pools"][name]
            return pool["used"], pool["used_max"], pool["used_max_persistent"]
        return read

    @staticmethod
    def tenant(name):
        def read(node):
            tenant = node["tenants"][name]
            return tenant["used"], tenant["used_max"], tenant["used_max_persistent"]
        return read

    def test_queue(self):
        """A lossy queue whose limit is `count` packets; with it its pool, its group and the group's pool."""
        for cell, rate, size, count in NUMBERS:
            with self.subTest(cell=cell, rate=rate):
                limit = count * cells(size, cell) * cell
                run = self.replay(switch(rate=rate, events=events(), buffer={"cell": cell},
                                         qos={"tc": {0: {"static": f"{limit}B"}}}), {"swp1": filling(count, size)})
                self.follow(run, count, size, cell, {
                    "queue": self.queue(0), "egress pool": self.pool("egress-lossy"), "group": self.group(0, "used"),
                    "shared": self.group(0, "shared"), "ingress pool": self.pool("ingress-lossy")})
                self.assertEqual(run.drops, {"egress-pool": 20})
                out = run.port("swp2").counters
                self.assertEqual((out["tx_discards"], out["rx_discards"], run.port("swp1").counters["rx_discards"]), (20, 0, 0))
                self.assertEqual((out["queue"][0]["dropped"], out["queue"][0]["dropped_bytes"]), (20, 20 * size))

    def test_queue_with_reserved(self):
        """A queue of which a quarter is reserved: `shared_max` is what was beyond that."""
        for cell, rate, size, count in NUMBERS:
            with self.subTest(cell=cell, rate=rate):
                packet = cells(size, cell) * cell
                reserved, limit = count // 4 * packet, (count - count // 4) * packet
                run = self.replay(switch(rate=rate, events=events(), buffer={"cell": cell}, qos={"tc": {0: {
                    "static": f"{limit}B", "reserved": f"{reserved}B"}}}), {"swp1": filling(count, size)})
                for quarter, at in enumerate(QUARTERS):
                    queue = run.snapshot(at).port("swp2").queue(0).counters
                    beyond = (count * (quarter + 1) // 4 - count // 4) * packet
                    self.assertEqual((queue["shared_max"], queue["shared_max_persistent"]), (beyond, beyond))
                self.assertEqual(run.port("swp2").counters["queue"][0]["shared_max"], limit)

    def test_clearing_one_of_them(self):
        """A clear of a group, a queue, a port or a pool leaves all others as they were."""
        cell, rate, size, count = NUMBERS[0]
        full = count * cells(size, cell) * cell
        peaks = {"group": self.group(0, "used"), "queue": self.queue(0), "in": self.pool("ingress-lossy"),
                 "out": self.pool("egress-lossy")}
        for which, cleared in (({}, {"group", "queue", "in", "out"}), ({"port": "swp1"}, {"group"}),
                               ({"port": "swp2"}, {"queue"}), ({"port": "swp1", "pg": 0}, {"group"}),
                               ({"port": "swp2", "queue": 0}, {"queue"}), ({"port": "swp1", "queue": 0}, set()),
                               ({"port": "swp1", "pg": 1}, set()), ({"port": "swp2", "queue": 1}, set()),
                               ({"pool": "ingress-lossy"}, {"in"}), ({"pool": "egress-lossy"}, {"out"}),
                               ({"pool": "headroom"}, set())):
            for persistent in (False, True):
                with self.subTest(which, persistent=persistent):
                    clear = {"at": f"{EMPTY_NS}ns", "clear": "persistent-watermarks" if persistent else "watermarks"} | which
                    run = self.replay(switch(rate=rate, events=events(clear, {"at": f"{EMPTY_NS + 1000}ns", "snapshot": "full"}),
                                             buffer={"cell": cell}), {"swp1": filling(count, size, over=0)})
                    node = run.snapshot(EMPTY_NS + 1000).counters
                    for name, read in peaks.items():
                        gone = 0 if name in cleared else full
                        self.assertEqual(read(node), (0, full, gone) if persistent else (0, gone, full), name)

    def test_group_with_reserved(self):
        """A lossy group of which a quarter is reserved: `shared` is what is beyond that."""
        for cell, rate, size, count in NUMBERS:
            with self.subTest(cell=cell, rate=rate):
                packet = cells(size, cell) * cell
                reserved, limit = count // 4 * packet, (count - count // 4) * packet
                run = self.replay(switch(rate=rate, events=events(), buffer={"cell": cell}, qos={"pg": {0: {
                    "static": f"{limit}B", "reserved": f"{reserved}B"}}}), {"swp1": filling(count, size)})
                self.follow(run, count, size, cell, {"used": self.group(0, "used"), "queue": self.queue(0)})
                for quarter, at in enumerate(QUARTERS):
                    beyond = (count * (quarter + 1) // 4 - count // 4) * packet
                    self.assertEqual(self.group(0, "shared")(run.snapshot(at).counters), (beyond,) * 3)
                self.assertEqual(self.group(0, "shared")(run.snapshot(EMPTY_NS).counters), (0, limit, limit))
                self.assertEqual(run.drops, {"ingress-pool": 20})
                self.assertEqual((run.port("swp1").counters["rx_discards"], run.port("swp2").counters["tx_discards"]), (20, 0))

    def test_headroom(self):
        """A lossless group whose own limit is 0: all that it holds is headroom."""
        for cell, rate, size, count in NUMBERS:
            with self.subTest(cell=cell, rate=rate):
                room = count * cells(size, cell) * cell
                run = self.replay(switch(rate=rate, events=events(), buffer={"cell": cell}, qos={"pg": {3: {
                    "static": "0B", "headroom": f"{room}B"}}}), {"swp1": filling(count, size, dscp=3)})
                self.follow(run, count, size, cell, {
                    "headroom": self.group(3, "headroom"), "used": self.group(3, "used"), "queue": self.queue(3),
                    "pool": self.pool("headroom")})
                self.assertEqual(run.drops, {"headroom": 20})
                self.assertEqual(self.group(3, "shared")(run.switch.counters), (0, 0, 0))

    def test_tenant(self):
        """A tenant held to its share, half of it guaranteed: of a pool of twice that."""
        for cell, rate, size, count in NUMBERS:
            with self.subTest(cell=cell, rate=rate):
                packet = cells(size, cell) * cell
                half = count // 2 * packet      # guaranteed; the pool holds that, and twice the other half beyond it
                description = switch({"swp1": {"tenant": "red"}, "swp2": {}}, rate, events(), buffer={
                    "cell": cell, "pools": {"ingress-lossy": {"size": f"{3 * half}B"}}},
                    tenants={"red": {"buffer": {"guaranteed": f"{half}B", "share": "50%"}}})
                run = self.replay(description, {"swp1": filling(count, size)})
                self.follow(run, count, size, cell, {"tenant": self.tenant("red"), "group": self.group(0, "used"),
                                                     "pool": self.pool("ingress-lossy"), "queue": self.queue(0)})
                self.assertEqual(run.drops, {"tenant-share": 20})
                self.assertEqual(run.switch.tenant("red").dropped, 20)

    def test_tenant_without_buffer(self):
        """A tenant without `buffer:` keeps its peak too, in every variant of the pipeline and in pools without end;
        another tenant and packets of none count for themselves."""
        variants = ({}, {"qos": {"histograms": [{"latency": "swp2.0"}]}}, {"vtep": "172.16.0.1"},
                    {"vtep": "172.16.0.1", "qos": {"histograms": [{"latency": "swp2.0"}]}},
                    {"tenants": {"blue": {"buffer": {"guaranteed": "1KB"}}}})
        ports = {"swp1": {"tenant": "red"}, "swp2": {}, "swp3": {"tenant": "blue"}, "swp4": {}}
        for variant in variants:
            for cell, rate, size, count in NUMBERS[::3]:
                with self.subTest(variant=variant, cell=cell):
                    limit = count * cells(size, cell) * cell
                    description = switch(ports, rate, events(), **merge({
                        "buffer": {"cell": cell}, "qos": {"tc": {0: {"static": f"{limit}B"}}},
                        "tenants": {"red": {"vni": 5001}, "blue": {"vni": 5002}}}, variant))
                    late = FULL_NS - 5000
                    run = self.replay(description, {
                        "swp1": filling(count, size), "swp3": [(late, udp(*to("swp2"), size=size, dscp=3))],
                        "swp4": [(late, udp(*to("swp2"), size=size, dscp=3))]})
                    self.follow(run, count, size, cell, {"tenant": self.tenant("red")})
                    packet = cells(size, cell) * cell
                    self.assertEqual(self.tenant("blue")(run.snapshot(QUARTERS[3]).counters), (0, 0, 0))
                    self.assertEqual(self.tenant("blue")(run.snapshot(FULL_NS).counters), (packet, packet, packet))
                    self.assertEqual(self.tenant("blue")(run.switch.counters), (0, packet, packet))

    def test_tenant_that_never_waits(self):
        """A packet that finds its port idle counts in the peak, one at a time."""
        for more in ({}, {"vtep": "172.16.0.1"}):
            for cell, rate, size, _ in NUMBERS:
                with self.subTest(more=more, cell=cell):
                    description = switch({"swp1": {"tenant": "red"}, "swp2": {}}, rate, buffer={"cell": cell},
                                         tenants={"red": {"vni": 5001}}, **more)
                    run = self.replay(description, {"swp1": stream(5, size=size)})
                    run.assert_conserved()
                    packet = cells(size, cell) * cell
                    self.assertEqual(self.tenant("red")(run.switch.counters), (0, packet, packet))

    def run_cleared(self, clears, cell=192, rate="100G", size=300, count=100, tenant=None):
        """clears: [(us, what)]. Filled and empty again by 600 us; from 700 us on half comes again. tenant: what red's
        section says."""
        limit = count * cells(size, cell) * cell
        again = [{"at": "650us", "port": "swp2", "tx": "off"}]
        shots = [{"at": f"{at}us", "snapshot": "full"} for at in (620, 690, 800, 890)]
        clear = [{"at": f"{at}us", "clear": what} for at, what in clears]
        description = switch({"swp1": {"tenant": "red"}, "swp2": {}}, rate, events(*again, *shots, *clear),
                             buffer={"cell": cell}, qos={"tc": {0: {"static": f"{limit}B"}}},
                             tenants={"red": tenant or {}})
        packets = filling(count, size) + [(700_000 + 100 * i, udp(*to("swp2"), size=size)) for i in range(count // 2)]
        run = self.replay(description, {"swp1": packets}, "--until", "900us")
        run.assert_conserved()
        readers = {"queue": self.queue(0), "group": self.group(0, "used"), "shared": self.group(0, "shared"),
                   "pool": self.pool("egress-lossy"), "ingress pool": self.pool("ingress-lossy"),
                   "tenant": self.tenant("red")}
        return {name: [tuple(value * 4 / limit for value in read(run.snapshot(at * 1000).counters))
                       for at in (500, 620, 690, 800, 890)] for name, read in readers.items()}

    def test_clear(self):
        """In quarters of what fits: (held, maximum, persistent maximum) at 500 (full), 620 and 690 (empty), 800 and
        890 us (half full)."""
        never = [(4, 4, 4), (0, 4, 4), (0, 4, 4), (2, 4, 4), (2, 4, 4)]
        user = [(4, 4, 4), (0, 4, 4), (0, 0, 4), (2, 2, 4), (2, 2, 4)]
        persistent = [(4, 4, 4), (0, 4, 4), (0, 4, 0), (2, 4, 2), (2, 4, 2)]
        both = [(4, 4, 4), (0, 4, 4), (0, 0, 0), (2, 2, 2), (2, 2, 2)]
        late = [(4, 4, 4), (0, 4, 4), (0, 4, 4), (2, 4, 4), (2, 2, 4)]     # to what is held, not to 0
        cases = (([], never), ([(650, "watermarks")], user), ([(650, "persistent-watermarks")], persistent),
                 ([(650, "watermarks"), (660, "persistent-watermarks")], both), ([(850, "watermarks")], late),
                 ([(300, "watermarks")], never))      # three quarters are held then, and more comes
        for clears, expected in cases:
            for numbers in NUMBERS[::3]:
                with self.subTest(clears=clears, numbers=numbers):
                    for tenant in (None, {"buffer": {"share": "100%"}}):
                        for name, seen in self.run_cleared(clears, *numbers, tenant=tenant).items():
                            self.assertEqual(seen, expected, name)

    def test_clear_in_headroom(self):
        """Cleared while headroom is held: the maximum is what is held, and grows from there."""
        for cell, rate in ((192, "100G"), (128, "400G")):
            shots = [{"at": f"{at}us", "snapshot": "full"} for at in (19, 31, 45)]
            clear = [{"at": at, "clear": "watermarks"} for at in ("20us", "30us")]
            hold_part = [{"at": "25us", "port": "swp2", "tx": "on"}, {"at": "25001ns", "port": "swp2", "tx": "off"}]
            frame = udp(*to("swp2"), size=cell, dscp=3)
            packets = [(1000 + 100 * i, frame) for i in range(10)] + [(40000 + 100 * i, frame) for i in range(3)]
            run = self.replay(switch(rate=rate, events=hold("swp2") + shots + clear + hold_part, buffer={"cell": cell},
                                     qos={"pg": {3: {"static": "0B", "headroom": "100KB"}}}),
                              {"swp1": packets}, "--until", "50us")
            run.assert_conserved()
            reads = (self.group(3, "headroom"), self.group(3, "used"), self.pool("headroom"), self.queue(3))
            for read in reads:     # one packet begins within that ns
                seen = [tuple(value // cell for value in read(run.snapshot(at).counters)) for at in (19000, 31000, 45000)]
                self.assertEqual(seen, [(10, 10, 10), (9, 9, 10), (12, 12, 12)])

    def test_counts_for_more(self):
        """20 packets of 300 B, 2 cells each, wait. Their class is given another pool, which they now are in; their
        group's reserved space, which they were within, is taken from it, and they count as shared."""
        for cell, rate in ((192, "100G"), (128, "400G")):
            with self.subTest(cell=cell):
                changes = [{"at": "50us", "set": "switch.qos.tc.3.pool", "to": "egress-lossy"},
                           {"at": "51us", "set": "switch.qos.pg.3.reserved", "to": "0B"}]
                run = self.replay(switch(2, rate, hold("swp2") + changes, qos={"pg": {3: {"reserved": "20KB"}}},
                                         buffer={"cell": cell}), {"swp1": stream(20, 3, 1000, 100)}, "--until", "60us")
                held = 20 * cells(300, cell) * cell
                pool, group = run.switch.counters["pools"]["egress-lossy"], run.port("swp1").group(3).counters
                self.assertEqual([pool[key] for key in ("used", "used_max", "used_max_persistent")], [held] * 3)
                self.assertEqual([group[key] for key in ("shared", "shared_max", "shared_max_persistent")], [held] * 3)


if __name__ == "__main__":
    unittest.main()
