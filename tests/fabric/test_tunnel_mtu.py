# SPDX-License-Identifier: BSD-3-Clause
"""How large a packet may be that crosses the fabric in a tunnel: at the last byte that fits, and one beyond."""
from common import *

ROUTER = 14  # Ethernet before the IP packet; `packet:` of a stream is a frame without FCS


class TunnelMtu(Case):
    def counted(self, keys, packet, to="h3", underlay=4, fabric_mtu=None, mtu=1500, ip=4):
        """(packets that came to the host, drops) of a stream of ten packets."""
        run = self.sim("fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 2}\n"
                       f"  mtu: {mtu}\n  underlay: {underlay}\n"
                       + (f"  links: {{fabric: {{mtu: {fabric_mtu}}}}}\n" if fabric_mtu else "") +
                       f"hosts: {{ip: {ip}}}\ntenants: {{red: {{hosts: [h1, h2, h3], {keys}}}}}\n"
                       f"workload: [{{kind: stream, from: h1, to: {to}, packet: {packet}B, rate: 1G, until: 100us}}]\n")
        nodes = run.nodes
        return nodes[to]["ports"]["eth1"]["rx_packets"], drops(nodes)

    def test_the_hosts_mtu_passes_whatever_is_around_it(self):
        for keys, underlay, ip in (("vni: 5", 4, 4), ("vni: 5", 6, 4), ("vni: 5", 4, 6), ("vlan: 5", 4, 4),
                                   ("encap: plain", 4, 4)):
            with self.subTest(keys=keys, underlay=underlay, ip=ip):
                came, lost = self.counted(keys, 1500 + ROUTER, underlay=underlay, ip=ip)
                self.assertGreater(came, 5)
                self.assertEqual(lost, {})

    def test_links_with_less_room(self):
        for keys, underlay, around in (("vni: 5", 4, 50), ("vni: 5", 6, 70), ("vlan: 5", 4, 0), ("encap: plain", 4, 0)):
            for room in (1400, 1500 + around - 1):
                fits = min(1500, room - around)
                with self.subTest(keys=keys, underlay=underlay, room=room):
                    came, lost = self.counted(keys, fits + ROUTER, underlay=underlay, fabric_mtu=room)
                    self.assertGreater(came, 5)
                    self.assertEqual(lost, {})
                    if fits < 1500:
                        came, lost = self.counted(keys, fits + 1 + ROUTER, underlay=underlay, fabric_mtu=room)
                        self.assertEqual((came, list(lost)), (0, ["mtu-exceeded"]))
                        # Below one leaf nothing is around it.
                        came, lost = self.counted(keys, fits + 1 + ROUTER, to="h2", underlay=underlay, fabric_mtu=room)
                        self.assertGreater(came, 5)
                        self.assertEqual(lost, {})

    def test_a_link_behind_the_first(self):
        """The leaf where the tunnel begins knows the whole way, refuses what would not get through, and says so."""
        narrow = 1400
        for spines, keys, underlay, around in ((1, "vni: 5", 4, 50), (2, "vni: 5", 4, 50), (1, "vni: 5", 6, 70)):
            for more in (0, 1):
                with self.subTest(spines=spines, underlay=underlay, more=more):
                    run = self.sim(
                        f"fabric:\n  topology: {{kind: leaf-spine, leaves: 3, spines: {spines}, hosts-per-leaf: 1}}\n"
                        f"  underlay: {underlay}\n  links: {{leaf2-spine1: {{mtu: {narrow}}}}}\n"
                        f"tenants: {{red: {{hosts: [h1, h2, h3], {keys}}}}}\n"
                        "workload: [{kind: stream, from: h1, to: h2, "
                        f"packet: {narrow - around + more + ROUTER}B, rate: 1G, until: 100us}}, "
                        "{kind: stream, from: h1, to: h3, packet: 1500B, rate: 1G, until: 100us}]\n")
                    leaf = run.nodes["leaf1"]["ports"]["swp1"]
                    came = run.nodes["h2"]["ports"]["eth1"]["rx_packets"]
                    self.assertGreater(run.nodes["h3"]["ports"]["eth1"]["rx_packets"], 5)
                    if more:
                        self.assertEqual((came, drops(run.nodes)), (0, {"mtu-exceeded": leaf["drops"]["mtu-exceeded"]}))
                        self.assertEqual(leaf["answers"], {"too-big": leaf["drops"]["mtu-exceeded"]})
                    else:
                        self.assertGreater(came, 5)
                        self.assertEqual(drops(run.nodes), {})

    def test_the_path_mtu_leaves_room(self):
        # 4096 and 60 bytes of headers fit 4200 less 44, not 4200 less 50.
        for keys, underlay, expected in (("vni: 5", 4, 2048), ("vni: 5", 6, 2048), ("vlan: 5", 4, 4096)):
            run = self.sim("fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 2}\n"
                           f"  underlay: {underlay}\n  links: {{fabric: {{mtu: 4200}}}}\n"
                           f"tenants: {{red: {{hosts: [h1, h3], {keys}}}}}\n"
                           "workload: [{kind: flow, from: h1, to: h3, size: 8192B}]\n")
            self.assertEqual(run.nodes["h3"]["ports"]["eth1"]["rx_packets"], 8192 // expected)
            self.assertEqual(drops(run.nodes), {})


if __name__ == "__main__":
    unittest.main()
