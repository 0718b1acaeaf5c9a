# SPDX-License-Identifier: BSD-3-Clause
"""What netlab does with testbeds/netlab, as far as its documentation says: a node's data, and templates rendered with them."""
from pathlib import Path

import jinja2
import yaml

BED = Path(__file__).resolve().parent.parent / "testbeds/netlab"
DEVICE = yaml.safe_load((BED / "topology-defaults.yml").read_text())["devices"]["roost"]


def interface(number, neighbour, **keys):
    """A link to a host, as `netlab inspect --node` shows it in `interfaces`."""
    return {"ifindex": number, "ifname": DEVICE["interface_name"].format(ifindex=number), "linkindex": number, "type": "lan",
            "name": f"s1 -> {neighbour}", "ipv4": f"172.16.{number - 1}.1/24", "mtu": 1500, "node": "s1",
            "neighbors": [{"ifname": "eth1", "ipv4": f"172.16.{number - 1}.{number + 1}/24", "node": neighbour}]} | keys


def node(interfaces, **keys):
    return {"name": "s1", "device": "roost", "id": 1, "role": "router", "box": DEVICE["clab"]["image"], "mtu": 1500,
            "hostname": "clab-lab-s1", "af": {"ipv4": True}, "clab": DEVICE["clab"]["node"],
            "mgmt": {"ifname": "eth0", "ipv4": "192.168.121.101", "mac": "ca:fe:00:01:00:00"},
            "loopback": {"ifindex": 0, "ifname": "lo", "ipv4": "10.0.0.1/32", "neighbors": [], "type": "loopback",
                         "virtual_interface": True}, "interfaces": interfaces} | keys


def with_vrfs():
    """A node with most that the templates read: two VRFs, of which one has no link, loopbacks, IPv6, a bandwidth."""
    return node([interface(1, "h1"), interface(2, "h2", bandwidth=1000000, ipv6="2001:db8:1::1/64"),
                 interface(3, "h3", vrf="red", mtu=1400), interface(4, "r1", ipv4=True),
                 {"ifindex": 5, "ifname": "lo100", "ipv4": "10.2.0.1/32", "name": "VRF Loopback red", "neighbors": [],
                  "type": "loopback", "virtual_interface": True, "vrf": "red"}],
                module=["vrf"], vrf={"as": 65000}, vrfs={
                    "red": {"af": {"ipv4": True}, "id": 1, "import": ["65000:1"], "export": ["65000:1"], "rd": "65000:1",
                            "vrfidx": 100},
                    "green": {"id": 2, "import": ["65000:2"], "export": ["65000:2"], "rd": "65000:2", "vrfidx": 101}})


def render(template, data):
    """A template of the device, as netlab renders it: an undefined name is an error."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(BED / "templates"), trim_blocks=True, lstrip_blocks=True,
                                     undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    return environment.get_template(f"roost/{template}.j2").render(data)
