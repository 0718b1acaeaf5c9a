# SPDX-License-Identifier: BSD-3-Clause
"""Draws what comes in: bursts of packets, more of them than the way out takes, and pauses from the far side."""
from dataclasses import dataclass

from roost import frames

from .configuration import DSCPS
from .settings import FCS, GAP, PREAMBLE, PRIORITIES, bytes_ps, rate_of


IPIP = {4: ("192.0.2.7", "10.1.0.32"), 6: ("2001:db8:ff::7", "fc00:1::32")}     # from, to


@dataclass
class Outer:
    """The header of IP-in-IP around a packet."""
    v6: bool
    dscp: int
    ecn: int


@dataclass
class Packet:
    at: int                # ps: the stamp of its input
    ident: int
    size: int
    dscp: int
    ecn: int
    pcp: int               # None: untagged
    out: str
    v6: bool = False
    cnp: bool = False
    fate: str = None       # a reason for which it is dropped before it counts for any buffer
    kind: str = "packet"
    port: str = None
    inner_pcp: int = None  # of a second tag, which counts for nothing
    outer: Outer = None    # None: it is not in IP-in-IP
    came_with: tuple = None    # DSCP, PCP
    priority: int = None
    pg: int = None
    tc: int = None
    tenant: str = None
    cells: int = 0
    place_in: str = None
    place_out: str = None
    arrived: int = 0
    trimmed: bool = False

    def frame(self):
        number = int(self.out[3:])
        source, target = ("2001:db8:c8::1", f"2001:db8:{number}::9") if self.v6 else \
            ("198.18.200.1", f"198.18.{number}.9")
        if self.fate == "no-route":
            target = "2001:db8:ffff::9" if self.v6 else "8.8.8.8"
        options = {"dscp": self.dscp, "ecn": self.ecn, "ttl": 1 if self.fate == "ttl-expired" else 64}
        if self.inner_pcp is not None:
            options |= {"vlan": 7, "pcp": self.inner_pcp}
        elif self.pcp is not None:
            options |= {"vlan": 0, "pcp": self.pcp}
        if self.outer is not None:
            return self.wrapped(source, target, options)
        outer = 4 if self.inner_pcp is not None else 0
        frame = frames.roce(source, target, opcode=frames.CNP, sport=self.ident, **options) if self.cnp else \
            frames.udp(source, target, self.size - outer, sport=self.ident, **options)
        return frames.stack_tag(frame, 9, self.pcp, (0x8100, 0x88A8)[self.ident % 2]) if outer else frame

    def inside(self):
        """Bytes of the frame without the outer header and tags."""
        tags = (self.pcp is not None) + (self.inner_pcp is not None)
        return self.size - (40 if self.outer.v6 else 20) - 4 * tags

    def wrapped(self, source, target, options):
        tag = {one: options.pop(one) for one in ("vlan", "pcp") if one in options}
        inside = frames.roce(source, target, opcode=frames.CNP, sport=self.ident, **options) if self.cnp else \
            frames.udp(source, target, self.inside(), sport=self.ident, **options)
        ethertype, packet = frames.ip(inside[14:], 41 if self.v6 else 4, *IPIP[6 if self.outer.v6 else 4],
                                      self.outer.dscp, self.outer.ecn)
        frame = frames.ethernet(packet, ethertype, **tag)
        return frame if self.inner_pcp is None else frames.stack_tag(frame, 9, self.pcp, (0x8100, 0x88A8)[self.ident % 2])

    def __repr__(self):
        return f"packet {self.ident} ({self.size} B, {self.port} pg {self.pg} to {self.out} tc {self.tc})"


@dataclass
class Pause:
    at: int
    kind: str              # "pfc", or "pause" (802.3x)
    quanta: object         # {priority: quanta}, or quanta
    size: int = 60

    def frame(self):
        if self.kind == "pfc":
            return frames.pfc(self.quanta)
        return frames.ethernet((1).to_bytes(2, "big") + self.quanta.to_bytes(2, "big"), 0x8808,
                               dst="01:80:c2:00:00:01")


def ident_of(frame):
    """The number that a packet's frame carries: its UDP source port."""
    at, inside = frames.layer3(frame), True
    while inside:
        v6 = frame[at] >> 4 == 6
        inside = frame[at + (6 if v6 else 9)] in (4, 41)
        at += 40 if v6 else 20
    return int.from_bytes(frame[at:at + 2], "big")


def size(draw):
    return draw.choice((64, 65, 128, 300, 1000, 1500, 1518, 4178, 9000)) if draw.random() < 0.5 else \
        round(64 * (9000 / 64) ** draw.random())


def flows(draw, names):
    """[(out, dscp, pcp, size or None)] of one port; most of them lead where the others' do."""
    return [(names[0] if draw.random() < 0.6 else draw.choice(names),
             draw.choice(DSCPS) if draw.random() < 0.9 else draw.randrange(64),
             draw.choice(PRIORITIES) if draw.random() < 0.4 else None,
             size(draw) if draw.random() < 0.5 else None) for _ in range(draw.randrange(1, 5))]


