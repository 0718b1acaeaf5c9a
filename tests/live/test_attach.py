# SPDX-License-Identifier: BSD-3-Clause
"""Everything that can be attached as a host: namespaces, processes, containers, taps, hosts with several NICs; with MTUs,
MACs and addresses of their own."""
import signal

from common import *
from test_api import Client, wait_for_first_look

IPERF = ("iperf3", "--json")
LOSSLESS_TOS = 26 << 2      # of priority 3
DOCKER = """#!/bin/sh
[ "$#" = 4 ] && [ "$1" = inspect ] && [ "$2" = --format ] && [ "$3" = "{{.State.Pid}}" ] || exit 9
case "$4" in
here) echo %d ;;
stopped) echo 0 ;;
words) echo "one two"; echo three ;;
*) echo "Error: No such object: $4" >&2; exit 1 ;;
esac
"""


def link(path):
    try:
        return os.readlink(path)
    except FileNotFoundError:
        return None


def kill_group(pid):
    """Kills a process group: a process and all that it has started."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Attach(LiveCase):

    def setUp(self):
        self.name = name_of("attach")

    def sleeper(self, *enter):
        """Starts a process in a network namespace of its own, until the test ends. Returns its PID."""
        process = subprocess.Popen([*(enter or ("unshare", "--net")), "sleep", "600"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        own = os.readlink("/proc/self/ns/net")
        wait_until(lambda: Path(f"/proc/{process.pid}/comm").read_text() == "sleep\n" and
                   os.readlink(f"/proc/{process.pid}/ns/net") != own, "it has a network of its own")
        return process.pid

    def inside(self, pid, *words, **options):
        return command("nsenter", "-n", "-t", pid, *words, **options)

    def refuse_up(self, error, attach, status=1, **options):
        """`up` fails with an error in its last line, and leaves nothing behind."""
        path = self.file(demo(self.name, attach=()) | {"attach": attach}, "bad.yaml")
        done = roost("up", path, status=status, **options)
        self.assertRegex(done.err.splitlines()[-1], error)
        self.assert_clean(self.name)

    def maps(self, pid):
        """How many BPF maps a process has open."""
        return [link(file) for file in Path(f"/proc/{pid}/fd").iterdir()].count("anon_inode:bpf-map")

    def drivers(self, fabric):
        return [port["device"] for node in fabric.show("device")["nodes"].values() for port in node["ports"].values()]

    def in_priority(self, priority):
        """Packets of a priority that the leaf has received from h1."""
        return port_of(self.name, "leaf1", "swp1")["pg"][priority]["packets"]

    def test_jumbo(self):
        """iperf3 at an MTU of 9000, in the lossless priority: whole segments cross, and no switch drops one."""
        description = demo(self.name, attach=("h1", "h5"), dilation=100)
        for host in ("h1", "h5"):
            description["attach"][host]["mtu"] = 9000
        fabric = self.fabric(description)
        self.assertEqual({device.rstrip("0123456789") for device in self.drivers(fabric)}, {"net_af_packet"})
        sender, receiver = udp_socket(netns(self.name, "h1")), udp_socket(netns(self.name, "h5"), UDP_PORT)
        for _ in range(20):
            sender.send(bytes(9000 - 28), (HOSTS["h5"], UDP_PORT))
        self.assertEqual([len(one.data) for one in receiver.receive_all(20)], [4096] * 20)   # what receive() reads
        sender.socket.close(), receiver.socket.close()
        self.assertEqual(port_of(self.name, "leaf1", "swp1")["rx_bytes"], 20 * 9014)
        server = subprocess.Popen([ROOST, "exec", "h5", "-f", self.name, "--", *IPERF, "-s", "-1"],
                                  stdout=subprocess.PIPE, text=True)
        wait_until(lambda: ":5201 " in fabric.exec("h5", "ss", "-Hltn").out, "the server listens")
        dropped, carried = self.switch_drops(fabric), self.in_priority(3)
        client = json.loads(fabric.exec("h1", *IPERF, "-c", HOSTS["h5"], "-n", "20M", "-M", "8948", "-S", LOSSLESS_TOS).out)
        server.communicate(timeout=60)
        self.assertEqual(self.switch_drops(fabric), dropped)
        self.assertGreater(self.in_priority(3) - carried, 10_000_000 // 9000)
        self.assertGreaterEqual(client["end"]["sum_sent"]["bytes"], 20_000_000)
        self.assertGreater(client["end"]["sum_received"]["bytes"], 10_000_000)     # as last reported
        port = port_of(self.name, "leaf1", "swp1")
        self.assertGreater(port["rx_bytes"] / port["rx_packets"], 5000)
        fabric.command("attach", "h6", f"netns={netns(self.name, 'h6')}")     # AF_XDP has no use for packets so large
        self.assertEqual({device.rstrip("0123456789") for device in self.drivers(fabric)}, {"net_af_packet"})

    def rail(self, **attach):
        return {"fabric": {"name": self.name, "topology": {"kind": "rail", "leaves": 2, "rails": 2, "spines": 1,
                                                           "hosts-per-leaf": 2},
                           "dilation": DILATION},
                # Without a listener there, the kernel would count LLDP frames as dropped.
                "switch": {"preset": "spectrum-x", "buffer": {"size": "4MB"}, "lldp": "off",
                           "qos": {"tc": {3: {"ecn": {"min": "50KB", "max": "500KB"}}}}}, "attach": attach}

    def packets(self, leaf, port):
        """How many packets a port has received, without ARP."""
        counters = port_of(self.name, leaf, port)
        return counters["rx_packets"] - counters["control_rx"]

    def test_several_nics(self):
        """A server of two rails is one namespace. What it sends from a rail's address leaves by that rail's NIC."""
        one, other = netns(self.name, "h1"), netns(self.name, "h2")
        fabric = self.fabric(self.rail(h1={"netns": one}, h2={"netns": other}))
        rails = ["10.0.1.", "10.0.2."]
        for rail, start in enumerate(rails, 1):
            leaf = f"leaf{rail}"
            before = self.packets(leaf, "swp1"), self.packets(leaf, "swp2")
            fabric.exec("h1", "ping", "-c", 3, "-i", "0.2", "-W", 2, "-I", f"{start}1", f"{start}2")
            after = self.packets(leaf, "swp1"), self.packets(leaf, "swp2")
            self.assertEqual([b - a for a, b in zip(before, after)], [3, 3])
        # From the second rail's address to the first rail's: by the second rail's leaf and the spine.
        before = self.packets("leaf2", "swp1")
        fabric.exec("h1", "ping", "-c", 3, "-i", "0.2", "-W", 2, "-I", "10.0.2.1", "10.0.1.2")
        self.assertEqual(self.packets("leaf2", "swp1") - before, 3)
        links = {link["ifname"] for link in command("ip", "-n", one, "-j", "link").json}
        self.assertEqual(links, {"lo", "eth1", "eth2"})
        self.assert_lossless(fabric)

    def test_single_nic_by_name(self):
        """h1.eth2 alone, in a namespace that the user has made. `down` removes the rule from that namespace."""
        there = f"roost-test-rail-{os.getpid()}"
        command("ip", "netns", "add", there)
        self.addCleanup(command, "ip", "netns", "del", there)
        path = self.file(self.rail(**{"h1.eth2": {"netns": there}, "h2": {"netns": netns(self.name, "h2")}}), "one.yaml")
        with Fabric(path, self.name) as fabric:
            self.assertEqual([link["ifname"] for link in command("ip", "-n", there, "-j", "link").json], ["lo", "eth2"])
            fabric.exec("h1.eth2", "ping", "-c", 2, "-i", "0.2", "-W", 2, "10.0.2.2")
            self.assertIn("from 10.0.2.1 lookup 102", command("ip", "-n", there, "rule").out)
        wait_until(lambda: "10.0.2.1" not in command("ip", "-n", there, "rule").out, "the rule is gone")
        self.assert_clean(self.name)

    def test_process(self):
        pid = self.sleeper()
        fabric = self.fabric(demo(self.name, attach=("h5",)) | {"attach": {
            "h1": {"pid": pid}, "h5": {"netns": netns(self.name, "h5")}}})
        self.inside(pid, "ping", "-c", 3, "-i", "0.2", "-W", 2, HOSTS["h5"])
        fabric.exec("h1", "ping", "-c", 1, "-W", 2, HOSTS["h5"])
        self.assertEqual(fabric.exec("h1", "ip", "-br", "addr", "show", "eth1").out.split()[2], "10.0.1.1/32")

    def assert_not_entered(self, fabric, pid, why):
        """The host is gone, and the fabric does not attach the namespace of this process in its place."""
        wait_until(lambda: why in fabric.command("show", "log").out, why)
        self.assertEqual(fabric.show("device", "leaf1")["nodes"]["leaf1"]["ports"]["swp1"]["state"], "down")
        self.assertIn("h1 is not a host with a namespace", fabric.command("exec", "h1", "--", "true", status=2).err)
        self.assertEqual([link["ifname"] for link in self.inside(pid, "ip", "-j", "link").json], ["lo"])

    def test_process_whose_number_is_used_again(self):
        process = subprocess.Popen(["unshare", "--net", "sleep", "600"])
        wait_until(lambda: Path(f"/proc/{process.pid}/comm").read_text() == "sleep\n", "it sleeps")
        pid = process.pid
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        fabric = self.fabric(demo(self.name, attach=()) | {"attach": {"h1": {"pid": pid}}})
        process.kill()
        process.wait()
        for _ in range(200):    # others start processes too
            Path("/proc/sys/kernel/ns_last_pid").write_text(str(pid - 1))
            other = os.fork()
            if other == 0:
                try:
                    if os.getpid() == pid:
                        os.execvp("unshare", ["unshare", "--net", "sleep", "600"])
                finally:
                    os._exit(1)
            if other == pid:
                break
            os.waitpid(other, 0)
        self.assertEqual(other, pid)
        self.addCleanup(os.waitpid, pid, 0)
        self.addCleanup(os.kill, pid, signal.SIGKILL)
        wait_until(lambda: Path(f"/proc/{pid}/comm").read_text() == "sleep\n", "it sleeps")
        self.assert_not_entered(fabric, pid, f"process {pid} has ended")

    def test_process_that_changes_its_namespace(self):
        code = "import ctypes, sys\nfor _ in sys.stdin: print(ctypes.CDLL(None).unshare(0x40000000), flush=True)"
        process = subprocess.Popen(["unshare", "--net", "python3", "-c", code], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        print(file=process.stdin, flush=True)      # one of its own
        self.assertEqual(process.stdout.readline(), "0\n")
        fabric = self.fabric(demo(self.name, attach=()) | {"attach": {"h1": {"pid": process.pid}}})
        print(file=process.stdin, flush=True)
        self.assertEqual(process.stdout.readline(), "0\n")
        self.assert_not_entered(fabric, process.pid, f"process {process.pid} is in another network namespace now")

    def test_process_that_cannot_be(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        self.refuse_up(rf"^roost: process {gone.pid}: there is no such process$", {"h1": {"pid": gone.pid}})
        self.refuse_up(r"of process \d+ is this machine's own", {"h1": {"pid": os.getpid()}})

    def test_container(self):
        """A container is attached by the PID that `docker inspect` prints. No shell interprets its name."""
        pid = self.sleeper()
        programs = self.directory / "bin"
        programs.mkdir()
        (programs / "docker").write_text(DOCKER % pid)
        (programs / "docker").chmod(0o755)
        path = os.environ["PATH"]
        environment = os.environ | {"PATH": f"{programs}:{path}"}
        for name, error in (("stopped", "it is not running"), ("gone", "docker inspect: Error: No such object: gone"),
                            ("words", 'docker names no process but "one two"')):
            self.refuse_up(rf"^roost: container {name}: {error}$", {"h1": {"container": name}}, env=environment)
        for name in ("; reboot", "$(id)", "--help", "a/b", "a b"):
            self.refuse_up(r"cannot name a container", {"h1": {"container": name}}, status=2, env=environment)
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = environment["PATH"]
        fabric = self.fabric(demo(self.name, attach=()) | {"attach": {
            "h1": {"container": "here"}, "h5": {"netns": netns(self.name, "h5")}}})
        self.inside(pid, "ping", "-c", 3, "-i", "0.2", "-W", 2, HOSTS["h5"])
        fabric.exec("h1", "ping", "-c", 1, "-W", 2, HOSTS["h5"])

    def test_container_program_that_hangs(self):
        """A container is gone, and `docker inspect` hangs. The fabric does not wait for it."""
        pid = self.sleeper()
        programs = self.directory / "bin"
        programs.mkdir()
        docker, asked = programs / "docker", self.directory / "asked"
        docker.write_text(DOCKER % pid)
        docker.chmod(0o755)
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = f"{programs}:{path}"
        fabric = self.fabric(demo(self.name, attach=()) | {"attach": {"h1": {"container": "here"}}})
        docker.write_text(f"#!/bin/sh\necho > {asked}\nexec sleep 600\n")
        os.kill(pid, signal.SIGKILL)
        wait_until(asked.exists, "it is asked where the container is")
        for _ in range(20):
            start = time.monotonic()
            self.assertEqual(fabric.show("device", "leaf1")["nodes"]["leaf1"]["ports"]["swp1"]["state"], "down")
            self.assertLess(time.monotonic() - start, 8)    # of the 10 s that it may take
        again = self.sleeper()
        docker.write_text(DOCKER % again)
        wait_until(lambda: fabric.show("device", "leaf1")["nodes"]["leaf1"]["ports"]["swp1"]["state"] == "up",
                   "it is found again")

    def test_container_that_restarts(self):
        """A container that restarts is another process in another namespace. That namespace gets the host's addresses and routes.
        The container is attached while the fabric runs."""
        pid = self.sleeper()
        programs = self.directory / "bin"
        programs.mkdir()
        docker = programs / "docker"
        docker.write_text(DOCKER % pid)
        docker.chmod(0o755)
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = f"{programs}:{path}"
        fabric = self.fabric(demo(self.name, attach=("h5",)))
        fabric.command("attach", "h1", "container=here")

        def state():
            return fabric.show("device", "leaf1")["nodes"]["leaf1"]["ports"]["swp1"]["state"]
        for again in range(2):
            self.inside(pid, "ping", "-c", 2, "-i", "0.2", "-W", 2, HOSTS["h5"])
            fabric.exec("h5", "ping", "-c", 1, "-W", 2, HOSTS["h1"])
            if again:
                break
            docker.write_text(DOCKER % 0)
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda: state() == "down", "it is gone")
            wait_until(lambda: "stays down: container here: it is not running" in fabric.command("show", "log").out,
                       "it is known to be stopped")
            pid = self.sleeper()
            docker.write_text(DOCKER % pid)
            wait_until(lambda: state() == "up", "it is found again")
        self.assertEqual(self.inside(pid, "ip", "-br", "addr", "show", "eth1").out.split()[2], "10.0.1.1/32")
        fabric.exec("h1", "true")
        fabric.command("detach", "h1")
        self.assertEqual([link["ifname"] for link in self.inside(pid, "ip", "-j", "link").json], ["lo"])

    def test_no_container_program(self):
        """Without docker and podman: a namespace of that name, as containerlab makes it, or a clear error."""
        tools = self.directory / "bin"
        tools.mkdir()
        environment = os.environ | {"PATH": str(tools)}
        self.refuse_up("neither docker nor podman is installed, and there is no network namespace of that name",
                       {"h1": {"container": "clab-lab-node"}}, env=environment)
        there = f"clab-lab-{os.getpid()}"
        command("ip", "netns", "add", there)
        self.addCleanup(command, "ip", "netns", "del", there)
        path = self.file(demo(self.name, attach=()) | {"attach": {"h1": {"container": there}}}, "clab.yaml")
        roost("up", path, env=environment)
        self.assertEqual({link["ifname"] for link in command("ip", "-n", there, "-j", "link").json}, {"lo", "eth1"})
        roost("down", self.name)

    def test_tap(self):
        """`up` makes a tap for a virtual machine. The test takes the part of the machine."""
        import fcntl
        tap = f"tap{os.getpid() % 100000}"
        description = demo(self.name, attach=()) | {"attach": {
            "h1": {"tap": tap, "mac": "52:54:00:12:34:56"}, "h5": {"netns": netns(self.name, "h5")}}}
        up = Fabric(self.file(description, "tap.yaml"), self.name)
        self.addCleanup(roost, "down", self.name, status=None)
        up.__enter__()
        link, = command("ip", "-j", "-d", "link", "show", tap).json
        self.assertEqual((link["mtu"], link["linkinfo"]["info_kind"], link["ifalias"]), (1500, "tun", f"roost {self.name}"))
        machine = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        self.addCleanup(os.close, machine)
        fcntl.ioctl(machine, 0x400454ca, struct.pack("16sH22x", tap.encode(), 0x1002))    # TUNSETIFF: TAP, NO_PI
        receiver = udp_socket(netns(self.name, "h5"), UDP_PORT)
        self.addCleanup(receiver.socket.close)
        frame = bytearray(udp(HOSTS["h1"], HOSTS["h5"], size=200, dport=UDP_PORT, dst_mac="02:01:00:00:00:01"))
        os.write(machine, frame)
        self.assertEqual(len(receiver.receive_all(1)), 1)
        sender = udp_socket(netns(self.name, "h5"))
        self.addCleanup(sender.socket.close)
        sender.send(bytes(100), (HOSTS["h1"], UDP_PORT))
        self.assertTrue(select.select([machine], [], [], 5)[0])
        got = os.read(machine, 2000)
        self.assertEqual((got[:6], got[30:34]), (mac("52:54:00:12:34:56"), socket.inet_aton(HOSTS["h1"])))
        up.__exit__()
        wait_until(lambda: not Path(f"/sys/class/net/{tap}").exists(), "the tap is gone")

    def test_tap_that_is_taken(self):
        """`up` does not touch an interface that it has not made."""
        taken = f"tap{os.getpid() % 100000}"
        command("ip", "tuntap", "add", taken, "mode", "tap")
        self.addCleanup(command, "ip", "link", "del", taken)
        self.refuse_up(rf"^roost: tap {taken}: there is an interface of that name already", {"h1": {"tap": taken}})
        self.assertTrue(Path(f"/sys/class/net/{taken}").exists())

    def test_own_addresses(self):
        """With `ip:` and `mac:`, the interface has these addresses, and packets from and to the host arrive."""
        description = demo(self.name, attach=("h1", "h5"))
        del description["tenants"]
        description["attach"]["h1"] |= {"ip": "192.168.7.9", "mac": "52:54:00:00:00:07"}
        fabric = self.fabric(description)
        address, = command("ip", "-n", netns(self.name, "h1"), "-j", "addr", "show", "eth1").json
        self.assertEqual((address["address"], [one["local"] for one in address["addr_info"]]),
                         ("52:54:00:00:00:07", ["192.168.7.9"]))
        fabric.exec("h1", "ping", "-c", 3, "-i", "0.2", "-W", 2, HOSTS["h5"])
        fabric.exec("h5", "ping", "-c", 3, "-i", "0.2", "-W", 2, "192.168.7.9")
        self.assert_lossless(fabric)

    def test_names(self):
        """Names of hosts, switches and the gateway resolve, in both directions. A file that the user has made is kept."""
        description = demo(self.name, attach=("h1", "h3", "h5"))
        mine = Path(f"/etc/netns/{netns(self.name, 'h3')}/hosts")
        mine.parent.mkdir(parents=True)
        self.addCleanup(mine.parent.rmdir)
        mine.write_text("127.0.0.1 mine\n")
        self.addCleanup(mine.unlink)
        path = self.file(description, "names.yaml")
        with Fabric(path, self.name) as fabric:
            self.assertIn(f"note: {mine} is a file of your own", fabric.up.err)
            self.assertEqual(mine.read_text(), "127.0.0.1 mine\n")
            for enter in ((ROOST, "exec", "h1", "-f", self.name, "--"), ("ip", "netns", "exec", netns(self.name, "h1"))):
                def look(what, status=0):
                    return command(*enter, "getent", "-s", "files", "hosts", what, status=status).out.split()
                self.assertEqual(look("h5"), ["10.0.2.1", "h5", "h5.eth1"])
                self.assertEqual(look("10.0.2.1"), ["10.0.2.1", "h5", "h5.eth1"])
                self.assertEqual(look("172.16.0.2"), ["172.16.0.2", "leaf2"])
                self.assertEqual(look("spine1"), ["172.17.0.1", "spine1"])
                self.assertEqual(look("gateway"), ["169.254.0.1", "gateway"])
                self.assertEqual(look("h3", status=2), [])      # of another tenant
            fabric.exec("h1", "ping", "-c", 1, "-W", 2, "h5")
            fabric.command("set", "tenants.red.addresses", "{h5: 172.20.0.5}")
            self.assertEqual(look("h5"), ["172.20.0.5", "h5", "h5.eth1"])
        self.assertEqual(mine.read_text(), "127.0.0.1 mine\n")
        self.assertFalse(Path(f"/etc/netns/{netns(self.name, 'h1')}").exists())

    def test_processes_that_are_left(self):
        """`down` ends the processes in namespaces that `up` has made, also one that ignores SIGTERM, and no others."""
        there = f"roost-test-left-{os.getpid()}"
        command("ip", "netns", "add", there)
        self.addCleanup(command, "ip", "netns", "del", there)
        description = demo(self.name, attach=("h1", "h5"))
        description["attach"]["h5"]["netns"] = there
        up = Fabric(self.file(description, "left.yaml"), self.name)
        self.addCleanup(roost, "down", self.name, status=None)
        up.__enter__()
        made = netns(self.name, "h1")
        stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
        left = [subprocess.Popen(["ip", "netns", "exec", made, "sleep", "600"]),
                subprocess.Popen(["ip", "netns", "exec", made, "/usr/bin/python3", "-c", stubborn], stdout=subprocess.PIPE),
                subprocess.Popen(["ip", "netns", "exec", there, "sleep", "600"])]
        for one in left:
            self.addCleanup(one.wait)
            self.addCleanup(one.kill)
        left[1].stdout.readline()
        left[1].stdout.close()
        wait_until(lambda: all(Path(f"/proc/{one.pid}/comm").read_text() == "sleep\n" for one in (left[0], left[2])),
                   "both sleep")
        done = roost("down", self.name)
        self.assertEqual(sorted(done.err.splitlines()), sorted(
            f"roost: note: ended process {one.pid} ({name}) in namespace {made}"
            for one, name in zip(left, ("sleep", "python3"))))
        self.assertEqual([left[0].wait(60), left[1].wait(60)], [-signal.SIGTERM, -signal.SIGKILL])
        self.assertIsNone(left[2].poll())
        self.assert_clean(self.name)

    def ports_up(self, fabric, node):
        return fabric.show("fabric")["nodes"][node]["ports_up"]

    def stubborn(self, there):
        """Starts a process in a namespace that ignores SIGTERM."""
        process = subprocess.Popen(["ip", "netns", "exec", there, "sh", "-c", "trap '' TERM; echo; while :; do sleep 600; done"],
                                   stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(process.communicate)
        self.addCleanup(kill_group, process.pid)
        process.stdout.readline()
        return process

    def test_detach_does_not_wait_for_processes(self):
        """A process that ignores SIGTERM gets a second to end, and the fabric goes on meanwhile. `down` waits for it."""
        there = netns(self.name, "h5")
        roost("up", self.file(demo(self.name, attach=()), "stubborn.yaml"))
        self.addCleanup(roost, "down", self.name, status=None)
        roost("attach", "h5", f"netns={there}", "-f", self.name)
        process = self.stubborn(there)
        with Client(self.name) as client:
            result = client.ask("detach-host", host="h5")["result"]
            self.assertIsNone(process.poll())
        self.assertIn(process.pid, [one["pid"] for one in result["processes"]])
        self.assertFalse(Path(f"/run/netns/{there}").exists())
        roost("attach", "h5", f"netns={there}", "-f", self.name)
        self.assertEqual(process.wait(60), -signal.SIGKILL)
        left = self.stubborn(there)
        roost("detach", "h5", "-f", self.name)
        roost("down", self.name)
        self.assertEqual(left.wait(0), -signal.SIGKILL)
        self.assert_clean(self.name)

    def test_while_it_runs(self):
        """A simulated host becomes a namespace and a simulated host again; others notice nothing."""
        fabric = self.fabric(demo(self.name, attach=("h1",)))
        there = netns(self.name, "h5")
        for _ in range(2):
            done = fabric.command("attach", "h5", f"netns={there}", "mtu=1400")
            self.assertEqual((done.out, done.err), ("", ""))
            fabric.exec("h1", "ping", "-c", 3, "-i", "0.2", "-W", 2, HOSTS["h5"])
            self.assertEqual(fabric.show("device", "leaf2")["nodes"]["leaf2"]["ports"]["swp1"],
                             {"host": "h5.eth1", "attached": f"namespace {there}", "device": "net_af_xdp2",
                              "mtu": 1400, "state": "up"})
            self.assertEqual(command("ip", "-n", there, "-j", "link", "show", "eth1").json[0]["mtu"], 1400)
            for words, error in ((("h5", "netns=other"), "h5 is already attached"),
                                 (("h2", f"netns={there}"), f"{there} is the namespace of h5 already"),
                                 (("h99", "netns=other"), "there is no host h99"),
                                 (("h6", "netns"), '"netns": write KEY=VALUE'),
                                 (("h6", "nets=x"), "unknown key"),
                                 (("h6", "mtu=1400"), "needs one of netns"),
                                 (("h6", "netns=x", "mtu=9000"), "carries an MTU of 4200"),
                                 (("h6", "netns=x", f"ip={HOSTS['h1']}"), HOSTS["h1"]),
                                 (("h6", "netns=x", "mac=02:01:00:00:00:01"), "this is the MAC of"),
                                 (("h6", "pid=4194304"), "there is no such process")):
                with self.subTest(words):
                    self.assertIn(error, fabric.command("attach", *words, status=1).err)
            process = subprocess.Popen(["ip", "netns", "exec", there, "sleep", "600"])
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            wait_until(lambda: Path(f"/proc/{process.pid}/comm").read_text() == "sleep\n", "it sleeps")
            fabric.command("detach", "h5")
            self.assertEqual(process.wait(60), -signal.SIGTERM)
            self.assertFalse(Path(f"/run/netns/{there}").exists())
            self.assertIn("h5 is not attached", fabric.command("detach", "h5", status=1).err)
        self.assertEqual(self.ports_up(fabric, "leaf2"), 6)
        self.assertIn("h6 is not a host", fabric.exec("h6", "true", status=2).err)
        # A host of the file: its link stays down until it is attached again.
        fabric.command("detach", "h1")
        self.assertEqual(self.ports_up(fabric, "leaf1"), 5)
        fabric.command("attach", "h1", f"netns={netns(self.name, 'h1')}")
        fabric.command("attach", "h5", f"netns={there}")
        fabric.exec("h1", "ping", "-c", 3, "-i", "0.2", "-W", 2, HOSTS["h5"])

    def test_several_nics_while_it_runs(self):
        """The file attaches no host. All NICs of a host are attached at once, or one after the other to one namespace."""
        one, other = netns(self.name, "h1"), netns(self.name, "h2")
        fabric = self.fabric(self.rail())
        for _ in range(2):
            fabric.command("attach", "h1", f"netns={one}")
            fabric.command("attach", "h2", f"netns={other}")
            for start in ("10.0.1.", "10.0.2."):
                fabric.exec("h1", "ping", "-c", 2, "-i", "0.2", "-W", 2, "-I", f"{start}1", f"{start}2")
            for host, there in (("h1", one), ("h2", other)):
                fabric.command("detach", host)
                self.assertFalse(Path(f"/run/netns/{there}").exists())
        for nic in ("eth1", "eth2"):
            fabric.command("attach", f"h1.{nic}", f"netns={one}")
        process = subprocess.Popen(["ip", "netns", "exec", one, "sleep", "600"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        wait_until(lambda: Path(f"/proc/{process.pid}/comm").read_text() == "sleep\n", "it sleeps")
        fabric.command("detach", "h1.eth1")
        self.assertEqual([link["ifname"] for link in command("ip", "-n", one, "-j", "link").json], ["lo", "eth2"])
        self.assertIsNone(process.poll())
        fabric.command("detach", "h1.eth2")
        self.assertEqual(process.wait(60), -signal.SIGTERM)
        self.assertFalse(Path(f"/run/netns/{one}").exists())
        fabric.command("attach", "h1", f"netns={one}")  # `down` detaches it

    def test_one_nic_beside_an_edge_nic(self):
        """The file attaches one NIC of a host. The other one is attached later: with an edge NIC in the same node, or without."""
        one, other = netns(self.name, "h1"), netns(self.name, "h2")
        fabric = self.fabric(self.rail(**{"h1.eth1": {"netns": one}, "h2": {"netns": other}}))
        before = self.ports_up(fabric, "leaf2")
        for settings in (("buffer=200KB", "reorder=on"), ("nic=off",), ()):
            with self.subTest(settings):
                fabric.command("attach", "h1.eth2", f"netns={one}", *settings)
                self.assertEqual("h1.eth2" in fabric.command("show", "reorder").out, "reorder=on" in settings)
                self.assertEqual(self.ports_up(fabric, "leaf2"), before + 1)
                for start in ("10.0.1.", "10.0.2."):
                    fabric.exec("h1.eth1", "ping", "-c", 2, "-i", "0.2", "-W", 2, "-I", f"{start}1", f"{start}2")
                fabric.command("detach", "h1.eth2")
                self.assertEqual(self.ports_up(fabric, "leaf2"), before)

    def test_nic_while_it_runs(self):
        """A host that is attached while the fabric runs gets an edge NIC as in a file, or none. Detached, it has its simulated
        NIC again."""
        fabric = self.fabric(demo(self.name, attach=("h1",)))
        there = f"netns={netns(self.name, 'h5')}"

        def nodes():
            return fabric.show("interface")["nodes"]
        self.assertEqual(list(nodes()["h5"]["ports"]), ["eth1"])
        refused = fabric.command("attach", "h5", there, "buffer=4MB", status=1)
        self.assertIn("attach.h5.buffer: the running fabric has packets for 1 MB, not 4 MB: set it in the file", refused.err)
        for settings, ports, driver in ((("buffer=200KB", "reorder=on"), ["eth1", "host1"], "net_af_xdp"),
                                        (("nic=off",), ["eth1"], "net_af_xdp")):
            with self.subTest(settings):
                fabric.command("attach", "h5", there, *settings)
                self.assertEqual(list(nodes()["h5"]["ports"]), ports)
                self.assertTrue(fabric.show("device", "leaf2")["nodes"]["leaf2"]["ports"]["swp1"]["device"].startswith(driver))
                fabric.exec("h1", "ping", "-c", 3, "-i", "0.2", "-W", 2, HOSTS["h5"])
                if "host1" in ports:
                    self.assertGreaterEqual(nodes()["h5"]["ports"]["host1"]["rx_packets"], 3)
                    self.assertGreaterEqual(nodes()["h5"]["ports"]["eth1"]["tx_packets"], 3)
                self.assertEqual("h5.eth1" in fabric.command("show", "reorder").out, "reorder=on" in settings)
                # New tables reach the node that is in the place of the host.
                fabric.command("set", "switch.qos.tc.3.ecn.max", "600KB")
                fabric.exec("h1", "ping", "-c", 1, "-W", 2, HOSTS["h5"])
                fabric.command("detach", "h5")
                self.assertEqual(list(nodes()["h5"]["ports"]), ["eth1"])
                self.assertEqual(self.ports_up(fabric, "leaf2"), 6)
        # A host of the file takes other settings when it is attached again.
        fabric.command("detach", "h1")
        fabric.command("attach", "h1", f"netns={netns(self.name, 'h1')}", "reorder=on")
        fabric.command("attach", "h5", there)
        fabric.exec("h1", "ping", "-c", 3, "-i", "0.2", "-W", 2, HOSTS["h5"])
        self.assertIn("h1.eth1", fabric.command("show", "reorder").out)
        self.assert_lossless(fabric)

    def test_own_addresses_while_it_runs(self):
        """Routes and tables follow the addresses given to `attach`, and change back when the host is detached."""
        description = demo(self.name, attach=("h1",))
        del description["tenants"]
        fabric = self.fabric(description)
        for _ in range(2):
            fabric.command("attach", "h5", f"netns={netns(self.name, 'h5')}", "ip=192.168.7.9", "mac=52:54:00:00:00:07")
            address, = command("ip", "-n", netns(self.name, "h5"), "-j", "addr", "show", "eth1").json
            self.assertEqual((address["address"], [one["local"] for one in address["addr_info"]]),
                             ("52:54:00:00:00:07", ["192.168.7.9"]))
            fabric.exec("h1", "ping", "-c", 3, "-i", "0.2", "-W", 2, "192.168.7.9")
            self.assertIn("the fabric came up with it attached", fabric.command("detach", "h1").err or fabric.command(
                "attach", "h1", f"netns={netns(self.name, 'h1')}", "ip=192.168.7.8", status=1).err)
            fabric.command("attach", "h1", f"netns={netns(self.name, 'h1')}")
            fabric.command("detach", "h5")
            fabric.command("attach", "h5", f"netns={netns(self.name, 'h5')}")
            fabric.exec("h1", "ping", "-c", 1, "-W", 2, HOSTS["h5"])
            self.assertIn("Unreachable", fabric.exec("h1", "ping", "-c", 1, "-W", 2, "192.168.7.9", status=1).out)
            fabric.command("detach", "h5")

    def test_links_of_several_nics_while_it_runs(self):
        """The ports of a server with two rails are up while its NICs are attached, at once or one after the other."""
        fabric = self.fabric(self.rail(h2={"netns": netns(self.name, "h2")}))
        there = netns(self.name, "h1")

        def up():
            return [self.ports_up(fabric, leaf) for leaf in ("leaf1", "leaf2")]
        before = up()
        fabric.command("attach", "h1", f"netns={there}")
        self.assertEqual(list(fabric.show("interface", "h1")["nodes"]["h1"]["ports"]), ["eth1", "eth2", "host1", "host2"])
        for rail in (1, 2):
            fabric.exec("h1", "ping", "-c", 2, "-i", "0.2", "-W", 2, "-I", f"10.0.{rail}.1", f"10.0.{rail}.2")
        self.assertEqual(up(), before)
        fabric.command("detach", "h1")
        self.assertEqual(up(), before)
        fabric.command("attach", "h1.eth2", f"netns={there}")
        self.assertEqual(up(), [before[0] - 1, before[1]])
        fabric.command("attach", "h1.eth1", f"netns={there}", "nic=off")
        self.assertEqual(up(), before)
        for rail in (1, 2):
            fabric.exec("h1.eth2", "ping", "-c", 2, "-i", "0.2", "-W", 2, "-I", f"10.0.{rail}.1", f"10.0.{rail}.2")
        fabric.command("detach", "h1.eth2")       # the namespace stays: the other NIC is in it
        self.assertEqual([link["ifname"] for link in command("ip", "-n", there, "-j", "link").json], ["lo", "eth1"])
        fabric.exec("h2", "ping", "-c", 1, "-W", 2, "10.0.1.1")
        fabric.command("detach", "h1.eth1")
        self.assertEqual(up(), before)
        self.assertFalse(Path(f"/run/netns/{there}").exists())

    def test_places_are_used_again(self):
        """Hosts are attached and detached more often than the list of devices has places, beside one that stays. Subscribers
        get no events of places that are free. A host of the file has no link while it is detached."""
        fabric = self.fabric(demo(self.name, attach=()) | {"attach": {
            "h1": {"netns": netns(self.name, "h1")}, "h2": {"dev": "net_null0,no-rx=1", "nic": "off"}}})
        pid = json.loads(Path(f"/run/roost/{self.name}.state").read_text())["pid"]
        with Client(self.name) as client:
            client.ask("subscribe", kinds=["link", "drops"])
            wait_for_first_look(client)
            fabric.command("attach", "h5", "dev=net_null5,no-rx=1")
            fabric.command("attach", "h6", f"netns={netns(self.name, 'h6')}")    # behind the hole
            for turn in range(40):
                fabric.command("detach", "h5")
                fabric.command("detach", "h2")
                if turn == 0:
                    self.assertEqual(client.hear()["params"] | {"at_ns": 0},
                                     {"kind": "link", "at_ns": 0, "link": "leaf1.swp2", "state": "down"})
                    self.assertEqual(fabric.show("device")["nodes"]["leaf1"]["ports"].keys(), {"swp1"})
                    self.assertEqual(fabric.show("device")["nodes"]["leaf2"]["ports"].keys(), {"swp2"})
                    files = self.maps(pid)
                fabric.command("attach", "h5", "dev=net_null5,no-rx=1")
                fabric.command("attach", "h2", "dev=net_null0,no-rx=1", "nic=off")
                if turn % 10 == 0:
                    fabric.command("attach", "h7", f"netns={netns(self.name, 'h7')}")
                    fabric.command("detach", "h7")
                if turn == 0:
                    self.assertEqual(client.hear()["params"]["state"], "up")
            fabric.command("detach", "h5")
            fabric.command("detach", "h2")
            self.assertEqual(self.maps(pid), files)
        fabric.exec("h1", "ping", "-c", 1, "-W", 2, "h6")
        self.assertEqual(dict(drops(fabric.show("drops")["nodes"])), {})

    def test_reordering(self):
        """What `check` and `up` warn of is also said when it comes about while the fabric runs, once."""
        taps = {host: f"r{os.getpid() % 1000000}{host}" for host in ("h1", "h2", "h5")}
        told = ("warning: attach: RoCE packets for h1 and 1 other attached host may overtake each other: leaf2 chooses a path "
                "for each of them; a host that goes back N, such as rdma_rxe, needs attach.h1.reorder: on (with nic: on), "
                "or routing.mode: ecmp, ecmp-qp or flowlet\n")
        description = demo(self.name, ()) | {"attach": {"h1": {"tap": taps["h1"], "mtu": 1500}}}
        description["switch"]["routing"]["mode"] = "ecmp"

        def attach(host, *words):
            return without_place(fabric.command("attach", host, f"tap={taps[host]}", *words).err)

        def change(key, value):
            return without_place(fabric.command("set", key, value).err)

        def without_place(text):
            return re.sub(r"warning: \S+:\d+:\d+: ", "warning: ", text)

        fabric = self.fabric(description)
        self.assertEqual(attach("h5"), "")
        self.assertEqual(change("switch.routing.mode", "adaptive"), f"roost set: {told}")
        self.assertEqual(change("switch.routing.mode", "spray"), "")
        self.assertEqual(change("switch.routing.mode", "ecmp"), "")
        self.assertEqual(change("switch.routing.mode", "adaptive"), f"roost set: {told}")
        self.assertEqual(attach("h2", "reorder=off"), "")
        fabric.command("detach", "h5")
        self.assertEqual(attach("h5"), f"roost attach: {told}")
        fabric.command("detach", "h5")
        self.assertEqual(attach("h5", "reorder=on"), f"roost attach: {told.replace(' and 1 other attached host', '')}")

    def test_host_with_work(self):
        """A host with a part in the workload keeps its NIC, and the error says what to do."""
        fabric = self.fabric(demo(self.name, attach=("h1",), workload=[
            {"kind": "flow", "from": "h5", "to": "h6", "size": "100GB"},
            {"kind": "all-reduce", "hosts": ["h3", "h7"], "size": "1KB"},
            {"kind": "stream", "from": "h4", "to": "h8", "packet": "100B", "rate": "1M", "until": "1us"}]))
        for hosts, work, instead in ((("h5", "h6"), "a flow that has not finished", "wait for the flow"),
                                     (("h3", "h7"), "a collective",
                                      "take it out of the collective, and bring the fabric up again"),
                                     (("h4", "h8"), "a stream", "take it out of the stream, and bring the fabric up again")):
            for host in hosts:
                self.assertEqual(fabric.command("attach", host, "netns=x", status=1).err,
                                 f"roost attach: attach.{host}: {work} uses this host: attach it in the file, or {instead}\n")
        self.assertEqual([self.ports_up(fabric, leaf) for leaf in ("leaf1", "leaf2")], [6, 6])

    def test_killed(self):
        """`down` removes what a killed fabric has left: also hosts that were attached while it ran, and a tap."""
        tap = f"tap{os.getpid() % 100000}"
        description = demo(self.name, attach=()) | {"attach": {"h1": {"tap": tap}}}
        roost("up", self.file(description, "killed.yaml"))
        self.addCleanup(roost, "down", self.name, status=None)
        roost("attach", "h5", f"netns={netns(self.name, 'h5')}", "-f", self.name)
        pid = json.loads(Path(f"/run/roost/{self.name}.state").read_text())["pid"]
        end = os.pidfd_open(pid)
        os.kill(pid, signal.SIGKILL)
        self.assertTrue(select.select([end], [], [], 10)[0])
        os.close(end)
        self.assertTrue(Path(f"/sys/class/net/{tap}").exists())
        left = subprocess.Popen(["ip", "netns", "exec", netns(self.name, "h5"), "sleep", "600"])
        self.addCleanup(left.wait)
        self.addCleanup(left.kill)
        wait_until(lambda: Path(f"/proc/{left.pid}/comm").read_text() == "sleep\n", "it sleeps")
        down = roost("down", self.name)
        self.assertIn("cleaned up after it", down.out)
        self.assertIn(f"roost: note: ended process {left.pid} (sleep) in namespace {netns(self.name, 'h5')}", down.err)
        self.assertEqual(left.wait(60), -signal.SIGTERM)
        self.assertFalse(Path(f"/sys/class/net/{tap}").exists())
        self.assertFalse(Path(f"/etc/netns/{netns(self.name, 'h5')}").exists())
        self.assert_clean(self.name)
