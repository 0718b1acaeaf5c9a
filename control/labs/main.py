# SPDX-License-Identifier: BSD-3-Clause
"""`roost lab`: called by the program with its own path, the words of the command line, and options as NAME=VALUE.

    main.py ROOST list|start|check|solution|lint|slides WORD... -- NAME=VALUE...
"""
import csv
import getpass
import io
import json
import os
import signal
import sys
import textwrap
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any, NoReturn

HERE = Path(__file__).resolve().parent
# Only a build directory has this file.
PLACES = json.loads((HERE / "places.json").read_text()) if (HERE / "places.json").exists() else {
    "labs": str(HERE.parent / "labs"), "examples": str(HERE.parent / "examples")}
sys.path[:0] = [str(HERE), str(HERE.parent / "plot"), *([PLACES["python"]] if "python" in PLACES else [])]
try:
    import yaml     # noqa: F401
    import roost    # noqa: F401
except ImportError as missing:
    package = {"yaml": "python3-yaml", "roost": "python3-roost"}.get(missing.name or "", missing.name)
    print(f"roost lab: needs the Python module {missing.name} (apt-get install {package})", file=sys.stderr)
    sys.exit(1)

import deck
import key as keys
import lab as labs
import slides
from exercise import Exercise, check_student, identify, start
from grade import Grade, Runs, grade
from lab import LabError, fill
from lint import lint

WIDTH = 100


class Call:
    """A command line, which the program has checked."""

    def __init__(self, arguments: list[str]) -> None:
        self.program, self.command, *rest = arguments
        split = rest.index("--")
        self.words = rest[:split]
        self.options = dict(option.split("=", 1) for option in rest[split + 1:])

    @property
    def json(self) -> bool:
        return self.options.get("output") == "json"

    def folder(self) -> Path:
        """Where the labs are: --labs, or those that come with Roost."""
        return Path(self.options.get("labs", PLACES["labs"]))

    def key(self) -> Path:
        path = self.options.get("key") or os.environ.get("ROOST_LAB_KEY", "")
        if not path:
            raise LabError("solutions are in the teacher's answer key: name its directory by --key DIR or ROOST_LAB_KEY")
        if not Path(path).is_dir():
            raise LabError(f"{path}: no such directory, so no answer key")
        return Path(path)


def find(call: Call, name: str) -> labs.Lab:
    """A lab by its folder, its name, its number, or the part behind the number."""
    folders = labs.folders(call.folder())
    for folder in folders:
        number, _, rest = folder.name.partition("-")
        if name in (folder.name, rest) or (name.isascii() and name.isdigit() and number.isdigit() and int(name) == int(number)):
            return labs.read(folder)
    try:
        if (Path(name) / "lab.yaml").is_file():
            return labs.read(Path(name).resolve())
    except OSError as error:
        raise LabError(f"{name[:80]}: {error.strerror}") from None
    known = ", ".join(folder.name for folder in folders) or f"none in {call.folder()}"
    raise LabError(f"{name}: no such lab; there is {known}")


def lab_of(call: Call, folder: Path, name: str) -> labs.Lab:
    """The lab of a copy. Never by a path: students write lab.json."""
    for one in labs.folders(call.folder()):
        if one.name == name:
            return labs.read(one)
    raise LabError(f"{folder}/lab.json: {name[:80]!a}: no such lab in {call.folder()}")


def show(call: Call, value: Any, text: str) -> int:
    sys.stdout.write(json.dumps(value, indent=1) + "\n" if call.json else text)
    return 0


def list_labs(call: Call) -> int:
    found = [labs.read(folder) for folder in labs.folders(call.folder())]
    width = max((len(lab.name) for lab in found), default=0)
    rows = [f"{lab.name:{width}}  {lab.minutes:>3} min  {lab.title}: {lab.about}" for lab in found]
    return show(call, [{"name": lab.name, "title": lab.title, "about": lab.about, "minutes": lab.minutes,
                        "questions": len(lab.questions), "points": lab.points} for lab in found], "\n".join(rows) + "\n")


def student_of(call: Call) -> str:
    try:
        return check_student(call.options.get("student") or getpass.getuser())
    except (KeyError, OSError):
        raise LabError("this user has no name: give one by --student NAME") from None


def start_lab(call: Call) -> int:
    lab = find(call, call.words[0])
    made = start(lab, Path(call.words[1] if len(call.words) > 1 else lab.name), student_of(call))
    return show(call, {"directory": str(made.folder), "lab": lab.name, "student": made.student, "numbers": made.numbers},
                f"{made.folder}: {lab.title}, for {made.student}. Go to that directory, read README.md, write your answers in "
                "answers.yaml, then: roost lab check\n")


def as_json(one: Grade) -> dict[str, Any]:
    return {"lab": one.exercise.lab.name, "student": one.exercise.student, "directory": str(one.exercise.folder),
            "points": one.points, "of": one.exercise.lab.points, "questions": [
                {"name": mark.question.name, "points": mark.points, "of": mark.question.points, "says": mark.says}
                for mark in one.marks]}


def as_text(one: Grade) -> str:
    lab = one.exercise.lab
    width = max(len(mark.question.name) for mark in one.marks)
    lines = [f"{lab.title}, {one.exercise.student}: {one.points:g} of {lab.points:g} points"]
    for mark in one.marks:
        head = f"  {mark.points:g}/{mark.question.points:g}  {mark.question.name:{width}}  "
        lines += textwrap.wrap(mark.says, WIDTH, initial_indent=head, subsequent_indent=" " * len(head), break_long_words=False)
    return "\n".join(lines) + "\n"


