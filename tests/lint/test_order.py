# SPDX-License-Identifier: BSD-3-Clause
"""The order of the folders, and that neither folders nor files depend on each other in a cycle.

A folder includes only itself and folders above it in ORDER. A module is the files of one stem, with its private header
NAME_internal.h; modules include each other in one direction too.
"""
import os
import re
import subprocess
import unittest
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from test_layers import SOURCE, included, includes, sources

ORDER = (
    "dataplane/base",           # time, packet, headers, random, drop reasons
    "dataplane/queueing",       # buffer, PFC, ECN, schedulers
    "dataplane/stages",
    "dataplane/roce",           # the NIC's transport
    "dataplane/node",           # event loop, ports, wires
    "dataplane/device/xdp",
    "dataplane/device",         # DPDK devices
    "dataplane/drive",          # virtual, live: what makes time pass
    "pipelines",
    "control/base",             # memory, errors, text tables, atomic files
    "control/config",           # setting rows, YAML tree, decode, checks
    "control/config/schema",    # JSON Schema and the reference page
    "control/edit",             # set, unset, diff, revisions on disk
    "control/model/topology",   # configuration in, plain data out
    "control/model/subnet",     # LIDs and forwarding tables of InfiniBand
    "control/model/routes",
    "control/model/tables",
    "control/model/workload",
    "control/io/host",          # namespaces, veth, netlink
    "control/io/capture",
    "control/io/bfd",           # BFD, and bfdd
    "control/io/lldp",          # LLDP and DCBX
    "control/io/learn",         # routes from the kernel and FPM
    "control/mad",              # InfiniBand's management agents
    "control/fabric",           # running nodes, flows, samples, counters, results
    "control/film",             # what every link and queue did, over time
    "control/tenants",          # changes of tenants under traffic
    "control/advice",           # what `roost check` warns of
    "control/events",           # the file's events: links, routes, changes of settings and tenants
    "control/show",             # one file for each word of `show`
    "control/trace",            # the path of one packet, computed
    "control/map",              # what there is, where it is, and drawings of it
    "control/api",              # JSON-RPC
    "control/run",              # what runs share
    "control/run/sim",
    "control/run/compare",      # several sims side by side
    "control/run/replay",
    "control/run/live",
    "control/run/subnet",       # `roost subnet`, a process of its own
    "control/web",              # the console, a process of its own
    "control/cli/command",      # commands as data: parser, help, completion
    "control/cli/shell",
    "control/cli",              # the commands
)
ROOTS = ("dataplane", "pipelines", "control")
PARTS = 32      # of the sources, for clang-format

# Cycles among files that are still there. The list must not grow, and what is mended leaves it.
KNOWN_CYCLES = []


def name(path):
    return str(path.relative_to(SOURCE))


def module(path):
    return name(path.with_suffix("")).removesuffix("_internal")


def edges():
    """(file, the file of this project that it includes) of all."""
    for path in sources(*ROOTS):
        for quoted, target in includes(path):
            found = included(path, target) if quoted else None
            if found is not None and found.suffix == ".h":
                yield path, found


def cycles(graph):
    """The strongly connected parts of a graph with more than one member (Tarjan, SIAM J. Comput. 1(2), 1972)."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for after in sorted(graph.get(node, ())):
            if after not in number:
                visit(after)
            if after in stack:
                low[node] = min(low[node], low[after])
        if low[node] == number[node]:
            members = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(members) > 1:
                found.append(sorted(members))

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found


class Order(unittest.TestCase):
    def test_cycles_are_found(self):
        self.assertEqual(cycles({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}), [["b", "c"]])
        self.assertEqual(cycles({"a": {"b", "c"}, "b": {"c"}, "c": set()}), [])

    def test_every_folder_has_its_place(self):
        found = {os.path.dirname(name(path)) for path in sources(*ROOTS)}
        self.assertEqual(found - set(ORDER), set())
        self.assertEqual(set(ORDER) - found, set())

    def test_the_page_has_the_list(self):
        block = re.search(r"^```text\n(dataplane/base .*?)^```$", (SOURCE / "doc/development.md").read_text(), re.M | re.S)
        self.assertEqual([line.split()[0] for line in block.group(1).splitlines()], list(ORDER))

    def test_folders_include_only_those_above(self):
        place = {folder: i for i, folder in enumerate(ORDER)}
        wrong = [f"{name(path)} includes {name(found)}" for path, found in edges()
                 if place.get(os.path.dirname(name(found)), -1) > place.get(os.path.dirname(name(path)), -1)]
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))

    def test_files_have_no_cycles(self):
        graph = defaultdict(set)
        for path, found in edges():
            if module(path) != module(found):
                graph[module(path)].add(module(found))
        self.assertEqual(sorted(cycles(graph)), KNOWN_CYCLES)


class Format(unittest.TestCase):
    def test_sources_are_formatted(self):
        """By clang-format 14 with .clang-format; tables of rows stand between `// clang-format off` and `on`."""
        # A process for some files each: most of its time is that of its start.
        def wrong(paths):
            done = subprocess.run(["clang-format", "--dry-run", "-Werror", *paths], capture_output=True, text=True)
            found = re.findall(r"^(/.*?):\d+:\d+: error: ", done.stderr, re.M)
            return set(found) if found or done.returncode == 0 else set(paths)

        paths = sorted(map(str, sources(*ROOTS, "tests")))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = set().union(*pool.map(wrong, (paths[first::PARTS] for first in range(PARTS))))
        self.assertEqual([name(Path(path)) for path in sorted(found)], [], "clang-format -i mends them")



if __name__ == "__main__":
    unittest.main()
