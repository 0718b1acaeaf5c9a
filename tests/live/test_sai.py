# SPDX-License-Identifier: BSD-3-Clause
"""roost.sai: what SONiC's QoS suite asks of a switch, under SAI's names; and the platform of PTF. Packets of 100 bytes take one
cell of 192."""
import json
import os
import subprocess
import sys

import roost as package
from common import *
from roost import ptf, sai
from test_devices import PEER_MAC, DeviceCase, Running

CELL, COUNT = 192, 20
STOP_PORT_MAX_RATE, RELEASE_PORT_MAX_RATE = 1, 0    # as SONiC's suite has them
QUEUE = "SAI_QUEUE_STAT_"
GROUP = "SAI_INGRESS_PRIORITY_GROUP_STAT_"
POOL = "SAI_BUFFER_POOL_STAT_"
PORT = "SAI_PORT_STAT_"


class Sai(DeviceCase):
    """Packets from t1, before swp1, to t2, behind swp2."""

    def setUp(self):
        super().setUp()
        self.netns = self.namespace()
        description = self.switch("net_tap0,iface=t1", "net_tap1,iface=t2", mtu=1500)
        self.run_ = Running(self, description, self.netns)
        self.run_.__enter__()
        self.addCleanup(self.run_.__exit__)
        wait_until(lambda: all(self.run_.port(name)["state"] == "up" for name in ("swp1", "swp2")), "the ports are up")
        self.switch_ = sai.Switch(self.run_.name)
        self.swp1, self.swp2 = self.switch_.ports
        self.far = raw_socket(self.netns, "t2").socket
        self.near = raw_socket(self.netns, "t1").socket
        for one in (self.far, self.near):
            self.addCleanup(one.close)

    def send(self, count=COUNT, dscp=26, size=100):
        """Sends packets to swp2, and waits until the switch has them."""
        before = self.run_.port("swp1")["rx_packets"]
        for i in range(count):
            self.near.send(udp("198.18.1.9", "198.18.2.9", size=size, dscp=dscp, ident=i))
        wait_until(lambda: self.run_.port("swp1")["rx_packets"] == before + count, "the switch has all of them")

    def queue(self, *names):
        return self.values(self.switch_.get_queue_stats, self.switch_.queue(self.swp2, 3), QUEUE, names)

    def group(self, *names):
        return self.values(self.switch_.get_ingress_priority_group_stats, self.switch_.ingress_priority_group(self.swp1, 3),
                           GROUP, names)

    def pool(self, name, *names):
        return self.values(self.switch_.get_buffer_pool_stats, self.switch_.buffer_pool(name), POOL, names)

    def port(self, port, *names):
        return self.values(self.switch_.get_port_stats, port, PORT, names)

    @staticmethod
    def values(get, oid, prefix, names):
        found = get(oid, [prefix + name for name in names])
        return [found[prefix + name] for name in names]

    def wait_queue(self, name, value):
        wait_until(lambda: self.queue(name) == [value], f"{name} is {value}")

    def test_a_stopped_port_fills_its_buffer(self):
        """Occupancy and watermarks to the cell; clears; the packets leave when the port sends again."""
        switch = self.switch_
        switch.set_port_attribute(self.swp2, "SAI_PORT_ATTR_PKT_TX_ENABLE", False)
        self.assertFalse(switch.get_port_attribute(self.swp2, "SAI_PORT_ATTR_PKT_TX_ENABLE"))
        self.send()
        self.assertEqual(self.queue("PACKETS", "CURR_OCCUPANCY_BYTES", "WATERMARK_BYTES"), [0, COUNT * CELL, COUNT * CELL])
        self.assertEqual(self.group("PACKETS", "BYTES", "DROPPED_PACKETS", "CURR_OCCUPANCY_BYTES", "WATERMARK_BYTES",
                                    "XOFF_ROOM_CURR_OCCUPANCY_BYTES", "XOFF_ROOM_WATERMARK_BYTES"),
                         [COUNT, 100 * COUNT, 0, COUNT * CELL, COUNT * CELL, 0, 0])
        for name in ("ingress-lossless", "egress-lossless"):
            self.assertEqual(self.pool(name, "CURR_OCCUPANCY_BYTES", "WATERMARK_BYTES"), [COUNT * CELL] * 2)
        self.assertEqual(self.port(self.swp2, "IF_OUT_QLEN", "IF_OUT_UCAST_PKTS"), [COUNT * CELL, 0])

        switch.set_port_attribute(self.swp2, "SAI_PORT_ATTR_PKT_TX_ENABLE", True)
        self.wait_queue("PACKETS", COUNT)
        self.assertTrue(switch.get_port_attribute(self.swp2, "SAI_PORT_ATTR_PKT_TX_ENABLE"))
        self.assertEqual(self.queue("BYTES", "CURR_OCCUPANCY_BYTES", "WATERMARK_BYTES"), [100 * COUNT, 0, COUNT * CELL])
        self.assertEqual(self.group("CURR_OCCUPANCY_BYTES", "SHARED_CURR_OCCUPANCY_BYTES", "WATERMARK_BYTES"), [0, 0, COUNT * CELL])

        switch.clear_queue_stats(switch.queue(self.swp2, 3))
        self.assertEqual(self.queue("PACKETS", "BYTES", "WATERMARK_BYTES", "SHARED_WATERMARK_BYTES"), [0] * 4)
        self.assertEqual(self.group("PACKETS", "WATERMARK_BYTES"), [COUNT, COUNT * CELL])       # of another object
        switch.clear_ingress_priority_group_stats(switch.ingress_priority_group(self.swp1, 3), [GROUP + "WATERMARK_BYTES"])
        self.assertEqual(self.group("PACKETS", "WATERMARK_BYTES"), [COUNT, 0])
        self.assertEqual(self.pool("ingress-lossless", "WATERMARK_BYTES"), [COUNT * CELL])
        switch.clear_buffer_pool_stats(switch.buffer_pool("ingress-lossless"))
        self.assertEqual(self.pool("ingress-lossless", "WATERMARK_BYTES"), [0])
        self.assertEqual(self.pool("egress-lossless", "WATERMARK_BYTES"), [COUNT * CELL])
        self.send(3)
        self.wait_queue("PACKETS", 3)
        switch.clear_all_stats()
        self.assertEqual(self.pool("egress-lossless", "WATERMARK_BYTES"), [0])
        for oid, get in ((self.swp1, switch.get_port_stats), (self.swp2, switch.get_port_stats),
                         (switch.queue(self.swp2, 3), switch.get_queue_stats),
                         (switch.ingress_priority_group(self.swp1, 3), switch.get_ingress_priority_group_stats)):
            self.assertEqual(set(get(oid).values()), {0}, switch.name_of(oid))

    def test_room_for_xoff(self):
        """Only the pool "ingress-lossless" has it: a clear of another pool leaves the headroom's watermark as it is."""
        switch = self.switch_
        switch.fabric.set("switch.qos.pg.3.static", "1KB")
        switch.set_port_attribute(self.swp2, "SAI_PORT_ATTR_PKT_TX_ENABLE", False)
        self.send()
        room = lambda name: self.pool(name, "XOFF_ROOM_CURR_OCCUPANCY_BYTES", "XOFF_ROOM_WATERMARK_BYTES")
        held = room("ingress-lossless")
        self.assertGreater(held[0], 0)
        self.assertEqual(self.group("XOFF_ROOM_CURR_OCCUPANCY_BYTES"), held[:1])
        switch.set_port_attribute(self.swp2, "SAI_PORT_ATTR_PKT_TX_ENABLE", True)
        self.wait_queue("PACKETS", COUNT)
        for other in ("egress-lossy", "ingress-lossy", "egress-lossless"):
            switch.clear_buffer_pool_stats(switch.buffer_pool(other))
            self.assertEqual(room(other), [0, 0])
        self.assertEqual(room("ingress-lossless"), [0, held[1]])
        switch.clear_buffer_pool_stats(switch.buffer_pool("ingress-lossless"))
        self.assertEqual(room("ingress-lossless"), [0, 0])

    def test_a_port_counts(self):
        switch = self.switch_
        self.send()
        self.wait_queue("PACKETS", COUNT)
        self.assertEqual(self.port(self.swp1, "IF_IN_UCAST_PKTS", "IF_IN_NON_UCAST_PKTS", "IF_IN_OCTETS", "IF_IN_DISCARDS",
                                   "IF_OUT_UCAST_PKTS"), [COUNT, 0, 104 * COUNT, 0, 0])
        self.assertEqual(self.port(self.swp2, "IF_OUT_UCAST_PKTS", "IF_OUT_OCTETS", "IF_OUT_DISCARDS", "ECN_MARKED_PACKETS"),
                         [COUNT, 104 * COUNT, 0, 0])
        self.near.send(udp("198.18.1.9", "203.0.113.1", size=100))      # no route
        self.near.send(b"\xff" * 6 + udp("198.18.1.9", "198.18.2.9", size=100)[6:])    # a broadcast
        wait_until(lambda: self.port(self.swp1, "IF_IN_DISCARDS") == [2], "both are dropped")
        self.assertEqual(self.port(self.swp1, "IF_IN_UCAST_PKTS", "IF_IN_NON_UCAST_PKTS", "IN_DROPPED_PKTS"), [COUNT + 1, 1, 0])
        self.far.send(pfc({3: 100}))
        wait_until(lambda: self.port(self.swp2, "PFC_3_RX_PKTS") == [1], "the pause has arrived")
        self.assertEqual(self.port(self.swp2, "PFC_4_RX_PKTS", "PFC_3_TX_PKTS", "IF_IN_NON_UCAST_PKTS", "IF_IN_UCAST_PKTS"),
                         [0, 0, 1, 0])
        self.assertEqual([name for name in sai.PORT_STATS if name.endswith("PAUSE_DURATION")], [])     # in quanta
        self.near.send(udp("198.18.1.9", "198.18.2.9", size=100)[:60])
        wait_until(lambda: self.port(self.swp1, "IF_IN_ERRORS") == [1], "the truncated packet is there")
        self.assertEqual(self.port(self.swp1, "IF_IN_DISCARDS", "IF_IN_UCAST_PKTS", "IF_IN_NON_UCAST_PKTS"), [2, COUNT + 1, 1])
        switch.clear_port_stats(self.swp1, [PORT + "IF_IN_DISCARDS"])
        self.assertEqual(self.port(self.swp1, "IF_IN_DISCARDS", "IF_IN_UCAST_PKTS"), [0, COUNT + 1])
        self.assertEqual(set(switch.get_port_stats(self.swp1)), set(sai.PORT_STATS))
        self.assertEqual(set(switch.get_buffer_pool_stats(switch.buffer_pool("ingress-lossy"))), set(sai.POOL_STATS))

    def hold(self, **keys):
        """Sets keys of switch.qos, clears, and stops swp2, as a case of the suite begins."""
        for key, value in keys.items():
            self.switch_.fabric.set(f"switch.qos.{key}", value)
        self.switch_.clear_all_stats()
        self.switch_.set_port_attribute(self.swp2, "SAI_PORT_ATTR_PKT_TX_ENABLE", False)

    def test_xoff_and_ingress_drop_at_the_predicted_packet(self):
        """As PFCtest and PGHeadroomWatermarkTest: reserved and shared cells, then XOFF and headroom, then a drop."""
        reserved, shared, room = 4, 10, 6
        self.hold(**{"pg.3.reserved": f"{reserved * CELL}B", "pg.3.static": f"{shared * CELL}B",
                     "pg.3.headroom": f"{room * CELL}B"})
        self.send(reserved + shared)
        self.assertEqual(self.port(self.swp1, "PFC_3_TX_PKTS"), [0])
        self.assertEqual(self.group("WATERMARK_BYTES", "SHARED_WATERMARK_BYTES", "XOFF_ROOM_WATERMARK_BYTES"),
                         [(reserved + shared) * CELL, shared * CELL, 0])
        self.send(1)
        wait_until(lambda: self.port(self.swp1, "PFC_3_TX_PKTS")[0] > 0, "XOFF is sent")
        self.assertGreater(self.port(self.swp1, "IF_OUT_NON_UCAST_PKTS")[0], 0)
        self.assertEqual(self.port(self.swp1, "IF_OUT_UCAST_PKTS", "PFC_4_TX_PKTS"), [0, 0])
        self.send(room - 1)
        self.assertEqual(self.group("DROPPED_PACKETS", "CURR_OCCUPANCY_BYTES", "SHARED_WATERMARK_BYTES", "XOFF_ROOM_WATERMARK_BYTES"),
                         [0, (reserved + shared + room) * CELL, shared * CELL, room * CELL])
        self.assertEqual(self.pool("ingress-lossless", "XOFF_ROOM_WATERMARK_BYTES"), [room * CELL])
        self.send(2)
        self.assertEqual(self.group("DROPPED_PACKETS", "PACKETS"), [2, reserved + shared + room + 2])
        self.assertEqual(self.port(self.swp1, "IF_IN_DISCARDS", "IN_DROPPED_PKTS"), [2, 2])
        self.assertEqual(self.port(self.swp2, "IF_OUT_DISCARDS"), [0])

    def test_a_lossy_queue_drops_at_egress(self):
        """As LossyQueueTest and QSharedWatermarkTest, with what the queue has reserved before its shared cells."""
        reserved, shared, more = 4, 10, 3
        switch, queue = self.switch_, self.switch_.queue(self.swp2, 0)
        read = lambda *names: self.values(switch.get_queue_stats, queue, QUEUE, names)
        self.hold(**{"tc.0.reserved": f"{reserved * CELL}B", "tc.0.static": f"{shared * CELL}B"})
        self.send(reserved + shared, dscp=0)
        self.assertEqual(read("DROPPED_PACKETS", "WATERMARK_BYTES", "SHARED_WATERMARK_BYTES"),
                         [0, (reserved + shared) * CELL, shared * CELL])
        self.send(more, dscp=0)
        self.assertEqual(read("DROPPED_PACKETS", "DROPPED_BYTES", "SHARED_WATERMARK_BYTES"), [more, 100 * more, shared * CELL])
        self.assertEqual(self.port(self.swp2, "IF_OUT_DISCARDS", "OUT_DROPPED_PKTS"), [more, more])
        self.assertEqual(self.port(self.swp1, "IF_IN_DISCARDS", "IN_DROPPED_PKTS"), [0, 0])
        switch.set_port_attribute(self.swp2, "SAI_PORT_ATTR_PKT_TX_ENABLE", True)
        wait_until(lambda: read("PACKETS") == [reserved + shared], "the admitted packets leave")

    def test_marks_are_counted(self):
        """Packets that leave more than the threshold behind them are marked: all but the last ones."""
        limit = 5
        self.hold(**{"tc.3.ecn.min": f"{limit * CELL}B", "tc.3.ecn.max": f"{(limit + 1) * CELL}B", "tc.3.ecn.probability": "100%"})
        before = self.run_.port("swp1")["rx_packets"]
        for i in range(COUNT):
            self.near.send(udp("198.18.1.9", "198.18.2.9", size=100, dscp=26, ecn=2, ident=i))
        wait_until(lambda: self.run_.port("swp1")["rx_packets"] == before + COUNT, "the switch has all of them")
        self.switch_.set_port_attribute(self.swp2, "SAI_PORT_ATTR_PKT_TX_ENABLE", True)
        self.wait_queue("PACKETS", COUNT)
        marked = COUNT - 1 - limit
        self.assertEqual(self.queue("WRED_ECN_MARKED_PACKETS", "WRED_ECN_MARKED_BYTES", "WRED_DROPPED_PACKETS"),
                         [marked, 100 * marked, 0])
        self.assertEqual(self.port(self.swp2, "ECN_MARKED_PACKETS", "WRED_DROPPED_PACKETS"), [marked, 0])

    def test_the_pool_watermark_begins_behind_what_is_reserved(self):
        """As SONiC's BufferPoolWatermarkTest: packets that fit what group and queue have reserved leave the watermark at 0, each
        packet beyond adds its cells; the occupancy has all of them."""
        switch, reserved = self.switch_, 8
        for key in ("qos.pg.3.reserved", "qos.tc.3.reserved"):
            switch.fabric.set(f"switch.{key}", f"{reserved * CELL}B")
        switch.set_port_attribute(self.swp2, "SAI_PORT_ATTR_PKT_TX_ENABLE", False)
        pools = ("ingress-lossless", "egress-lossless")
        for count, beyond in ((reserved, 0), (1, 1), (10, 11)):
            self.send(count)
            for pool in pools:
                self.assertEqual(self.pool(pool, "CURR_OCCUPANCY_BYTES", "WATERMARK_BYTES"),
                                 [(reserved + beyond) * CELL, beyond * CELL])
        switch.set_port_attribute(self.swp2, "SAI_PORT_ATTR_PKT_TX_ENABLE", True)
        self.wait_queue("PACKETS", reserved + beyond)
        for pool in pools:
            self.assertEqual(self.pool(pool, "CURR_OCCUPANCY_BYTES", "WATERMARK_BYTES"), [0, beyond * CELL])
            switch.clear_buffer_pool_stats(switch.buffer_pool(pool))
            self.assertEqual(self.pool(pool, "WATERMARK_BYTES"), [0])

    def test_schedulers_stop_and_release(self):
        """Profiles of 1 byte per second and of none, as SONiC's suite binds them; a rate of a port becomes its max-rate."""
        switch = self.switch_
        stop, release = (switch.create_scheduler_profile(rate) for rate in (STOP_PORT_MAX_RATE, RELEASE_PORT_MAX_RATE))
        for oid, set_, prefix in ((self.swp2, switch.set_port_attribute, "SAI_PORT_ATTR_QOS"),
                                  (switch.queue(self.swp2, 3), switch.set_queue_attribute, "SAI_QUEUE_ATTR")):
            sent = self.queue("PACKETS")[0]
            set_(oid, f"{prefix}_SCHEDULER_PROFILE_ID", stop)
            self.send(5)
            self.assertEqual(self.queue("PACKETS", "CURR_OCCUPANCY_BYTES"), [sent, 5 * CELL])
            set_(oid, f"{prefix}_SCHEDULER_PROFILE_ID", release)
            self.wait_queue("PACKETS", sent + 5)
        self.assertEqual(switch.get_port_attribute(self.swp2, "SAI_PORT_ATTR_QOS_SCHEDULER_PROFILE_ID"), release)

        half = switch.create_scheduler_profile(6_250_000_000)
        set_rate = lambda oid: switch.set_port_attribute(self.swp2, "SAI_PORT_ATTR_QOS_SCHEDULER_PROFILE_ID", oid)
        rate = lambda: switch.fabric.command("show", "config").out
        set_rate(half)
        self.assertRegex(rate(), r"swp2\.max-rate +50G")
        set_rate(0)
        self.assertNotRegex(rate(), r"swp2\.max-rate +50G")
        with self.assertRaisesRegex(package.RoostError, "no rate for a single queue of a port"):
            switch.set_queue_attribute(switch.queue(self.swp2, 3), "SAI_QUEUE_ATTR_SCHEDULER_PROFILE_ID", half)
        set_rate(stop)
        set_rate(half)      # releases it
        self.assertTrue(switch.get_port_attribute(self.swp2, "SAI_PORT_ATTR_PKT_TX_ENABLE"))
        with self.assertRaisesRegex(package.RoostError, "is in use: .*swp2"):
            switch.remove_scheduler_profile(half)
        set_rate(0)
        switch.remove_scheduler_profile(half)
        with self.assertRaisesRegex(package.UnknownName, "no scheduler profile"):
            set_rate(half)

    def test_a_scheduler_of_one_queue(self):
        """A profile with a type or a weight changes the queue of one port, and the other port keeps the class's."""
        switch = self.switch_
        config = lambda: switch.fabric.call("show", what="config")["nodes"][self.run_.name]["values"]
        own = lambda: {key[len("qos.ports."):]: one["value"] for key, one in config().items() if key.startswith("qos.ports.")}
        bind = lambda oid: switch.set_queue_attribute(switch.queue(self.swp2, 3), "SAI_QUEUE_ATTR_SCHEDULER_PROFILE_ID", oid)
        before = config()["qos.tc.3.weight"]
        bind(switch.create_scheduler_profile(0, "SAI_SCHEDULING_TYPE_DWRR", 15))
        self.assertEqual(own(), {"swp2.tc.3.scheduler": "dwrr", "swp2.tc.3.weight": "15"})
        bind(switch.create_scheduler_profile(0, "SAI_SCHEDULING_TYPE_STRICT"))
        self.assertEqual(own()["swp2.tc.3.scheduler"], "strict")
        self.assertEqual(config()["qos.tc.3.weight"], before)
        bind(0)
        self.assertEqual(own(), {})
        with self.assertRaisesRegex(package.UnknownName, "no SAI_SCHEDULING_TYPE_WRR"):
            switch.create_scheduler_profile(0, "SAI_SCHEDULING_TYPE_WRR")

    def test_flow_control_of_one_port(self):
        """Only the port whose attribute has lost the priority ignores its pauses."""
        switch = self.switch_
        switch.set_port_attribute(self.swp2, "SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL", 0)
        self.far.send(pfc({3: 65535}))
        wait_until(lambda: self.port(self.swp2, "PFC_3_RX_PKTS") == [1], "the pause has arrived")
        self.assertFalse(switch.get_queue_attribute(switch.queue(self.swp2, 3), "SAI_QUEUE_ATTR_PAUSE_STATUS"))
        switch.set_port_attribute(self.swp2, "SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL", 1 << 3)
        self.assertEqual(switch.fabric.call("show", what="config")["nodes"][self.run_.name]["values"]
                         ["qos.ports.swp2.pfc.priorities"]["value"], "[3]")

    def test_what_stops_a_queue(self):
        """PKT_TX_ENABLE, the port's profile and the queue's are three reasons: a queue sends when none is left."""
        switch, enable, profile = self.switch_, "SAI_PORT_ATTR_PKT_TX_ENABLE", "SAI_PORT_ATTR_QOS_SCHEDULER_PROFILE_ID"
        stop, queue = switch.create_scheduler_profile(STOP_PORT_MAX_RATE), switch.queue(self.swp2, 3)
        bind = lambda oid: switch.set_queue_attribute(queue, "SAI_QUEUE_ATTR_SCHEDULER_PROFILE_ID", oid)
        set_ = lambda name, value: switch.set_port_attribute(self.swp2, name, value)
        stopped = lambda: [index for index, one in enumerate(self.run_.port("swp2")["queue"]) if one["tx_off"]]
        bind(stop)
        self.send(5)
        for off, on in (((enable, False), (enable, True)), ((profile, stop), (profile, 0))):
            set_(*off)
            self.assertEqual(stopped(), list(range(8)))
            set_(*on)
            self.assertEqual(stopped(), [3])
            self.assertEqual(self.queue("PACKETS", "CURR_OCCUPANCY_BYTES"), [0, 5 * CELL])
        set_(profile, stop)
        self.assertTrue(switch.get_port_attribute(self.swp2, enable))
        set_(enable, False)
        bind(0)
        set_(profile, 0)
        self.assertFalse(switch.get_port_attribute(self.swp2, enable))
        self.assertEqual(stopped(), list(range(8)))
        set_(enable, True)
        self.wait_queue("PACKETS", 5)
        self.assertTrue(switch.get_port_attribute(self.swp2, enable))
        switch.fabric.call("transmit", port=f"{self.run_.name}.swp2", state="off", queue=5)     # by someone else
        self.assertEqual(stopped(), [5])
        set_(enable, True)
        self.assertEqual(stopped(), [])

    def test_the_max_rate_of_the_file(self):
        """A profile without a rate, or one that stops the port, restores the key as it was before the first profile."""
        switch, key = self.switch_, "qos.ports.swp2.max-rate"
        set_rate = lambda oid: switch.set_port_attribute(self.swp2, "SAI_PORT_ATTR_QOS_SCHEDULER_PROFILE_ID", oid)
        rates = [switch.create_scheduler_profile(rate) for rate in (6_250_000_000, 2_500_000_000)]
        others = (0, switch.create_scheduler_profile(STOP_PORT_MAX_RATE), switch.create_scheduler_profile(RELEASE_PORT_MAX_RATE))
        config = lambda: switch.fabric.call("show", what="config")["nodes"][self.run_.name]["values"]
        rate = lambda: config().get(key, {}).get("value")
        for own in (None, "10G", "none"):
            if own:
                switch.fabric.set(f"switch.{key}", own)
            for other in others:
                for profile, said in zip(rates, ("50G", "20G")):
                    set_rate(profile)
                    self.assertEqual(rate(), said)
                set_rate(other)
                self.assertEqual(rate(), own)

    def test_the_administrative_state(self):
        """A port that is down sends and receives nothing; OPER_STATUS follows."""
        switch, state = self.switch_, "SAI_PORT_ATTR_ADMIN_STATE"
        read = lambda: [switch.get_port_attribute(self.swp2, f"SAI_PORT_ATTR_{name}") for name in ("ADMIN_STATE", "OPER_STATUS")]
        switch.set_port_attribute(self.swp2, state, False)
        self.assertEqual(read(), [False, "SAI_PORT_OPER_STATUS_DOWN"])
        self.assertTrue(switch.get_port_attribute(self.swp1, state))
        self.send(4)
        self.assertEqual(self.port(self.swp1, "IF_IN_DISCARDS"), [4])
        switch.set_port_attribute(self.swp2, state, True)
        self.assertEqual(read(), [True, "SAI_PORT_OPER_STATUS_UP"])
        self.send(4)
        self.wait_queue("PACKETS", 4)

    def test_attributes_and_names(self):
        switch = self.switch_
        self.assertEqual(switch.get_switch_attribute("SAI_SWITCH_ATTR_PORT_LIST"), [self.swp1, self.swp2])
        self.assertEqual(switch.port("swp2"), self.swp2)
        self.assertEqual(self.swp2 >> 48, 1)    # SAI_OBJECT_TYPE_PORT
        queues = switch.get_port_attribute(self.swp2, "SAI_PORT_ATTR_QOS_QUEUE_LIST")
        self.assertEqual(queues[3], switch.queue(self.swp2, 3))
        self.assertEqual([switch.get_queue_attribute(queues[5], f"SAI_QUEUE_ATTR_{name}") for name in ("INDEX", "PORT")],
                         [5, self.swp2])
        self.assertEqual(switch.name_of(queues[3]), f"{self.run_.name}.swp2 queue 3")
        self.assertEqual([switch.get_port_attribute(self.swp1, f"SAI_PORT_ATTR_{name}") for name in
                          ("SPEED", "OPER_STATUS", "ADMIN_STATE")], [100_000, "SAI_PORT_OPER_STATUS_UP", True])
        for wrong, said in (
                (lambda: switch.get_port_stats(self.swp1, [PORT + "IF_IN_OCTET"]), f"did you mean .*{PORT}IF_IN_OCTETS"),
                (lambda: switch.get_queue_stats(self.swp1), "swp1 is a port, not a queue"),
                (lambda: switch.queue(self.swp1, 8), "no queue 8; queues are 0 to 7"),
                (lambda: switch.port("swp9"), "no port swp9"), (lambda: switch.buffer_pool("ingress"), "no pool ingress"),
                (lambda: switch.get_port_stats(7 << 48), "no object 0x7000000000000"),
                (lambda: switch.name_of(sai.make_id("port", 3)), "no object"),
                (lambda: switch.set_port_attribute(self.swp1, "SAI_PORT_ATTR_MTU", 9000), "no SAI_PORT_ATTR_MTU")):
            with self.assertRaisesRegex(package.UnknownName, said):
                wrong()
        with self.assertRaisesRegex(package.RoostError, "max_rate is -1; use 0"):
            switch.create_scheduler_profile(-1)


