# SPDX-License-Identifier: BSD-3-Clause
"""Small readers of traces, written from the formats alone and not from Roost's code, and what the operations that they find
send: who sends how many bytes to whom, and when each runs if nothing ever blocks.

A reader returns (number of ranks, operations). An operation waits, at each of its ranks, for others that it names by their
place in the list.
"""
import collections
import dataclasses
import re


@dataclasses.dataclass
class Operation:
    kind: str
    ranks: list
    bytes: int = 0
    compute_ns: float = 0
    group: str | None = None
    after: dict = dataclasses.field(default_factory=dict)       # {rank: [places of operations]}


COUNTS = {"all-reduce": 2, "all-gather": 1, "reduce-scatter": 1, "all-to-all": 1, "broadcast": 1}


def sent(operation):
    """{(from, to): bytes}: rings, direct exchanges, and a chain from the root."""
    ranks, n, size = operation.ranks, len(operation.ranks), operation.bytes
    if operation.kind == "send":
        return {tuple(ranks): size}
    if operation.kind == "all-to-all":
        return {(a, b): size // n for a in ranks for b in ranks if a != b}
    if operation.kind == "broadcast":
        return {(a, b): size for a, b in zip(ranks, ranks[1:])}
    if operation.kind == "compute":
        return {}
    return {(ranks[i], ranks[(i + 1) % n]): COUNTS[operation.kind] * (n - 1) * size // n for i in range(n)}


def sums(operations):
    """{(kind, group): (operations, bytes)}"""
    out = collections.defaultdict(lambda: [0, 0])
    for one in operations:
        out[one.kind, one.group][0] += 1
        out[one.kind, one.group][1] += sum(sent(one).values())
    return {key: tuple(value) for key, value in out.items()}


def pairs(operations):
    out = collections.Counter()
    for one in operations:
        out.update(sent(one))
    return dict(out)


def busiest(operations):
    """How long the rank computes that computes most, in ns."""
    out = collections.Counter()
    for one in operations:
        for rank in one.ranks:
            out[rank] += one.compute_ns
    return max(out.values(), default=0)


def timetable(operations, time_of):
    """[(start, end)] in ns, if an operation is over at a rank time_of(operation, rank) after its ranks have come and computed,
    and when all ranks are done. A rank computes for one operation at a time; what it sends needs no time of it."""
    times, over = [None] * len(operations), {}
    free = collections.Counter()
    left = set(range(len(operations)))

    def waits(k):
        return [(a, rank) for rank, after in operations[k].after.items() for a in after]

    while left:
        ready = {k: max((over[wait] for wait in waits(k)), default=0) for k in left if all(wait in over for wait in waits(k))}
        k = min(ready, key=lambda k: (ready[k], k))
        one = operations[k]
        begin = {rank: max((over[a, rank] for a in one.after.get(rank, ())), default=0) for rank in one.ranks}
        if one.compute_ns:
            for rank in one.ranks:
                free[rank] = begin[rank] = max(begin[rank], free[rank]) + one.compute_ns
        # A message goes whether its receiver waits for it yet or not; the others need all of their ranks.
        all_there = begin[one.ranks[0]] if one.kind == "send" else max(begin.values())
        for rank in one.ranks:
            over[k, rank] = begin[rank] if one.kind == "compute" else max(begin[rank], all_there + time_of(one, rank))
        start = all_there if one.kind == "send" else min(begin.values()) - (one.compute_ns if one.kind == "compute" else 0)
        times[k] = start, max(over[k, rank] for rank in (one.ranks[1:] if one.kind == "send" else one.ranks))
        left.remove(k)
    return times, max(over.values())


class Chain:
    """All ranks run one program; groups are ranks `stride` apart."""

    def __init__(self, ranks):
        self.operations, self.last, self.ranks, self.compute = [], {}, range(ranks), 0

    def _add(self, operation, aside=False):
        operation.after = {r: [self.last[r]] for r in operation.ranks if r in self.last}
        self.operations.append(operation)
        if not aside:
            self.last |= {r: len(self.operations) - 1 for r in operation.ranks}

    def collective(self, kind, size, group, stride, members, aside=False):
        if members < 2 or size == 0:
            return
        for first in self.ranks:
            if first // stride % members == 0:
                self._add(Operation(kind, [first + i * stride for i in range(members)], size, 0 if aside else self.compute,
                                    group), aside)
        if not aside:
            self.compute = 0

    def computing(self):
        if self.compute:
            self._add(Operation("compute", list(self.ranks), compute_ns=self.compute))
            self.compute = 0


def simai(text):
    header, _, *layers = text.splitlines()
    words = header.split()
    tp, ep, pp, ranks = (int(words[words.index(key) + 1]) for key in ("model_parallel_NPU_group:", "ep:", "pp:", "all_gpus:"))
    dp = ranks // tp // pp
    kinds = {"ALLREDUCE": "all-reduce", "ALLGATHER": "all-gather", "REDUCESCATTER": "reduce-scatter",
             "ALLTOALL": "all-to-all"}
    groups = {"tp": ("tp", 1, tp), "dp": ("dp", tp, dp), "_EP": ("ep", tp, ep), "_DP_EP": ("ep-dp", tp * ep, dp // ep)}
    chain = Chain(ranks)

    def communicate(layer, phase, aside=False):
        kind, suffix = re.fullmatch(r"([A-Z]+)(_EP|_DP_EP|)", layer[phase + 1]).groups()
        if kind == "NONE":
            return
        before = len(chain.operations)
        chain.collective(kinds[kind], int(layer[phase + 2]), *groups[suffix or ("dp" if phase == 8 else "tp")], aside=aside)
        added = range(before, len(chain.operations))
        if aside and added and int(layer[11]):
            chain.operations.append(Operation("compute", list(chain.ranks), compute_ns=int(layer[11]),
                                              after={r: [k] for k in added for r in chain.operations[k].ranks}))

    layers = [layer.split() for layer in layers]
    for layer in layers:
        chain.compute += int(layer[2])
        communicate(layer, 2)
    for layer in reversed(layers):
        chain.compute += int(layer[5])
        communicate(layer, 5)
        chain.compute += int(layer[8])
        if layer[9] != "NONE":
            chain.computing()
            communicate(layer, 8, aside=True)
    chain.computing()
    return ranks, chain.operations


def aicb(text):
    header, *rows = text.splitlines()
    header = header.split(",")
    rows = [dict(zip(header, re.split(",(?! )", row))) for row in rows]
    sizes = {row["comm_group"].removeprefix("CommGroup."): int(row["comm_group_size"]) for row in rows
             if row["comm_group_size"] != "None"}
    tp, dp, ep = (sizes.get(f"{group}_group", 1) for group in ("tp", "dp", "ep"))
    groups = {"tp_group": ("tp", 1, tp), "dp_group": ("dp", tp, dp), "ep_group": ("ep", tp, ep)}
    chain = Chain(tp * dp)
    for row in rows:
        kind, group = row["comm_type"].removeprefix("CommType."), row["comm_group"].removeprefix("CommGroup.")
        if kind == "computation":
            chain.compute += float(row["_elapsed_time"])
        elif kind != "epoch_end":
            chain.collective(kind.replace("_", "-"), int(row["msg_size"]), *groups[group])
    chain.computing()
    return tp * dp, chain.operations


def nccl(text):
    """Of logs whose ranks are those of one communicator of all; each GPU has one stream, and no groups but of send and recv."""
    comms, calls, world = {}, collections.defaultdict(list), 0
    for process, message in re.findall(r"^(\S+:\d+):\d+ \[\d+\] NCCL INFO (.*)$", text, re.M):
        init = re.search(r"comm (\S+) rank (\d+) nranks (\d+) .*commId (\S+) - Init COMPLETE", message)
        if init:
            comms[process, init[1]] = init[4], int(init[2]), int(init[3])
            world = max(world, int(init[3]))
        call = re.match(r"(\w+): opCount (\w+) .* count (\d+) datatype (\d+) op \d+ root (\d+) comm (\S+)", message)
        if call:
            calls[process].append((call[1], call[2], int(call[3]) * (1, 1, 4, 4, 8, 8, 2, 4, 8, 2)[int(call[4])], int(call[5]),
                                   *comms[process, call[6]]))
    rank_of = {process: rank for (process, _), (_, rank, n) in comms.items() if n == world}
    members = collections.defaultdict(dict)
    for (process, _), (group, rank, _) in comms.items():
        members[group][rank] = rank_of[process]
    operations, seen, places = [], collections.Counter(), {}
    for process, rank in sorted(rank_of.items(), key=lambda item: item[1]):
        before, current, op_count = [], [], None
        for kind, count, size, root, group, own, n in calls[process]:
            if (group, count) != op_count:
                before, current, op_count = current, [], (group, count)
            ends = (own, root) if kind == "Send" else (root, own)
            key = (group, kind.replace("Recv", "Send"), ends if kind in ("Send", "Recv") else None)
            seen[rank, kind, key] += 1
            place = places.setdefault((key, seen[rank, kind, key]), len(operations))
            if place == len(operations):
                name = {"Send": "send", "Recv": "send", "AllReduce": "all-reduce", "AllGather": "all-gather",
                        "ReduceScatter": "reduce-scatter", "Broadcast": "broadcast"}[kind]
                order = ends if name == "send" else [(root + i) % n for i in range(n)] if name == "broadcast" else range(n)
                ranks = [members[group][i] for i in order]
                apart = ranks[1] - ranks[0]
                operations.append(Operation(name, ranks, size * (n if name in ("all-gather", "reduce-scatter") else 1),
                                            group=None if name == "send" or n == world else f"{n} ranks, {apart} apart"))
            operations[place].after[rank] = list(before)
            current.append(place)
    return world, operations


def nccl_tests(text):
    kind = re.search(r"starting: (\w+)_perf", text)[1].replace("_", "-")
    ranks = len(re.findall(r"^#\s+Rank\s+\d+ ", text, re.M))
    operations = []
    for size, root in re.findall(r"^\s*(\d+)\s+\d+\s+\w+\s+\w+\s+(-?\d+)", text, re.M):
        after = {r: [len(operations) - 1] for r in range(ranks)} if operations else {}
        operations.append(Operation(kind, list(range(ranks)), int(size), after=after))
    return ranks, operations


def htsim(text):
    ranks = int(re.search(r"^Nodes (\d+)", text, re.M)[1])
    operations, fires, waits, starts = [], collections.defaultdict(list), [], {}
    for src, dst, rest in re.findall(r"^(\d+)->(\d+) (.*)$", text, re.M):
        words = rest.split()
        keys = dict(zip(words[::2], words[1::2]))
        place = len(operations)
        operations.append(Operation("send", [int(src), int(dst)], int(keys["size"])))
        for key in ("send_done_trigger", "recv_done_trigger"):
            if key in keys:
                fires[keys[key]].append(place)
        waits.append(keys.get("trigger"))
        if int(keys.get("start", 0)):
            starts[place] = int(keys["start"]) / 1000
    for place, trigger in enumerate(waits):
        if trigger:
            operations[place].after = {operations[place].ranks[0]: fires[trigger]}
    # A source computes until its next connection starts.
    for src in range(ranks):
        passed, before = 0, []
        for start in sorted({at for place, at in starts.items() if operations[place].ranks[0] == src}):
            operations.append(Operation("compute", [src], compute_ns=start - passed, after={src: before}))
            passed, before = start, [len(operations) - 1]
            for place, at in starts.items():
                if at == start and operations[place].ranks[0] == src:
                    operations[place].after = {src: before}
    return ranks, operations


# ---- Chakra: protobuf by hand ---------------------------------------------------------------------------------------

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """[(number, value)] of a message; a value is an int or bytes."""
    at, out = 0, []
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        out.append((tag >> 3, value))
    return out


def messages(data):
    at, out = 0, []
    while at < len(data):
        size, at = varint(data, at)
        out.append(fields(data[at:at + size]))
        at += size
    return out


def chakra(files):
    """files: the bytes of each rank's."""
    kinds = {0: "all-reduce", 2: "all-gather", 5: "broadcast", 6: "all-to-all", 7: "reduce-scatter"}
    nodes, groups = [], collections.defaultdict(set)
    for rank, data in enumerate(files):
        for message in messages(data)[1:]:
            node = {"rank": rank, "deps": []} | dict(message)
            for number, value in message:
                if number in (4, 5):        # packed, or one by one
                    while isinstance(value, bytes) and value:
                        dep, at = varint(value, 0)
                        node["deps"].append(dep)
                        value = value[at:]
                    if isinstance(value, int):
                        node["deps"].append(value)
            for attribute in (fields(value) for number, value in message if number == 10):
                node[attribute[0][1].decode()] = attribute[1][1]
            nodes.append(node)
            if node[3] == 7:
                groups[node.get("pg_name")].add(rank)
    operations, places, seen, place_of = [], {}, collections.Counter(), {}
    for node in nodes:
        rank, kind = node["rank"], node[3]
        if kind == 7:
            key = ("group", node.get("pg_name"))
        elif kind in (5, 6):
            ends = (rank, node["comm_dst"]) if kind == 5 else (node["comm_src"], rank)
            key = ("message", *ends, node.get("comm_tag"))
        else:
            key = ("node", rank, node[1])
        seen[rank, key] += 1
        place = places.setdefault((key, seen[rank, key]), len(operations))
        if place == len(operations):
            if kind == 7:
                ranks = sorted(groups[node.get("pg_name")])
                size = node["comm_size"] * (len(ranks) if node["comm_type"] == 2 else 1)
                group = None if len(ranks) == len(files) else f"{len(ranks)} ranks, {ranks[1] - ranks[0]} apart"
                operations.append(Operation(kinds[node["comm_type"]], ranks, size, group=group))
            elif kind in (5, 6):
                operations.append(Operation("send", list(ends), node["comm_size"]))
            else:
                operations.append(Operation("compute", [rank], compute_ns=node.get(7, 0) * 1000))
        place_of[rank, node[1]] = place
    for node in nodes:
        operations[place_of[node["rank"], node[1]]].after[node["rank"]] = [place_of[node["rank"], dep] for dep in node["deps"]]
    return len(files), operations
