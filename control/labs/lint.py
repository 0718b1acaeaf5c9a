# SPDX-License-Identifier: BSD-3-Clause
"""Checks a lab as a teacher would: the solution gets all points, a blank copy none, and each mistake of the answer key what the
key says, for several students and with the reason that the key names."""
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import key as keys
from exercise import Exercise, start
from grade import Grade, Runs, grade
from lab import Lab, LabError


def _shown(one: Grade) -> str:
    return "; ".join(f"{mark.question.name} {mark.points:g}/{mark.question.points:g}: {mark.says}" for mark in one.marks
                     if mark.points != mark.question.points)


def _try_mistake(key: keys.Key, wrong: keys.Wrong, solved: Exercise, values: Mapping[str, Any], program: str) -> str | None:
    """What is wrong with how the lab takes a mistake, or None."""
    copy = Exercise(solved.folder.with_name("mistake"), solved.lab, solved.student, solved.numbers)
    shutil.copytree(solved.folder, copy.folder)
    try:
        answers = keys.right_answers(copy.lab, key, values)
        if wrong.answer is not None:
            answers[wrong.question] = keys.formula_text(copy.lab, wrong.question, wrong.answer, values, wrong.where)
        keys.write_answers(copy, answers)
        keys.change_files(copy, wrong.files, values, wrong.where)
        (mark,) = grade(copy, program, only=wrong.question).marks
    finally:
        shutil.rmtree(copy.folder)
    if mark.points != wrong.points:
        return f"{wrong.where}: {wrong.question} got {mark.points:g} points instead of {wrong.points:g}: {mark.says}"
    if wrong.says not in mark.says:
        return f"{wrong.where}: {wrong.question} is not told \"{wrong.says}\", but: {mark.says}"
    return None


def _lint_student(lab: Lab, key: keys.Key, student: str, program: str, directory: Path) -> list[str]:
    blank = grade(start(lab, directory / "blank", student), program)
    problems = [f"{lab.name}, {student}: a blank copy gets {blank.points:g} points: " + ", ".join(
        mark.question.name for mark in blank.marks if mark.points)] if blank.points else []
    solved = start(lab, directory / "solved", student)
    with closing(Runs(solved, {}, program)) as values:
        keys.solve(solved, key, values)
        graded = grade(solved, program)
        if graded.points != lab.points:
            problems.append(f"{lab.name}, {student}: the solution gets {graded.points:g} of {lab.points:g} points: {_shown(graded)}")
        found = [_try_mistake(key, wrong, solved, values, program) for wrong in key.wrong]
    return problems + [f"{student}: {text}" for text in found if text is not None]


def lint(lab: Lab, key_directory: Path, students: list[str], program: str) -> list[str]:
    """What is wrong with a lab, a line each."""
    try:
        key = keys.read(key_directory, lab)
        problems = [] if key.wrong else [f"{key.where}: wrong: no mistakes are listed"]
        for student in students:
            with tempfile.TemporaryDirectory(prefix="roost-lab-") as directory:
                problems += _lint_student(lab, key, student, program, Path(directory))
        return problems
    except LabError as error:
        return [str(error)]
