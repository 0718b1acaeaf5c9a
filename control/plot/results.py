# SPDX-License-Identifier: BSD-3-Clause
"""What there is to draw of a result: which columns make which lines.

Each make_*() returns its drawings, or raises Missing with the reason why there are none.
"""
from __future__ import annotations

from array import array
from typing import Callable, Sequence

import draw
from charts import (Matrix, Panel, ROWS_MAX, Threshold, distributions, heat_over_time, lines_over_time, matrix_pair,
                    split_named)
from draw import Drawing
from read import Line, Lines, Missing, Result, Table, open_table

SWITCHES_MAX, UPLINKS_MAX = 1024, 256
RATES = "time_ns,flow,qpn,rate_gbps,target_gbps,alpha,achieved_gbps"     # the columns of rates.csv
# A queue holds packets of several inputs, each of which has an XOFF threshold of its own.
THRESHOLDS = {"XOFF": "XOFF of one input"}


# ---- completion times -----------------------------------------------------------------------------------------------

class Completion:
    """Completion times in us and slowdowns, by curve."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {}
        self.slowdowns: dict[str, list[float]] = {}

    def add(self, result: Result, curve: str | None = None) -> None:
        """Adds the flows of a result to one curve, or each to that of its workload item."""
        for flow in result.flows.values():
            if flow.fct_ps is None:     # not complete
                continue
            self.times.setdefault(curve or flow.item, []).append(flow.fct_ps / 1e6)
            if flow.ideal_ps != 0:
                self.slowdowns.setdefault(curve or flow.item, []).append(flow.fct_ps / flow.ideal_ps)

    def drawings(self, run: str) -> list[Drawing]:
        made = []
        if self.times:
            made.append(distributions("fct.svg", f"{run}: completion times of flows", self.times,
                                      "completion time / us", "flows done within that time / %"))
        if self.slowdowns:
            made.append(distributions("slowdown.svg", f"{run}: slowdown of flows against each flow alone",
                                      self.slowdowns, "slowdown (1: as fast as alone)",
                                      "flows slowed down by at most that / %"))
        if not made:
            raise Missing("completion times: no flow completed")
        return made


def make_completion(result: Result) -> list[Drawing]:
    if result.no_flows:
        raise Missing(f"completion times: {result.no_flows}")
    completion = Completion()
    completion.add(result)
    return completion.drawings(result.name)


# ---- loads of uplinks -----------------------------------------------------------------------------------------------

def loads_of(result: Result, tier: str, up: bool) -> dict[str, list[float]]:
    """Loads in percent of a tier's links, by the switch at their lower end."""
    rows: dict[str, list[float]] = {}
    for link in result.links:
        if link.tier != tier:
            continue
        switch = (link.sender if up else link.receiver)[0]
        row = rows.setdefault(switch, [])
        row.append(100 * link.load)
        if len(row) > UPLINKS_MAX or len(rows) > SWITCHES_MAX:
            raise Missing(f"uplinks: too many to draw: over {UPLINKS_MAX} of a switch, or {SWITCHES_MAX} switches")
    return rows


def uplinks(result: Result, file: str, lower: str, upper: str) -> list[Drawing]:
    up = loads_of(result, f"{lower}-{upper}", up=True)
    down = loads_of(result, f"{upper}-{lower}", up=False)
    # The upper switches list the links down, in an order of their own; a row is the same switch in both.
    both = [name for name in up if name in down]
    if not both:
        return []
    label = f"uplink of the {lower}, by {upper}"
    pair = (Matrix(f"up: {lower} to {upper}", label, {name: up[name] for name in both}),
            Matrix(f"down: {upper} to {lower}", label, {name: down[name] for name in both}))
    return [matrix_pair(file, f"{result.name}: loads of links between {lower} and {upper} switches", pair)]


def make_uplinks(result: Result) -> list[Drawing]:
    if result.no_links:
        raise Missing(f"uplinks: {result.no_links}")
    made = uplinks(result, "uplinks.svg", "leaf", "spine") + uplinks(result, "spine-uplinks.svg", "spine", "super-spine")
    if not made:
        raise Missing("uplinks: no link joins two tiers of switches")
    return made


# ---- series over time -----------------------------------------------------------------------------------------------

def table_of(result: Result, what: str, file: str, heading: str, key: str, wide: bool = False) -> Table:
    table = open_table(result.directory, file, heading, wide, most=result.most)
    if table is None:
        raise Missing(f"{what}: no {file} (record.{key} writes it)")
    return table


