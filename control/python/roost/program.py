# SPDX-License-Identifier: BSD-3-Clause
"""Finds the program `roost` and runs its commands."""
import json
import os
import shutil
import subprocess
from functools import cached_property
from pathlib import Path
from typing import Any

from .errors import CommandError, RoostError

PathLike = str | os.PathLike[str]


class Done:
    """A command that has run: `command` (its words), `status`, and what it printed: `out` and `err`."""

    def __init__(self, command: list[str], status: int, out: str, err: str) -> None:
        self.command, self.status, self.out, self.err = command, status, out, err

    @cached_property
    def json(self) -> Any:
        """What it printed, parsed as JSON."""
        return json.loads(self.out)

    def __str__(self) -> str:
        return f"{' '.join(self.command)}: exit status {self.status}\n{self.err.strip()}\n{self.out[:2000].strip()}"


def find(program: PathLike | None = None) -> str:
    """The path of the program: the argument, $ROOST, build/roost of the source tree that holds this package, or `roost`
    on PATH, in this order. Raises RoostError if there is none."""
    given = program or os.environ.get("ROOST")
    if given:
        path = shutil.which(os.fspath(given))
        if path is None:
            raise RoostError(f"{given}: no such program; {'the argument' if program else '$ROOST'} names it")
        return path
    tree = Path(__file__).resolve().parents[3]
    if (tree / "control/python").is_dir() and os.access(tree / "build/roost", os.X_OK):
        return str(tree / "build/roost")
    path = shutil.which("roost")
    if path is None:
        raise RoostError("the program roost was not found: build it with testbeds/setup, put it on PATH, or set $ROOST")
    return path


def run(*words: object, status: int | None = 0, timeout: float = 120, **options: Any) -> Done:
    """Runs a command to its end; options are those of subprocess.run(), such as cwd and env. Raises CommandError if it ends with
    another exit status than `status` (None: any) or by a signal, and RoostError if it does not end within `timeout` seconds."""
    command = [str(word) for word in words]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, errors="backslashreplace", timeout=timeout,
                               check=False, stdin=subprocess.DEVNULL, **options)
    except subprocess.TimeoutExpired:
        raise RoostError(f"{' '.join(command)}: not done after {timeout:g} s") from None
    done = Done(command, ended.returncode, ended.stdout, ended.stderr)
    if done.status < 0 or status not in (None, done.status):
        raise CommandError(done)
    return done


def command(*words: object, program: PathLike | None = None, status: int | None = 0, timeout: float = 120) -> Done:
    """Runs a command of roost: `roost.command("check", "switch.yaml")`. The rest is as for run()."""
    return run(find(program), *words, status=status, timeout=timeout)