class Restart(DeviceCase):
    def test_another_fabric_of_the_same_name(self):
        """Counts begin at 0, and no port is stopped."""
        namespace, description = self.namespace(), self.switch("net_tap0,iface=t1", mtu=1500)
        packets = lambda: switch.get_port_stats(swp1, [PORT + "IF_IN_UCAST_PKTS"])[PORT + "IF_IN_UCAST_PKTS"]
        enabled = lambda: switch.get_port_attribute(swp1, "SAI_PORT_ATTR_PKT_TX_ENABLE")

        def send(run, count):
            wait_until(lambda: run.port("swp1")["state"] == "up", "the port is up")
            with raw_socket(namespace, "t1").socket as near:
                for _ in range(count):
                    near.send(udp("198.18.9.9", "203.0.113.1", size=100))
            wait_until(lambda: run.port("swp1")["rx_packets"] == count, "the switch has all of them")
        with Running(self, description, namespace) as run:
            switch = sai.Switch(run.name)
            swp1, = switch.ports
            send(run, 5)
            self.assertEqual(packets(), 5)
            switch.clear_port_stats(swp1)
            switch.set_port_attribute(swp1, "SAI_PORT_ATTR_PKT_TX_ENABLE", False)
            self.assertEqual((packets(), enabled()), (0, False))
        with Running(self, description, namespace) as run:
            self.assertTrue(enabled())
            send(run, 3)
            self.assertEqual(packets(), 3)


