# SPDX-License-Identifier: BSD-3-Clause
"""The worked example of doc/buffer.md: its file, its packets and its commands as they stand there, and every
number of its tables as `roost replay` has them.

The table's states come from snapshots a nanosecond behind each step, its pauses from what swp1 and swp2 sent;
limits are worked out from the shared use by the formula that the page gives.
"""
import re
import shlex
import unittest
from pathlib import Path

from support import *

PAGE = (SOURCE / "doc/buffer.md").read_text()
EXAMPLE = PAGE[PAGE.index("## A worked example"):]
CELL, BYTE_NS = 192, 0.08
PFC_NS, FRAME_NS = 5, 99    # from a frame's start to its stamp: 72 and 1238 bytes at 100G, stamps are cut to ns
SIDES = ("swp1", "swp2")


def block(language):
    found, = re.findall(rf"^```{language}\n(.*?)^```$", EXAMPLE, re.M | re.S)
    return found


def table(first):
    """The rows of the table whose first column has this name, as lists of text."""
    head = re.search(rf"^\| {re.escape(first)} \|.*$", EXAMPLE, re.M)
    lines = EXAMPLE[head.start():].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def number(text):
    return int(re.match(r"-?\d+", text).group())


STEPS = table("ns")
CELLS = {row[0]: (number(row[1]), [int(one) for one in re.findall(r"\d+", row[2])]) for row in table("What")}
TEXT = block("yaml")


