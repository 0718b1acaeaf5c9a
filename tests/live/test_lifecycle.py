# SPDX-License-Identifier: BSD-3-Clause
"""Up and down, in order and out of order. Whatever goes wrong is told in one line, and nothing of it is
left on the machine."""
import signal

from common import *


def state_of(name):
    return json.loads(Path(f"/run/roost/{name}.state").read_text())


def end_of(pid):
    """Something that select() finds readable when the process has ended, asked after or not."""
    return os.pidfd_open(pid)


class Lifecycle(LiveCase):

    def setUp(self):
        self.name = name_of("cycle")
        self.addCleanup(self.assert_clean, self.name)
        self.path = self.file(demo(self.name, attach=("h1", "h5")), "cycle.yaml")

    def up(self):
        """Brings the fabric up; returns its process."""
        roost("up", self.path)
        return state_of(self.name)["pid"]

    def start_up(self):
        """`up`, to be overtaken by something."""
        process = subprocess.Popen([ROOST, "up", self.path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: Path(f"/run/roost/{self.name}.state").exists(), "it has begun")
        return process

    def kill(self, pid, number=signal.SIGKILL):
        end = end_of(pid)
        os.kill(pid, number)
        self.assertTrue(select.select([end], [], [], 10)[0], f"process {pid} does not end")
        os.close(end)

    def test_up_and_down(self):
        done = roost("up", self.path)
        self.assertEqual((done.out, done.err), (f"{self.name} is up; `roost show fabric` shows it, "
                                                f"`roost down {self.name}` takes it down\n", ""))
        end = end_of(state_of(self.name)["pid"])
        self.assert_reaches(self.name, "h1", "h5")
        done = roost("down", self.name)
        self.assertEqual((done.out, done.err), (f"{self.name} is down\n", ""))
        self.assertTrue(select.select([end], [], [], 0)[0])
        self.assertEqual(clean(self.name), [])   # at once
        os.close(end)

    def test_again_and_again(self):
        for _ in range(4):
            self.up()
            self.assert_reaches(self.name, "h1", "h5")
            roost("down", self.name)

    def test_up_twice(self):
        pid = self.up()
        self.assert_refused(f"^roost: {self.name} is up already; `roost down {self.name}` takes it down$",
                            "up", self.path, status=1)
        self.assertEqual(state_of(self.name)["pid"], pid)
        self.assert_reaches(self.name, "h1", "h5")
        roost("down", self.name)

    def test_both_at_once(self):
        """Of two that come up at the same time one does."""
        both = [subprocess.Popen([ROOST, "up", self.path], text=True, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE) for _ in range(2)]
        texts = [one.communicate(timeout=60) for one in both]
        self.assertEqual(sorted(one.returncode for one in both), [0, 1], texts)
        lost = next(err for one, (_, err) in zip(both, texts) if one.returncode)
        self.assertEqual(len(lost.splitlines()), 1, lost)
        self.assert_reaches(self.name, "h1", "h5")
        roost("down", self.name)

    def test_two_fabrics(self):
        self.up()
        other = demo(self.name + "b", attach=("h1", "h5"))
        with Fabric(self.file(other, "b.yaml"), self.name + "b"):
            self.assert_reaches(self.name, "h1", "h5")
            self.assert_reaches(self.name + "b", "h1", "h5")
            for words in (("show", "fabric"), ("set", "switch.latency", "1us"), ("exec", "h1", "--", "true"), ("down",)):
                with self.subTest(words=words):
                    self.assertRegex(roost(*words, status=2).err,
                                     rf"several fabrics are up \((.+ )?{self.name} {self.name}b( .+)?\): pick one with -f NAME")
        self.assert_reaches(self.name, "h1", "h5")
        roost("down", self.name)
        self.assert_clean(self.name + "b")

    def test_killed_then_up(self):
        self.kill(self.up())
        done = roost("show", "fabric", "-f", self.name, status=1)
        self.assertRegex(done.err, f"^roost: fabric {self.name} is not up")
        done = roost("up", self.path)
        self.assertEqual(done.err, f"roost: note: cleaned up after a fabric {self.name} that was not taken down\n")
        self.assert_reaches(self.name, "h1", "h5")
        roost("down", self.name)

    def test_killed_and_up_at_once(self):
        """The killed process is still going."""
        for _ in range(3):
            os.kill(self.up(), signal.SIGKILL)
        roost("up", self.path)
        self.assert_reaches(self.name, "h1", "h5")
        os.kill(state_of(self.name)["pid"], signal.SIGKILL)
        roost("down", self.name)

    def test_no_answer(self):
        """A fabric that is there but does not answer is left alone."""
        pid = self.up()
        os.kill(pid, signal.SIGSTOP)
        self.addCleanup(lambda: Path(f"/proc/{pid}").exists() and os.kill(pid, signal.SIGCONT))
        self.assert_refused(f"^roost: {self.name} is up already", "up", self.path, status=1)
        self.assertEqual(state_of(self.name)["pid"], pid)
        os.kill(pid, signal.SIGCONT)
        self.assert_reaches(self.name, "h1", "h5")
        roost("down", self.name)

    def test_killed_then_down(self):
        self.kill(self.up())
        done = roost("down", self.name)
        self.assertEqual((done.out, done.err),
                         (f"{self.name} was not running any more; cleaned up after it\n", ""))
        self.assert_clean(self.name)
        self.assert_refused(f"^roost down: fabric {self.name} is not up", "down", self.name, status=1)

    def test_killed_while_it_comes_up(self):
        for after in (0.0, 0.03, 0.1, 0.2, 0.3):
            process = self.start_up()
            time.sleep(after)
            self.kill(state_of(self.name)["pid"])
            process.wait(60)
            roost("down", self.name)
            self.assert_clean(self.name)

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            pid = self.up()
            self.kill(pid, number)
            self.assert_clean(self.name)

    def test_signal_while_it_comes_up(self):
        process = self.start_up()
        self.kill(state_of(self.name)["pid"], signal.SIGTERM)
        process.wait(60)
        self.assert_clean(self.name)

    def test_run(self):
        """In the foreground, until Ctrl-C."""
        process = subprocess.Popen([ROOST, "run", self.path], stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), f"{self.name} runs; Ctrl-C takes it down\n")
        self.assert_reaches(self.name, "h1", "h5")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 0)
        process.stdout.close()
        self.assert_clean(self.name)

    def test_down_of_nothing(self):
        self.assert_refused(f"^roost down: fabric {self.name} is not up", "down", self.name, status=1)
        self.assertRegex(roost("down", self.name, "now", status=2).err, '^roost down: unexpected argument "now"')

    def test_namespace_that_was_there(self):
        """A namespace that is the user's stays; what was put into it goes."""
        there = netns(self.name, "h1")
        command("ip", "netns", "add", there)
        self.addCleanup(command, "ip", "netns", "del", there)
        for killed in (False, True):
            pid = self.up()
            self.assert_reaches(self.name, "h1", "h5")
            self.assertEqual(state_of(self.name)["namespaces"], [netns(self.name, "h5")])
            if killed:
                self.kill(pid)
            roost("down", self.name)
        # The kernel takes the interface a moment after the process.
        wait_until(lambda: [link["ifname"] for link in command("ip", "-n", there, "-j", "link").json] == ["lo"],
                   "nothing of the fabric is left in the namespace")
        self.assertFalse(Path(f"/run/netns/{netns(self.name, 'h5')}").exists())

    def test_host_that_vanishes(self):
        """The namespaces of two hosts are deleted. Their ports are down, the fabric goes on, and `down` works."""
        roost("up", self.file(demo(self.name), "cycle.yaml"))
        command("ip", "netns", "del", netns(self.name, "h5"))
        wait_until(lambda: port_of(self.name, *PORTS["h5"])["state"] == "down", "the port is down")
        sender = udp_socket(netns(self.name, "h1"))
        for _ in range(100):
            sender.send(bytes(100), (HOSTS["h5"], UDP_PORT))
        sender.socket.close()
        wait_until(lambda: drops(roost("show", "drops", "leaf2", "-f", self.name, "-o", "json").json["nodes"]) ==
                   {"no-next-hop": 100}, "all are dropped")
        self.assert_reaches(self.name, "h3", "h7")
        command("ip", "netns", "del", netns(self.name, "h3"))
        at = time.monotonic()
        roost("down", self.name)
        self.assertLess(time.monotonic() - at, 15)
        self.assert_clean(self.name)
        self.up()      # AF_XDP lets go of the interfaces
        self.assert_reaches(self.name, "h1", "h5")
        roost("down", self.name)
