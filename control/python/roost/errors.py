# SPDX-License-Identifier: BSD-3-Clause
"""What the package raises, beside AssertionError of the `assert_*` and `expect` methods."""
import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .program import Done


class RoostError(Exception):
    """The base of all errors of this package."""


class CommandError(RoostError):
    """A command ended with another exit status than it must have. `done` has its status and what it printed."""

    def __init__(self, done: "Done") -> None:
        super().__init__(str(done))
        self.done = done


class UnknownName(RoostError, LookupError):
    """There is no node, port, pool or tenant of this name. The message lists names that are near."""


class ApiError(RoostError):
    """The fabric refused a request. `code` is one of doc/api.md, `message` says why."""

    def __init__(self, method: str, code: int, message: str) -> None:
        super().__init__(f"{method}: {message} (code {code})")
        self.method, self.code, self.message = method, code, message


class ApiClosed(RoostError, ConnectionError):
    """The fabric has closed the connection, or there is none."""


class ApiTimeout(RoostError, TimeoutError):
    """No answer, or no event, within the time-out."""


def near(name: str, known: Iterable[str], count: int = 5) -> str:
    """Text about the known names that are near a wrong one, or about all if none is."""
    names = list(known)
    found = difflib.get_close_matches(name, names, count, 0.5)
    if found:
        return f"did you mean {' or '.join(found)}?"
    return f"there is {some(names)}" if names else "there is none"


def some(names: Iterable[str], count: int = 12) -> str:
    """The first names as text: "leaf1, leaf2, ..."."""
    listed = list(names)
    return ", ".join(listed[:count]) + (", ..." if len(listed) > count else "")
