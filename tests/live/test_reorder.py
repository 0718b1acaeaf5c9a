# SPDX-License-Identifier: BSD-3-Clause
"""The packets of a queue pair take two paths in turn, one of which takes 50 us longer. A host with `reorder` gets them in
the order in which they were sent, another host does not.

The sender is a UDP socket. What it sends looks like SENDs of RoCEv2: switches spray it, and the kernel that gets it
says in which order.
"""
from common import *

ROCE_PORT, SEND_ONLY = 4791, 0x04
ADDRESSES = {"h5": "10.0.2.1", "h7": "10.0.2.3"}
FIRST = 0xffffce       # 50 PSNs before the end of their circle
PACKETS = 200


def bth(psn, qp):
    return struct.pack(">BBHII", SEND_ONLY, 0x40, 0xffff, qp, psn & 0xffffff) + bytes(64) + bytes(4)


def psn_of(data):
    return struct.unpack(">I", data[8:12])[0]


class Reorder(Shared):

    @classmethod
    def description(cls):
        made = demo(cls.name, attach=("h1", "h5", "h7"))
        del made["tenants"]
        made["attach"]["h5"] |= {"reorder": True, "reorder-first": "200us"}
        made["switch"] |= {"routing": {"mode": "spray"}, "buffer": {"size": "16MB"}}
        made["fabric"]["links"] |= {f"leaf{i}-spine2": {"delay": "50us"} for i in (1, 2)}
        return made

    def sent(self, destination, psns, qp=17):
        """Sends packets with these PSNs. Returns the PSNs in the order in which they arrive."""
        sender, receiver = self.udp("h1"), udp_socket(netns(self.name, destination), ROCE_PORT)
        with receiver.socket:
            for psn in psns:
                sender.send(bth(psn, qp), (ADDRESSES[destination], ROCE_PORT))
            return [psn_of(one.data) for one in receiver.receive_all(len(psns), 10)]

    def counted(self):
        ports = self.up.show("reorder")["nodes"]
        self.assertEqual(list(ports), ["h5"])
        return ports["h5"]["ports"]["eth1"]

    def test_in_order_and_not(self):
        psns = [(FIRST + i) & 0xffffff for i in range(PACKETS)]
        arrived = self.sent("h7", psns)
        self.assertEqual(sorted(arrived), sorted(psns))
        self.assertNotEqual(arrived, psns)
        self.assertEqual(self.sent("h5", psns), psns)
        counted = self.counted()
        self.assertGreater(counted["reorder_held"], PACKETS / 4)
        self.assertEqual(counted, counted | {"reorder_released": counted["reorder_held"], "reorder_waiting": 0,
                                             "reorder_timeouts": 0, "reorder_overflows": 0})
        self.assertRegex(roost("show", "reorder", "-f", self.name).out, r"(?m)^h5\.eth1 +\d+ +\d+ +0 +0 +0$")

    def test_what_is_lost_holds_up_nobody_for_long(self):
        """PSN 103 is missing. The others are passed on in order after 500 us of fabric time. Then the sender goes back to it."""
        before = self.counted()
        psns = [100, 101, 102, 104, 105, 106]
        self.assertEqual(self.sent("h5", psns, qp=18), psns)
        wait_until(lambda: self.counted()["reorder_waiting"] == 0, "packets wait")
        self.assertLessEqual(self.counted()["reorder_timeouts"] - before["reorder_timeouts"], 2)
        again = [103, 104, 105, 106, 107, 108]
        self.assertEqual(self.sent("h5", again, qp=18), again)


if __name__ == "__main__":
    unittest.main()
