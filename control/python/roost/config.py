# SPDX-License-Identifier: BSD-3-Clause
"""Configurations: files, YAML text, or what YAML says as dicts and lists."""
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Config = str | os.PathLike[str] | Mapping[str, Any]
"""The path of a file; YAML text, which has a line break or ": "; or the same as dicts and lists."""


def to_yaml(value: Any) -> str:
    """Dicts, lists and scalars as YAML in flow style. A text stands as it is where that is safe."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{to_yaml(key)}: {to_yaml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(to_yaml(one) for one in value) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    return text if re.fullmatch(r"[A-Za-z0-9_./%+-]+", text) else json.dumps(text)


def file_of(config: Config, directory: Path) -> Path:
    """The file of a configuration. Text and dicts are written to a file in `directory`."""
    if isinstance(config, Mapping):
        text = to_yaml(config) + "\n"
    elif isinstance(config, str) and ("\n" in config or ": " in config):
        text = config
    else:
        return Path(config)
    path = directory / "config.yaml"
    path.write_text(text)
    return path
