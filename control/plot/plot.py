# SPDX-License-Identifier: BSD-3-Clause
"""`roost plot`: draws what is in a result's directory as SVG.

    python3 plot.py OUT DIR...

`roost plot` checks the command line and runs this. All input is read and drawn before the first file is written, and
each file is written under a temporary name and renamed, so that an error leaves directories as they were.
"""
from __future__ import annotations

import os
import sys
from typing import Callable, Iterable, TypeVar

from draw import CURVES_MAX, Drawing
from files import FAILED, USAGE, check_place, fail, naming, prepare, remove, say, write_temporary
from read import Invalid, Missing, Result
from results import MAKERS, MAKERS_OF_RUNS

COMMAND = "roost plot"


Drawn = TypeVar("Drawn")


def draw_each(makers: Iterable[Callable[[Drawn], list[Drawing]]], of: Drawn, missing: list[str]) -> list[Drawing]:
    """All that there is to draw of a run, or of several."""
    drawings: list[Drawing] = []
    for make in makers:
        try:
            drawings += make(of)
        except Missing as why:
            missing.append(str(why))
    return drawings


def draw_one(result: Result, missing: list[str]) -> list[Drawing]:
    return draw_each(MAKERS, result, missing)


def draw_all(directories: list[str], missing: list[str]) -> list[Drawing]:
    if len(directories) > CURVES_MAX:
        raise Invalid(f"at most {CURVES_MAX} directories can be drawn together")
    if len(directories) == 1:
        return draw_one(Result(directories[0]), missing)
    return draw_each(MAKERS_OF_RUNS, [(one, Result(one)) for one in directories], missing)


def make_directory(path: str) -> bool:
    """Returns whether it was made. Only the last part of a path is."""
    if os.path.isdir(path):
        return False
    os.mkdir(path)
    return True


def write_drawings(out: str, drawings: list[Drawing]) -> list[str]:
    """Puts all drawings in place. Returns their paths."""
    made = make_directory(out)
    paths = [os.path.join(out, drawing.file) for drawing in drawings]
    temporaries: list[str] = []
    try:
        for path in paths:
            check_place(path)
        for path, drawing in zip(paths, drawings):
            with naming(path):
                temporaries.append(write_temporary(path, drawing.svg()))
        for path in paths:
            with naming(path):
                os.replace(temporaries[0], path)
            del temporaries[0]
    except BaseException:
        for one in temporaries:
            remove(one)
        if made:
            os.rmdir(out)
        raise
    return paths


def main(arguments: list[str]) -> int:
    missing: list[str] = []
    try:
        paths = write_drawings(arguments[0], draw_all(arguments[1:], missing))
    except Invalid as error:
        return fail(COMMAND, str(error), USAGE)
    except OSError as error:
        return fail(COMMAND, f"{error.filename or arguments[0]}: {error.strerror}", FAILED)
    except MemoryError:
        return fail(COMMAND, "out of memory: the result is too large to draw", FAILED)
    for one in missing:
        print(f"{COMMAND}: not drawn: {one}", file=sys.stderr)
    return say(COMMAND, paths)


if __name__ == "__main__":
    prepare()
    sys.exit(main(sys.argv[1:]))
