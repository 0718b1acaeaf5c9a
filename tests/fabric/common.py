# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of whole fabrics share: descriptions, the times of a flow alone worked out
independently, and what must hold between the two ends of every link.
"""
import collections
from fractions import Fraction

from support import *  # noqa: F401,F403

DEMO = SOURCE / "conf/demo.yaml"
PS = 10**12


def fabric(leaves=1, spines=0, hosts_per_leaf=2, *, workload=(), switch=None, hosts=None, host_link=None,
           fabric_link=None, framing=None, **sections):
    """A leaf-spine description as dicts. Links take the place's defaults (100G, 500 ns) unless given;
    `sections` are further top-level keys, but seed and mtu, which belong to the fabric."""
    links = {name: one for name, one in (("host", host_link), ("fabric", fabric_link), ("framing", framing)) if one}
    place = {"topology": {"kind": "leaf-spine", "leaves": leaves, "spines": spines, "hosts-per-leaf": hosts_per_leaf}}
    place |= {key: sections.pop(key) for key in ("seed", "mtu", "name") if key in sections}
    if links:
        place["links"] = links
    description = {"fabric": place, "switch": switch or {"preset": "spectrum-x"}}
    if hosts:
        description["hosts"] = hosts
    return description | {"workload": list(workload)} | sections


def flow(src, dst, size, **more):
    return {"kind": "flow", "from": src, "to": dst, "size": size} | more


class Hop:
    """One link of a path: bits per second, ps from the last bit's leaving to its mattering, bytes of a tunnel's
    encapsulation that packets have there, and what a cut-through switch at its end needs of a frame."""

    def __init__(self, rate, delay_ps, encap_bytes=0, header=None):
        self.byte_ps, self.delay_ps, self.encap_bytes = Fraction(8 * PS, rate), delay_ps, encap_bytes
        self.header = header


# Of a message's first, middle and last packet: bytes of headers behind the BTH. One that is both first and last has
# the more of the two. RETH 16, AETH 4.
BEHIND_BTH = {"write": (16, 0, 0), "send": (0, 0, 0), "read": (4, 0, 4)}


# In place of an IP version: packets begin with an LRH, and stand between SDP, VCRC and EGP.
INFINIBAND = "infiniband"
LRH = 8
INFINIBAND_FRAMING = (1, 2, 1)


def before_bth(ip):
    return LRH if ip == INFINIBAND else 14 + (40 if ip == 6 else 20) + 8


def frame_sizes(size, path_mtu, ip, header_bytes=None, op="write"):
    """The frames, without FCS, that the data of so many bytes are sent in."""
    sizes = []
    first, middle, last = BEHIND_BTH[op]
    for begin in range(0, size, path_mtu):
        payload = min(path_mtu, size - begin)
        if header_bytes is not None:
            sizes.append(header_bytes + payload)
            continue
        behind = max(first if begin == 0 else middle, last if begin + payload == size else middle)
        if ip == INFINIBAND:
            sizes.append(LRH + 12 + behind + payload + (-payload % 4) + 4)
            continue
        bytes_ = 14 + (40 if ip == 6 else 20) + 8 + 12 + behind + payload + (-payload % 4) + 4
        sizes.append(max(bytes_, 60))
    return sizes


def ack_size(ip, ack_bytes=None):
    return ack_bytes if ack_bytes is not None else before_bth(ip) + 12 + 4 + 4


def request_size(ip, ack_bytes=None):
    """Of a READ; its size is set along with that of acknowledgements."""
    return ack_bytes if ack_bytes is not None else before_bth(ip) + 12 + 16 + 4


def send_along(hops, free, frame, at, framing):
    """A link takes a frame when it is there, or at a cut-through switch its header, and the one before, with its gap, is
    gone."""
    preamble, fcs, gap = framing
    for index, hop in enumerate(hops):
        start = max(at, free[index])
        free[index] = start + hop.byte_ps * (preamble + hop.encap_bytes + frame + fcs + gap)
        needed = hop.encap_bytes + frame + fcs
        at = start + hop.byte_ps * (preamble + min(needed, hop.header or needed)) + hop.delay_ps
    return at


def completion(size, path, *, path_mtu=4096, ip=4, ack_every=1, header_bytes=None, ack_bytes=None,
               framing=(8, 4, 12), back=None, op="write"):
    """When the last byte of a flow alone is acknowledged, or of a READ has arrived, in ps since its start, packet by
    packet. A READ's start with its request, which takes the way back; nothing else does."""
    there, back = list(path), list(back if back is not None else reversed(path))
    free, free_back = [0] * len(there), [0] * len(back)
    frames = frame_sizes(size, path_mtu, ip, header_bytes, op)
    done, start = None, 0
    if op == "read":
        start = send_along(back, free_back, request_size(ip, ack_bytes), 0, framing)
    for number, frame in enumerate(frames, 1):
        arrived = send_along(there, free, frame, start, framing)
        if op == "read":
            done = arrived
            continue
        if number % ack_every == 0 or number == len(frames):
            done = send_along(back, free_back, ack_size(ip, ack_bytes), arrived, framing)
    return done


