# SPDX-License-Identifier: BSD-3-Clause
"""`roost trace` in a live fabric: real packets take the path that it shows."""
from common import *

SWITCHES = {"leaf1", "leaf2", "spine1", "spine2"}


class Trace(Shared):

    def sent(self):
        """{port: packets sent} of all switches."""
        nodes = self.up.show("interface")["nodes"]
        return {f"{node}.{port}": one["tx_packets"] for node in SWITCHES for port, one in nodes[node]["ports"].items()}

    def trace(self, *words):
        return self.up.roost("trace", *words, "-o", "json").json

    def test_packets_take_it(self):
        receiver = self.udp("h5", UDP_PORT)
        for _ in range(8):
            sender = self.udp("h1")
            sport = sender.socket.getsockname()[1]
            # 42 bytes of headers and 100 of data. What is not RoCEv2 goes by hash, whatever the load.
            got = self.trace("h1", "h5", "--sport", sport, "--dport", UDP_PORT, "--size", 142, "--dscp", 0)
            before = self.sent()
            sender.send(bytes(100), (HOSTS["h5"], UDP_PORT))
            self.assertEqual(len(receiver.receive_all(1)), 1)
            ports = {port for port, count in self.sent().items() if count != before[port]}
            self.assertEqual(ports, {f"{hop['node']}.{hop['out']}" for hop in got["hops"][1:-1]})
            self.assertEqual(got["result"], "delivered")
            self.assertEqual((got["hops"][1]["choice"], got["paths"]["count"]), ("hash", 2))

    def test_other_tenants(self):
        got = self.trace("h1", "h7")
        self.assertEqual((got["result"], got["hops"][-1]["node"], got["hops"][-1]["drop"]["reason"]), ("dropped", "leaf1", "no-route"))
        self.assertEqual(drops(self.up.show("drops")["nodes"])["no-route"], 0)     # it was not sent

    def test_it_changes_nothing(self):
        def state():
            answer = self.up.show("interface"), self.up.show("adaptive"), self.up.show("queue")
            return [one["nodes"] for one in answer]
        before = state()
        for _ in range(5):
            self.trace("h2", "h6")
        self.assertEqual(state(), before)

    def test_text(self):
        text = self.up.roost("trace", "h1", "h5").out
        self.assertRegex(text, r"(?m)^leaf1 +swp1 +red +3 +10.0.2.1/32, vxlan vni 5001 to 172.16.0.2 +adaptive, 1 of 2 ")

    def test_unknown(self):
        self.assertIn("h99", self.up.roost("trace", "h1", "h99", status=1).err)


if __name__ == "__main__":
    unittest.main()
