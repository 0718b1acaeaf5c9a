# SPDX-License-Identifier: BSD-3-Clause
"""Slides as a deck's folder describes them (deck.yaml): runs, and slides whose figures come from these runs.

    runs:
      pause: {lab: 01-pause, numbers: {rate: 100, quanta: 300}}     the fabric of a lab, with these numbers
      hashed: {file: story/1-ecmp.yaml, set: {hosts.qps: 2}}        a file of the deck, or an example that comes with Roost
    slides:
      - title: A pause names a class and a time
        minute: 5
        text: ["${pause_quanta} quanta last ${round(pause.port('leaf1.swp2').priority(3).pfc_rx_pause_ns)} ns"]
        picture: 01-pause/pause.svg
        notes: what the teacher says

Formulas are those of labs. They use the runs by their names, and a run's numbers as RUN_NUMBER.
"""
from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import roost
from roost.config import to_yaml
from roost.schema import schema

import lab as labs
from grade import set_key
from lab import LabError, YamlMap, fill, read_yaml, whole

RUN_SECONDS = 120   # of one run
CHARTS = ("queues", "rates", "times", "uplinks")


@dataclass
class RunOf:
    where: str
    name: str
    shown: str                  # the file, as slides name it
    path: Path
    numbers: dict[str, float]
    settings: dict[str, str]


@dataclass
class Chart:
    kind: str
    of: dict[str, str]          # labels and runs
    only: str = ""              # of queues, the one that is drawn
    rows: int = 0               # of uplinks, how many switches; 0: all


@dataclass
class Bars:
    unit: str
    rows: list[list[str]]       # label, formula
    best: str                   # "least", "most", or empty: which bar stands out


@dataclass
class Table:
    columns: list[str]
    rows: list[list[str]]       # texts with ${formula}


@dataclass
class Slide:
    where: str
    title: str
    minute: float
    text: list[str]
    notes: list[str]
    lab: str                    # which may be done after this slide, or empty
    picture: str                # LAB/FILE.svg, or empty
    chart: Chart | None
    bars: Bars | None
    table: Table | None


@dataclass
class Deck:
    folder: Path
    title: str
    about: str
    minutes: float
    runs: list[RunOf]
    slides: list[Slide]


