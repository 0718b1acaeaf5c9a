# SPDX-License-Identifier: BSD-3-Clause
"""The templates of testbeds/netlab, rendered with data as netlab documents them."""
import netlab
import yaml

from support import *


class Netlab(Case):

    def test_switch_file(self):
        text = netlab.render("roost", netlab.with_vrfs())
        switch = yaml.safe_load(text)["switch"]
        self.assertEqual({port: (keys["netdev"], keys["rate"], keys["mtu"], keys.get("vrf")) for port, keys in switch["ports"].items()},
                         {"swp1": ("swp1", "10G", 1500, None), "swp2": ("swp2", "1000000K", 1500, None),
                          "swp3": ("swp3", "10G", 1400, "red"), "swp4": ("swp4", "10G", 1500, None)})
        self.assertEqual(switch["learn"], [{"vrf": "default"}, {"vrf": "red", "table": 1100}])
        self.assertEqual(roost("check", self.file(text)).out, f"{self.directory}/test.yaml: ok: 1 switch, 4 ports\n")

    def test_without_modules(self):
        text = netlab.render("roost", netlab.node([netlab.interface(1, "h1")]))
        self.assertEqual(yaml.safe_load(text)["switch"]["learn"], [{"vrf": "default"}])
        self.assertEqual(roost("check", self.file(text)).out, f"{self.directory}/test.yaml: ok: 1 switch, 1 port\n")

    def test_commands(self):
        text = netlab.render("initial", netlab.with_vrfs())
        command("sh", "-n", self.file(text, "initial.sh"))
        lines = [line for line in text.splitlines() if not line.startswith(("#", "echo", "[ ! -e /proc"))]
        self.assertEqual(lines, [
            "set -e",
            "ip link show dev red >/dev/null 2>&1 || ip link add red type vrf table 1100", "ip link set dev red up",
            "ip link show dev green >/dev/null 2>&1 || ip link add green type vrf table 1101", "ip link set dev green up",
            "ip link set dev lo up", "ip address replace 10.0.0.1/32 dev lo",
            "ip link set dev swp1 mtu 1500", "ip link set dev swp1 up", "ip address replace 172.16.0.1/24 dev swp1",
            "ip link set dev swp2 mtu 1500", "ip link set dev swp2 up", "ip address replace 172.16.1.1/24 dev swp2",
            "ip address replace 2001:db8:1::1/64 dev swp2",
            "ip link set dev swp3 mtu 1400", "ip link set dev swp3 master red", "ip link set dev swp3 up",
            "ip address replace 172.16.2.1/24 dev swp3",
            "ip link set dev swp4 mtu 1500", "ip link set dev swp4 up",
            "ip link show dev lo100 >/dev/null 2>&1 || ip link add lo100 type dummy", "ip link set dev lo100 master red",
            "ip link set dev lo100 up", "ip address replace 10.2.0.1/32 dev lo100"])

    def test_device(self):
        """Each template that the device names exists, and the topology uses the device."""
        clab = netlab.DEVICE["clab"]
        for template in [*clab["node"]["config_templates"], *clab["node_config"]]:
            self.assertTrue((netlab.BED / f"templates/roost/{template}.j2").exists(), template)
        self.assertIn("localhost/roost", clab["image"])
        topology = yaml.safe_load((netlab.BED / "topology.yml").read_text())
        self.assertIn("roost", [node["device"] for node in topology["nodes"].values() if node])


if __name__ == "__main__":
    unittest.main()
