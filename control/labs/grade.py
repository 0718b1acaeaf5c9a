# SPDX-License-Identifier: BSD-3-Clause
"""Grades a student's copy of a lab.

Expected values come from formulas over the student's numbers and from runs of the lab's own files with these numbers, never from
what the student has changed, except where a question is about that. What is printed says which counter was expected to tell it,
and a hint, but not the answer.
"""
import math
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import roost
import yaml
from roost.config import to_yaml
from roost.schema import schema

from exercise import Exercise, number_of, read_answers
from formula import FormulaError, evaluate
from lab import LabError, Question, RunOf, Verdict, fill, read_file, read_yaml, whole

RUN_SECONDS = 30    # of one run
FLOAT_ERROR = 1e-9  # relative: 0.1 + 0.2 is 0.3


@dataclass
class Mark:
    """The points of a question, and the message to the student."""
    question: Question
    points: float
    says: str


@dataclass
class Grade:
    exercise: Exercise
    marks: list[Mark]

    @property
    def points(self) -> float:
        return sum(mark.points for mark in self.marks)


class RunFailed(LabError):
    """A run that has no result; str() is for the student."""


class Runs(Mapping[str, Any]):
    """The names of a lab's formulas: the student's numbers, and runs, which are made when a formula needs them."""

    def __init__(self, exercise: Exercise, answers: dict[str, float], program: str) -> None:
        self._exercise, self._program = exercise, program
        self._values: dict[str, Any] = dict(exercise.numbers) | answers
        self._asked = {question.name for question in exercise.lab.questions if question.kind == "number"}
        self._failed: dict[str, RunFailed] = {}
        self._directory = Path(tempfile.mkdtemp(prefix="roost-lab-"))

    def close(self) -> None:
        shutil.rmtree(self._directory, ignore_errors=True)

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __iter__(self) -> Iterator[str]:
        return iter({*self._values, *self._exercise.lab.runs})

    def __contains__(self, name: object) -> bool:
        return name in self._values or name in self._exercise.lab.runs or name in self._asked

    def __getitem__(self, name: str) -> Any:
        if name in self._failed:
            raise self._failed[name]
        if name in self._asked and name not in self._values:
            raise RunFailed(f"needs the answer to {name}")
        if name not in self._values:
            try:
                self._values[name] = self._run(name, self._exercise.lab.runs[name])
            except RunFailed as error:
                self._failed[name] = error
                raise
        return self._values[name]

    def put(self, name: str, value: Any) -> None:
        self._values[name] = value

    def _content(self, run: RunOf) -> Path:
        """The file of a run."""
        exercise = self._exercise
        path = self._directory / run.file
        if run.student:
            # A copy: what was looked at is what runs.
            path = self._directory / "student" / run.file
            path.parent.mkdir(exist_ok=True)
            try:
                path.write_bytes(read_file(exercise.folder / run.file))
            except LabError as error:
                raise RunFailed(str(error)) from None
            return path
        path.write_text(fill(exercise.lab.file(run.file), exercise.numbers, run.file))
        return path

    def _run(self, name: str, run: RunOf) -> Any:
        path = self._content(run)
        if run.settings:
            content = read_yaml(path)
            for key, text in run.settings.items():
                set_key(content, key, fill(text, self, run.where))
            path = self._directory / f"{name}.yaml"
            path.write_text(to_yaml(content) + "\n")
        out = self._directory / name
        try:
            return roost.sim(path, out=out, roost=self._program, timeout=RUN_SECONDS)
        except roost.CommandError as error:
            if (out / "result.json").exists():  # a run that stalled
                return roost.Sim(out, known=schema(self._program))
            lines = error.done.err.strip().replace(f"{path.parent}/", "").splitlines()
            raise RunFailed(f"roost sim {run.file} failed: " + "; ".join(lines[:3])) from None
        except roost.RoostError:
            raise RunFailed(f"roost sim {run.file} was not done after {RUN_SECONDS} s") from None


def set_key(content: Any, key: str, value: str) -> None:
    """Sets `events.0.pfc.quanta` in what a YAML file holds; mappings that are missing are made. Raises LabError."""
    parts = key.split(".")
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        try:
            if isinstance(content, list):
                if last:
                    content[int(part)] = value
                content = content[int(part)]
            elif last:
                content[part] = value
            else:
                content = content.setdefault(part, {})
        except (IndexError, ValueError, TypeError, AttributeError):
            raise LabError(f"{key}: there is no {'.'.join(parts[:i + 1])}") from None