class Results(Mapping[str, Any]):
    """The names of a deck's formulas: runs, and their numbers. `used` has the runs that were asked for."""

    def __init__(self, runs: dict[str, Any], numbers: dict[str, float]) -> None:
        self._runs, self._values, self.used = runs, runs | numbers, set[str]()

    def __getitem__(self, name: str) -> Any:
        value = self._values[name]
        if name in self._runs:
            self.used.add(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


# ---- reading --------------------------------------------------------------------------------------------------------

def _rows(of: YamlMap, key: str, width: int) -> list[list[str]]:
    rows = of.left.pop(key, [])
    if not rows or not all(isinstance(row, list) and len(row) == width and all(isinstance(one, str) for one in row)
                           for row in rows):
        raise LabError(f"{of.where}: {key}: must be a list of lists of {width} texts")
    return rows


def _part(of: YamlMap, key: str) -> YamlMap | None:
    value = of.map(key)
    return YamlMap(value, f"{of.where}: {key}") if value else None


def _chart(of: YamlMap | None, runs: set[str]) -> Chart | None:
    if of is None:
        return None
    kind = of.text("kind")
    if kind not in CHARTS:
        raise LabError(f"{of.where}: kind: {kind} is not one of {', '.join(CHARTS)}")
    chart = Chart(kind, of.map("of"), of.text("only", ""), int(of.number("rows") if "rows" in of.left else 0))
    if not chart.of or not all(isinstance(run, str) and run in runs for run in chart.of.values()):
        raise LabError(f"{of.where}: of: must be LABEL: RUN, with runs that there are")
    if kind == "uplinks" and len(chart.of) != 2:
        raise LabError(f"{of.where}: of: uplinks are drawn of two runs")
    if kind == "rates" and len(chart.of) != 1:
        raise LabError(f"{of.where}: of: rates are drawn of one run")
    of.end()
    return chart


def _bars(of: YamlMap | None) -> Bars | None:
    if of is None:
        return None
    bars = Bars(of.text("unit", ""), _rows(of, "rows", 2), of.text("best", ""))
    if bars.best not in ("", "least", "most"):
        raise LabError(f"{of.where}: best: {bars.best} is neither least nor most")
    of.end()
    return bars


def _table(of: YamlMap | None) -> Table | None:
    if of is None:
        return None
    columns = of.list("columns")
    table = Table(columns, _rows(of, "rows", len(columns)))
    of.end()
    return table


def _slide(value: Any, where: str, runs: set[str]) -> Slide:
    of = YamlMap(value, where)
    slide = Slide(where, of.text("title"), of.number("minute"), of.list("text"), of.list("notes"), of.text("lab", ""),
                  of.text("picture", ""), _chart(_part(of, "chart"), runs), _bars(_part(of, "bars")), _table(_part(of, "table")))
    of.end()
    if sum(map(bool, (slide.picture, slide.chart, slide.bars, slide.table))) > 1:
        raise LabError(f"{where}: at most one of picture, chart, bars and table is possible")
    return slide


def _run(name: str, value: Any, where: str, places: list[Path], lab_folder: Path) -> RunOf:
    if not labs.NAME.fullmatch(name):
        raise LabError(f"{where}: a name is small letters, digits and _")
    of = YamlMap(value, where)
    lab, file, settings = of.text("lab", ""), of.text("file", ""), of.map("set")
    given = {key: of_number(text, f"{where}: numbers.{key}") for key, text in of.map("numbers").items()}
    of.end()
    if not all(isinstance(text, str) for text in settings.values()):
        raise LabError(f"{where}: set: must be KEY: TEXT")
    if bool(lab) == bool(file):
        raise LabError(f"{where}: either `lab` or `file` is needed")
    if not lab:
        found = [place / file for place in places if is_below(file) and (place / file).is_file()]
        if not found:
            raise LabError(f"{where}: file: {file}: no such file in {' or '.join(map(str, places))}")
        return RunOf(where, name, file, found[0], given, settings)
    if not is_below(lab):
        raise LabError(f"{where}: lab: {lab}: not in {lab_folder}")
    known = labs.read(lab_folder / lab)
    if set(given) != set(known.numbers):
        raise LabError(f"{where}: numbers: {lab} has {', '.join(known.numbers)}")
    return RunOf(where, name, f"{lab}/{known.files[0]}", known.folder / known.files[0], known.derive(given), settings)


def of_number(text: Any, where: str) -> float:
    try:
        return whole(float(text))
    except (TypeError, ValueError):
        raise LabError(f"{where}: {text} is not a number") from None


def read(folder: Path, lab_folder: Path, examples: Path) -> Deck:
    """Reads and checks a deck. Raises LabError."""
    path = folder / "deck.yaml"
    of = YamlMap(read_yaml(path), str(path))
    runs = [_run(name, value, f"{path}: runs.{name}", [folder, examples], lab_folder) for name, value in of.map("runs").items()]
    names = {run.name for run in runs}
    deck = Deck(folder, of.text("title"), of.text("about"), of.number("minutes"), runs,
                [_slide(value, f"{path}: slides[{i}]", names) for i, value in enumerate(of.list("slides", dict))])
    of.end()
    if not deck.slides:
        raise LabError(f"{path}: slides: there is none")
    for slide in deck.slides:
        for name, file in ((slide.lab, f"{slide.lab}/lab.yaml"), (slide.picture, slide.picture)):
            if name and not (is_below(name) and (lab_folder / file).is_file()):
                raise LabError(f"{slide.where}: {name}: not in {lab_folder}")
    return deck


def is_below(name: str) -> bool:
    """Whether a path stays in the folder that it begins in: others may have written the deck."""
    return not Path(name).is_absolute() and ".." not in Path(name).parts


# ---- running --------------------------------------------------------------------------------------------------------

def _sim(run: RunOf, directory: Path, program: str) -> Any:
    """Runs a file, as DIRECTORY/NAME.yaml. Raises LabError."""
    path, out = directory / f"{run.name}.yaml", directory / run.name
    try:
        path.write_text(fill(labs.read_text(run.path), run.numbers, run.where))
    except OSError as error:
        raise LabError(f"{run.where}: {error.filename}: {error.strerror}") from None
    if run.settings:
        content = read_yaml(path)
        for key, text in run.settings.items():
            set_key(content, key, fill(text, run.numbers, run.where))
        path.write_text(to_yaml(content) + "\n")
    try:
        return roost.sim(path, out=out, roost=program, threads=1, timeout=RUN_SECONDS)
    except roost.CommandError as error:
        if (out / "result.json").exists():     # a run that stalled
            return roost.Sim(out, known=schema(program))
        lines = [line for line in error.done.err.strip().splitlines() if not line.startswith("warning:")]
        raise LabError(f"{run.where}: {(lines or [f'exit status {error.done.status}'])[0]}") from None
    except roost.RoostError:
        raise LabError(f"{run.where}: not done after {RUN_SECONDS} s") from None


def run_all(deck: Deck, directory: Path, program: str) -> Results:
    """Makes the deck's runs in a directory, as many at a time as there are cores. Raises LabError."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = dict(zip([run.name for run in deck.runs], pool.map(lambda run: _sim(run, directory, program), deck.runs)))
    return Results(found, {f"{run.name}_{number}": value for run in deck.runs for number, value in run.numbers.items()})