class Lost(Case):
    def test_pauses_lost_to_a_fault(self):
        """They are not sent: what the host received counts."""
        kinds = {kind: {"rate": "100G", "delay": "500ns"} for kind in ("host", "fabric")}
        run = package.sim({
            "fabric": {"topology": {"kind": "leaf-spine", "leaves": 1, "spines": 0, "hosts-per-leaf": 4}, "links": kinds, "seed": 1},
            "switch": {"preset": "spectrum-x", "buffer": {"size": "1MB"}}, "stop": "20ms",
            "workload": [{"name": "incast", "kind": "incast", "to": "h1", "from": ["h2", "h3", "h4"], "size": "1MB"}],
            "events": [{"at": "0ns", "link": "h2-leaf1", "loss": "70%"}]}, roost=ROOST)
        self.addCleanup(run.__exit__, None, None, None)
        self.assertGreater(run.port("leaf1.swp2").control_lost, 0)
        for index in range(1, 5):
            port, host = run.port(f"leaf1.swp{index}"), run.port(f"h{index}.eth1")
            self.assertEqual(port.control_tx, host.control_rx)
            self.assertEqual([sai.PORT_STATS[f"{PORT}IF_OUT_{name}_PKTS"].read(port) for name in ("UCAST", "NON_UCAST")],
                             [host.rx_packets - host.control_rx, host.control_rx])


