# SPDX-License-Identifier: BSD-3-Clause
"""NIC nodes beside Linux hosts: the file's workload runs between the hosts that are not attached, as it
does in virtual time."""
from common import *

FLOWS = [
    {"kind": "flow", "from": "h2", "to": "h6", "size": "300KB"},
    {"kind": "flow", "from": "h6", "to": "h2", "size": "1B"},
    {"kind": "incast", "to": "h8", "from": ["h4", "h7"], "size": "200KB"},   # h7 is attached: its part is left to it
    {"kind": "flow", "from": "h1", "to": "h2", "size": "1MB"},               # and this
    {"kind": "flow", "from": "h4", "to": "h8", "size": "123457B", "at": "50us"},
]
SIMULATED = [FLOWS[0], FLOWS[1], FLOWS[2] | {"from": ["h4"]}, FLOWS[4]]
NICS = {"h2": "leaf1.swp2", "h4": "leaf1.swp4", "h6": "leaf2.swp2", "h8": "leaf2.swp4"}


def traffic(port):
    """Of a switch port: what does not depend on which spine a packet took."""
    return {key: port[key] for key in ("rx_packets", "rx_bytes", "tx_packets", "tx_bytes")} | \
        {"queues": [(queue["packets"], queue["bytes"]) for queue in port["queue"]]}


class Nics(Shared):

    @classmethod
    def description(cls):
        return demo(cls.name, workload=FLOWS)

    def test_flows_complete_as_in_virtual_time(self):
        self.assertRegex(self.up.up.err, "^roost: note: 2 flows of the workload have an attached host at one end and "
                                         "are left to it")
        sim = self.sim(demo(self.name, attach=(), workload=SIMULATED))
        self.assertEqual(sim.summary["retransmitted"], 0)
        expected = {port: traffic(sim.nodes[port[:5]]["ports"][port[6:]]) for port in NICS.values()}
        # Bytes of payload in packets of 4096, each acknowledged.
        self.assertEqual(expected["leaf2.swp2"]["tx_packets"], -(-300_000 // 4096) + 1)
        wait_until(lambda: {name: traffic(self.port(name)) for name in NICS.values()} == expected,
                   "every flow has sent and acknowledged what it does in virtual time")
        self.assert_lossless(self.up)

    def test_hosts_beside_them(self):
        self.assert_reaches(self.name, "h1", "h5")

    def test_nic_answers_ping_alone(self):
        """A simulated NIC answers RoCEv2 and ping. It drops other packets by name."""
        done = self.up.exec("h1", "ping", "-c", "3", "-i", "0.02", "-W", "5", "10.0.1.2")
        self.assertIn("3 received, 0% packet loss", done.out)
        sender = self.udp("h1")
        for _ in range(3):
            sender.send(b"anyone?", ("10.0.1.2", UDP_PORT))
        wait_until(lambda: self.up.show("drops", "h2")["nodes"]["h2"]["ports"]["eth1"]["drops"] == {"not-for-host": 3},
                   "the NIC has dropped three packets")


class Congested(LiveCase):
    """PFC between NIC nodes and leaves, live: an incast into a small buffer loses nothing."""

    def test_incast(self):
        name = name_of("incast")
        description = demo(name, attach=("h1", "h5"), workload=[
            {"kind": "incast", "to": "h2", "from": ["h4", "h5", "h6", "h8"], "size": "300KB"}])   # h5 is attached
        description["switch"]["buffer"] = {"size": "1MB", "cell": 192}
        description["tenants"] = {"red": {"hosts": [f"h{i}" for i in range(1, 9)], "vni": 5001}}
        fabric = self.fabric(description)
        self.assertRegex(fabric.up.err, "(?m)^roost: note: 1 flow of the workload has an attached host at one end and is left to it")

        packets = -(-300_000 // 4096)
        data = [("leaf1", "swp2", "tx", 3 * packets)] + \
            [(NICS[nic][:5], NICS[nic][6:], "rx", packets) for nic in ("h4", "h6", "h8")]

        def counted():
            nodes = fabric.show("interface")["nodes"]
            ports = [(node, port, way, nodes[node]["ports"][port]) for node, port, way, _ in data]
            return [(node, port, way, now[f"{way}_packets"] - now[f"control_{way}"]) for node, port, way, now in ports]

        wait_until(lambda: counted() == data, "every packet of the incast has been sent once")
        paused = [port["pfc_rx"][3] for node, ports in fabric.show("pfc")["nodes"].items() if node.startswith("h")
                  for port in ports["ports"].values()]
        self.assertGreater(sum(paused), 0)
        self.assert_reaches(name, "h1", "h5")
        self.assertEqual(counted(), data)
        self.assert_lossless(fabric)
