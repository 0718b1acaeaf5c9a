# SPDX-License-Identifier: BSD-3-Clause
"""What runs cost, before they run: packet-hops, setup and memory from `roost check --json`, and a speed that is measured.

A run takes its setup, and its packet-hops at that speed. Each run that is done corrects the estimate of the others, most of all
that of runs of the same combination.
"""
from __future__ import annotations

from dataclasses import dataclass, field

from plan import Point

MEASURE_S = 1.0         # how long a run may take that is made to measure the speed
SPEED = 2e6             # packet-hops a second, where none could be measured
MEASURED_LEAST = 1000   # packet-hops: fewer say nothing of a speed


@dataclass(frozen=True)
class Cost:
    """Of one combination: what the file says, and what it took to create all that a run creates."""
    hops: int
    setup_s: float
    memory: int     # bytes, before the first packet


@dataclass
class Estimate:
    costs: dict[Point, Cost]
    speed: float = 0            # packet-hops a second; 0: not measured
    setup_factor: float = 1     # the time of a run beside its packet-hops, over setup_s
    memory_factor: float = 1
    measured_s: float = 0
    # Of runs that are done, of each combination and of all: the sum of seconds that they took over their estimates, and how many.
    done: dict[Point | None, tuple[float, int]] = field(default_factory=dict)

    def measure(self, point: Point, hops: int, running_s: float, whole_s: float, memory: int) -> None:
        """Takes what a run of a combination took, or the beginning of one."""
        cost = self.costs[point]
        self.measured_s = whole_s
        if hops >= MEASURED_LEAST and running_s > 0:
            self.speed = hops / running_s
        if cost.setup_s > 0:
            self.setup_factor = max(whole_s - running_s, 0) / cost.setup_s
        self.memory_factor = max(memory / cost.memory, 1) if cost.memory > 0 else 1

    def first(self, point: Point) -> float:
        """The seconds of a run on one core, as they were estimated before any was done."""
        cost = self.costs[point]
        return cost.setup_s * self.setup_factor + cost.hops / (self.speed or SPEED)

    def add(self, point: Point, seconds: float) -> None:
        for of in (point, None):
            ratios, runs = self.done.get(of, (0, 0))
            self.done[of] = ratios + seconds / max(self.first(point), 1e-9), runs + 1

    def correction(self, point: Point) -> float:
        """What runs took, over their estimates: of this combination if any is done, or else of all."""
        ratios, runs = self.done.get(point) or self.done.get(None) or (1, 1)
        return ratios / runs

    def seconds(self, point: Point) -> float:
        return self.first(point) * self.correction(point)

    def memory(self, point: Point) -> float:
        """Bytes."""
        return self.costs[point].memory * self.memory_factor

    def total(self, points: list[Point], jobs: int) -> float:
        """The seconds of runs of these combinations, so many at a time. No run can be divided."""
        every = [self.seconds(point) for point in points]
        return max(sum(every) / max(jobs, 1), max(every, default=0))

    def text(self, points: list[Point], jobs: int) -> str:
        """What is estimated, and how."""
        hops = [self.costs[point].hops for point in points]
        speed = f"{short(self.speed / 1e6)} million a second, measured in {duration(self.measured_s)}" if self.speed else \
            f"{SPEED / 1e6:g} million a second, assumed"
        each = span([self.seconds(point) for point in points], duration)
        memory = span([self.memory(point) for point in points], size)
        return (f"estimate: {each} and {memory} a run, {duration(self.total(points, jobs))} in all ({span(hops, count)} packet-hops a run, "
                f"computed from the file without those sent again, at {speed})")


def span(values: list[float] | list[int], shown: object) -> str:
    """ "0.1 s to 0.4 s" """
    assert callable(shown)
    low, high = shown(min(values)), shown(max(values))
    return low if low == high else f"{low} to {high}"


def short(value: float) -> str:
    """Two digits, or more where they are whole."""
    return f"{value:.2g}" if value < 9.95 else f"{value:.0f}"


def duration(seconds: float) -> str:
    if seconds < 99.5:
        return f"{short(seconds)} s"
    return f"{seconds / 60:.0f} min" if seconds < 99.5 * 60 else f"{seconds / 3600:.1f} h"


def size(value: float) -> str:
    return f"{value / 1e9:.1f} GB" if value >= 1e9 else f"{value / 1e6:.0f} MB"


def count(value: float) -> str:
    return f"{short(value / 1e6)} million" if value >= 1e5 else f"{value:.0f}"


def memory_available() -> float:
    """Bytes; 0: not known."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            return next((float(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable:")), 0)
    except (OSError, ValueError, IndexError):
        return 0