def as_csv(grades: list[Grade]) -> str:
    """A row for each copy, a column for each question."""
    def plain(text: str) -> str:
        """Not what a spreadsheet would take for a formula."""
        return f"'{text}" if text[0] in "=+-@" else text

    names = list(dict.fromkeys(mark.question.name for one in grades for mark in one.marks))
    to = io.StringIO()
    rows = csv.writer(to, lineterminator="\n")
    rows.writerow(["directory", "student", "lab", "points", "of", *names])
    for one in grades:
        points = {mark.question.name: f"{mark.points:g}" for mark in one.marks}
        rows.writerow([plain(str(one.exercise.folder)), plain(one.exercise.student), one.exercise.lab.name, f"{one.points:g}",
                       f"{one.exercise.lab.points:g}", *(points.get(name, "") for name in names)])
    return to.getvalue()


def as_gradescope(one: Grade) -> str:
    """results.json of Gradescope's autograders."""
    return json.dumps({"score": one.points, "output": f"{one.exercise.lab.title}, {one.exercise.student}", "tests": [
        {"name": mark.question.name, "score": mark.points, "max_score": mark.question.points, "output": mark.says}
        for mark in one.marks]}, indent=1) + "\n"


def write(path: str, text: str) -> None:
    """Writes a file, all of it or nothing."""
    target = Path(path)
    try:
        with NamedTemporaryFile("w", dir=target.parent, prefix=f".{target.name}.", delete=False) as to:
            to.write(text)
        try:
            os.chmod(to.name, 0o644)
            os.replace(to.name, target)
        except BaseException:
            Path(to.name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise LabError(f"{path}: {error.strerror}") from None


def exercise_of(call: Call, folder: Path) -> Exercise:
    name, student = identify(folder)
    lab = lab_of(call, folder, name)
    return Exercise(folder, lab, student, lab.draw(student))


def check_labs(call: Call) -> int:
    folders = [Path(word) for word in call.words] or [Path(".")]
    if "gradescope" in call.options and len(folders) > 1:
        raise LabError("--gradescope writes the results of one directory")
    grades, failed = [], False
    for folder in folders:
        try:
            grades.append(grade(exercise_of(call, folder), call.program))
        except LabError as error:
            print(f"roost lab check: {error}", file=sys.stderr)
            failed = True
    show(call, [as_json(one) for one in grades], "\n".join(as_text(one) for one in grades))
    if grades and "csv" in call.options:
        write(call.options["csv"], as_csv(grades))
    if grades and "gradescope" in call.options:
        write(call.options["gradescope"], as_gradescope(grades[0]))
    return 1 if failed else 0


def solution(call: Call) -> int:
    word = Path(call.words[0])
    if (word / "lab.json").exists():
        name, student = identify(word)
        lab = lab_of(call, word, name)
    else:
        lab, student = find(call, call.words[0]), student_of(call)
    key = keys.read(call.key(), lab)
    with TemporaryDirectory() as directory:
        solved = start(lab, Path(directory) / "solved", student)
        with closing(Runs(solved, {}, call.program)) as values:
            keys.solve(solved, key, values)
            answers = keys.right_answers(lab, key, values)
            explained = fill(key.explain, values, key.where).strip()
        files = {name: keys.changed_keys(solved, name) for name in lab.files}
    lines = [f"{lab.title}, the solution for {student}"]
    for question in lab.questions:
        if question.kind != "file":
            lines.append(f"  {question.name}: {answers[question.name]}{f' {question.unit}' if question.unit else ''}")
    lines += [f"  {name}: {what}: {value}" for name, changes in files.items() for what, value in changes.items()]
    return show(call, {"lab": lab.name, "student": student, "answers": answers, "files": files, "explain": explained},
                "\n".join(lines) + "\n" + (f"\n{explained}\n" if explained else ""))


def lint_labs(call: Call) -> int:
    students = [f"student {i}" for i in range(1, int(call.options.get("students", "3")) + 1)]
    folders = [find(call, word) for word in call.words] or [labs.read(folder) for folder in labs.folders(call.folder())]
    problems = [text for lab in folders for text in lint(lab, call.key(), students, call.program)]
    show(call, problems, "".join(f"{text}\n" for text in problems) or
         f"{len(folders)} labs, {len(students)} students each: no problem found\n")
    return 1 if problems else 0


def make_slides(call: Call) -> int:
    """Runs what a deck names, and writes its slides."""
    out = Path(call.words[0])
    found = deck.read(Path(call.words[1]) if len(call.words) > 1 else call.folder() / "class", call.folder(), Path(PLACES["examples"]))
    with ExitStack() as stack:
        directory = Path(call.options["runs"]) if "runs" in call.options else Path(stack.enter_context(TemporaryDirectory()))
        try:
            directory.mkdir(exist_ok=True)
        except OSError as error:
            raise LabError(f"{directory}: {error.strerror}") from None
        version = roost.command("--version", program=call.program).out.strip()
        text = slides.make(found, deck.run_all(found, directory, call.program), call.folder(), version)
    write(str(out), text)
    return show(call, {"file": str(out), "slides": len(found.slides), "runs": len(found.runs), "minutes": found.minutes},
                f"{out}: {found.title}, {len(found.slides)} slides for {found.minutes} minutes, from {len(found.runs)} runs\n")


COMMANDS: dict[str, Callable[[Call], int]] = {
    "list": list_labs, "start": start_lab, "check": check_labs, "solution": solution, "lint": lint_labs,
    "slides": make_slides}


def interrupt(number: int, _: object) -> NoReturn:
    raise SystemExit(128 + number)


def main() -> int:
    signal.signal(signal.SIGTERM, interrupt)    # so that nothing is left behind
    call = Call(sys.argv[1:])
    try:
        return COMMANDS[call.command](call)
    except LabError as error:
        print(f"roost lab {call.command}: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
