# SPDX-License-Identifier: BSD-3-Clause
"""Files of earlier versions: old names are read with a warning, and `roost migrate` rewrites them in place."""
import os
import re
import stat

from common import *

OLD = """# A lab.
fabric:
  topology: {kind: clos3, pods: 2, leaves: 2, spines: 2, supers: 2,   # two of them
             hosts_per_leaf: 2}
super: {latency: 1us}
workload:
  - {kind: flow, from: h1, to: h8, size: 100KB}
"""
NEW = (OLD.replace("fabric:", "version: 1\nfabric:", 1).replace("supers", "super-spines").replace("hosts_per_leaf", "hosts-per-leaf")
       .replace("\nsuper:", "\nsuper-spine:"))
PLACES = [("3:58", "fabric.topology.supers", "supers", "super-spines"),
          ("4:14", "fabric.topology.hosts_per_leaf", "hosts_per_leaf", "hosts-per-leaf"),
          ("5:1", "super", "super", "super-spine")]


class Migrate(Case):
    def test_old_names_are_read(self):
        path = self.file(OLD)
        done = roost("check", path)
        self.assertEqual(done.err, "".join(f"warning: {path}:{at}: {key}: is called {now} now: `roost migrate` rewrites the file\n"
                                           for at, key, _, now in PLACES))
        self.assertEqual(self.sim(self.file(OLD)).digest, self.sim(self.file(NEW, "new.yaml")).digest)

    def test_in_place(self):
        path = self.file(OLD)
        path.chmod(0o640)
        done = roost("migrate", path)
        self.assertEqual(done.out, "".join(f"{path}:{at}: {key}: {was} is {now} now\n" for at, key, was, now in PLACES)
                         + f"wrote {path}, with version: 1; the old file is {path}~\n")
        self.assertEqual((done.err, path.read_text(), Path(f"{path}~").read_text()), ("", NEW, OLD))
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o640)
        self.assertEqual(roost("check", path).err, "")
        before = path.stat().st_ino
        self.assertEqual(roost("migrate", path).out, f"{path}: nothing to change\n")
        self.assertEqual((path.stat().st_ino, Path(f"{path}~").read_text()), (before, OLD))

    def test_to_another_file(self):
        path, out = self.file(OLD), self.directory / "out.yaml"
        told = json.loads(roost("migrate", path, out, "-o", "json").out)
        self.assertEqual(told, {
            "file": str(out), "changed": True, "version-added": True, "notes": [],
            "changes": [{"line": int(at.partition(":")[0]), "column": int(at.partition(":")[2]), "key": key, "from": was, "to": now}
                        for at, key, was, now in PLACES]})
        self.assertEqual((path.read_text(), out.read_text()), (OLD, NEW))
        again = self.directory / "again.yaml"
        self.assertEqual(roost("migrate", out, again).out, f"{out}: nothing to change\nwrote {again}\n")
        self.assertEqual(again.read_text(), NEW)

    def test_a_link(self):
        """What it points to is rewritten, and it stays a link."""
        (self.directory / "real").mkdir()
        real, link = self.file(OLD, "real/lab.yaml"), self.directory / "link.yaml"
        link.symlink_to("real/lab.yaml")
        self.assertIn(f"wrote {link}, with version: 1; the old file is {real.resolve()}~\n", roost("migrate", link).out)
        self.assertEqual((os.readlink(link), real.read_text()), ("real/lab.yaml", NEW))

    def test_what_cannot_be_written_stays(self):
        path = self.file(OLD)
        self.assert_refused(r"^roost migrate: .*/nosuch/lab\.yaml: cannot be written: No such file or directory$",
                            "migrate", path, self.directory / "nosuch/lab.yaml", status=1)
        self.assert_refused(rf"^roost migrate: {self.directory}: cannot be written: Is a directory$",
                            "migrate", path, self.directory, status=1)
        self.assert_refused(r"^roost migrate: nosuch\.yaml: cannot be read: No such file or directory$", "migrate", "nosuch.yaml")
        if os.geteuid() == 0:
            return
        path.chmod(0o400)
        self.assert_refused(r"cannot be written: Permission denied$", "migrate", path, status=1)
        self.assertEqual(path.read_text(), OLD)

    def test_what_is_refused(self):
        for text, pattern in (
                ("version: 2\n" + OLD, r"1:10: version: a newer version of Roost wrote this file: its format is 2, and"),
                (OLD.replace("supers: 2", "supers: 2, super-spines: 2"), r"3:58: fabric\.topology\.supers: is the old name of super-spines"),
                (OLD.replace("supers", '"s\\x75pers"'), r"3:58: fabric\.topology\.supers: cannot be replaced here: write super-spines"),
                ("fabric: [\n", r"2:1: ")):
            with self.subTest(pattern=pattern):
                path = self.file(text)
                self.assert_refused(rf"^{path}:{pattern}", "migrate", path)
                self.assertEqual((path.read_text(), [*self.directory.iterdir()]), (text, [path]))

    def test_a_default_that_has_changed(self):
        path = self.file(NEW.replace("version: 1\n", "") + "attach: {h1: {netns: a}}\n")
        self.assertEqual(roost("check", path).err, "")
        self.assertRegex(roost("migrate", path).out, rf"^{path}:8:14: attach\.h1\.nic: note: an edge NIC stands between .*\n"
                         rf"wrote {path}, with version: 1; ")
        self.assertEqual(roost("migrate", path).out, f"{path}: nothing to change\n")

    def test_a_port_s_mac(self):
        """Ports with a device have MACs of their own since then, unless the file sets one for all."""
        for mac, notes in (("", 1), ("mac: '02:00:00:00:00:09', ", 0)):
            path = self.file(f"switch: {{preset: spectrum-x, {mac}ports: {{swp1: {{rate: 100G, dev: net_null0}}}}}}\n")
            self.assertEqual(roost("migrate", path).out.count("switch.ports.swp1.mac: note: each port with dev has a MAC"), notes)

    @unittest.skipIf(os.geteuid() != 0, "only root can give files away")
    def test_the_owner_stays(self):
        path = self.file(OLD)
        os.chown(path, 65534, 65534)
        path.chmod(0o600)
        roost("migrate", path)
        for one in (path, Path(f"{path}~")):
            self.assertEqual((one.stat().st_uid, one.stat().st_gid, stat.S_IMODE(one.stat().st_mode)), (65534, 65534, 0o600))

    def test_the_page_lists_each_row(self):
        rows = re.findall(r'\{1, FORMAT_\w+, "([^"]*)", "([^"]*)"', (SOURCE / "control/config/format.c").read_text())
        page = (SOURCE / "doc/configuration.md").read_text().partition("| Before version 1 | Now |\n")[2].partition("\n\n")[0]
        self.assertGreater(len(rows), 8)
        for _, was in rows:
            self.assertRegex(page, rf"\| `?[^|]*\b{re.escape(was)}`?[^|]* \| ", was)


if __name__ == "__main__":
    unittest.main()