def one_packet(draw, at, ident, flow):
    out, dscp, pcp, length = flow
    v6 = draw.random() < 0.1
    packet = Packet(at, ident, length or size(draw), dscp, draw.choice((0, 1, 2, 2, 2, 3)), pcp, out, v6)
    packet.size = max(packet.size, 94)
    if pcp is not None and draw.random() < 0.2:
        packet.inner_pcp = draw.choice(PRIORITIES)
    if draw.random() < 0.02:
        packet.cnp = True
        packet.size = len(packet.frame())
    if draw.random() < 0.02:
        packet.fate = draw.choice(("no-route", "ttl-expired"))
    return packet


def data(draw, names, rates, count, most, idle):
    """{port: packets}. A port sends bursts of up to `most` packets at its rate; some stamps overlap. idle: ns between
    bursts, at most."""
    arrivals, left, ident = {name: [] for name in names}, count, 1
    order = draw.sample(names, len(names))
    senders = draw.sample(names, draw.randrange(1, len(names) + 1))
    for i, name in enumerate(senders):
        mine = flows(draw, order)
        at = draw.randrange(0, 3000) * 1000
        load = draw.choice((0.3, 0.7, 1, 1))
        share = left // (len(senders) - i)
        left -= share
        while share > 0:
            burst = min(share, draw.randrange(1, most))
            flow, began = draw.choice(mine), at
            for _ in range(burst):
                packet = one_packet(draw, at // 1000 * 1000, ident, draw.choice(mine) if draw.random() < 0.3 else flow)
                arrivals[name].append(packet)
                at += bytes_ps(rates[name], PREAMBLE + packet.size + FCS + GAP) * (draw.random() > 0.02)
                ident += 1
            at += round((at - began) * (1 / load - 1) * 2 * draw.random())
            at += draw.randrange(2) * 1000 * draw.randrange(idle)
            share -= burst
    return arrivals


def wrap_some(draw, packets, ipip):
    """Puts packets into IP-in-IP that ends at the switch."""
    for packet in packets:
        if draw.random() < 0.5:
            outer = Outer(draw.random() < 0.3, draw.choice(DSCPS), draw.choice((0, 1, 2, 3)))
            if (packet.ecn, outer.ecn, ipip["ecn"]) == (0, 3, "standard"):
                outer.ecn = 2
            packet.outer = outer
            packet.size += 40 if outer.v6 else 20


def quanta(draw, rate, span):
    """A pause of up to a fifth of the run; one in four ends a pause."""
    return 0 if draw.random() < 0.25 else \
        min(65535, round(span / 5 * draw.random() / bytes_ps(rate, 64)) + 1)


def pause(draw, at, rate, span):
    if draw.random() < 0.3:
        return Pause(at, "pause", quanta(draw, rate, span))
    some = draw.sample(PRIORITIES, draw.randrange(0, 5))
    return Pause(at, "pfc", {priority: quanta(draw, rate, span) for priority in some})


def storm(draw, rate, span):
    """Frames that pause the same again and again, for up to the whole run."""
    one, priorities = draw.randrange(20, 65536), draw.sample(PRIORITIES, draw.randrange(1, 9))
    begin, end = sorted(draw.randrange(0, span) for _ in range(2))
    step = max(round(bytes_ps(rate, 64 * one) * (0.5 + draw.random())), (end - begin) // 200, 10**6)
    link = draw.random() < 0.3
    return [Pause(at // 1000 * 1000, *(("pause", one) if link else ("pfc", dict.fromkeys(priorities, one))))
            for at in range(begin, end, step)]


def draw_traffic(draw, switch, count):
    """Returns ({port: [Packet or Pause, in order]}, the time that the traffic takes in ps). count: packets."""
    names = list(switch["ports"])
    rates = {name: rate_of(port["rate"]) for name, port in switch["ports"].items()}
    watched = switch["qos"]["watchdog"] != "off"     # looks seldom: a long run with pauses to find
    arrivals = data(draw, names, rates, count, *((15, 300000) if watched else (60, 500)))
    packets = [packet for one in arrivals.values() for packet in one]
    if switch.get("ipip", "off") != "off":
        wrap_some(draw, packets, switch["ipip"])
    slowest = sum(bytes_ps(rates[packet.out], packet.size) for packet in packets) // len(names)
    span = max([packet.at for packet in packets] + [slowest, 2 * 10**9 if watched else 0]) // 1000 * 1000 + 1000
    for _ in range(draw.randrange(0, 25) if draw.random() < 0.8 else 0):
        name = draw.choice(names)
        arrivals[name].append(pause(draw, draw.randrange(0, span // 1000) * 1000, rates[name], span))
    for _ in range(draw.randrange(1, 6) if watched else draw.random() < 0.1):
        name = draw.choice(packets).out
        arrivals[name] += storm(draw, rates[name], span)
    return {name: sorted(one, key=lambda what: what.at) for name, one in arrivals.items() if one}, span
