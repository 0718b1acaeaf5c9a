# SPDX-License-Identifier: BSD-3-Clause
"""`roost bug-report` of a file, where no fabric is up."""
import stat

from common import *

FILE = """\
fabric:
  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}
workload:
  - {kind: flow, from: h1, to: 10.0.1.2, size: 1MB}     # an address
"""


def sections(text):
    """The parts of a report: its first line, then text by heading."""
    first, *parts = text.split("\n== ")
    return first, dict(part.split("\n\n", 1) for part in parts)


class BugReport(Case):

    def setUp(self):
        super().setUp()
        self.fabrics = self.directory / "run"       # where nobody's fabrics are
        self.fabrics.mkdir()
        self.path = self.file(FILE, "lab.yaml")

    def report(self, *words, **options):
        return roost("bug-report", *words, env=os.environ | {"XDG_RUNTIME_DIR": str(self.fabrics)}, **options)

    def test_a_file_and_its_errors(self):
        out = self.directory / "report.txt"
        done = self.report(self.path, "-o", out)
        self.assertRegex(done.out, rf"^{out}: \d+ KB of text; read it before you pass it on\n$")
        self.assertEqual(stat.S_IMODE(out.stat().st_mode), 0o600)
        first, parts = sections(out.read_text())
        version = roost("--version").out.strip()
        self.assertRegex(first, rf"^Report of {re.escape(version)}, \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d UTC\n$")
        self.assertIn(f"processors: {os.sysconf('SC_NPROCESSORS_ONLN')} of ", parts["machine"])
        self.assertEqual(parts[f"file {self.path}"], FILE)
        self.assertEqual(parts[f"roost check {self.path}"], roost("check", self.path, status=2).err)

    def test_blanked(self):
        plain = self.report(self.path, "-o", "-").out
        blanked = self.report(self.path, "-o", "-", "--blank-addresses").out
        self.assertIn("to: 10.0.1.2,", plain)
        self.assertIn("to: <ip4-1>,", blanked)
        self.assertNotIn("10.0.1.2", blanked)

    def test_a_file_that_exists_stays(self):
        self.assertEqual(self.report(self.path, "-o", self.path, status=1).err,
                         f"roost bug-report: {self.path} exists: give another name\n")
        self.assertEqual(self.path.read_text(), FILE)
        done = self.report("-o", self.directory / "none/report.txt", status=1)
        self.assertIn("none/report.txt: No such file or directory\n", done.err)
        self.assertEqual(self.report(self.path, status=2).err.splitlines()[0], "roost bug-report: -o FILE is missing")

    def test_a_file_that_cannot_be_read(self):
        _, parts = sections(self.report(self.directory / "none.yaml", "-o", "-").out)
        self.assertEqual(parts[f"file {self.directory / 'none.yaml'}"].strip(), "No such file or directory")

    def test_a_disk_that_is_full(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([ROOST, "bug-report", "-o", "-"], stdout=full, stderr=subprocess.PIPE, text=True,
                                  check=False)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
        self.assertIn("No space left on device", done.stderr)