PTF = """
import importlib, json, sys
sys.path.append(sys.argv[1])                    # as ptf does
config = {"platform": "roost", "interfaces": json.loads(sys.argv[2])}
platform = importlib.import_module(config["platform"])
platform.platform_config_update(config)
print(json.dumps([[*place, interface] for place, interface in sorted(config["port_map"].items())]))
"""


class Ptf(DeviceCase):
    """The platform, loaded as ptf loads one; ptf itself is not in Debian."""

    def setUp(self):
        super().setUp()
        self.netns = self.namespace(("p1", "v1"))

    def load(self, name, interfaces=(), status=0, **env):
        """In the namespace of the interfaces; the error's last line where it fails."""
        words = ["ip", "netns", "exec", self.netns, sys.executable, "-c", PTF, str(self.directory), json.dumps(interfaces)]
        done = subprocess.run(words, env=os.environ | {"ROOST_FABRIC": name} | env, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout) if status == 0 else done.stderr.splitlines()[-1]

    def test_ports(self):
        """A veth pair and a tap are found; a packet through the one comes out of the other."""
        description = self.switch("net_af_packet0,iface=v1", "net_tap0,iface=t2", "net_null0", mtu=1500)
        with Running(self, description, self.netns) as run:
            self.assertEqual(self.load(run.name), [[0, 1, "p1"], [0, 2, "t2"]])
            self.assertEqual(self.load(run.name, [[0, 3, "lo"], [1, 1, "x"]]),
                             [[0, 1, "p1"], [0, 2, "t2"], [0, 3, "lo"], [1, 1, "x"]])
            self.assertIn("no switch leaf7", self.load(run.name, status=1, ROOST_SWITCH="leaf7"))
            wait_until(lambda: all(run.port(name)["state"] == "up" for name in ("swp1", "swp2")), "the ports are up")
            port = {number: interface for _, number, interface in self.load(run.name)}
            with raw_socket(self.netns, port[1]).socket as left, raw_socket(self.netns, port[2]).socket as right:
                left.send(udp("198.18.1.9", "198.18.2.9", size=100, ident=7))
                right.settimeout(10)
                while (frame := right.recv(2000))[12:14] != b"\x08\x00" or frame[18:20] != b"\0\x07":
                    pass

    def test_nothing_to_open(self):
        with Running(self, self.switch("net_null0"), self.netns) as run:
            self.assertRegex(self.load(run.name, status=1), "ptf can open no port: swp1 has no `dev:` with an interface")
        self.assertIn("ROOST_FABRIC is not set", self.load("", status=1))
        self.assertIn("`roost list` shows which fabrics are up", self.load(f"{self.name}-x", status=1))

    def test_only_a_veth_has_a_far_side(self):
        """A macvlan names the interface below it as its link, which is not its other end."""
        command("ip", "-n", self.netns, "link", "add", "m0", "link", "p1", "type", "macvlan")
        command("ip", "-n", self.netns, "link", "set", "m0", "up")
        with Running(self, self.switch("net_af_packet0,iface=m0", mtu=1500), self.netns) as run:
            self.assertRegex(self.load(run.name, status=1), "swp1 uses m0, which is not a veth with its other end in this namespace")

    def test_numbers(self):
        self.assertEqual(ptf.port_number("swp12"), 12)
        with self.assertRaisesRegex(package.UnknownName, "eth0: no such port; ports are swp1"):
            ptf.port_number("eth0")


