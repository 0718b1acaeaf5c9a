# SPDX-License-Identifier: BSD-3-Clause
"""result.json, each value of which is checked when it is used: the file may come from anywhere."""
from __future__ import annotations

import json
import math
import os
from typing import Any, Iterator

from read import Invalid, no_directory, open_regular

DEPTH_MAX = 64    # of lists and objects in each other


def no_number(text: str) -> float:
    raise ValueError(f"{text} is not a number of JSON")


def depth(value: Any) -> int:
    """How deep lists and objects are nested, at most DEPTH_MAX + 1."""
    level, found = [value], 0
    while found <= DEPTH_MAX:
        level = [inner for one in level if isinstance(one, (dict, list))
                 for inner in (one.values() if isinstance(one, dict) else one)]
        if not level:
            break
        found += 1
    return found


def read_json(path: str) -> Any:
    try:
        with open_regular(path) as file:
            found = json.load(file, parse_constant=no_number)
    except FileNotFoundError:
        raise Invalid(f"{path}: no such file; `roost sim FILE -o DIR` writes it") from None
    except NotADirectoryError:
        raise no_directory(os.path.dirname(path)) from None
    except OSError as error:
        raise Invalid(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise Invalid(f"{path}: not valid JSON: {error or 'nested too deeply'}") from None
    if depth(found) > DEPTH_MAX:
        raise Invalid(f"{path}: nested too deeply")
    return found


class Fields:
    """An object of the file, and where it stands there."""

    def __init__(self, path: str, place: str, value: Any) -> None:
        self.path, self.place = path, place
        if not isinstance(value, dict):
            raise Invalid(f"{path}: {place or 'the file'}: not an object")
        self.value = value

    def invalid(self, key: str, what: str) -> Invalid:
        return Invalid(f"{self.path}: {self.place}{'.' if self.place else ''}{key}: {what}")

    def get(self, key: str) -> Any:
        if key not in self.value:
            raise self.invalid(key, "missing; another version of roost may have written the file")
        return self.value[key]

    def has(self, key: str) -> bool:
        return key in self.value

    def text(self, key: str) -> str:
        found = self.get(key)
        if not isinstance(found, str):
            raise self.invalid(key, "not a text")
        return found

    def count(self, key: str) -> int:
        found = self.get(key)
        if type(found) is not int or not 0 <= found < 1 << 64:
            raise self.invalid(key, "not a whole number of at least 0")
        return found

    def time(self, key: str) -> int | None:
        return None if self.get(key) is None else self.count(key)

    def real(self, key: str) -> float:
        found = self.get(key)
        if type(found) not in (int, float) or not (0 <= found < 1e300 and math.isfinite(found)):
            raise self.invalid(key, "not a number of at least 0")
        return float(found)

    def ratio(self, key: str) -> float | None:
        return None if self.get(key) is None else self.real(key)

    def object(self, key: str) -> Fields:
        return Fields(self.path, f"{self.place}{'.' if self.place else ''}{key}", self.get(key))

    def list(self, key: str) -> list[Any]:
        found = self.get(key)
        if not isinstance(found, list):
            raise self.invalid(key, "not a list")
        return found

    def texts(self, key: str) -> list[str]:
        found = self.list(key)
        if not all(isinstance(one, str) for one in found):
            raise self.invalid(key, "not a list of texts")
        return found

    def objects(self, key: str) -> Iterator[Fields]:
        for index, one in enumerate(self.list(key)):
            yield Fields(self.path, f"{key}[{index}]", one)


def read_document(directory: str) -> Fields:
    path = os.path.join(directory, "result.json")
    return Fields(path, "", read_json(path))
