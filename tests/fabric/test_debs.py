# SPDX-License-Identifier: BSD-3-Clause
"""The Debian packages of the last commit, and the image with them: they build, lintian finds nothing in them, what they hold
works, also where they are installed, and purging them leaves nothing. Building takes minutes, so only a full run does it."""
import functools
import gzip
import shutil
import unittest

from support import *


COMMIT = command("git", "-C", SOURCE, "rev-parse", "--short=12", "HEAD", status=None).out.strip()
OTHERS = {"rooster_1.0_all.deb", "roost-tools_1.0_all.deb"}      # packages that are not Roost's
OLDER = {"roost_0.0.1_amd64.deb", "roost-dbgsym_0.0.1_amd64.deb", "roost.oci.tar"}
PACKAGES = {"roost", "roost-mpi", "python3-roost", "roost-labs-key", "roost-doc"}
DEMO = SOURCE / "conf/demo.yaml"
INSTALLED_DEMO = "/usr/share/doc/roost/examples/conf/demo.yaml"
# Where apt and dpkg, and what they start, keep files of their own.
OF_THE_SYSTEM = ("var/lib/apt/", "var/lib/dpkg/", "var/cache/", "var/log/")
# ENTER's first argument: the directory that is to be the root. Mounts and processes end with the command.
IN_A_ROOT = ("unshare", "--mount", "--net", "--pid", "--fork", "--kill-child")
ENTER = "for one in dev sys; do mount --rbind /$one $0/$one; done && mount -t proc proc $0/proc && ip link set lo up && " \
    'exec chroot "$0" "$@"'
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}


@functools.cache
def built():
    """The directory with the packages and the image, and with what was there before and stays."""
    directory = Path(tempfile.mkdtemp())
    unittest.addModuleCleanup(shutil.rmtree, directory)
    (directory / "work").mkdir()        # where it builds
    (directory / "debs").mkdir()
    for name in OTHERS | OLDER:
        (directory / "debs" / name).touch()
    command(SOURCE / "testbeds/package/build", "debs", timeout=1500, cwd=directory,
            env=os.environ | {"TMPDIR": str(directory / "work")})
    return directory


def debs():
    return [path for path in (built() / "debs").glob("*.deb") if path.name not in OTHERS]


def digest(text):
    return re.search("^digest .*", text, re.M)[0]


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
        cls.directory = built()
        cls.root = cls.directory / "root"
        for path in debs():
            command("dpkg-deb", "-x", path, cls.root)

    def run_(self, *words, **env):
        return command(*words, env=os.environ | env)

    def test_names(self):
        names = {path.name for path in (self.directory / "debs").iterdir()}
        self.assertEqual(names & (OTHERS | OLDER), OTHERS | {"roost.oci.tar"})
        self.assertEqual({path.name.partition("_")[0] for path in debs()}, PACKAGES | {"roost-dbgsym", "roost-mpi-dbgsym"})

    def test_the_same_wherever_it_is_built(self):
        """No file has the path of the directory that it was built in."""
        files = [path for path in self.root.rglob("*") if path.is_file() and not path.is_symlink()]
        self.assertIn(".debug", {path.suffix for path in files})
        self.assertEqual([path for path in files if os.fsencode(self.directory / "work") in content(path)], [])

    def test_the_program(self):
        """It runs as the program of this tree does, and knows its commit."""
        program = self.root / "usr/bin/roost"
        self.assertRegex(self.run_(program, "--version").out, rf"^roost [\d.]+ \({COMMIT}\)\n$")
        here, there = (self.run_(path, "sim", DEMO).out for path in (ROOST, program))
        self.assertEqual(digest(here), digest(there))
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


