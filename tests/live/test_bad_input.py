# SPDX-License-Identifier: BSD-3-Clause
"""What cannot come up says why in one line and leaves nothing on the machine."""
import shutil

from common import *


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

    def refuse_file(self, pattern, description):
        """An error of the file: `check` says the same."""
        self.refuse(pattern, description, 2)
        self.refuse(pattern, description, 2, "check")

    def test_device_that_does_not_exist(self):
        """The other hosts' namespaces and veths have been made by then, and go again."""
        for device, pattern in (
                ("net_af_packet0,iface=nosuch0", r"^roost: net_af_packet0,iface=nosuch0: no interface nosuch0"),
                ("net_af_xdp7,iface=nosuch0", r"^roost: net_af_xdp7,iface=nosuch0: no interface nosuch0"),
                ("net_pcap0,rx_pcap=nosuch.pcap", r"^roost: .*nosuch\.pcap: No such file or directory")):
            with self.subTest(device):
                self.refuse(pattern, self.with_device(device), 1)

    def test_device_that_cannot_exist(self):
        for device, pattern in (
                ("net_foo0", "net_foo0: neither a port driver's name .* nor a PCI address"),
                ("net_af_pakcet0,iface=lo", r".*: no such port driver; did you mean net_af_packet0\?"),
                ("net_af_packet0", r"net_af_packet0: which interface\? add ,iface=NAME"),
                ("net_af_packet,iface=lo", ".*: a device's name is its driver and a number: net_af_packet0$"),
                ("net_tap0", r"net_tap0: which interface should it make\? add ,iface=NAME")):
            with self.subTest(device):
                self.refuse_file(rf"^\S+bad\.yaml:\d+:\d+: attach\.h5: {pattern}", self.with_device(device))

    def test_file_that_is_no_capture(self):
        path = self.directory / "not.pcap"
        path.write_bytes(bytes(range(256)))
        self.refuse(r"^roost: .*not\.pcap: unknown file format", self.with_device(f"net_pcap0,rx_pcap={path}"), 1)

    def test_truncated_file(self):
        text = to_yaml(demo(self.name))
        for length in (1, 40, 200, len(text) // 2, len(text) - 1):
            with self.subTest(length):
                self.refuse(r"^\S+bad\.yaml:\d+:\d+: ", text[:length], 2)

    def test_no_file(self):
        self.assert_refused(r"^nosuch\.yaml: cannot be read: No such file or directory$", "up", "nosuch.yaml")
        self.assert_refused(r"^roost: nosuch: there is no such file, and no fabric of that name has been up$", "up", "nosuch")

    def test_namespaces(self):
        one = demo(self.name, attach=("h1", "h5"))
        one["attach"]["h5"]["netns"] = one["attach"]["h1"]["netns"]
        self.refuse(r"attach\.netns: \S+ is the namespace of h1 already", one, 2)
        one["attach"]["h5"]["netns"] = "../h5"
        self.refuse(r'attach\.h5: "\.\./h5" cannot name a namespace', one, 2)

    def test_mtu(self):
        """AF_XDP carries a frame in one buffer of one page. This limits all devices that share the packets."""
        description = demo(self.name, attach=("h1", "h5"))
        description["attach"]["h1"] = {"dev": "net_af_xdp9,iface=nosuch", "mtu": 1500}
        description["attach"]["h5"]["mtu"] = 3361
        self.refuse_file(r"^\S+bad\.yaml:\d+:\d+: attach\.h5: .*: net_af_xdp carries an MTU of at most 3360", description)
        description = demo(self.name, attach=("h1", "h5"))
        for host in ("h1", "h5"):
            description["attach"][host]["mtu"] = 3360
        fabric = self.fabric(description)
        sender, receiver = udp_socket(netns(self.name, "h1")), udp_socket(netns(self.name, "h5"), UDP_PORT)
        for _ in range(20):
            sender.send(bytes(3360 - 28), (HOSTS["h5"], UDP_PORT))
        self.assertEqual([len(one.data) for one in receiver.receive_all(20)], [3360 - 28] * 20)
        self.assertEqual(port_of(self.name, "leaf1", "swp1")["rx_packets"], 20)
        sender.socket.close()
        receiver.socket.close()
        self.assert_lossless(fabric)

    def test_what_the_machine_lacks(self):
        self.refuse(r"^roost: cpus: CPU 777 does not exist or cannot be used by this process$",
                    demo(self.name, cpus=[777]), 1)
        self.refuse(r"live\.workers: 100 is out of range: 1 to 64", demo(self.name, workers=100), 2)
        free = 2 * int(Path("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages").read_text())
        if free < 100:
            self.refuse(r"^roost: hugepages: on needs \d+ MB of 2 MB pages, \d+ MB are free: "
                        r"sysctl -w vm\.nr_hugepages=\d+", demo(self.name, hugepages="on"), 1)

    def test_buffers_that_hold_nothing(self):
        """Errors that show only when the fabric is built are the file's too."""
        description = demo(self.name, attach=("h1",))
        description["switch"]["buffer"]["size"] = "400KB"
        self.refuse(r"buffer\.size: on leaf1 the buffer's 400000 B do not hold", description, 2)

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
        self.assert_refused(rf"there is an interface eth1 already: ip netns exec {there} ip link del eth1",
                            "up", self.file(demo(self.name), "bad.yaml"), status=1)
        self.assertEqual(clean(self.name), [f"/run/netns/{there}"])

    def test_a_namespace_of_another_fabric(self):
        """The second fabric must not advise to cut the host off from the first."""
        there = netns(self.name, "h1")
        self.fabric(demo(self.name, attach=("h1", "h5")))
        other = demo(self.name + "x", attach=("h1",))
        other["attach"]["h1"]["netns"] = there
        self.assert_refused(rf"namespace {there}: fabric {self.name} has attached it: take that down, or name another",
                            "up", self.file(other, "other.yaml"), status=1)
        self.assert_reaches(self.name, "h1", "h5")

    def test_without_root(self):
        """Said before anything is tried."""
        with tempfile.TemporaryDirectory(dir="/tmp") as directory:   # where nobody may go
            os.chmod(directory, 0o755)
            program = shutil.copy(ROOST, directory)
            done = command("setpriv", "--reuid", 65534, "--regid", 65534, "--clear-groups", program, "exec", "h1", "--", "true", status=1)
            self.assertRegex(done.err, r"^roost exec: needs root, .*: sudo roost exec \.\.\.\n$")
            for words, said in ((("show", "drops"), "roost: no fabric of yours is up: "), (("down",), "roost down: no fabric of yours "),
                                (("show", "drops", "-f", "lab"), "roost: no fabric lab of yours is up; ")):
                done = command("setpriv", "--reuid", 65534, "--regid", 65534, "--clear-groups", "env", "-u", "XDG_RUNTIME_DIR",
                               "-u", "ROOST_FABRIC", program, *words, status=1)
                self.assertRegex(done.err, rf"^{said}.*for one of root's: sudo roost \.\.\.\n$")

    def test_exec(self):
        description = demo(self.name, attach=("h1", "h5"))
        description["attach"]["h6"] = {"dev": "net_null0", "mtu": 1500}     # a host without a namespace
        self.fabric(description)
        self.assertEqual(roost("complete", "--", "-f", self.name, "exec", "").out.split(), ["h1", "h5"])
        self.assert_refused(r"^roost exec: h2 is not a host with a namespace; there are: h1 h5$",
                            "exec", "-f", self.name, "h2", "--", "true", status=2)
        self.assertRegex(roost("exec", "-f", self.name, "h1", "true", status=2).err,
                         r'^roost exec: unexpected argument "true"')
        self.assert_refused(r"^roost exec: nosuchprogram: No such file or directory$",
                            "exec", "-f", self.name, "h1", "--", "nosuchprogram", status=1)
        self.assert_refused(r"^roost exec: fabric nosuch is not up",
                            "exec", "-f", "nosuch", "h1", "--", "true", status=1)
        for status in (0, 7):
            roost("exec", "-f", self.name, "h1", "--", "sh", "-c", f"exit {status}", status=status)
        done = roost("exec", "-f", self.name, "h5", "--", "ls", "/sys/class/net")
        self.assertEqual(done.out.split(), ["eth1", "lo"])
