# SPDX-License-Identifier: BSD-3-Clause
"""A lab as its folder describes it: lab.yaml, page.md, and the files that a student gets. doc/labs.md explains the format.

A student's numbers are drawn by the name of the lab and that of the student alone, so that neighbours differ, and grading
needs no list of who has what.
"""
import errno
import hashlib
import os
import random
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from formula import FUNCTIONS, FormulaError, evaluate, names_in

BYTES_MAX = 1_000_000   # of a YAML file
NAME = re.compile(r"[a-z][a-z0-9_]*")
WITHIN = re.compile(r"[0-9]+(\.[0-9]+)?%?")
KINDS = ("number", "choice", "file")


class LabError(Exception):
    """What is wrong with a lab, a student's folder or a key, and where; one line each."""


class _Loader(yaml.BaseLoader):
    """All scalars are text: Roost reads `on` and 10:20 in its own way. No aliases, which could grow without bound."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            event = self.peek_event()
            raise yaml.composer.ComposerError(None, None, "aliases are not supported here", event.start_mark)
        return super().compose_node(parent, index)


def read_file(path: Path) -> bytes:
    """The content of a regular file, which is no link: students could name another's. Raises LabError."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(fd, "rb") as file:
            regular = stat.S_ISREG(os.fstat(fd).st_mode)
            content = file.read(BYTES_MAX + 1) if regular else b""
    except OSError as error:
        why = "a link, where a file is needed" if error.errno == errno.ELOOP else error.strerror
        raise LabError(f"{path}: {why}") from None
    if not regular:
        raise LabError(f"{path}: not a regular file")
    if len(content) > BYTES_MAX:
        raise LabError(f"{path}: larger than {BYTES_MAX} bytes")
    return content