def flat(content: Any, prefix: str = "") -> dict[str, str]:
    """What a YAML file holds as {"events.0.pfc.quanta": "500"}."""
    if content in ({}, []):
        return {prefix: str(content)}
    if isinstance(content, dict):
        parts = content.items()
    elif isinstance(content, list):
        parts = ((str(i), one) for i, one in enumerate(content))
    else:
        return {prefix: str(content)}
    return {key: value for name, one in parts for key, value in flat(one, f"{prefix}.{name}" if prefix else str(name)).items()}


def forbidden_changes(exercise: Exercise, name: str) -> list[str]:
    """Keys of a file that differ from the student's copy as it was, and that the lab does not let them change."""
    given = flat(yaml.load(fill(exercise.lab.file(name), exercise.numbers, name), yaml.BaseLoader))
    now = flat(read_yaml(exercise.folder / name))
    allowed = exercise.lab.changes
    return sorted(key for key in given.keys() | now.keys() if given.get(key) != now.get(key) and
                  not any(key == one or key.startswith(one + ".") for one in allowed))


def near(value: Any, expected: Any, within: str) -> bool:
    """Whether a number is as expected: within "5%" of it, or "3" to either side."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return False
    room = abs(expected) * float(within[:-1]) / 100 if within.endswith("%") else float(within)
    return abs(value - expected) <= room + abs(expected) * FLOAT_ERROR


def _partial(question: Question, values: Runs, answer: Any) -> Mark | None:
    for one in question.partial:
        if _holds(one, values, answer):
            return Mark(question, one.points, f"partly: {fill(one.hint, values, one.where)}")   # type: ignore[arg-type]
    return None


def _holds(one: Verdict, values: Runs, answer: Any) -> bool:
    values.put("answer", answer)
    if one.that is not None:
        return bool(evaluate(one.that, values))
    expected = evaluate(one.expect or "", values) if not isinstance(answer, str) else one.expect
    return answer == expected if isinstance(answer, str) else near(answer, expected, one.within)


def _wrong(question: Question, numbers: dict[str, float], why: str) -> Mark:
    return Mark(question, 0, f"{why}; look at {fill(question.reads, numbers, question.where)}. "
                             f"{fill(question.hint, numbers, question.where)}")


def _number(question: Question, values: Runs, text: str, numbers: dict[str, float]) -> Mark:
    try:
        answer = number_of(text, question.unit)
    except ValueError as error:
        return Mark(question, 0, f"{error}")
    if near(answer, evaluate(question.expect, values), question.within):
        return Mark(question, question.points, "right")
    return _partial(question, values, answer) or _wrong(question, numbers, "not right")


def _choice(question: Question, values: Runs, text: str, numbers: dict[str, float]) -> Mark:
    if text not in question.options:
        return Mark(question, 0, f"{text} is not one of: {'; '.join(question.options)}")
    if text == question.expect:
        return Mark(question, question.points, "right")
    return _partial(question, values, text) or _wrong(question, numbers, "not right")


def _file(question: Question, values: Runs, exercise: Exercise) -> Mark:
    try:
        changed = [key for name in exercise.lab.files for key in forbidden_changes(exercise, name)]
    except LabError as error:
        return Mark(question, 0, str(error))
    if changed:
        return Mark(question, 0, f"{', '.join(changed[:3])}: changed, but only {', '.join(exercise.lab.changes)} may be")
    if evaluate(question.that, values):
        return Mark(question, question.points, "right")
    found = ""
    if question.shows:
        value = evaluate(question.shows, values)
        found = f" ({whole(round(value, 6))} now)" if isinstance(value, (int, float)) else f" ({value} now)"
    return _partial(question, values, None) or _wrong(question, exercise.numbers, f"not reached{found}")


def _mark(question: Question, values: Runs, exercise: Exercise, answers: dict[str, str]) -> Mark:
    text = answers.get(question.name, "")
    if question.kind != "file" and text == "":
        return Mark(question, 0, "no answer yet")
    try:
        if question.kind == "number":
            return _number(question, values, text, exercise.numbers)
        if question.kind == "choice":
            return _choice(question, values, text, exercise.numbers)
        return _file(question, values, exercise)
    except RunFailed as error:
        return Mark(question, 0, str(error))
    except FormulaError as error:
        raise LabError(f"{question.where}: {error}") from None


def grade(exercise: Exercise, program: str, only: str | None = None) -> Grade:
    """Grades a copy, or only one question of it. Raises LabError if the copy or the lab cannot be read."""
    answers = read_answers(exercise)
    numbers = {}
    for question in exercise.lab.questions:
        if question.kind == "number":
            try:
                numbers[question.name] = number_of(answers.get(question.name, ""), question.unit)
            except ValueError:
                pass
    values = Runs(exercise, numbers, program)
    try:
        return Grade(exercise, [_mark(question, values, exercise, answers) for question in exercise.lab.questions
                                if only in (None, question.name)])
    finally:
        values.close()
