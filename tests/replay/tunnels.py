# SPDX-License-Identifier: BSD-3-Clause
"""A leaf with hosts of two tenants, red and blue, and two uplinks, swp8 and swp9, behind which other leaves are.

    swp1 red, 198.18.1.0/24   swp2 blue, 198.18.2.0/24   swp3 red, 198.18.3.0/24   swp4 blue, 198.18.4.0/24
Both tenants know 198.19.0.0/16 and 2001:db8:c8::/48 at the far leaf, and each its own hosts as 10.9.0.0/24 too, red
at swp3, blue at swp4: the same addresses twice.
"""
from common import *

NEAR = {4: "172.16.0.1", 6: "fd00::172:16:1"}
FAR = {4: "172.16.0.2", 6: "fd00::172:16:2"}
FAR_MAC = "02:02:00:00:02:00"       # of the far leaf's router
UPLINKS = ("swp8", "swp9")
OWNER = {"swp1": "red", "swp2": "blue", "swp3": "red", "swp4": "blue"}
VNI = {"red": 5001, "blue": 5002}
VLAN = {"red": 101, "blue": 102}
OVERHEAD = {4: 50, 6: 70}           # bytes that VXLAN puts around an inner frame
TUNNEL_IP = {4: 50, 6: 70}          # and by how many the outer IP packet is longer than the inner one
FAR_NET, FAR_NET6 = "198.19.0.0/16", "2001:db8:c8::/48"


def _route(prefix, via, vrf="default"):
    return {"vrf": vrf, "prefix": prefix, "via": via}


def _port(name):
    return {"port": name, "mac": next_hop_mac(name)}


def leaf(tenants, far, routes=(), uplinks=UPLINKS[:1], events=(), ports=(), **keys):
    """far: {tenant: via}, how it comes to what is at the far leaf."""
    named = {port: {"vrf": tenant, "tenant": tenant} for port, tenant in OWNER.items()}
    named |= {port: {"uplink": True} for port in uplinks}
    table = []
    for port, tenant in OWNER.items():
        table += [_route(f"198.18.{port[3:]}.0/24", [_port(port)], tenant),
                  _route(f"2001:db8:{port[3:]}::/64", [_port(port)], tenant)]
    for tenant, port in (("red", "swp3"), ("blue", "swp4")):
        table.append(_route("10.9.0.0/24", [_port(port)], tenant))
    for tenant, via in far.items():
        table += [_route(FAR_NET, via, tenant), _route(FAR_NET6, via, tenant)]
    description = switch({port: merge(own, dict(ports).get(port, {})) for port, own in named.items()},
                         events=events, tenants=tenants, **keys)
    description["switch"]["routes"] = table + list(routes)
    return description


def vxlan_leaf(version=4, dscp="uniform", routes=(), uplinks=UPLINKS[:1], far=None, **keys):
    """red and blue cross the fabric in VXLAN, through one far leaf."""
    tenants = {tenant: {"vni": vni, "dscp": dscp} for tenant, vni in VNI.items()}
    underlay = [_route(f"{FAR[version]}/{32 if version == 4 else 128}", [_port(port) for port in uplinks])]
    through = [{"vtep": FAR[version], "mac": FAR_MAC}]
    return leaf(tenants, far if far is not None else {tenant: through for tenant in tenants},
                underlay + list(routes), uplinks, vtep=NEAR[version], **keys)


def vlan_leaf(routes=(), uplinks=UPLINKS[:1], **keys):
    """red and blue have VLANs on the links between switches."""
    tenants = {tenant: {"vlan": vlan} for tenant, vlan in VLAN.items()}
    return leaf(tenants, {tenant: [_port(port) for port in uplinks] for tenant in tenants}, routes, uplinks, **keys)


def inner(frame):
    """The Ethernet frame inside one in VXLAN."""
    return frame[14 + (40 if frame[12:14] == b"\x86\xdd" else 20) + 16:]


def entropy(frame):
    """The UDP source port of one in VXLAN."""
    at = 14 + (40 if frame[12:14] == b"\x86\xdd" else 20)
    return struct.unpack_from(">H", frame, at)[0]


def vni_of(frame):
    return int.from_bytes(frame[len(frame) - len(inner(frame)) - 4:][:3], "big")


def unpadded(frame):
    """Without what follows the IP packet."""
    at = layer3(frame)
    length = struct.unpack_from(">H", frame, at + 4)[0] + 40 if frame[at] >> 4 == 6 else \
        struct.unpack_from(">H", frame, at + 2)[0]
    return frame[:at + length]


def into_tunnel(frame, version=4, tenant="red", sport=49152, **options):
    """What leaves by an uplink of a frame that came from a host: routed, then in VXLAN."""
    return vxlan(unpadded(rehop(frame, FAR_MAC)), VNI[tenant], NEAR[version], FAR[version], sport,
                 src_mac=SWITCH_MAC, dst_mac=next_hop_mac("swp8"), **options)


def rehop(frame, dst):
    """As a router sends it on to this MAC."""
    return mac(dst) + routed(frame)[6:]


def from_tunnel(inside, version=4, tenant="red", vni=None, **options):
    """What comes by an uplink: an IP packet's frame as the far leaf wraps it."""
    inside = mac(SWITCH_MAC) + mac(FAR_MAC) + unpadded(inside)[12:]
    return vxlan(inside, VNI[tenant] if vni is None else vni, FAR[version], NEAR[version], ttl=63, **options)