def need_rows(what: str, table: Table, lines: Lines) -> None:
    if not lines:
        raise Missing(f"{what}: {table.path} has no rows")


def in_bytes(lines: Lines) -> str:
    """Divides all values by a unit that suits them and returns its name."""
    unit, factor = draw.bytes_unit(max(line.peak for line in lines.values()))
    for line in lines.values():
        for index, value in enumerate(line.values):
            line.values[index] = value / factor
    return unit


def bytes_text(count: float) -> str:
    unit, factor = draw.bytes_unit(2 * count)   # 1.2 MB rather than 1200 KB
    return f"{draw.figure(count / factor)} {unit}"


def thresholds_of(result: Result, queues: list[str]) -> list[Threshold]:
    """What thresholds.csv knows of some queues: a line where they agree, with names where they do not."""
    table = open_table(result.directory, "thresholds.csv", "queue,threshold,bytes", most=result.most)
    found: dict[tuple[str, float], list[str]] = {}
    if table is None:
        return []
    with table.file:
        for fields in table.rows():
            if fields[0] in queues:
                found.setdefault((fields[1], table.value(fields, 2)), []).append(fields[0])
    thresholds = []
    for (name, value), of in found.items():
        kinds = sum(other == name for other, _ in found)
        more = f" and {len(of) - 2} more" if len(of) > 2 else ""
        where = "" if kinds == 1 else f": {', '.join(of[:2])}{more}"
        thresholds.append(Threshold(f"{THRESHOLDS.get(name, name)} {bytes_text(value)}{where}", value))
    return thresholds


def queue_lines(result: Result) -> Lines:
    """Depths of queues in bytes."""
    table = table_of(result, "queues", "queues.csv", "time_ns", "queues", wide=True)
    lines = Lines()
    with table.file:
        for time, fields in table.timed_rows():
            for column, name in enumerate(table.columns[1:], 1):
                lines.add(name, time, table.value(fields, column))
    need_rows("queues", table, lines)
    return lines


def make_queues(result: Result) -> list[Drawing]:
    lines = queue_lines(result)
    _, factor = draw.bytes_unit(max(line.peak for line in lines.values()))
    panel = Panel(f"depth / {in_bytes(lines)}", lines)
    # Only of the queues with a name: the others hardly fill, and their thresholds would be clutter.
    for one in thresholds_of(result, [line.name for line in split_named(panel)[0]]):
        panel.thresholds.append(Threshold(one.name, one.value / factor))
    return [lines_over_time("queues.svg", f"{result.name}: depths of queues", [panel])]


def pair_name(result: Result, flow: str, qpn: str) -> str:
    """A queue pair by what flows.csv says of its flow."""
    known = result.flows.get(int(flow)) if flow.isdigit() and len(flow) < 10 else None
    if known is not None:
        return f"{known.item[:40]}: {known.src[:30]} to {known.dst[:30]}, QP {qpn}"
    return f"flow {flow[:16]}, QP {qpn}"


def rate_panels(result: Result) -> list[Panel]:
    """The rates of queue pairs, and their target rates and alphas where they have some."""
    table = table_of(result, "rates", "rates.csv", RATES, "flows")
    panels = [Panel("rate / Gb/s", Lines(), largest=False), Panel("target rate / Gb/s", Lines(), largest=False),
              Panel("alpha", Lines(), limit=1.0)]
    with table.file:
        for time, fields in table.timed_rows():
            name = pair_name(result, fields[1], fields[2])
            for column, panel in enumerate(panels, 3):
                if fields[column] or column == 3:   # without congestion control there is no target and no alpha
                    panel.lines.add(name, time, table.value(fields, column))
    need_rows("rates", table, panels[0].lines)
    return [panel for panel in panels if panel.lines]


def make_rates(result: Result) -> list[Drawing]:
    return [lines_over_time("rates.svg", f"{result.name}: rates of queue pairs", rate_panels(result))]


def make_loads(result: Result) -> list[Drawing]:
    table = table_of(result, "loads over time", "loads.csv", "time_ns,port,tx_percent", "links")
    lines = Lines()
    with table.file:
        for time, fields in table.timed_rows():
            lines.add(fields[1], time, table.value(fields, 2))
    need_rows("loads over time", table, lines)
    label = "share of the time in which the port sends"
    if len(lines) > ROWS_MAX:
        label += f": the {ROWS_MAX} ports of {len(lines)} that sent most"
    return [heat_over_time("loads.svg", f"{result.name}: loads of links, by sending port", [Panel(label, lines)])]


