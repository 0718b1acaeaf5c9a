# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a run, those of `roost compare`, and how they are printed."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable

import roost

Figures = dict[str, float]


@dataclass(frozen=True)
class Figure:
    key: str
    title: str
    unit: str       # ps, gbps, count, ratio
    read: Callable[[roost.Sim], float | None]


def _percentile(values: list[float], percent: float) -> float | None:
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)] if ordered else None


def _times(run: roost.Sim) -> list[float]:
    return [row["fct_ps"] for row in run.flows if row["fct_ps"] is not None]


def _steps(run: roost.Sim) -> list[dict[str, Any]]:
    done = [one for one in run.result["collectives"] if one["step_ps"] is not None]
    return [one for one in done if one["kind"] == "step"] or done


def _step_time(run: roost.Sim) -> float | None:
    steps = _steps(run)
    return sum(one["step_ps"] for one in steps) / len(steps) if steps else None


def _exposed(run: roost.Sim) -> float | None:
    steps = run.result["steps"]
    return sum(one["exposed_ps"] for one in steps) / len(steps) if steps else None


def _bus_bandwidth(run: roost.Sim) -> float | None:
    """Weighted with the times."""
    done = [one for one in run.result["collectives"] if one["step_ps"] is not None
            and one["kind"] not in ("step", "compute")]
    time = sum(one["step_ps"] for one in done)
    return sum(one["busbw_gbps"] * one["step_ps"] for one in done) / time if time else None


def _paused(run: roost.Sim) -> float:
    return 1000 * sum(row["value"] for row in run.counters if row["counter"] == "pfc_rx_pause_ns")


def _summary(key: str) -> Callable[[roost.Sim], float | None]:
    return lambda run: run.summary.get(key)


FIGURES = [
    Figure("step_ps", "step time", "ps", _step_time),
    Figure("exposed_ps", "communication exposed", "ps", _exposed),
    Figure("busbw_gbps", "bus bandwidth", "gbps", _bus_bandwidth),
    Figure("fct_p50_ps", "FCT p50", "ps", lambda run: _percentile(_times(run), 50)),
    Figure("fct_p99_ps", "FCT p99", "ps", lambda run: _percentile(_times(run), 99)),
    Figure("slowdown_p99", "slowdown p99", "ratio", _summary("slowdown_p99")),
    Figure("goodput_gbps", "goodput", "gbps", _summary("goodput_gbps")),
    Figure("completed", "flows complete", "count", _summary("completed")),
    Figure("drops", "drops", "count", _summary("drops")),
    Figure("drops_lossless", "drops, lossless", "count", _summary("drops_lossless")),
    Figure("pfc_tx", "PFC sent", "count", _summary("pfc_tx")),
    Figure("paused_ps", "paused, all ports", "ps", _paused),
    Figure("ecn_marked", "ECN marks", "count", _summary("ecn_marked")),
    Figure("retransmitted", "sent again", "count", _summary("retransmitted")),
    Figure("out_of_order", "out of order", "count", _summary("out_of_order")),
    Figure("uplink_imbalance", "uplink imbalance", "ratio", _summary("uplink_imbalance")),
]
UNITS = {"ps": ("ps", "ns", "us", "ms", "s"), "gbps": ("Gb/s", "Tb/s"), "count": ("",), "ratio": ("",)}


def read(run: roost.Sim) -> Figures:
    """The figures that a run has."""
    return {one.key: value for one in FIGURES for value in [one.read(run)] if value is not None}


def scale(figure: Figure, most: float) -> tuple[str, float]:
    """The unit in which values up to `most` are printed, and how much of the figure's own it is."""
    unit, factor = UNITS[figure.unit][0], 1.0
    for one in UNITS[figure.unit][1:]:
        if most / factor < 1000:
            break
        unit, factor = one, factor * 1000
    return unit, factor


def number(figure: Figure, value: float) -> str:
    if figure.unit == "count":
        return f"{value:g}" if value < 1e6 else f"{value:.4g}"
    return f"{value:.3f}" if figure.unit == "ratio" else f"{value:.4g}"


def median(values: list[float]) -> float:
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def text(figure: Figure, values: list[float]) -> str:
    """ "466 us [379 to 504]": the median, and the least and the most of several seeds."""
    if not values:
        return "-"
    unit, factor = scale(figure, max(values))
    parts = [number(figure, one / factor) for one in (median(values), min(values), max(values))]
    spread = f" [{parts[1]} to {parts[2]}]" if len(values) > 1 and parts[1] != parts[2] else ""
    return f"{parts[0]}{f' {unit}' if unit else ''}{spread}"
