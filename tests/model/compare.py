# SPDX-License-Identifier: BSD-3-Clause
"""Runs one seed through `roost replay` and through the model, and says where they differ."""
import random
import shutil
from pathlib import Path

from support import ROOST, SLOWER, layer3, replay, to_yaml, write_pcap

from .configuration import draw_switch
from .happenings import draw_happenings
from .settings import Settings
from .switch import Switch
from .traffic import draw_traffic, ident_of
from .report import report

PS_PER_NS = 1000
BUFFER = ("headroom", "ingress-pool", "egress-pool", "tenant-share")    # reasons for which a drop tells the depth


class Trial:
    """One seed: what is drawn, and what comes of it. Its files are in `directory`. packets, snapshots: how many, if
    not drawn too."""

    def __init__(self, seed, directory, packets=None, snapshots=None, ipip=True):
        self.seed, self.directory = seed, Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        draw = random.Random(seed)
        self.description, scale = draw_switch(draw)
        if not ipip:
            self.description.pop("ipip", None)
        self.arrivals, span = draw_traffic(draw, self.description, packets or draw.randrange(100, 700))
        self.happenings = draw_happenings(draw, self.description, scale, span, snapshots or draw.randrange(3, 9))
        self.until = 4 * span + 100_000_000 + 1000 * draw.randrange(1000)

    # ---- the program

    def write(self):
        events = [one.said for one in self.happenings]
        text = "\n".join(f"{key}: {to_yaml(value)}" for key, value in
                         {"switch": self.description, "events": events}.items())
        (self.directory / "switch.yaml").write_text(text + "\n")
        for name, arrivals in self.arrivals.items():
            write_pcap(self.directory / f"{name}.pcap",
                       [(one.at // PS_PER_NS, one.frame()) for one in arrivals])

    def replay(self):
        self.write()
        inputs = {name: self.directory / f"{name}.pcap" for name in self.arrivals}
        self.run = replay(self.directory / "switch.yaml", inputs, until=f"{self.until // PS_PER_NS}ns",
                          out=self.directory / "out", roost=ROOST, timeout=120 * SLOWER)
        self.run.assert_conserved()

    def remove(self):
        shutil.rmtree(self.directory)

    # ---- the model

    def headroom_of_auto(self):
        """What `headroom: auto` came to: the same for all groups that have it, for their ports are alike."""
        others = Settings(self.description, 0).all_headroom
        count = Settings(self.description, 1).all_headroom - others    # a cell for each
        cell = self.description["buffer"]["cell"]
        return count and (self.first_snapshot()["pools"]["headroom"]["size"] // cell - others) // count * cell

    def first_snapshot(self):
        return self.run.counters["snapshots"][0]["nodes"]["dut"]

    def model(self):
        settings = Settings(self.description, self.headroom_of_auto())
        self.switch = Switch(settings, self.arrivals, [(one.at, one.done) for one in self.happenings])
        self.switch.run(self.until)

    # ---- the comparison

    def differences(self):
        """Every difference as a line, in the order of time."""
        self.replay()
        self.model()
        found = list(self.compare_sent()) + list(self.compare_drops())
        shots = self.run.counters["snapshots"]
        if len(shots) != len(self.switch.snapshots):
            found.append((0, f"{len(shots)} snapshots, the model has {len(self.switch.snapshots)}"))
        log = [{"at_ns": at // PS_PER_NS, "node": "dut", "queue": where, "what": what}
               for at, where, what in self.switch.watchdog.log]
        shown = [{key: value for key, value in one.items() if key != "message"} for one in self.run.counters["log"]]
        found += [(0, f"log: {line}") for line in unequal("", shown, log)]
        for shot, (at, expected) in zip(shots, self.switch.snapshots):
            found += [(at, f"at {at // PS_PER_NS} ns: {line}") for line in
                      unequal("", shot["nodes"]["dut"], expected)]
        found += [(self.until, f"at the end: {line}") for line in
                  unequal("", self.run.switch.counters, report(self.switch))]
        return [line for _, line in sorted(found, key=lambda one: one[0])]

    def compare_sent(self):
        for name, port in self.switch.ports.items():
            expected = [(at // PS_PER_NS, *self.shape(what)) for at, what in port.sent]
            shown = [(one.ns, *self.read(one)) for one in self.run.sent[name]]
            yield from self.first_difference(f"{name} sent", shown, expected)

    def compare_drops(self):
        expected = sorted((at // PS_PER_NS, packet.ident, reason, packet.port, packet.priority, packet.size,
                           depth * self.switch.settings.cell if reason in BUFFER else None)
                          for at, packet, reason, depth in self.switch.dropped)
        shown = sorted((one.ns, ident_of(one.data), one.field("reason"), one.field("port"), int(one.field("priority")),
                        one.length, int(one.field("depth")) if one.field("reason") in BUFFER else None)
                       for one in self.run.dropped)
        yield from self.first_difference("dropped", shown, expected)

    @staticmethod
    def first_difference(what, shown, expected):
        for i, (one, other) in enumerate(zip(shown + [None], expected + [None])):
            if one != other:
                at = min(row[0] for row in (one, other) if row is not None) * PS_PER_NS
                yield at, f"{what}, number {i}: {one}, the model has {other}"
                return
        if len(shown) != len(expected):
            at = (shown + expected)[min(len(shown), len(expected))][0] * PS_PER_NS
            yield at, f"{what}: {len(shown)}, the model has {len(expected)}"

    @staticmethod
    def shape(what):
        """What a capture shows of a packet or frame of the model."""
        if hasattr(what, "ident"):
            return "packet", what.ident, what.size, what.dscp, what.ecn, what.pcp
        return "pause", tuple(sorted(what.quanta.items()))

    @staticmethod
    def read(packet):
        frame = packet.data
        if frame[12:16] == b"\x88\x08\x00\x01":
            return "pause", (("link", int.from_bytes(frame[16:18], "big")),)
        if frame[12:14] == b"\x88\x08":
            times = [int.from_bytes(frame[18 + 2 * i:20 + 2 * i], "big") for i in range(8)]
            return "pause", tuple((i, times[i]) for i in range(8) if frame[17] >> i & 1)
        at = layer3(frame)
        tos = (frame[at] << 4 | frame[at + 1] >> 4) & 255 if frame[at] >> 4 == 6 else frame[at + 1]
        return "packet", ident_of(frame), packet.length, tos >> 2, tos & 3, frame[14] >> 5 if at > 14 else None


def unequal(path, shown, expected):
    """Where two values differ, by path; of dicts only what the model says."""
    if isinstance(expected, dict):
        if path.endswith(".drops") and set(shown) != set(expected):
            yield f"{path[1:]} is {shown}, the model has {expected}"
            return
        for key, value in expected.items():
            yield from unequal(f"{path}.{key}", shown.get(key), value) if isinstance(shown, dict) else \
                [f"{path[1:]} is {shown}"]
    elif isinstance(expected, list) and isinstance(shown, list) and len(expected) == len(shown) and expected and \
            isinstance(expected[0], dict):
        for i, (one, other) in enumerate(zip(shown, expected)):
            yield from unequal(f"{path}.{i}", one, other)
    elif shown != expected:
        yield f"{path[1:]} is {shown}, the model has {expected}"
