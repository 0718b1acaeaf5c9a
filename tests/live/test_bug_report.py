# SPDX-License-Identifier: BSD-3-Clause
"""`roost bug-report` of a fabric that is up."""
from common import *


class BugReport(Shared):

    def report(self, *words):
        first, *parts = self.up.command("bug-report", "-o", "-", *words).out.split("\n== ")
        return dict(part.split("\n\n", 1) for part in parts)

    def part(self, parts, name):
        return json.loads(parts[f"fabric {self.name}: {name}"])

    def test_it_has_what_the_commands_show(self):
        parts = self.report()
        for word in ("config", "hosts", "drops", "pfc", "log"):
            self.assertEqual(self.part(parts, f"show {word}") | {"time_ns": 0}, self.up.show(word) | {"time_ns": 0}, word)
        self.assertEqual(self.part(parts, "topology"), json.loads(self.up.command("graph", "--format", "json").out))
        self.assertEqual(self.part(parts, "history"), json.loads(self.up.command("history", "-o", "json").out))
        self.assertEqual(set(self.part(parts, "counters")["nodes"]),
                         {"leaf1", "leaf2", "spine1", "spine2"} | {f"h{i}" for i in range(1, 9)})
        words = json.loads(self.up.command("api").out)
        shown = next(method for method in words["methods"] if method["name"] == "show")
        what = next(one for one in shown["params"] if one["name"] == "what")
        self.assertLessEqual({f"fabric {self.name}: show {word}" for word in what["schema"]["enum"]}, set(parts))

    def test_its_configuration_is_a_file(self):
        path = self.directory / "again.yaml"
        path.write_text(self.report()[f"fabric {self.name}: configuration"])
        roost("check", path)

    def test_without_addresses(self):
        parts = self.report("--blank-addresses")
        text = "\n".join(parts.values())
        for address in ("10.0.1.1", "10.0.2.1", "fd00::1:1", "02:00:0a:00:01:01"):
            self.assertNotRegex(text, rf"(?<![\w.:]){re.escape(address)}(?![\w.])")
        hosts = {one["host"]: one for one in self.part(parts, "show hosts")["hosts"]}
        self.assertRegex(hosts["h5"]["address"], r"^<ip4-\d+>$")
        self.assertNotEqual(hosts["h1"]["address"], hosts["h5"]["address"])
