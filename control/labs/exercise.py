# SPDX-License-Identifier: BSD-3-Clause
"""A student's copy of a lab: README.md, the files to change, answers.yaml, and lab.json, which says whose copy of what it is."""
import json
import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab import Lab, LabError, fill, read_file, read_yaml

FORMAT = 1
STUDENT_MAX = 100
ANSWER_MAX = 200   # characters
NUMBER = re.compile(r"([-+]?[0-9][0-9_]*(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?)\s*(.*)")


@dataclass
class Exercise:
    folder: Path
    lab: Lab
    student: str
    numbers: dict[str, float]


def check_student(name: str) -> str:
    """The name, if it is one. Raises LabError."""
    if not name.strip() or len(name) > STUDENT_MAX or not name.isprintable():
        raise LabError(f"a student's name is 1 to {STUDENT_MAX} printable characters")
    return name.strip()


def blank_answers(lab: Lab, student: str, numbers: dict[str, float]) -> str:
    """answers.yaml, to be filled in."""
    lines = [f"# {lab.title}: the answers of {student}. Write each behind its colon, then run `roost lab check`.",
             "# Unless a question says otherwise, it is about the files as you got them, before you change anything."]
    for question in lab.questions:
        ask = fill(question.ask, numbers, question.where)
        lines += ["", *(f"# {line}" for line in ask.splitlines())]
        if question.kind == "file":
            lines.append(f"# ({question.name}: change {lab.files[0]}; there is nothing to write here)")
            continue
        lines += [f"#   {option}" for option in question.options]
        lines.append(f"{question.name}:{f'      # {question.unit}' if question.unit else ''}")
    return "\n".join(lines) + "\n"


def start(lab: Lab, folder: Path, student: str) -> Exercise:
    """Makes a student's copy, all of it or nothing. Raises LabError."""
    numbers = lab.draw(student)
    if folder.exists() or folder.is_symlink():
        raise LabError(f"{folder}: exists already; name another directory")
    try:
        work = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise LabError(f"{folder.parent}: {error.strerror}") from None
    try:
        (work / "README.md").write_text(fill(lab.page(), numbers, f"{lab.folder}/page.md"))
        for name in lab.files:
            (work / name).write_text(fill(lab.file(name), numbers, f"{lab.folder}/{name}"))
        for picture in lab.folder.glob("*.svg"):
            shutil.copy(picture, work)
        (work / "answers.yaml").write_text(blank_answers(lab, student, numbers))
        (work / "lab.json").write_text(json.dumps({"format": FORMAT, "lab": lab.name, "student": student}, indent=1) + "\n")
        umask = os.umask(0)
        os.umask(umask)
        work.chmod(0o777 & ~umask)
        work.rename(folder)
    except OSError as error:
        raise LabError(f"{folder}: {error.strerror}") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return Exercise(folder, lab, student, numbers)


def identify(folder: Path) -> tuple[str, str]:
    """The lab and the student of a copy. Raises LabError."""
    path = folder / "lab.json"
    if not path.exists():
        raise LabError(f"{folder}: not a copy of a lab: it has no {path.name}; make one with `roost lab start`")
    try:
        content = json.loads(read_file(path))
        if content["format"] != FORMAT:
            raise LabError(f"{path}: its format is {content['format']}; this program reads {FORMAT}")
        return str(content["lab"]), check_student(str(content["student"]))
    except (ValueError, LookupError, TypeError, RecursionError):
        raise LabError(f"{path}: damaged; make a new copy with `roost lab start`") from None


def read_answers(exercise: Exercise) -> dict[str, str]:
    """What the student has written, by question. Raises LabError."""
    path = exercise.folder / "answers.yaml"
    content: Any = read_yaml(path) or {}
    if not isinstance(content, dict) or not all(isinstance(value, str) for value in content.values()):
        raise LabError(f"{path}: must be lines `name: answer`")
    if not all(len(text) <= ANSWER_MAX and text.isprintable() for pair in content.items() for text in pair):
        raise LabError(f"{path}: an answer is at most {ANSWER_MAX} printable characters")
    known = [question.name for question in exercise.lab.questions if question.kind != "file"]
    for name in content:
        if name not in known:
            raise LabError(f"{path}: {name}: there is no such question; there is {', '.join(known)}")
    return {name: value.strip() for name, value in content.items()}


def number_of(text: str, unit: str) -> float:
    """An answer as a number; the question's unit may stand behind it. Raises ValueError with what is wrong."""
    match = NUMBER.fullmatch(text)
    if match is None:
        raise ValueError(f"{text} is not a number")
    if match[2] not in ("", unit):
        raise ValueError(f"{text}: write the number alone{f', in {unit}' if unit else ''}")
    return float(match[1].replace("_", ""))
