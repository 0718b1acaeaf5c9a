# SPDX-License-Identifier: BSD-3-Clause
"""The teacher's answer key: a directory with NAME.yaml for each lab, which students do not have.

    answers: {quantum: "512 / rate"}                    formulas, found in another way than the lab's own; the lab's runs are theirs too
    files: {fabric.yaml: {"events.0.pfc.quanta": "..."}}    what to change in the student's copy
    explain: text
    wrong:                                              what students get wrong, and what the lab then says
      - {question: pause, answer: "quanta * 512", points: 1, says: "bit times"}
      - {question: longer, files: {...}, points: 0, says: "..."}
"""
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from roost.config import to_yaml

from exercise import Exercise
from formula import FormulaError, evaluate
from grade import RunFailed, flat, set_key
from lab import Lab, LabError, fill, read_yaml, whole

Files = dict[str, dict[str, str]]


@dataclass
class Wrong:
    where: str
    question: str
    points: float
    says: str
    answer: str | None = None
    files: Files = field(default_factory=dict)


@dataclass
class Key:
    where: str
    answers: dict[str, str]
    files: Files
    explain: str
    wrong: list[Wrong]


def _files(value: Any, where: str) -> Files:
    if not isinstance(value, dict) or not all(isinstance(one, dict) for one in value.values()):
        raise LabError(f"{where}: files: must be FILE: {{KEY: FORMULA}}")
    return value


def _wrong(value: Any, where: str, lab: Lab) -> Wrong:
    try:
        one = Wrong(where, value["question"], float(value["points"]), value["says"], value.get("answer"),
                    _files(value.get("files", {}), where))
    except (TypeError, LookupError, ValueError, AttributeError) as error:
        raise LabError(f"{where}: must have question, points, says, and answer or files ({error})") from None
    if one.question not in [question.name for question in lab.questions]:
        raise LabError(f"{where}: question: {one.question}: there is none of this name")
    return one


def read(directory: Path, lab: Lab) -> Key:
    """The answer key of a lab. Raises LabError."""
    path = directory / f"{lab.name}.yaml"
    content = read_yaml(path)
    if not isinstance(content, dict) or not isinstance(content.get("answers"), dict):
        raise LabError(f"{path}: must have answers: {{QUESTION: FORMULA}}")
    asked = {question.name for question in lab.questions if question.kind != "file"}
    if set(content["answers"]) != asked:
        raise LabError(f"{path}: answers: must be those to {', '.join(sorted(asked))}")
    return Key(str(path), content["answers"], _files(content.get("files", {}), str(path)), content.get("explain", ""),
               [_wrong(one, f"{path}: wrong[{i}]", lab) for i, one in enumerate(content.get("wrong", []))])


def formula_text(lab: Lab, question: str, formula: str, values: Mapping[str, Any], where: str) -> str:
    """An answer as a student would write it. Raises LabError."""
    kind = next(one.kind for one in lab.questions if one.name == question)
    if kind == "choice":
        return formula
    try:
        return f"{whole(evaluate(formula, values)):.12g}"
    except (FormulaError, RunFailed) as error:
        raise LabError(f"{where}: {question}: {formula}: {error}") from None


def right_answers(lab: Lab, key: Key, values: Mapping[str, Any]) -> dict[str, str]:
    """The right answers, as a student would write them. Raises LabError."""
    return {name: formula_text(lab, name, text, values, key.where) for name, text in key.answers.items()}


def write_answers(exercise: Exercise, answers: dict[str, str]) -> None:
    """Replaces answers.yaml; keys are in the order of the questions."""
    (exercise.folder / "answers.yaml").write_text(yaml.safe_dump(answers, sort_keys=False, width=1000))


def change_files(exercise: Exercise, files: Files, values: Mapping[str, Any], where: str) -> None:
    """Changes keys of the student's files; ${formula} in a value is replaced."""
    for name, keys in files.items():
        if name not in exercise.lab.files:
            raise LabError(f"{where}: files: {name}: students do not get this file")
        content = read_yaml(exercise.folder / name)
        for key, text in keys.items():
            try:
                value = fill(text, values, where)
                set_key(content, key, value)
            except (LabError, AttributeError) as error:
                raise LabError(f"{where}: files: {key}: {error}") from None
        (exercise.folder / name).write_text(to_yaml(content) + "\n")


def solve(exercise: Exercise, key: Key, values: Mapping[str, Any]) -> None:
    """Solves a copy of the lab that was just made. Raises LabError."""
    write_answers(exercise, right_answers(exercise.lab, key, values))
    change_files(exercise, key.files, values, key.where)


def changed_keys(exercise: Exercise, name: str) -> dict[str, str]:
    """What the solution changes in a file."""
    given = flat(yaml.load(fill(exercise.lab.file(name), exercise.numbers, name), yaml.BaseLoader))
    return {key: value for key, value in flat(read_yaml(exercise.folder / name)).items() if given.get(key) != value}
