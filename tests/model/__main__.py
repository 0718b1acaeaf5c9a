# SPDX-License-Identifier: BSD-3-Clause
"""Runs seeds alone: `python3 -m model --seed 7`, or `--seed 0 --count 100`, in tests/."""
import argparse
import sys
import tempfile
from pathlib import Path

from .compare import Trial


def main():
    parser = argparse.ArgumentParser(prog="python3 -m model")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=1, help="so many seeds from there on")
    parser.add_argument("--lines", type=int, default=12, help="differences to print of each")
    options = parser.parse_args()
    wrong, directory = 0, Path(tempfile.mkdtemp(prefix="model-"))
    for seed in range(options.seed, options.seed + options.count):
        trial = Trial(seed, directory / str(seed))
        found = trial.differences()
        if found:
            wrong += 1
            print(f"seed {seed}: {len(found)} differences, files in {trial.directory}")
            print("".join(f"  {line}\n" for line in found[:options.lines]), end="")
    print(f"{options.count - wrong} of {options.count} agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
