# SPDX-License-Identifier: BSD-3-Clause
"""One switch to replay into, and the arithmetic of its wires.

Behind port swpN lie 198.18.N.0/24 and 2001:db8:N::/64, all reached by one next hop.
"""
import struct

from support import *

GBIT = {"10G": 10, "25G": 25, "40G": 40, "100G": 100, "400G": 400, "800G": 800}
PREAMBLE, FCS, GAP = 8, 4, 12

# A lossless priority 3 and a lossy rest, with thresholds that never stand in the way.
ROOMY = {
    "trust": ["dscp"],
    "dscp-to-priority": {3: 3, 4: 4, 26: 3, 48: 6},
    "priority-to-pg": {3: 3, "default": 0},
    "priority-to-tc": {3: 3, 6: 6, "default": 0},
    "pg": {3: {"lossless": "true", "pool": "ingress-lossless", "alpha": "unlimited", "headroom": "0B"},
           0: {"lossless": "false", "pool": "ingress-lossy", "alpha": "unlimited"}},
    "tc": {3: {"scheduler": "dwrr", "weight": 50, "pool": "egress-lossless", "alpha": "unlimited", "ecn": "off"},
           6: {"scheduler": "strict", "pool": "egress-lossy", "alpha": "unlimited", "ecn": "off"},
           0: {"scheduler": "dwrr", "weight": 50, "pool": "egress-lossy", "alpha": "unlimited", "ecn": "off"}},
    "pfc": {"priorities": [3]},
}


def merge(base, over):
    """Dicts merged key by key; what `over` says wins. alpha and static replace each other."""
    merged = dict(base)
    for key, value in over.items():
        if key in ("alpha", "static"):
            merged.pop("static" if key == "alpha" else "alpha", None)
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = merge(merged[key], value) if both else value
    return merged


def switch(ports=2, rate="100G", events=(), group=None, preset=None, **keys):
    """A one-switch file. ports: how many, or {name: settings}; rate: of those that name none;
    group: [ports] behind 203.0.113.0/24; preset: in place of ROOMY; keys: merged over it all."""
    named = ports if isinstance(ports, dict) else {f"swp{i + 1}": {} for i in range(ports)}
    routes = []
    for name in named:
        hop = {"port": name, "mac": next_hop_mac(name)}
        routes += [{"prefix": f"198.18.{name[3:]}.0/24", "via": [hop]},
                   {"prefix": f"2001:db8:{name[3:]}::/64", "via": [hop]}]
    if group:
        routes.append({"prefix": "203.0.113.0/24",
                       "via": [{"port": name, "mac": next_hop_mac(name)} for name in group]})
    description = {"name": "dut", "buffer": {"size": "64MB", "cell": 192}, "routes": routes,
                   "ports": {name: {"rate": rate, "cable": "5m", **own} for name, own in named.items()}}
    description |= {"preset": preset} if preset else {"qos": ROOMY}
    return {"switch": merge(description, keys), "events": list(events)}


# A DSCP of ROOMY's queues.
DSCP_OF_QUEUE = {0: 0, 3: 3, 6: 48}


def next_hop_mac(port):
    return f"02:00:00:00:02:{int(port[3:]):02x}"


def to(port, number=9):
    """Addresses of a packet that leaves by a port: (source, destination)."""
    return "198.18.200.1", f"198.18.{port[3:]}.{number}"


def to6(port, number=9):
    return "2001:db8:c8::1", f"2001:db8:{port[3:]}::{number:x}"


def stream(count, dscp=0, first=1000, step=1000, addresses=to("swp2"), size=300, ident=0, ecns=(0,)):
    """UDP packets one after the other, in ns. Identification counts up, ECN goes through `ecns`."""
    return [(first + i * step, udp(*addresses, size=size, dscp=dscp, ecn=ecns[i % len(ecns)],
                                   ident=(ident + i) % 65536)) for i in range(count)]


def merged(*streams):
    """In the order of time."""
    return sorted((packet for one in streams for packet in one), key=lambda packet: packet[0])


def by_turns(frames, count, first=100, step=100):
    """[(port, frame)] one after the other, each so many times: {port: packets}."""
    inputs = {}
    for i in range(count):
        for k, (port, frame) in enumerate(frames):
            inputs.setdefault(port, []).append((first + (i * len(frames) + k) * step, frame))
    return inputs


def waiting(streams, step=100):
    """Packets to be queued in swp2: {queue: (count, size)}, queue by queue."""
    packets, first = [], 1000
    for queue, (count, size) in streams.items():
        packets += stream(count, DSCP_OF_QUEUE[queue], first, step, size=size)
        first += count * step
    return packets