def make_pauses(result: Result) -> list[Drawing]:
    table = table_of(result, "pauses", "pauses.csv", "time_ns,port,priority,rx_percent,tx_percent", "pauses")
    received, sent = Lines(), Lines()
    with table.file:
        for time, fields in table.timed_rows():
            name = f"{fields[1]}, {fields[2]}"
            received.add(name, time, table.value(fields, 3))
            sent.add(name, time, table.value(fields, 4))
    panels = []
    for label, lines in (("received: the other side pauses this port", received),
                         ("sent: this port pauses the other side", sent)):
        paused = Lines((name, line) for name, line in lines.items() if line.peak > 0)
        if len(paused) > ROWS_MAX:
            label += f" ({ROWS_MAX} of {len(paused)}, those paused longest)"
        if paused:
            panels.append(Panel(label, paused))
    if not panels:
        raise Missing("pauses: nothing was paused")
    return [heat_over_time("pauses.svg", f"{result.name}: pauses, by port and priority", panels)]


def make_pools(result: Result) -> list[Drawing]:
    table = table_of(result, "pools", "pools.csv", "time_ns,node,pool,used", "pools")
    pools: dict[str, Lines] = {}
    with table.file:
        for time, fields in table.timed_rows():
            if fields[2] not in pools and (len(pools) == 8 or len(fields[2]) > 31):
                raise table.invalid(f'pool: "{fields[2][:40]}" is not a buffer pool')
            pools.setdefault(fields[2], Lines()).add(fields[1], time, table.value(fields, 3))
    used = {pool: lines for pool, lines in pools.items() if any(line.peak > 0 for line in lines.values())}
    if not used:
        raise Missing("pools: no buffer was in use")
    panels = [Panel(f"{pool} / {in_bytes(lines)}", lines) for pool, lines in used.items()]
    return [lines_over_time("pools.svg", f"{result.name}: use of buffer pools", panels)]


# ---- several runs ---------------------------------------------------------------------------------------------------

Runs = Sequence[tuple[str, Result]]     # each with the name of its curve


def completion_of_runs(runs: Runs) -> list[Drawing]:
    """A curve of completion times for each run."""
    completion = Completion()
    for name, result in runs:
        completion.add(result, name)
    return completion.drawings(f"{len(runs)} runs")


def acknowledged(result: Result) -> Line:
    """Bytes of payload acknowledged since the start, of all recorded flows together."""
    table = table_of(result, "progress", "rates.csv", RATES, "flows")
    line, before, achieved = Line("acknowledged"), 0.0, RATES.split(",").index("achieved_gbps")
    with table.file:
        for time, fields in table.timed_rows():
            if not line.times or line.times[-1] < time:     # the first row of a sample
                before = line.times[-1] if line.times else time
                line.times.append(time)
                line.values.append(line.values[-1] if line.values else 0.0)
            line.values[-1] += table.value(fields, achieved) * (time - before) / 8
    if not line.times:
        raise Missing(f"progress: {table.path} has no rows")
    return line


def deepest(result: Result) -> Line:
    """The depth of the deepest recorded queue at each instant."""
    lines = list(queue_lines(result).values())
    return Line("deepest", lines[0].times, array("d", (max(depths) for depths in zip(*(line.values for line in lines)))))


def of_runs(runs: Runs, make: Callable[[Result], Line]) -> Lines:
    """A line for each run."""
    lines = Lines()
    for name, result in runs:
        try:
            one = make(result)
        except Missing as why:
            raise Missing(f"{name}: {why}") from None
        lines.join(name, one.times, one.values)
    return lines


def progress_of_runs(runs: Runs) -> list[Drawing]:
    lines = of_runs(runs, acknowledged)
    panel = Panel(f"payload acknowledged / {in_bytes(lines)}", lines)
    return [lines_over_time("progress.svg", f"{len(runs)} runs: payload acknowledged since the start", [panel])]


def queues_of_runs(runs: Runs) -> list[Drawing]:
    lines = of_runs(runs, deepest)
    panel = Panel(f"depth / {in_bytes(lines)}", lines)
    return [lines_over_time("queues.svg", f"{len(runs)} runs: depth of the deepest recorded queue", [panel])]


MAKERS: tuple[Callable[[Result], list[Drawing]], ...] = (
    make_completion, make_uplinks, make_queues, make_rates, make_loads, make_pauses, make_pools)
MAKERS_OF_RUNS: tuple[Callable[[Runs], list[Drawing]], ...] = (completion_of_runs, progress_of_runs, queues_of_runs)
