# SPDX-License-Identifier: BSD-3-Clause
"""What programs that write files share: temporary names, errors that name what the user knows, and signals."""
from __future__ import annotations

import errno
import os
import secrets
import signal
import sys
from contextlib import contextmanager
from typing import Iterator

FAILED, USAGE = 1, 2   # exit statuses, as of every command


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


def check_place(path: str) -> None:
    """A file cannot take the place of a directory. Found later, it would be after other files are in place."""
    if os.path.isdir(path) and not os.path.islink(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)


def say(command: str, paths: list[str]) -> int:
    """Prints what was written. Returns the exit status."""
    try:
        print("".join(f"{path}\n" for path in paths), end="", flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())    # or Python tries again as it ends
        return fail(command, f"writing the result: {error.strerror}", FAILED)
    return 0


def fail(command: str, message: str, status: int) -> int:
    print(f"{command}: {message}", file=sys.stderr)
    return status


def end(number: int, _: object) -> None:
    raise SystemExit(128 + number)


def prepare() -> None:
    """Signals end the program by an exception, so that it removes what is not complete."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, end)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="surrogateescape")    # paths need not be UTF-8
