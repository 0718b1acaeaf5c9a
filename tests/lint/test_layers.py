# SPDX-License-Identifier: BSD-3-Clause
"""Who may include whom, who may ask what time it is, and that no test is forgotten.

Includes point down only: control, pipelines, dataplane. In the dataplane only drive/ and device/ may
read a clock or see more of DPDK than mbufs, byte order, prefetch, branch hints and hashes.
"""
import re
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
LAYERS = ("dataplane", "pipelines", "control")
# Each folder may include those before it.
FOLDERS = ("dataplane/base", "dataplane/queueing", "dataplane/stages", "dataplane/roce", "dataplane/node",
           "dataplane/device/xdp", "dataplane/device", "dataplane/drive", "pipelines")
ALLOWED_RTE = {"rte_branch_prediction.h", "rte_byteorder.h", "rte_common.h", "rte_hash_crc.h",
               "rte_jhash.h", "rte_mbuf_core.h", "rte_prefetch.h"}
CLOCK_HEADERS = {"time.h", "sys/time.h", "sys/timerfd.h", "x86intrin.h", "rte_cycles.h"}
CLOCKS = re.compile(r"\b(clock_gettime|clock_nanosleep|gettimeofday|timespec_get|nanosleep|usleep|sleep"
                    r"|clock|time|_*rdtscp?|__builtin_ia32_rdtscp?|rte_(?:get_)?(?:rd)?(?:tsc|timer)\w*"
                    r"|rte_delay\w*)\s*\(")
MADE = {"commit.h", "control/chakra.pb-c.h"}     # by meson.build
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)
COMMENTS_AND_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def sources(*folders):
    return [path for folder in folders for path in sorted((SOURCE / folder).rglob("*.[ch]"))]


def timeless(path):
    """In the part of the dataplane that has only `now`."""
    parts = path.relative_to(SOURCE).parts
    return parts[0] == "dataplane" and parts[1] not in ("drive", "device")


def includes(path):
    """(quoted, name) of each."""
    return [(mark == '"', name) for mark, name in INCLUDE.findall(path.read_text())]


def included(path, name):
    """The file of this project that a quoted name means, or None."""
    for base in (path.parent, SOURCE):
        found = (base / name).resolve()
        if found.is_file() and SOURCE in found.parents:
            return found
    return None


class Layers(unittest.TestCase):
    def setUp(self):
        self.wrong = []

    def tearDown(self):
        self.assertFalse(self.wrong, "\n" + "\n".join(self.wrong))

    def check(self, path, good, what):
        if not good:
            self.wrong.append(f"{path.relative_to(SOURCE)}: {what}")

    def test_there_is_something_to_check(self):
        for layer in LAYERS:
            self.assertTrue(sources(layer), layer)

    def test_includes_point_down(self):
        for path in sources(*LAYERS):
            own = LAYERS.index(path.relative_to(SOURCE).parts[0])
            for quoted, name in includes(path):
                found = included(path, name) if quoted else None
                if found is None:
                    self.check(path, not quoted or name in MADE, f'"{name}" is not a file of this project')
                    continue
                layer = found.relative_to(SOURCE).parts[0]
                self.check(path, layer in LAYERS[:own + 1], f"includes {layer}: {name}")

    def test_folders_include_those_before_them(self):
        for path in sources("dataplane", "pipelines"):
            folder = str(path.relative_to(SOURCE).parent)
            self.check(path, folder in FOLDERS, f"{folder} is not in the order of folders")
            for quoted, name in includes(path):
                found = included(path, name) if quoted and folder in FOLDERS else None
                other = str(found.relative_to(SOURCE).parent) if found else folder
                self.check(path, other in FOLDERS[:FOLDERS.index(folder) + 1] if other in FOLDERS else not found,
                           f"includes {name}, which comes after {folder}")

    def test_drive_and_device_are_seen_by_nobody_below(self):
        for path in filter(timeless, sources("dataplane")):
            for quoted, name in includes(path):
                found = included(path, name) if quoted else None
                self.check(path, found is None or timeless(found), f"includes {name}")

    def test_dataplane_sees_little_of_dpdk(self):
        for path in filter(timeless, sources("dataplane")):
            for quoted, name in includes(path):
                self.check(path, quoted or not name.startswith("rte_") or name in ALLOWED_RTE,
                           f"includes <{name}>")

    def test_dataplane_reads_no_clock(self):
        for path in list(filter(timeless, sources("dataplane"))) + sources("pipelines"):
            for quoted, name in includes(path):
                self.check(path, quoted or name not in CLOCK_HEADERS, f"includes <{name}>")
            for call in CLOCKS.findall(COMMENTS_AND_TEXT.sub(" ", path.read_text())):
                self.check(path, False, f"calls {call}()")

    def test_no_source_includes_a_source(self):
        for path in sources(*LAYERS, "tests"):
            for _, name in includes(path):
                self.check(path, not name.endswith(".c"), f"includes {name}")

    def test_every_test_is_built(self):
        for folder, suffix in (("unit", "_test.c"), ("fuzz", "_fuzz.c")):
            root = SOURCE / "tests" / folder
            registered = (root / "meson.build").read_text()
            for path in root.rglob("*" + suffix):
                name = str(path.relative_to(root)).removesuffix(suffix)
                self.check(path, f"'{name}'" in registered, f"is not in tests/{folder}/meson.build")

    def test_headers_are_included_once_and_licensed(self):
        for path in sources(*LAYERS, "tests"):
            text = path.read_text()
            self.check(path, text.startswith("// SPDX-License-Identifier: "), "has no SPDX line")
            self.check(path, path.suffix == ".c" or "\n#pragma once\n" in text, "lacks #pragma once")
