# SPDX-License-Identifier: BSD-3-Clause
"""What a sweep runs: every combination of the values of its keys, with several seeds, and with links that have failed."""
from __future__ import annotations

import hashlib
import itertools
import random
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Iterator

import yaml

RUNS_MAX = 10_000
PERCENTS_MAX = 50
FAIL = re.compile(r"links=(.+)")
NO_CHANGE = ("", "")
PERCENT = re.compile(r"([0-9]+(?:\.[0-9]+)?)%")


class SweepError(Exception):
    """What is wrong with a sweep, and what to do; one line."""


@dataclass(frozen=True)
class Point:
    """One combination: a value for each key, one change more, and the share of links that have failed."""
    combined: tuple[tuple[str, str], ...]
    fail: str = ""                              # "5%"; empty: the sweep has no failures
    change: tuple[str, str] | None = None       # NO_CHANGE: none; None: the sweep has no changes

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        return self.combined + ((self.change,) if self.change and self.change != NO_CHANGE else ())

    @property
    def columns(self) -> dict[str, str]:
        change = {"change": "=".join(self.change).strip("=") or "none"} if self.change else {}
        return dict(self.combined) | change | ({"links failed": self.fail} if self.fail else {})

    @property
    def unchanged(self) -> "Point":
        """The same without its change."""
        return replace(self, change=NO_CHANGE)

    @property
    def name(self) -> str:
        return " ".join(f"{key}={value}" for key, value in self.columns.items()) or "the file"


@dataclass(frozen=True)
class Run:
    point: Point
    seed: int


@dataclass
class Plan:
    file: Path
    content: bytes
    points: list[Point]
    seeds: list[int]
    options: list[str] = field(default_factory=list)     # of `roost sim`, which all runs have
    files: dict[str, str] = field(default_factory=dict)  # a fingerprint of each file that a value names, as it was first read

    @property
    def runs(self) -> list[Run]:
        """Seed by seed, so that a sweep that was interrupted has something of every point."""
        return [Run(point, seed) for seed in self.seeds for point in self.points]

    def identity(self, run: Run, version: str) -> str:
        """What a result depends on, files that the configuration names aside. Two runs that agree in it have the same result."""
        text = "\0".join([version, *self.options, str(run.seed), run.point.fail,
                          *(f"{key}={value}{self.contents(value)}" for key, value in run.point.settings)])
        return hashlib.sha256(self.content + b"\0" + text.encode()).hexdigest()[:16]

    def contents(self, value: str) -> str:
        """Of the file of "@FILE". If it cannot be read, the runs say so."""
        if value.startswith("@") and value not in self.files:
            try:
                self.files[value] = hashlib.sha256(Path(value[1:]).read_bytes()).hexdigest()
            except OSError:
                self.files[value] = ""
        return self.files.get(value, "")


def split(text: str) -> list[str]:
    """The values in "a,[b,c],d": commas within brackets do not divide."""
    values, depth, begin = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "[{") - (char in "]}")
        if char == "," and depth == 0:
            values.append(text[begin:at])
            begin = at + 1
    values.append(text[begin:])
    return values


def read_setting(text: str, option: str = "set") -> tuple[str, list[str]]:
    """ "routing.mode=ecmp,adaptive", of --set or --each. Raises SweepError."""
    key, equals, rest = text.partition("=")
    values = [value.strip() for value in split(rest)]
    if not key or not equals or not all(values):
        raise SweepError(f"--{option} {text}: want KEY=VALUE,VALUE..., such as routing.mode=ecmp,adaptive")
    if len(set(values)) != len(values):
        raise SweepError(f"--{option} {text}: a value is there twice")
    return key, values


def read_fail(text: str) -> list[str]:
    """ "links=1%,5%" or "links=1%..10%", in steps of the first. Raises SweepError."""
    wrong = SweepError(f"--fail {text}: want links=PERCENT,PERCENT..., or links=1%..10%")
    match = FAIL.fullmatch(text)
    if match is None:
        raise wrong
    first, dots, last = match[1].partition("..")
    texts = [first, last] if dots else match[1].split(",")
    found = [PERCENT.fullmatch(one.strip()) for one in texts]
    numbers = [float(one[1]) for one in found if one is not None]
    if len(numbers) != len(texts) or max(numbers) > 100 or (dots and (numbers[0] <= 0 or numbers[1] < numbers[0])):
        raise wrong
    if dots:
        step, most = numbers
        numbers = [step * i for i in range(1, int(most / step + 1e-9) + 1)][:PERCENTS_MAX + 1]
    if len(numbers) > PERCENTS_MAX:
        raise SweepError(f"--fail {text}: more than {PERCENTS_MAX} percentages")
    texts = [f"{one:g}%" for one in numbers]
    if len(set(texts)) != len(texts):
        raise SweepError(f"--fail {text}: a percentage is there twice")
    return texts


def combine(settings: list[tuple[str, list[str]]], changes: list[tuple[str, str]], fails: list[str]) -> list[Point]:
    """Every combination, the last key changing first; each without a change, and with each of them alone. Raises SweepError."""
    keys = [key for key, _ in settings]
    for key in keys:
        if keys.count(key) > 1:
            raise SweepError(f"--set {key}: the key is there twice")
    for change in changes:
        if change[0] in keys:
            raise SweepError(f"--each {change[0]}: --set has the key too")
        if changes.count(change) > 1:
            raise SweepError(f"--each {change[0]}={change[1]}: the value is there twice")
    choices: Iterator[tuple[str, ...]] = itertools.product(*(values for _, values in settings))
    alone: list[tuple[str, str] | None] = [NO_CHANGE, *changes] if changes else [None]
    return [Point(tuple(zip(keys, values)), fail, change) for values in choices for change in alone for fail in fails or [""]]


def failed_links(links: list[str], percent: str, seed: int) -> list[str]:
    """The links that have failed: with the same seed, those of 1 % are among those of 2 %."""
    order = sorted(links)
    # sample() and shuffle() may change with Python's versions; random() may not.
    source = random.Random(seed)
    order = [link for _, link in sorted((source.random(), link) for link in order)]
    count = round(len(order) * float(percent[:-1]) / 100)
    return sorted(order[:max(count, 1) if float(percent[:-1]) > 0 else 0])


def events_with(content: bytes, down: list[str]) -> str:
    """The file's events and the failures, as a value of the key `events`. Raises SweepError."""
    try:
        document = yaml.load(content, yaml.BaseLoader)
        events: Any = (document or {}).get("events") or []
    except (yaml.YAMLError, AttributeError) as error:
        raise SweepError(f"the file is not YAML: {error}") from None
    from roost.config import to_yaml
    return to_yaml([*events, *({"at": "0s", "link": link, "state": "down"} for link in down)])
