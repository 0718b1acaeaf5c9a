# SPDX-License-Identifier: BSD-3-Clause
"""`roost plot`: draws what is in a result's directory as SVG.

    python3 plot.py OUT DIR...

`roost plot` checks the command line and runs this. All input is read and drawn before the first file is written, and
each file is written under a temporary name and renamed, so that an error leaves directories as they were.
"""
from __future__ import annotations

import errno
import os
import secrets
import signal
import sys
from contextlib import contextmanager
from typing import Iterator

from draw import CURVES_MAX, Drawing
from read import Invalid, Result
from results import MAKERS, Missing, make_together

FAILED, USAGE = 1, 2   # exit statuses, as of every command


def draw_one(directory: str, missing: list[str]) -> list[Drawing]:
    """All that there is to draw of one directory."""
    result, drawings = Result(directory), []
    for make in MAKERS:
        try:
            drawings += make(result)
        except Missing as why:
            missing.append(str(why))
    return drawings


def draw_all(directories: list[str], missing: list[str]) -> list[Drawing]:
    if len(directories) > CURVES_MAX:
        raise Invalid(f"at most {CURVES_MAX} directories can be drawn together")
    if len(directories) == 1:
        return draw_one(directories[0], missing)
    try:
        return make_together([(one, Result(one)) for one in directories])
    except Missing as why:
        missing.append(str(why))
        return []


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Gives an error the name that the user knows."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None


def write_temporary(path: str, text: str) -> str:
    """Writes a file beside its place and returns its name there."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{secrets.token_hex(4)}")
    try:
        with open(temporary, "x", encoding="utf-8") as file:
            file.write(text)
    except BaseException:
        remove(temporary)
        raise
    return temporary


def remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def make_directory(path: str) -> bool:
    """Returns whether it was made. Only the last part of a path is."""
    if os.path.isdir(path):
        return False
    os.mkdir(path)
    return True


def check_place(path: str) -> None:
    """A file cannot take the place of a directory. Found later, it would be after other drawings are in place."""
    if os.path.isdir(path) and not os.path.islink(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)


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


def fail(message: str, status: int) -> int:
    print(f"roost plot: {message}", file=sys.stderr)
    return status


def main(arguments: list[str]) -> int:
    missing: list[str] = []
    try:
        paths = write_drawings(arguments[0], draw_all(arguments[1:], missing))
    except Invalid as error:
        return fail(str(error), USAGE)
    except OSError as error:
        return fail(f"{error.filename or arguments[0]}: {error.strerror}", FAILED)
    except MemoryError:
        return fail("out of memory: the result is too large to draw", FAILED)
    for one in missing:
        print(f"roost plot: not drawn: {one}", file=sys.stderr)
    return say(paths)


def say(paths: list[str]) -> int:
    """Prints what was drawn."""
    try:
        print("".join(f"{path}\n" for path in paths), end="", flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())    # or Python tries again as it ends
        return fail(f"writing the result: {error.strerror}", FAILED)
    return 0


def end(number: int, _: object) -> None:
    raise SystemExit(128 + number)


if __name__ == "__main__":
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, end)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="surrogateescape")    # paths need not be UTF-8
    sys.exit(main(sys.argv[1:]))