class InAFabric(LiveCase):
    def test_a_link_of_a_fabric(self):
        """The admin state of a port is that of its link; a rate of one port is refused."""
        name = name_of("sai")
        self.addCleanup(self.assert_clean, name)
        with package.live(demo(name), roost=ROOST) as fabric:
            with self.assertRaisesRegex(package.UnknownName, "several switches: name one of leaf1, "):
                sai.Switch(fabric)
            with self.assertRaisesRegex(package.UnknownName, "no switch leaf7"):
                sai.Switch(fabric, "leaf7")
            self.assertEqual(list(fabric.call("counters", node="leaf1")["nodes"]), ["leaf1"])
            with self.assertRaisesRegex(package.ApiError, "there is no node leaf7"):
                fabric.call("counters", node="leaf7")
            switch = sai.Switch(fabric, "leaf1")
            port = next(switch.port(end.partition(".")[2]) for link in fabric.call("topology")["links"]
                        for end in (link["a"], link["b"]) if end.startswith("leaf1.") and "spine" in link["link"])
            state = lambda: [switch.get_port_attribute(port, f"SAI_PORT_ATTR_{one}") for one in ("ADMIN_STATE", "OPER_STATUS")]
            self.assertEqual(state(), [True, "SAI_PORT_OPER_STATUS_UP"])
            switch.set_port_attribute(port, "SAI_PORT_ATTR_ADMIN_STATE", False)
            self.assertEqual(state(), [False, "SAI_PORT_OPER_STATUS_DOWN"])
            switch.set_port_attribute(port, "SAI_PORT_ATTR_ADMIN_STATE", True)
            self.assertEqual(state(), [True, "SAI_PORT_OPER_STATUS_UP"])
            with self.assertRaisesRegex(package.RoostError, "needs a fabric with one switch"):
                switch.set_port_attribute(port, "SAI_PORT_ATTR_QOS_SCHEDULER_PROFILE_ID",
                                          switch.create_scheduler_profile(1_000_000_000))


if __name__ == "__main__":
    unittest.main()
