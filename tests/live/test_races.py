# SPDX-License-Identifier: BSD-3-Clause
"""`up` and `down` of one fabric at the same time, after it was killed at any moment: there is one fabric or none,
it can be reached, and nothing else is left."""
import random
import signal

from common import *

ROUNDS = 100 if FULL else 20
PATIENCE_S = 60


def processes(path):
    """The PIDs of roost that were started with this file, without their watchers."""
    found = set()
    for cmdline in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = cmdline.read_bytes().split(b"\0")
            name, _, rest = (cmdline.parent / "stat").read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        # A daemon that has ended is a zombie until process 1 looks after it.
        if str(path).encode() in words and name != "roost-watcher" and rest.split()[0] != "Z":
            found.add(int(cmdline.parent.name))
    return found


def kill_all(path):
    for pid in processes(path):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


class Races(LiveCase):

    def setUp(self):
        self.name = name_of("races")
        description = demo(self.name, attach=("h1",))
        description["fabric"]["topology"] |= {"leaves": 1, "spines": 1, "hosts-per-leaf": 2}
        del description["tenants"]      # which name more hosts
        self.path = self.file(description, f"{self.name}.yaml")
        self.addCleanup(self.assert_clean, self.name)
        self.addCleanup(kill_all, self.path)    # of a fabric that cannot be reached
        self.addCleanup(roost, "down", self.name, status=None)

    def state(self):
        try:
            return json.loads(Path(f"/run/roost/{self.name}.state").read_text())
        except FileNotFoundError:
            return None

    def start(self, word):
        return subprocess.Popen([ROOST, word, str(self.path) if word == "up" else self.name],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def together(self, *words):
        """Runs commands at the same time; returns their exit statuses and what they said."""
        started = [self.start(word) for word in words]
        said = [one.communicate(timeout=PATIENCE_S) for one in started]
        return [one.returncode for one in started], said

    def assert_one_or_none(self, said):
        """The record, the processes and the socket agree."""
        state = self.state()
        self.assertEqual(processes(self.path), {state["pid"]} if state else set(), said)
        if state:
            self.assertEqual(roost("show", "fabric", "-f", self.name, "-o", "json").json["name"], self.name)
        else:
            self.assertEqual(clean(self.name), [], said)
        return state

    def test_after_a_kill(self):
        generator = random.Random(1)
        roost("up", self.path)
        for number in range(ROUNDS):
            words = (("up", "up"), ("up", "down"), ("up", "down", "up"))[number % 3]
            os.kill(self.state()["pid"], signal.SIGKILL)
            time.sleep(generator.choice((0, 0, 0.01, 0.1)))     # it may still be going
            statuses, said = self.together(*words)
            said = (f"round {number}: {words}", said)
            if "down" not in words:
                self.assertEqual(sorted(statuses), [0, 1], said)
            if self.assert_one_or_none(said) is None:
                roost("up", self.path)
        roost("down", self.name)
        self.assertEqual(processes(self.path), set())
        self.assertEqual(clean(self.name), [])

    def test_killed_while_they_race(self):
        """`up` and `down` are killed at any moment and leave any of their files. The next `up` or `down` works."""
        generator = random.Random(2)
        for number in range(ROUNDS // 2):
            started = [self.start(word) for word in ("up", "up")]
            time.sleep(generator.uniform(0, 0.3))
            kill_all(self.path)
            for one in started:
                one.communicate(timeout=PATIENCE_S)
            wait_until(lambda: not processes(self.path), "they have ended")
            if number % 2:
                roost("up", self.path)
                self.assert_one_or_none(f"round {number}")
            done = roost("down", self.name, status=None)
            self.assertIn(done.status, (0, 1), str(done))
            self.assertEqual(clean(self.name), [], f"round {number}")


class Lost(LiveCase):
    """Single cases of what a killed fabric leaves and what others do to it."""

    def setUp(self):
        self.name = name_of(f"lost{self.id()[-4:]}")
        self.path = self.file(demo(self.name, attach=("h1",)), f"{self.name}.yaml")
        self.addCleanup(self.assert_clean, self.name)
        self.addCleanup(kill_all, self.path)    # of a fabric that cannot be reached
        self.addCleanup(roost, "down", self.name, status=None)

    def left(self, suffix, text=""):
        path = Path(f"/run/roost/{self.name}{suffix}")
        path.write_text(text)
        return path

    def test_each_file_alone(self):
        roost("up", self.path)
        roost("down", self.name)     # the directory is there
        for suffix in (".state", ".state.new", ".lock"):
            with self.subTest(suffix):
                self.left(suffix)
                roost("down", self.name, status=None)
                self.assertEqual(clean(self.name), [])
        with socket.socket(socket.AF_UNIX) as stale:
            stale.bind(f"/run/roost/{self.name}.sock")
        self.assertEqual(roost("down", self.name).out, f"{self.name} was not running any more; cleaned up after it\n")
        self.assertEqual(clean(self.name), [])

    def test_damaged_record(self):
        roost("up", self.path)
        path = Path(f"/run/roost/{self.name}.state")
        text = path.read_text()
        os.kill(json.loads(text)["pid"], signal.SIGKILL)
        path.write_text(text[:20])
        done = roost("down", self.name)
        self.assertIn("it is damaged: namespaces of hosts may be left", done.err)
        command("ip", "netns", "del", netns(self.name, "h1"))
        self.assertEqual(clean(self.name), [])

    def test_socket_that_was_removed(self):
        """`up` does not start a second fabric beside one that cannot be reached. `down` ends that one."""
        roost("up", self.path)
        pid = json.loads(Path(f"/run/roost/{self.name}.state").read_text())["pid"]
        Path(f"/run/roost/{self.name}.sock").unlink()
        self.assert_refused(f"^roost: process {pid} still runs {self.name}, but does not serve its socket",
                            "up", self.path, status=1)
        self.assertEqual(processes(self.path), {pid})
        roost("down", self.name)
        self.assertEqual((processes(self.path), clean(self.name)), (set(), []))

    def test_number_used_again(self):
        """A process that has got the PID of a killed fabric is left alone."""
        other = subprocess.Popen(["sleep", "60"])
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        roost("up", self.path)
        roost("down", self.name)
        self.left(".state", json.dumps({"name": self.name, "pid": other.pid, "began": 1, "namespaces": []}))
        roost("down", self.name)
        self.assertIsNone(other.poll())
        self.assertEqual(clean(self.name), [])

    def test_damaged_revisions(self):
        """`up NAME` takes the last revision that is whole, and says so."""
        roost("up", self.path)
        roost("set", "switch.qos.tc.3.ecn.min", "60KB", "-f", self.name)
        roost("down", self.name)
        store = Path(os.environ["ROOST_STATE"]) / self.name
        last = store / "2.yaml"
        last.write_bytes(last.read_bytes()[:-100])
        os.mkfifo(store / "3.yaml")
        done = roost("up", self.name)
        said = rf"warning: {store}/1.yaml: using this revision, because a later one cannot be read: {store}/"
        self.assertRegex(done.err, said + "3.yaml: it is not a regular file\n")
        self.assertRegex(done.err, said + "2.yaml: the revision is damaged, or was cut short\n")
        self.assertEqual(roost("history", "-f", self.name, "-o", "json").json["running"], 4)
        roost("down", self.name)
        for path in store.iterdir():
            if path.is_file():
                path.write_text("")
        self.assert_refused(f"^roost: {self.name}: none of its revisions can be read: {store}/4.yaml: the revision is damaged",
                            "up", self.name, status=1)

    def test_exec_without_its_namespace(self):
        roost("up", self.path)
        command("ip", "netns", "del", netns(self.name, "h1"))
        self.assert_refused(f"^roost exec: namespace {netns(self.name, 'h1')} is gone", "exec", "-f", self.name, "h1", "--",
                            "true", status=1)
        roost("down", self.name)

    def test_empty_name(self):
        """An empty name is an error. It does not mean the only fabric."""
        roost("up", self.path)
        for words in (("down", ""), ("show", "fabric", "-f", "")):
            self.assertRegex(roost(*words, status=2).err, '"" is not a name')
        self.assertEqual(len(processes(self.path)), 1)
        roost("down", self.name)


if __name__ == "__main__":
    unittest.main()
