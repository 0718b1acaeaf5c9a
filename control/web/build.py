#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds the page of `roost web` in a directory of its own; nothing is written beside the sources.

	build.py fetch PAGE WORK               the npm packages of package-lock.json
	build.py make PAGE WORK OUT DEPFILE    the page: OUT/*.gz, OUT/report.html
"""
import gzip
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys

LOCK = ("package.json", "package-lock.json")
EMBEDDED = ("index.html", "page.js", "page.css", "licenses.txt")
NPM = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")


def fetch(page, work):
    """Fetches the packages, unless those of this lock file are there."""
    work.mkdir(parents=True, exist_ok=True)
    wanted = hashlib.sha256(b"".join((page / name).read_bytes() for name in LOCK)).hexdigest()
    stamp = work / "fetched"
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    stamp.unlink(missing_ok=True)
    for name in LOCK:
        shutil.copyfile(page / name, work / name)
    done = subprocess.run(NPM, cwd=work, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"npm ci in {work}:\n{done.stderr}{done.stdout}"
                 "Without a network, leave the page out: meson configure -Dpage=disabled")
    stamp.write_text(wanted)


def licenses(work):
    """The notices of the packages that the page contains."""
    packages = json.loads((work / "package-lock.json").read_text())["packages"]
    for path, package in sorted(packages.items()):
        if not path or package.get("dev"):
            continue
        texts = sorted(file for file in (work / path).iterdir() if file.name.upper().startswith(("LICEN", "NOTICE")))
        if not texts:
            sys.exit(f"{path}: no file with the text of its license ({package.get('license')})")
        yield f"{path.removeprefix('node_modules/')} {package['version']}\n\n"
        yield from (file.read_text() + "\n" for file in texts)


def make(page, work, out, depfile):
    fetch(page, work)
    sources = sorted(path for path in page.rglob("*") if path.is_file() and "node_modules" not in path.parts)
    for path in sources:
        copy = work / path.relative_to(page)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    made = work / "made"
    made.mkdir(exist_ok=True)
    subprocess.run(["node", "build.mjs", str(made)], cwd=work, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL)
    (made / "licenses.txt").write_text("".join(licenses(work)))
    for name in EMBEDDED:
        (out / f"{name}.gz").write_bytes(gzip.compress((made / name).read_bytes(), 9, mtime=0))
    shutil.copyfile(made / "report.html", out / "report.html")
    depfile.write_text(f"{out / 'index.html.gz'}: " + " ".join(str(path).replace(" ", "\\ ") for path in sources) + "\n")


def main():
    what, *paths = sys.argv[1:]
    {"fetch": fetch, "make": make}[what](*(pathlib.Path(path).absolute() for path in paths))


main()