def by_queue(packets):
    """[(queue, packet)] of what `waiting` made."""
    queues = {dscp: queue for queue, dscp in DSCP_OF_QUEUE.items()}
    return [(queues[dscp_of(packet.data)], packet) for packet in packets]


def starts(packets, rate, dscp=None):
    """When packets began to leave, in ns rounded down: exactly so where a frame takes whole ns."""
    return [packet.ns - frame_ps(packet.length, rate) // 1000 for packet in packets
            if dscp is None or dscp_of(packet.data) == dscp]


def byte_ps(rate):
    """8 bits at so many Gb/s: whole for every rate here."""
    return 8000 // GBIT[rate]


def frame_ps(size, rate):
    """From the first bit of the preamble to the last of the FCS; size: without FCS."""
    return (PREAMBLE + size + FCS) * byte_ps(rate)


def slot_ps(size, rate):
    """From one start to the next at line rate."""
    return frame_ps(size, rate) + GAP * byte_ps(rate)


def quanta_ps(quanta, rate):
    """A quantum is 512 bit times."""
    return quanta * 64 * byte_ps(rate)


def cells(size, cell):
    return (size + cell - 1) // cell


def pfc_stamp(start_ps, rate):
    """The stamp, in ns, of a PFC frame of 60 B that begins to leave at start_ps."""
    return (start_ps + frame_ps(60, rate)) // 1000


class Pfc:
    """A PFC frame as it lies in a capture; all its other bytes must be what they always are."""

    def __init__(self, packet, source=SWITCH_MAC):
        assert packet.length == len(packet.data) == 60, packet
        head = mac("01:80:c2:00:00:01") + mac(source) + bytes.fromhex("88080101")
        assert packet.data[:16] == head and packet.data[34:] == bytes(26), packet.data.hex()
        self.ns = packet.ns
        self.vector, *self.quanta = struct.unpack(">9H", packet.data[16:34])

    def __repr__(self):
        return f"{self.ns} ns: vector {self.vector:#04x}, quanta {self.quanta}"


def pfc_frames(packets, source=SWITCH_MAC):
    """The PFC frames among captured packets."""
    return [Pfc(packet, source) for packet in packets if packet.data[12:14] == b"\x88\x08"]


def without_pfc(packets):
    return [packet for packet in packets if packet.data[12:14] != b"\x88\x08"]


def ip_ident(frame):
    """Identification of an IPv4 packet: how tests tell their packets apart."""
    return struct.unpack_from(">H", frame, layer3(frame) + 4)[0]


def tos_of(frame):
    word, = struct.unpack_from(">H", frame, layer3(frame))
    return word >> (4 if word >> 12 == 6 else 0) & 255


def dscp_of(frame):
    return tos_of(frame) >> 2


def ecn_of(frame):
    return tos_of(frame) & 3


def header_valid(frame):
    """The IPv4 header checksum."""
    at = layer3(frame)
    return checksum(frame[at:at + (frame[at] & 15) * 4]) == 0


def routed(frame, dscp=None, ecn=None, pcp=None, size=None, port="swp2"):
    """What must leave by a port of a frame that came in, every byte of it. dscp, ecn, pcp: where they change;
    size: what it is trimmed to."""
    at, tos = layer3(frame), tos_of(frame)
    data = bytearray(frame[:size])
    data[:12] = mac(next_hop_mac(port)) + mac(SWITCH_MAC)
    if pcp is not None:
        data[14] = pcp << 5 | data[14] & 0x1F
    tos = (tos >> 2 if dscp is None else dscp) << 2 | (tos & 3 if ecn is None else ecn)
    v6 = frame[at] >> 4 == 6
    if v6:
        word, = struct.unpack_from(">H", data, at)
        struct.pack_into(">H", data, at, word & 0xF00F | tos << 4)
    else:
        data[at + 1] = tos
    data[at + (7 if v6 else 8)] -= 1
    if size is not None:
        struct.pack_into(">H", data, at + (4 if v6 else 2), size - at - (40 if v6 else 0))
    if not v6:
        data[at + 10:at + 12] = bytes(2)
        struct.pack_into(">H", data, at + 10, checksum(bytes(data[at:at + 20])))
    return bytes(data)


def hold(*ports, until=None):
    """Events that hold these ports' egress from 0 on, until then if that is said."""
    off = [{"at": "0ns", "port": port, "tx": "off"} for port in ports]
    return off + [{"at": until, "port": port, "tx": "on"} for port in ports if until]


def assert_series(case, got, expected):
    """assertEqual of long lists: tells the first place where they differ, and does not compare all."""
    got, expected = list(got), list(expected)
    for i, (one, other) in enumerate(zip(got, expected)):
        if one != other:
            case.fail(f"at {i} of {len(got)}: {one} != {other}; before it {got[max(0, i - 3):i]}")
    case.assertEqual(len(got), len(expected))