def links_of(leaves, spines, hosts_per_leaf):
    """Both ends of every link of a leaf-spine fabric: ((node, port), (node, port)). Leaf ports count
    hosts first, then spines."""
    for leaf in range(1, leaves + 1):
        for place in range(1, hosts_per_leaf + 1):
            yield (f"leaf{leaf}", f"swp{place}"), (f"h{(leaf - 1) * hosts_per_leaf + place}", "eth1")
        for spine in range(1, spines + 1):
            yield (f"leaf{leaf}", f"swp{hosts_per_leaf + spine}"), (f"spine{spine}", f"swp{leaf}")


def assert_balanced(nodes):
    """Where links lose: all that a switch received or made is what it sent, consumed, dropped or holds.
    (Of a packet lost on a link the queue counts that it left, the port does not count it as sent.)"""
    for name, node in nodes.items():
        ports = node["ports"]
        if not any(port.startswith("swp") for port in ports):
            continue

        def sum_of(what):
            return sum(port[what] for port in ports.values())
        queued = total(ports, "pg", "packets") - total(ports, "pg", "dropped") - \
            total(ports, "queue", "dropped") - total(ports, "queue", "packets")
        told = sum(count for kind, count in answers({name: node}).items() if kind not in NOT_PACKETS)
        came = sum_of("rx_packets") + sum_of("control_tx") + sum_of("control_lost") + told
        went = sum_of("tx_packets") + sum_of("control_rx") + sum(drops({name: node}).values()) + queued
        if came != went:
            raise AssertionError(f"{name}: received and made {came}, sent, consumed, dropped and queued {went}")
        if (queued > 0) != (total(ports, "queue", "depth") > 0) or queued < 0:
            raise AssertionError(f"{name}: {queued} packets queued, but {total(ports, 'queue', 'depth')} bytes")


def assert_drained(sim, *shape):
    """After a run that ended by itself: nothing is left anywhere, and what left one end of a link has
    arrived at the other. shape: leaves, spines, hosts per leaf."""
    sim.assert_conserved()
    for name, node in sim.nodes.items():
        for pool, state in node["pools"].items():
            if state["used"] != 0:
                raise AssertionError(f"{name}: pool {pool} still holds {state['used']} bytes")
    for a, b in links_of(*shape):
        for (node, port), (far, far_port) in ((a, b), (b, a)):
            sent, got = sim.nodes[node]["ports"][port], sim.nodes[far]["ports"][far_port]
            for what in ("packets", "bytes"):
                if sent[f"tx_{what}"] != got[f"rx_{what}"]:
                    raise AssertionError(f"{node}.{port} sent {sent[f'tx_{what}']} {what}, "
                                         f"{far}.{far_port} got {got[f'rx_{what}']}")


class Alone(Case):
    """A flow alone takes exactly its ideal time."""

    def alone(self, description):
        """Simulates a description of one flow; returns its completion time, which must be the ideal one."""
        sim = self.sim(description)
        (one,) = sim.flows
        self.assertEqual(one["fct_ps"], one["ideal_ps"])
        self.assertEqual((sim.summary["drops"], sim.summary["pfc_tx"], one["retransmitted"]), (0, 0, 0))
        return one["fct_ps"]


def assert_complete(case, sim):
    """Every flow is done, and none was faster than it could have been alone, which is known of all but those
    of collectives that have several messages."""
    for one in sim.flows:
        case.assertIsNotNone(one["fct_ps"], one)
        if not sim.result["collectives"]:
            case.assertGreater(one["ideal_ps"], 0, one)
        case.assertGreaterEqual(one["fct_ps"], one["ideal_ps"], one)
    case.assertEqual(sim.summary["completed"], len(sim.flows))


def spine_ports(sim, count, leaves):
    """rx_packets of every spine by leaf: {(spine, leaf): packets}."""
    return collections.Counter({(spine, leaf): sim.nodes[f"spine{spine}"]["ports"][f"swp{leaf}"]["rx_packets"]
                                for spine in range(1, count + 1) for leaf in range(1, leaves + 1)})
