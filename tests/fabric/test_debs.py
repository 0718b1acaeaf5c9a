# SPDX-License-Identifier: BSD-3-Clause
"""The Debian packages of the last commit: they build, lintian finds nothing in them, and what they hold works. Building takes
minutes, so only a full run does it."""
import gzip
import shutil
import unittest

from support import *


COMMIT = command("git", "-C", SOURCE, "rev-parse", "--short=12", "HEAD", status=None).out.strip()
OTHERS = {"rooster_1.0_all.deb", "roost-tools_1.0_all.deb"}      # packages that are not Roost's


def content(path):
    """The bytes of a file, not compressed."""
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes())
    if path.suffix == ".debug":
        command("objcopy", "--decompress-debug-sections", path)
    return path.read_bytes()


@unittest.skipUnless(FULL, "building the packages takes minutes")
@unittest.skipUnless(COMMIT, "not a git repository with a commit")
class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        cls.work = cls.directory / "work"       # where it builds
        cls.work.mkdir()
        (cls.directory / "debs").mkdir()
        for name in OTHERS | {"roost_0.0.1_amd64.deb", "roost-dbgsym_0.0.1_amd64.deb"}:
            (cls.directory / "debs" / name).touch()
        command(SOURCE / "testbeds/package/build", "--debs", "debs", timeout=1500, cwd=cls.directory,
                env=os.environ | {"TMPDIR": str(cls.work)})
        for name in OTHERS:
            (cls.directory / "debs" / name).unlink()
        cls.root = cls.directory / "root"
        for path in (cls.directory / "debs").glob("*.deb"):
            command("dpkg-deb", "-x", path, cls.root)

    def run_(self, *words, **env):
        return command(*words, env=os.environ | env)

    def test_names(self):
        names = {path.name.partition("_")[0] for path in (self.directory / "debs").iterdir()}
        self.assertEqual(names, {"roost", "roost-dbgsym", "roost-mpi", "roost-mpi-dbgsym", "python3-roost", "roost-labs-key", "roost-doc"})

    def test_the_same_wherever_it_is_built(self):
        """No file has the path of the directory that it was built in."""
        files = [path for path in self.root.rglob("*") if path.is_file() and not path.is_symlink()]
        self.assertIn(".debug", {path.suffix for path in files})
        self.assertEqual([path for path in files if os.fsencode(self.work) in content(path)], [])

    def test_the_program(self):
        """It runs as the program of this tree does, and knows its commit."""
        program = self.root / "usr/bin/roost"
        self.assertRegex(self.run_(program, "--version").out, rf"^roost [\d.]+ \({COMMIT}\)\n$")
        here, there = (self.run_(path, "sim", SOURCE / "conf/demo.yaml").out for path in (ROOST, program))
        self.assertEqual(re.search("^digest .*", here, re.M)[0], re.search("^digest .*", there, re.M)[0])
        self.assertIn("roost web [", self.run_(program, "web", "--help").out)
        self.assertTrue(os.access(self.root / "usr/libexec/roost/roost-web", os.X_OK))

    def test_a_report_has_the_page(self):
        file = self.directory / "film.yaml"
        file.write_text("fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 2}}\n"
                        "workload: [{kind: incast, to: h1, from: [h2, h3], size: 100KB}]\n"
                        "record: {interval: 10us, film: on}\n")
        self.run_(self.root / "usr/bin/roost", "sim", file, "-o", self.directory / "out")
        self.run_(self.root / "usr/bin/roost", "report", self.directory / "out", "-o", self.directory / "report.html")
        self.assertIn("script-src 'sha256-", (self.directory / "report.html").read_text())     # the player of the film

    def test_python(self):
        found = self.run_("/usr/bin/python3", "-c", "import roost, roost.sai; print(roost.__file__)",
                          PYTHONPATH=str(self.root / "usr/lib/python3/dist-packages")).out
        self.assertTrue(found.startswith(str(self.root)), found)

    def test_manual(self):
        """A page for each command; what one says is what --help says."""
        pages = {path.name for path in (self.root / "usr/share/man/man1").iterdir()}
        commands = re.findall(r"^  (\S+)  ", self.run_(ROOST, "help").out.partition("commands:\n")[2].partition("\n\n")[0], re.M)
        self.assertEqual(pages, {"roost.1.gz", *(f"roost-{name}.1.gz" for name in commands)})
        text = self.run_("man", "-P", "cat", "-l", self.root / "usr/share/man/man1/roost-sim.1.gz", MANWIDTH="200").out
        self.assertIn("roost sim FILE [-o DIR]", text)
        self.assertIn("replace the seed of the file", text)
        keys = self.run_("man", "-P", "cat", "-l", self.root / "usr/share/man/man5/roost.5.gz", MANWIDTH="200").out
        self.assertIn("at or below, no packet is marked", keys)

    def test_service(self):
        text = (self.root / "lib/systemd/system/roost@.service").read_text()
        self.assertIn("ExecStart=/usr/bin/roost run /etc/roost/%i.yaml\n", text)
        unit = self.directory / "roost@.service"
        unit.write_text(text.replace("/usr/bin/roost", str(self.root / "usr/bin/roost")))
        self.assertNotIn("roost@", command("systemd-analyze", "verify", "--man=no", unit).err)


if __name__ == "__main__":
    unittest.main()
