#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints commit.h, the commit that the program is built from: commit.py ROOT COMMIT

Where COMMIT is empty, it is that of the git repository ROOT, with "-dirty" where the program's sources have changes that are not
committed. It is empty where ROOT is no repository, or only a directory in one.
"""
import subprocess
import sys

SOURCES = ("conf/presets", "conf/sizes", "control", "dataplane", "pipelines", "meson.build", "meson_options.txt")


def git(root, *words):
    """What git prints, or None."""
    try:
        done = subprocess.run(["git", "--no-optional-locks", "-C", root, *words], capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def commit_of(root):
    commit = git(root, "rev-parse", "--short=12", "HEAD")
    if not commit or git(root, "rev-parse", "--show-prefix") != "":
        return ""
    changes = git(root, "status", "--porcelain", "--untracked-files=no", "--", *SOURCES)
    return commit + ("-dirty" if changes else "")


def main():
    root, commit = sys.argv[1:]
    print(f'// Made by control/cli/commit.py.\n#define ROOST_COMMIT "{commit or commit_of(root)}"')


main()