@unittest.skipUnless(FULL, "building the packages takes minutes")
@unittest.skipUnless(COMMIT, "not a git repository with a commit")
class Installed(unittest.TestCase):
    """On a Debian 12 that has what the packages depend on, and no network."""

    @classmethod
    def setUpClass(cls):
        need_root()
        cls.root = built() / "debian"
        needed = {"bash-completion", "man-db", "python3-yaml", "systemd"}       # recommended, or use what the packages bring
        for path in debs():
            needed |= set(re.findall(r"(?:^|, )([a-z0-9.+-]+)", command("dpkg-deb", "-f", path, "Depends").out))
        command("mmdebstrap", "--variant=apt", f"--include={','.join(sorted(needed - PACKAGES))}", "bookworm", cls.root, timeout=900)
        cls.before = cls.files(cls.root)
        (cls.root / "debs").mkdir()
        for path in debs():
            shutil.copy(path, cls.root / "debs")
        cls.run_("sh", "-c", "apt-get -q -y install /debs/*.deb", timeout=300)
        shutil.rmtree(cls.root / "debs")

    @classmethod
    def run_(cls, *words, root=None, **options):
        return command(*IN_A_ROOT, "sh", "-c", ENTER, root or cls.root, *words, env=ENVIRONMENT, **options)

    @staticmethod
    def files(root):
        found = command("find", root, "-xdev", "-printf", r"%P %M %U %G %l\n").out.splitlines()
        return {line for line in found if not line.startswith(OF_THE_SYSTEM)}

    def test_the_demo(self):
        done = self.run_("roost", "sim", INSTALLED_DEMO)
        self.assertEqual(digest(done.out), digest(roost("sim", DEMO).out))

    def test_processes(self):
        done = self.run_("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", "roost", "sim", INSTALLED_DEMO)
        self.assertEqual(digest(done.out), digest(roost("sim", DEMO).out))

    def test_manual(self):
        for page in ("roost", "roost-sim"):
            self.assertIn(f"NAME\n       {page} - ", self.run_("man", "-P", "cat", page).out)

    def test_completion(self):
        script = "source /usr/share/bash-completion/bash_completion; __load_completion roost; " \
            'COMP_WORDS=(roost si) COMP_CWORD=1; _roost; echo "${COMPREPLY[@]}"'
        self.assertEqual(self.run_("bash", "-c", script).out, "sim\n")

    def test_service(self):
        """Its program and its page are there, and systemd knows its keys."""
        done = self.run_("systemd-analyze", "verify", "/lib/systemd/system/roost@.service")
        self.assertEqual(done.out + done.err, "")

    def test_purge(self):
        """Nothing is left, also of what root has run: neither compiled Python nor revisions."""
        root = self.root.parent / "purged"
        command("cp", "-a", self.root, root)
        self.run_("sh", "-ec", f"cd /tmp; roost sim {INSTALLED_DEMO} -o run; roost plot run; roost lab list;"
                  " python3 -c 'import roost.sai'; rm -r run; mkdir -p /var/lib/roost/demo", root=root)
        self.assertNotEqual(self.files(root), self.before)
        self.run_("sh", "-ec", "apt-get -q -y purge $(dpkg-query -W -f '${Package} ' '*roost*')", root=root)
        self.assertEqual(sorted(self.files(root) ^ self.before), [])


@unittest.skipUnless(FULL, "building the packages takes minutes")
@unittest.skipUnless(COMMIT, "not a git repository with a commit")
class Image(unittest.TestCase):
    def test_it_runs(self):
        """As an engine does: the layers, one over the other, and what the configuration says."""
        image, root = built() / "image", built() / "image-root"
        image.mkdir()
        command("tar", "-C", image, "-xf", built() / "debs/roost.oci.tar")

        def blob(described):
            return image / "blobs" / described["digest"].replace(":", "/")
        manifest = json.loads(blob(json.loads((image / "index.json").read_text())["manifests"][0]).read_text())
        config = json.loads(blob(manifest["config"]).read_text())["config"]
        home = root / config["WorkingDir"].lstrip("/")
        home.mkdir(parents=True)
        for layer in manifest["layers"]:
            command("tar", "-C", root, "--exclude=./dev/*", "-xf", blob(layer))
        shutil.copy(DEMO, home)

        def run_(*words):
            return command(*IN_A_ROOT, "--map-root-user", "sh", "-c", ENTER, root, "env", "-C", config["WorkingDir"],
                           *config["Entrypoint"], *words, env=ENVIRONMENT)
        self.assertIn("commands:\n", run_(*config["Cmd"]).out)
        self.assertEqual(run_("--version").out.split()[2:], [f"({COMMIT})"])
        self.assertEqual(digest(run_("sim", DEMO.name).out), digest(roost("sim", DEMO).out))
        self.assertLess((built() / "debs/roost.oci.tar").stat().st_size, 100e6)


if __name__ == "__main__":
    unittest.main()
