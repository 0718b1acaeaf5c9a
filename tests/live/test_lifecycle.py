# SPDX-License-Identifier: BSD-3-Clause
"""Up and down, in order and out of order. Whatever goes wrong is told in one line, and nothing of it is
left on the machine."""
import signal

from common import *


def state_of(name):
    return json.loads(Path(f"/run/roost/{name}.state").read_text())


def is_running(pid):
    """A process that has ended but that nobody has asked after does not run."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Lifecycle(LiveCase):

    def setUp(self):
        self.name = name_of("cycle")
        self.addCleanup(self.assert_clean, self.name)
        self.path = self.file(demo(self.name, attach=("h1", "h5")), "cycle.yaml")

    def up(self):
        """Brings the fabric up; returns its process."""
        roost("up", self.path)
        return state_of(self.name)["pid"]

    def kill(self, pid, number=signal.SIGKILL):
        os.kill(pid, number)
        wait_until(lambda: not is_running(pid), f"process {pid} has ended")

    def test_up_and_down(self):
        done = roost("up", self.path)
        self.assertEqual((done.out, done.err), (f"{self.name} is up; `roost show fabric` shows it, "
                                                f"`roost down {self.name}` takes it down\n", ""))
        pid = state_of(self.name)["pid"]
        self.assert_reaches(self.name, "h1", "h5")
        done = roost("down", self.name)
        self.assertEqual((done.out, done.err), (f"{self.name} is down\n", ""))
        self.assertFalse(is_running(pid))
        self.assertEqual(clean(self.name), [])   # at once

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
        both = [subprocess.Popen([ROOST, "up", self.path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                for _ in range(2)]
        texts = [one.communicate(timeout=30) for one in both]
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
            self.assertRegex(roost("show", "fabric", status=2).err, "several fabrics are up .*pick one with -f NAME")
        self.assert_reaches(self.name, "h1", "h5")
        roost("down", self.name)
        self.assert_clean(self.name + "b")

    def test_killed_then_up(self):
        self.kill(self.up())
        self.assertRegex(roost("show", "fabric", "-f", self.name, status=1).err, f"^roost: fabric {self.name} is not up")
        done = roost("up", self.path)
        self.assertEqual(done.err, f"roost: note: cleaned up after a fabric {self.name} that was not taken down\n")
        self.assert_reaches(self.name, "h1", "h5")
        roost("down", self.name)

    def test_killed_then_down(self):
        self.kill(self.up())
        done = roost("down", self.name)
        self.assertEqual((done.out, done.err), (f"{self.name} was not running any more; cleaned up after it\n", ""))
        self.assert_clean(self.name)
        self.assert_refused(f"^roost down: fabric {self.name} is not up", "down", self.name, status=1)

    def test_killed_while_it_comes_up(self):
        for after in (0.0, 0.03, 0.1, 0.2, 0.3):
            process = subprocess.Popen([ROOST, "up", self.path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait_until(lambda: Path(f"/run/roost/{self.name}.state").exists(), "it has begun")
            time.sleep(after)
            self.kill(state_of(self.name)["pid"])
            process.wait(10)
            roost("down", self.name)
            self.assert_clean(self.name)

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            pid = self.up()
            self.kill(pid, number)
            self.assert_clean(self.name)

    def test_signal_while_it_comes_up(self):
        process = subprocess.Popen([ROOST, "up", self.path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: Path(f"/run/roost/{self.name}.state").exists(), "it has begun")
        self.kill(state_of(self.name)["pid"], signal.SIGTERM)
        process.wait(10)
        self.assert_clean(self.name)

    def test_run(self):
        """In the foreground, until Ctrl-C."""
        process = subprocess.Popen([ROOST, "run", self.path], stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), f"{self.name} runs; Ctrl-C takes it down\n")
        self.assert_reaches(self.name, "h1", "h5")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(10), 0)
        process.stdout.close()
        self.assert_clean(self.name)

    def test_down_of_nothing(self):
        self.assert_refused(f"^roost down: fabric {self.name} is not up", "down", self.name, status=1)
        self.assert_refused("^usage: roost down", "down", self.name, "now", status=2)

    def test_namespace_that_was_there(self):
        """A namespace that is the user's stays; what was put into it goes."""
        there = netns(self.name, "h1")
        command("ip", "netns", "add", there)
        self.addCleanup(command, "ip", "netns", "del", there)
        for end in (lambda: roost("down", self.name), lambda: self.kill(self.up()) or roost("down", self.name)):
            if not Path(f"/run/roost/{self.name}.sock").exists():
                self.up()
            self.assert_reaches(self.name, "h1", "h5")
            self.assertNotIn(there, state_of(self.name)["namespaces"])
            end() if end.__name__ != "<lambda>" else end()
        links = command("ip", "-n", there, "-j", "link").json
        self.assertEqual([link["ifname"] for link in links], ["lo"])
        self.assertFalse(Path(f"/run/netns/{netns(self.name, 'h5')}").exists())

    def test_hosts_that_vanish(self):
        """A host's interface, then its namespace, deleted while packets are on their way to it: the port
        blocks, the fabric goes on, `down` works."""
        fabric = self.fabric(demo(name_of("vanish")))
        sender = udp_socket(netns(fabric.name, "h1"))
        command("ip", "-n", netns(fabric.name, "h5"), "link", "del", "eth1")
        for i in range(3000):     # more than the wire to the device and the device's rings hold
            sender.send(bytes(100), (HOSTS["h5"], UDP_PORT))
            if i % 8 == 0:
                time.sleep(0.002)
        sender.socket.close()

        def stuck():
            return fabric.show("interface", "leaf2.swp1")["nodes"]["leaf2"]["ports"]["swp1"]

        wait_until(lambda: stuck()["queue"][0]["depth"] > 0, "packets wait at the port")
        self.assertEqual(stuck()["tx_packets"] + stuck()["queue"][0]["depth"] // 192, 3000)
        self.assert_reaches(fabric.name, "h3", "h7")
        command("ip", "netns", "del", netns(fabric.name, "h3"))
        self.assertEqual(fabric.show("fabric")["state"], "running")
        at = time.monotonic()
        roost("down", fabric.name)
        self.assertLess(time.monotonic() - at, 5)
        roost("up", self.path)
        roost("down", self.name)
        # fabric() takes it down once more
        roost("up", fabric.file)


class BadInput(LiveCase):
    """One line, exit status 1 or 2, nothing left."""

    def setUp(self):
        self.name = name_of("bad")
        self.addCleanup(self.assert_clean, self.name)

    def refuse(self, pattern, description, status, verb="up"):
        self.assert_refused(pattern, verb, self.file(description, "bad.yaml"), status=status)
        self.assertEqual(clean(self.name), [])

    def with_device(self, device, **keys):
        description = demo(self.name, attach=("h1", "h5"))
        description["attach"]["h5"] = {"dev": device, "mtu": 1500} | keys
        return description

    def test_device_that_does_not_exist(self):
        """The other hosts' namespaces and veths have been made by then, and go again."""
        for device, pattern in (
                ("net_af_packet0,iface=nosuch0", r"^roost: net_af_packet0,iface=nosuch0: no interface nosuch0"),
                ("net_af_xdp7,iface=nosuch0", r"^roost: net_af_xdp7,iface=nosuch0: no interface nosuch0"),
                ("net_foo0", r"^roost: net_foo0: neither a port driver's name .* nor a PCI address"),
                ("net_af_pakcet0,iface=lo", r"^roost: .*: no such port driver; did you mean net_af_packet0\?"),
                ("net_af_packet0", r"^roost: net_af_packet0: which interface\? add ,iface=NAME"),
                ("net_af_packet,iface=lo", r"^roost: .*: a device's name is its driver and a number: net_af_packet0"),
                ("net_pcap0,rx_pcap=nosuch.pcap", r"^roost: .*nosuch\.pcap: No such file or directory"),
                ("net_tap0", r"^roost: net_tap0: which interface should it make\? add ,iface=NAME")):
            with self.subTest(device):
                self.refuse(pattern, self.with_device(device), 1)

    def test_file_that_is_no_capture(self):
        path = self.directory / "not.pcap"
        path.write_bytes(bytes(range(256)))
        self.refuse(r"^roost: .*not\.pcap: unknown file format", self.with_device(f"net_pcap0,rx_pcap={path}"), 1)

    def test_truncated_file(self):
        text = yaml(demo(self.name))
        for length in (1, 40, 200, len(text) // 2, len(text) - 1):
            with self.subTest(length):
                self.refuse(r"^\S+bad\.yaml:\d+:\d+: ", text[:length], 2)

    def test_no_file(self):
        self.assert_refused(r"^nosuch\.yaml: cannot be read: No such file or directory$", "up", "nosuch.yaml", status=2)

    def test_namespaces(self):
        one = demo(self.name, attach=("h1", "h5"))
        one["attach"]["h5"]["netns"] = one["attach"]["h1"]["netns"]
        self.refuse(r"attach\.netns: \S+ is the namespace of h1 already", one, 2)
        one["attach"]["h5"]["netns"] = "../h5"
        self.refuse(r'attach\.h5: "\.\./h5" cannot name a namespace', one, 2)

    def test_mtu(self):
        """AF_XDP carries a frame in one packet buffer of one page: 3400 fits, more does not."""
        description = demo(self.name, attach=("h1", "h5"))
        for host in ("h1", "h5"):
            description["attach"][host]["mtu"] = 3500
        self.refuse(r"net_af_xdp carries an MTU of at most 3400", description, 1)
        for host in ("h1", "h5"):
            description["attach"][host]["mtu"] = 3400
        fabric = self.fabric(description)
        sender, receiver = udp_socket(netns(self.name, "h1")), udp_socket(netns(self.name, "h5"), UDP_PORT)
        for _ in range(20):
            sender.send(bytes(3400 - 28), (HOSTS["h5"], UDP_PORT))
        self.assertEqual([len(one.data) for one in receiver.receive_all(20)], [3400 - 28] * 20)
        self.assertEqual(fabric.show("interface", "leaf1.swp1")["nodes"]["leaf1"]["ports"]["swp1"]["rx_packets"], 20)
        sender.socket.close()
        receiver.socket.close()
        self.assert_lossless(fabric)

    def test_what_the_machine_lacks(self):
        self.refuse(r"^roost: cpus: CPU 777 is not there or not ours to use$", demo(self.name, cpus=[777]), 1)
        self.refuse(r"live\.workers: 100; at most 64", demo(self.name, workers=100), 2)
        free = 2 * int(Path("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages").read_text())
        if free < 100:
            self.refuse(r"^roost: hugepages: on needs \d+ MB of 2 MB pages, \d+ MB are free: sysctl -w vm\.nr_hugepages=\d+",
                        demo(self.name, hugepages="on"), 1)

    def test_buffers_that_hold_nothing(self):
        """Errors that show only when the fabric is built are the file's too."""
        description = demo(self.name, attach=("h1",))
        description["switch"]["buffer"]["size"] = "400KB"
        self.refuse(r"buffer\.size: on leaf1 400000 B do not hold", description, 2)

    def test_large_buffers(self):
        """Without huge pages too."""
        description = demo(self.name, attach=("h1", "h5"))
        description["switch"]["buffer"]["size"] = "64MB"
        self.fabric(description)
        self.assert_reaches(self.name, "h1", "h5")

    def test_interface_in_the_way(self):
        there = netns(self.name, "h1")
        command("ip", "netns", "add", there)
        self.addCleanup(command, "ip", "netns", "del", there)
        command("ip", "-n", there, "link", "add", "eth1", "type", "veth", "peer", "name", "eth2")
        self.assert_refused(rf"there is an interface eth1 already: ip -n {there} link del eth1",
                            "up", self.file(demo(self.name), "bad.yaml"), status=1)
        self.assertEqual(clean(self.name), [f"/run/netns/{there}"])

    def test_without_root(self):
        """Said before anything is tried. A user who may not read the program cannot run it either."""
        path = self.file(demo(self.name), "bad.yaml")
        for words in (("up", path), ("exec", "h1", "--", "true")):
            done = command("setpriv", "--reuid", 65534, "--regid", 65534, "--clear-groups", ROOST, *words, status=None)
            if done.status == 127:
                self.skipTest(f"nobody may not run {ROOST}: {done.err.strip()}")
            self.assertEqual(done.status, 1)
            self.assertRegex(done.err, rf"^roost {words[0]}: needs root, .*: sudo roost {words[0]} \.\.\.\n$")

    def test_exec(self):
        self.fabric(demo(self.name, attach=("h1", "h5")))
        self.assert_refused(r"^roost exec: h2 is not a host with a namespace; there are: h1 h5$",
                            "exec", "-f", self.name, "h2", "--", "true", status=2)
        self.assert_refused(r"^usage: roost exec", "exec", "-f", self.name, "h1", "true", status=2)
        self.assert_refused(r"^roost exec: nosuchprogram: No such file or directory$",
                            "exec", "-f", self.name, "h1", "--", "nosuchprogram", status=1)
        self.assert_refused(r"^roost exec: fabric nosuch is not up", "exec", "-f", "nosuch", "h1", "--", "true", status=1)
        for status in (0, 7):
            roost("exec", "-f", self.name, "h1", "--", "sh", "-c", f"exit {status}", status=status)
        self.assertEqual(roost("exec", "-f", self.name, "h5", "--", "ls", "/sys/class/net").out.split(), ["eth1", "lo"])