class BufferDoc(Case):
    def setUp(self):
        script = block("python").replace('PcapWriter("', f'PcapWriter("{self.directory}/')
        exec(compile(script, "buffer.md", "exec"), {})
        self.inputs = {port: self.directory / f"{port}.pcap" for port in SIDES}

    def pauses(self, run, port):
        """[(when its sending began in ns, "XOFF" or "XON")]."""
        frames = [packet for packet in run.sent[port] if packet.data[12:14] == b"\x88\x08"]
        self.assertEqual([packet.data[17] for packet in frames], [8] * len(frames))
        return [(packet.ns - PFC_NS, "XOFF" if any(packet.data[24:26]) else "XON") for packet in frames]

    def follow(self):
        """The example with a snapshot behind each step, {ns: the switch}, and the run."""
        steps = [int(row[0]) for row in STEPS]
        shots = "".join(f"  - {{at: {at + 1}ns, snapshot: full}}\n" for at in steps)
        run = self.replay(TEXT + shots, self.inputs)
        run.assert_conserved()
        return {at: run.snapshot(at + 1).counters for at in steps}, run

    def test_commands(self):
        """The commands as written; the file is good without a warning."""
        (self.directory / "incast.yaml").write_text(TEXT)
        done = [roost(*shlex.split(line)[2:], cwd=self.directory) for line in block("console").splitlines()]
        self.assertEqual([one.command[1] for one in done], ["check", "replay"])
        self.assertEqual([one.err for one in done], ["", ""])
        run = Replay(self.directory / "out", done[1])
        run.assert_conserved()
        self.assertEqual(run.drops, {})
        self.assertEqual(len(run.snapshot(1000).counters["ports"]), 3)
        self.assertEqual(sum(group["used"] for port in run.switch.counters["ports"].values() for group in port["pg"]), 0)

    def test_cells(self):
        """What the file comes to, in cells, and the numbers of the reasons beside it."""
        _, run = self.follow()
        size, cell = map(number, re.search(r"size: (\d+)B, cell: (\d+)", TEXT).groups())
        group = {key: number(value) for key, value in
                 re.findall(r"([\w-]+): (\d+)B", TEXT[TEXT.index("pg:"):TEXT.index("tc:")])}
        alpha = number(re.search(r"alpha: 1/(\d+)", TEXT).group(1))
        needed = number(re.search(r"^needed +(\d+) B", roost("headroom", "100G", "5m", 1212).out, re.M).group(1))
        self.assertLessEqual(needed, group["headroom"])
        pools = {name: pool["size"] // cell for name, pool in run.switch.counters["pools"].items()}
        guaranteed = run.switch.tenant("red").guaranteed // 2     # in each of the two ingress pools
        headroom, reserved = group["headroom"] // cell, group["reserved"] // cell
        pool = pools["ingress-lossless"]
        shared = pool - 3 * reserved - guaranteed // cell
        self.assertEqual(pools["headroom"], 3 * headroom)
        self.assertEqual(CELLS, {
            "the buffer": (size // cell, [size, cell]),
            "headroom": (3 * headroom, [group["headroom"], headroom, 3, needed]),
            "ingress-lossless": (pool, [50, size // cell - 3 * headroom]),
            "reserved": (3 * reserved, [group["reserved"], reserved, 3]),
            "guaranteed to red": (guaranteed // cell, [guaranteed]),
            "shared size": (shared, [pool, 3 * reserved, guaranteed // cell]),
            "limit of a group at first": (shared // alpha, [shared, alpha]),
            "xon-offset": (group["xon-offset"] // cell, [group["xon-offset"], cell])})

    def state(self, switch):
        """The columns of the table but for the first four: cells of both groups, and the pool's shared use."""
        groups = [switch["ports"][port]["pg"][3] for port in SIDES]
        granted = switch["tenants"]["red"]["guaranteed_used"]
        own = [group["used"] - group["headroom"] for group in groups]
        columns = [granted, own[0] - granted, groups[0]["headroom"], own[1], groups[1]["headroom"],
                   sum(port["pg"][3]["shared"] for port in switch["ports"].values())]
        self.assertEqual(switch["pools"]["ingress-lossless"]["used"], sum(own))
        return [value // CELL for value in columns]

    def place(self, before, after, side):
        """Where a step charged or released: the one column of that side that changed."""
        names = ("guarantee", "own", "headroom")
        mine = [(0, 1, 2), (None, 3, 4)][side]
        changed = [name for name, column in zip(names, mine) if column is not None and before[column] != after[column]]
        others = [column for column in range(5) if column not in mine and before[column] != after[column]]
        self.assertEqual((len(changed), others), (1, []))
        return changed[0]

    def test_steps(self):
        """Every row: when, which packet, limit, place, occupancies, and what swp1 and swp2 sent then."""
        states, run = self.follow()
        shared_size, alpha = CELLS["limit of a group at first"][1]
        arrivals = {at: f"{name}{i + 1}" for port, name in zip(SIDES, "rb")
                    for i, at in enumerate(self.arrivals(port))}
        order = [arrivals[at] for at in sorted(arrivals)]
        self.assertEqual(len(run.sent["swp3"]), len(order))
        happened = [(at, f"{name} in") for at, name in arrivals.items()] + \
            [(packet.ns - FRAME_NS, f"{name} out") for packet, name in zip(run.sent["swp3"], order)]
        happened = sorted(one for one in happened if one[0] <= int(STEPS[-1][0]))
        self.assertEqual([(int(row[0]), row[1]) for row in STEPS], happened)
        before = [0] * 6
        for row in STEPS:
            with self.subTest(at=row[0], packet=row[1]):
                at, after = int(row[0]), self.state(states[int(row[0])])
                self.assertEqual(list(map(int, row[4:10])), after)
                coming = row[1].endswith("in")
                self.assertEqual(int(row[2]), (shared_size - (before if coming else after)[5]) // alpha)
                self.assertEqual(row[3], self.place(before, after, 0 if row[1][0] == "r" else 1))
                sent = [f"{what} by {port}" for port in SIDES for when, what in self.pauses(run, port) if when == at]
                self.assertEqual(row[10], ", ".join(sent))
                before = after
        told = sorted((int(row[0]), row[10]) for row in STEPS if row[10])
        self.assertEqual(told, sorted((when, f"{what} by {port}") for port in SIDES
                                      for when, what in self.pauses(run, port)))

    def arrivals(self, port):
        """Stamps of a capture that the page's script made."""
        data = Path(self.inputs[port]).read_bytes()
        at = 24
        while at < len(data):
            yield int.from_bytes(data[at + 4:at + 8], "little")
            at += 16 + int.from_bytes(data[at + 8:at + 12], "little")

    def test_inputs(self):
        """The frames take 7 cells and 100 ns, as the text says, and come when it says."""
        sizes = {int.from_bytes(Path(path).read_bytes()[32:36], "little") for path in self.inputs.values()}
        size, packet, whole, slot = map(int, re.search(
            r"A frame of (\d+) bytes takes (\d+) cells\. .*?(\d+) byte times, which is (\d+) ns",
            EXAMPLE, re.S).groups())
        self.assertEqual(sizes, {size})
        self.assertEqual((packet, whole, slot), (-(-size // CELL), size + 24, (size + 24) * BYTE_NS))
        self.assertEqual(list(self.arrivals("swp1")), [slot * i for i in range(9)])
        self.assertEqual(list(self.arrivals("swp2")), [50 + slot * i for i in range(7)])

    def changed(self, change):
        """The example's text with one key at another value."""
        key, value = re.fullmatch(r"`([\w.-]+): (\S+)`.*", change).groups()
        if key.startswith("switch."):   # as a change at 0, before anything else
            if key == "switch.buffer.cell":
                self.assertIn(f"cell: {value}", TEXT)
                return TEXT
            return TEXT.replace("events:\n", f"events:\n  - {{at: 0us, set: {key}, to: {value}}}\n")
        name = key.split(".")[-1]
        buffer = {"guaranteed": "2688B"} | {name: value}
        self.assertIn("red: {buffer: {guaranteed: 2688B}}", TEXT)
        return TEXT.replace("red: {buffer: {guaranteed: 2688B}}", f"red: {{buffer: {to_yaml(buffer)}}}")

    def test_changes(self):
        """The table of changes: the first XOFF and the last XON of each, and the peaks of headroom."""
        rows = table("Change")
        self.assertGreater(len(rows), 5)
        for change, *expected in rows:
            with self.subTest(change=change):
                run = self.replay(self.changed(change), self.inputs)
                run.assert_conserved()
                self.assertEqual(run.drops, {})
                got = []
                for port in SIDES:
                    pauses = self.pauses(run, port)
                    self.assertIn([what for _, what in pauses], ([], ["XOFF", "XON"]))
                    got += [str(when) for when, _ in pauses] or ["-", "-"]
                got.append(", ".join(str(run.port(port).group(3).headroom_max // CELL) for port in SIDES))
                self.assertEqual(got, expected)


if __name__ == "__main__":
    unittest.main()