def read_yaml(path: Path) -> Any:
    """The content of a YAML file: dicts, lists and texts. Raises LabError."""
    content = read_file(path)
    try:
        return yaml.load(content, _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise LabError(f"{path}{where}: {error.problem or 'not YAML'}") from None
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise LabError(f"{path}: not YAML: {str(error).splitlines()[0]}") from None


@dataclass
class Verdict:
    """Credit for an answer: `that` or `expect` says when, `points` how much; the student reads `hint`."""
    where: str
    points: float
    hint: str
    that: str | None = None
    expect: str | None = None
    within: str = "0"


@dataclass
class Question:
    where: str
    name: str
    kind: str
    ask: str
    points: float
    hint: str
    reads: str                  # the counter or figure that the answer is about
    unit: str = ""
    expect: str = ""            # number: a formula; choice: one of `options`
    within: str = "0"
    options: list[str] = field(default_factory=list)
    that: str = ""              # file: a condition
    shows: str = ""             # file: a formula whose value the student reads
    partial: list[Verdict] = field(default_factory=list)


@dataclass
class RunOf:
    """A run that formulas use by its name: of a file of the lab or, with `student`, of the student's copy."""
    where: str
    file: str
    student: bool = False
    settings: dict[str, str] = field(default_factory=dict)     # key: text with ${formula}


@dataclass
class Lab:
    folder: Path
    title: str
    minutes: float
    about: str
    numbers: dict[str, list[float]]
    derived: dict[str, str]
    files: list[str]
    changes: list[str]
    runs: dict[str, RunOf]
    questions: list[Question]

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def points(self) -> float:
        return sum(question.points for question in self.questions)

    def draw(self, student: str) -> dict[str, float]:
        """The student's numbers."""
        seed = hashlib.sha256(f"{self.name}\0{student}".encode()).digest()
        source = random.Random(int.from_bytes(seed, "big"))
        # choice() may change with Python's versions; random() may not.
        return self.derive({name: choices[int(source.random() * len(choices))] for name, choices in self.numbers.items()})

    def derive(self, drawn: dict[str, float]) -> dict[str, float]:
        """All numbers of the lab, with those that follow from the ones drawn. Raises LabError."""
        values = dict(drawn)
        for name, text in self.derived.items():
            try:
                values[name] = whole(evaluate(text, values))
            except FormulaError as error:
                raise LabError(f"{self.folder}/lab.yaml: derived.{name}: {error}") from None
        return values

    def page(self) -> str:
        return read_text(self.folder / "page.md")

    def file(self, name: str) -> str:
        return read_text(self.folder / name)


def whole(value: float) -> float:
    """2560.0 as 2560."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


FORMULA = re.compile(r"\$\{([^}]*)\}")


def fill(text: str, numbers: Mapping[str, Any], where: str) -> str:
    """A text with the student's numbers in the place of ${name}, ${name + 1}."""
    def put(match: re.Match[str]) -> str:
        try:
            value = evaluate(match[1], numbers)
        except FormulaError as error:
            raise LabError(f"{where}: ${{{match[1]}}}: {error}") from None
        return f"{whole(value):.10g}" if isinstance(value, (int, float)) else str(value)
    return FORMULA.sub(put, text)


def read_text(path: Path) -> str:
    """Raises LabError."""
    try:
        return path.read_text()
    except (OSError, UnicodeError) as error:
        raise LabError(f"{path}: {getattr(error, 'strerror', None) or 'not text in UTF-8'}") from None


class YamlMap:
    """A mapping of a YAML file, whose keys are taken one by one: what is left over is an error."""

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise LabError(f"{where}: must be a mapping")
        self.left, self.where = dict(value), where

    def text(self, key: str, default: str | None = None) -> str:
        value = self.left.pop(key, default)
        if not isinstance(value, str) or (value == "" and default is None):
            raise LabError(f"{self.where}: {key}: {'a text is needed' if value is not None else 'is missing'}")
        return value.strip()

    def within(self) -> str:
        text = self.text("within", "0")
        if not WITHIN.fullmatch(text):
            raise LabError(f"{self.where}: within: {text}: want a number or a percentage, such as 5 or 2%")
        return text

    def number(self, key: str) -> float:
        text = self.text(key)
        try:
            value = float(text)
        except ValueError:
            raise LabError(f"{self.where}: {key}: {text} is not a number") from None
        if not 0 <= value <= 1000:
            raise LabError(f"{self.where}: {key}: {text} is out of range 0 to 1000")
        return whole(value)

    def list(self, key: str, of: type = str) -> list[Any]:
        value = self.left.pop(key, [])
        if not isinstance(value, list) or not all(isinstance(one, of) for one in value):
            raise LabError(f"{self.where}: {key}: must be a list of {'texts' if of is str else 'mappings'}")
        return value

    def map(self, key: str) -> dict[str, Any]:
        value = self.left.pop(key, {})
        if not isinstance(value, dict):
            raise LabError(f"{self.where}: {key}: must be a mapping")
        return value

    def end(self) -> None:
        if self.left:
            raise LabError(f"{self.where}: {next(iter(self.left))}: no such key")


def _numbers(of: YamlMap) -> dict[str, list[float]]:
    result = {}
    for name, choices in of.map("numbers").items():
        where = f"{of.where}: numbers.{name}"
        if not NAME.fullmatch(name):
            raise LabError(f"{where}: a name is small letters, digits and _")
        try:
            result[name] = [whole(float(one)) for one in choices]
        except (TypeError, ValueError):
            raise LabError(f"{where}: must be a list of numbers") from None
        if not result[name]:
            raise LabError(f"{where}: must be a list of numbers")
    return result


def _verdict(value: Any, where: str) -> Verdict:
    of = YamlMap(value, where)
    result = Verdict(where, of.number("points"), of.text("hint"), of.text("that", "") or None, of.text("expect", "") or None,
                     of.within())
    of.end()
    if (result.that is None) == (result.expect is None):
        raise LabError(f"{where}: either `that` or `expect` is needed")
    return result


def _question(value: Any, where: str) -> Question:
    of = YamlMap(value, where)
    name = of.text("name")
    of.where = where = f"{where} {name}"
    if not NAME.fullmatch(name):
        raise LabError(f"{where}: a name is small letters, digits and _")
    kind = of.text("kind")
    if kind not in KINDS:
        raise LabError(f"{where}: kind: {kind} is not one of {', '.join(KINDS)}")
    question = Question(where, name, kind, of.text("ask"), of.number("points"), of.text("hint"), of.text("reads"))
    if kind == "file":
        question.that, question.shows = of.text("that"), of.text("shows", "")
    else:
        question.expect = of.text("expect")
    if kind == "number":
        question.unit, question.within = of.text("unit", ""), of.within()
    if kind == "choice":
        question.options = of.list("options")
        if question.expect not in question.options:
            raise LabError(f"{where}: expect: must be one of the options")
    question.partial = [_verdict(one, f"{where}: partial[{i}]") for i, one in enumerate(of.list("partial", dict))]
    for one in question.partial:
        if one.points >= question.points:
            raise LabError(f"{one.where}: points: partial credit is less than the {question.points:g} points of the question")
    of.end()
    return question


def _run(name: str, value: Any, where: str) -> RunOf:
    if not NAME.fullmatch(name):
        raise LabError(f"{where}: a name is small letters, digits and _")
    of = YamlMap(value, where)
    student = of.text("student", "false")
    if student not in ("true", "false"):
        raise LabError(f"{where}: student: must be true or false")
    result = RunOf(where, of.text("file"), student == "true")
    result.settings = {key: str(one) for key, one in of.map("set").items()}
    of.end()
    return result


def read(folder: Path) -> Lab:
    """Reads and checks a lab. Raises LabError."""
    path = folder / "lab.yaml"
    of = YamlMap(read_yaml(path), str(path))
    lab = Lab(folder, of.text("title"), of.number("minutes"), of.text("about"), _numbers(of),
              {name: str(text) for name, text in of.map("derived").items()}, of.list("files"), of.list("changes"),
              {name: _run(name, one, f"{path}: runs.{name}") for name, one in of.map("runs").items()},
              [_question(one, f"{path}: questions[{i}]") for i, one in enumerate(of.list("questions", dict))])
    of.end()
    _check(lab, str(path))
    return lab


def _check(lab: Lab, where: str) -> None:
    """What one key says about another."""
    # Formulas use all of them.
    names = [*lab.numbers, *lab.derived, *lab.runs, *(question.name for question in lab.questions), "answer", *FUNCTIONS]
    doubled = [name for name in names if names.count(name) > 1]
    if doubled or not lab.questions:
        raise LabError(f"{where}: {f'{doubled[0]}: two things have this name' if doubled else 'questions: there is none'}")
    for name in lab.files:
        if Path(name).name != name or not (lab.folder / name).is_file():
            raise LabError(f"{where}: files: {name}: no such file in the folder of the lab")
    for run in lab.runs.values():
        if Path(run.file).name != run.file or not (lab.folder / run.file).is_file():
            raise LabError(f"{run.where}: file: {run.file}: no such file in the folder of the lab")
        if run.student and run.file not in lab.files:
            raise LabError(f"{run.where}: file: {run.file}: students do not get this file; add it to `files`")
    known = {*lab.numbers, *lab.derived, *lab.runs, *(question.name for question in lab.questions if question.kind == "number")}
    formulas = [(one.where, text) for question in lab.questions for one in (question, *question.partial)
                for text in (one.that, one.expect if question.kind != "choice" else None, getattr(one, "shows", None)) if text]
    formulas += [(run.where, formula) for run in lab.runs.values() for text in run.settings.values()
                 for formula in FORMULA.findall(text)]
    for place, text in formulas:
        try:
            unknown = names_in(text) - known - {"answer"}
        except FormulaError as error:
            raise LabError(f"{place}: {text}: {error}") from None
        if unknown:
            raise LabError(f"{place}: {text}: there is no {min(unknown)}; there is {', '.join(sorted(known))}")


def folders(place: Path) -> list[Path]:
    """The labs in a folder, in the order of their names."""
    return sorted(path.parent for path in place.glob("*/lab.yaml"))
