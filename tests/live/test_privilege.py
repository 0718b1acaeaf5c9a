# SPDX-License-Identifier: BSD-3-Clause
"""What the process of a live fabric may still do once it is up."""
import re

from common import *

FIELDS = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp")
SECCOMP_FILTER = 2    # SECCOMP_MODE_FILTER
CAPABILITY_H = Path("/usr/include/linux/capability.h")
LAST_CAPABILITY = int(Path("/proc/sys/kernel/cap_last_cap").read_text())


def documented():
    """The capabilities that doc/security.md says a fabric keeps, as a set of bits."""
    numbers = {name: int(number) for name, number in
               re.findall(r"^#define (CAP_\w+)\s+(\d+)$", CAPABILITY_H.read_text(), re.M)}
    names = re.findall(r"^\| `(CAP_\w+)` \|", (SOURCE / "doc/security.md").read_text(), re.M)
    return sum(1 << numbers[name] for name in names)


def status(path):
    """The fields of a file like /proc/PID/status that say what a thread may do."""
    fields = dict(re.findall(r"^(\w+):\t(\w+)$", path.read_text(), re.M))
    return {name: int(fields[name], 16) for name in FIELDS}


def own_pid(name):
    return json.loads(Path(f"/run/roost/{name}.state").read_text())["pid"]


def children(pid):
    """The processes that a process has started, by name."""
    found = {}
    for number in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        found[Path(f"/proc/{number}/comm").read_text().strip()] = int(number)
    return found


class Privilege(Shared):
    @classmethod
    def description(cls):
        return demo(cls.name, attach=("h1", "h5"), workers=2)

    def expected(self):
        here = status(Path("/proc/self/status"))
        kept = documented()
        self.assertLess(kept.bit_count(), LAST_CAPABILITY // 2)
        return {"CapInh": 0, "CapPrm": kept & here["CapPrm"], "CapEff": kept & here["CapPrm"],
                "CapBnd": kept & here["CapBnd"], "CapAmb": 0, "NoNewPrivs": 1, "Seccomp": SECCOMP_FILTER}

    def test_every_thread_keeps_only_what_it_needs(self):
        tasks = sorted(Path(f"/proc/{own_pid(self.name)}/task").iterdir())
        self.assertGreaterEqual(len(tasks), 3)      # the control thread and two workers
        for task in tasks:
            with self.subTest(thread=(task / "comm").read_text().strip()):
                self.assertEqual(status(task / "status"), self.expected())

    def test_the_watcher_has_no_more(self):
        watcher = children(own_pid(self.name))["roost-watcher"]
        self.assertEqual(status(Path(f"/proc/{watcher}/status")), self.expected())

    def test_hosts_come_and_go(self):
        """Attached as on the first day: a namespace that Roost makes, and one of the user's; what runs there ends."""
        made, given = netns(self.name, "made"), netns(self.name, "given")
        command("ip", "netns", "add", given)
        self.addCleanup(command, "ip", "netns", "del", given)
        for host, namespace in (("h3", made), ("h7", given)):
            roost("attach", host, f"netns={namespace}", "-f", self.name)
        self.assert_reaches_in(made, HOSTS["h7"])
        sleeper = subprocess.Popen(["ip", "netns", "exec", made, "setpriv", "--reuid", "65534", "sleep", "1000"])
        self.addCleanup(sleeper.wait)
        wait_until(lambda: command("ip", "netns", "pids", made).out.split() != [], "a process in the namespace")
        roost("detach", "h3", "-f", self.name)
        roost("detach", "h7", "-f", self.name)
        self.assertLess(sleeper.wait(timeout=10), 0)
        self.assertFalse(Path(f"/run/netns/{made}").exists())
        self.assertTrue(Path(f"/run/netns/{given}").exists())

    def assert_reaches_in(self, namespace, address):
        command("ip", "netns", "exec", namespace, "ping", "-c", 1, "-W", 5, address)

    def test_workers_have_priority(self):
        for task in Path(f"/proc/{own_pid(self.name)}/task").iterdir():
            if (task / "comm").read_text().startswith("rte-worker"):
                nice = (task / "stat").read_text().rpartition(")")[2].split()[16]   # field 19
                self.assertLess(int(nice), 0)

    def test_ports_below_1024(self):
        roost("attach", "h4", "dev=net_udp0,local=127.0.0.1:1003,remote=127.0.0.1:1004", "mtu=1500", "-f", self.name)
        roost("detach", "h4", "-f", self.name)

    def test_saves_where_the_user_may_write(self):
        """`sudo roost up` in a user's own directory: root without CAP_DAC_OVERRIDE could not write there."""
        with tempfile.TemporaryDirectory() as directory:
            os.chmod(directory, 0o755)
            os.chown(directory, 65534, 65534)
            file = Path(directory) / "saved.yaml"
            roost("save", file, "-f", self.name)
            self.assertIn(self.name, file.read_text())


class ByNobody(LiveCase):
    """A user who may do nothing that others may not."""
    NOBODY = 65534
    AS_NOBODY = ("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups")

    def setUp(self):
        self.name = name_of("ordinary")
        # A place where such a user may go, with a program and files that it may read.
        self.home = Path(tempfile.mkdtemp(dir="/tmp"))
        self.addCleanup(shutil.rmtree, self.home)
        self.program = shutil.copy(ROOST, self.home / "program")
        os.chown(self.home, self.NOBODY, self.NOBODY)

    def write(self, description):
        path = self.home / f"{self.name}.yaml"
        path.write_text(to_yaml(description) + "\n")
        return path


class OrdinaryUser(ByNobody):
    """`roost up` without any right."""
    def roost(self, *words, sets=("HOME", "XDG_RUNTIME_DIR"), status=0):
        """sets: the variables that name the user's place."""
        return command(*self.AS_NOBODY, "env", "-i", f"PATH={os.environ['PATH']}", *(f"{name}={self.home}" for name in sets),
                       self.program, *words, status=status)

    def test_simulated_hosts(self):
        """They need no right at all: traffic flows, the fabric is changed, and goes without a trace."""
        stream = {"kind": "stream", "from": "h1", "to": "h6", "rate": "10G"}
        up = self.roost("up", self.write(demo(self.name, attach=(), workload=[stream])))
        self.addCleanup(self.roost, "down", self.name, status=None)
        self.assertEqual(up.err, "")
        pid = json.loads((self.home / f"roost/{self.name}.state").read_text())["pid"]
        for task in Path(f"/proc/{pid}/task").iterdir():
            got = status(task / "status")
            self.assertEqual({key: got[key] for key in ("CapInh", "CapPrm", "CapEff", "CapAmb", "NoNewPrivs", "Seccomp")},
                             {"CapInh": 0, "CapPrm": 0, "CapEff": 0, "CapAmb": 0, "NoNewPrivs": 1, "Seccomp": SECCOMP_FILTER})
        wait_until(lambda: self.roost("show", "interface", "leaf1.swp1", "-f", self.name, "-o", "json")
                   .json["nodes"]["leaf1"]["ports"]["swp1"]["rx_packets"] > 100, "packets of the stream")
        self.roost("set", "switch.qos.tc.3.ecn.max", "400KB", "-f", self.name)
        self.assertRegex(self.roost("attach", "h3", "netns=x", "-f", self.name, status=1).err, "`roost up` as root")
        self.assertEqual(self.roost("down", self.name).out, f"{self.name} is down\n")
        self.assertEqual(list((self.home / "roost").glob("*.s*")), [])

    def test_devices_without_interfaces(self):
        ports = {"swp1": {"rate": "10G", "dev": f"net_memif0,role=server,socket={self.home}/memif.sock"},
                 "swp2": {"rate": "10G", "dev": "net_udp0,local=127.0.0.1:47931,remote=127.0.0.1:47932"}}
        self.roost("up", self.write({"switch": {"name": self.name, "preset": "spectrum-x", "mtu": 1400, "ports": ports},
                                     "live": {"idle": "sleep"}}))
        self.assertEqual(self.roost("down", self.name).out, f"{self.name} is down\n")

    def test_what_needs_root(self):
        """The error names what needs it, and what to do; nothing is left."""
        def switch(port):
            return {"switch": {"name": self.name, "preset": "spectrum-x", "mtu": 1500, "ports": {"swp1": {"rate": "10G"} | port}},
                    "live": {"idle": "sleep"}}

        hosts = demo(self.name, attach=("h5",))
        for description, what in ((hosts, "h5"), (hosts | {"attach": {"h2": {"tap": "roost-tap"}}}, "h2"),
                                  (switch({"netdev": "lo"}), "swp1"), (switch({"dev": "net_af_packet0,iface=lo"}), "swp1"),
                                  (switch({"dev": "net_tap0,iface=roost-tap"}), "swp1")):
            with self.subTest(what=what):
                done = self.roost("up", self.write(description), status=1)
                self.assertRegex(done.err.splitlines()[-1], rf"^roost: {what}: .* need root: use sudo, a user namespace, or simulated hosts alone$")
                self.assertEqual(list((self.home / "roost").glob("*.s*")), [])

    def test_no_place_for_the_socket(self):
        done = self.roost("up", self.write(demo(self.name, attach=())), sets=("HOME",), status=1)
        self.assertRegex(done.err, r"^roost: XDG_RUNTIME_DIR is not set: .*; export it, with the path of a directory of yours$")


class UserNamespace(ByNobody):
    """`roost up` by a user who is root in namespaces of their own (doc/security.md)."""
    NAMESPACES = ("--user", "--net", "--mount", "--pid")

    def setUp(self):
        super().setUp()
        # It ends, and with it all processes of its namespaces, when this process does.
        holder = subprocess.Popen(
            [*map(str, self.AS_NOBODY), "unshare", *self.NAMESPACES, "--map-root-user", "--mount-proc", "--fork", "sh", "-c",
             "mount -t tmpfs run /run && mkdir /run/netns && echo ready && exec cat"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(holder.__exit__, None, None, None)     # closes its pipes and waits for it
        self.assertEqual(holder.stdout.readline(), "ready\n")
        (self.inside,) = children(holder.pid).values()

    def run_inside(self, *words, status=0):
        return command(*self.AS_NOBODY, "nsenter", *self.NAMESPACES, "--preserve-credentials", "--target", self.inside,
                       "env", "-i", f"PATH={os.environ['PATH']}", f"HOME={self.home}", *words, status=status)

    def roost(self, *words, status=0):
        return self.run_inside(self.program, *words, status=status)

    def test_hosts_are_attached(self):
        """With packet sockets, because Linux keeps AF_XDP to itself there; later ones too."""
        self.roost("up", self.write(demo(self.name, attach=("h1", "h5"))))
        self.roost("exec", "h1", "--", "ping", "-c", 3, "-i", 0.2, "-W", 5, HOSTS["h5"])
        self.roost("attach", "h3", "netns=late")
        self.roost("attach", "h7", "netns=later")
        self.run_inside("ip", "netns", "exec", "late", "ping", "-c", 1, "-W", 5, HOSTS["h7"])
        self.assertEqual(set(re.findall(r"net_[a-z_]+", self.roost("show", "device").out)), {"net_af_packet"})
        pid = self.roost("list", "-o", "json").json[0]["pid"]
        got = re.findall(r"^(CapEff|CapBnd|Seccomp):\t(\w+)$", self.run_inside("cat", f"/proc/{pid}/status").out, re.M)
        self.assertEqual({name: int(value, 16) for name, value in got},
                         {"CapEff": documented(), "CapBnd": documented(), "Seccomp": SECCOMP_FILTER})
        self.assertEqual(self.roost("down", self.name).out, f"{self.name} is down\n")
        self.assertEqual(self.run_inside("ip", "netns", "list").out, "")

    def test_what_needs_root_outside(self):
        for port in ({"netdev": "lo"}, {"dev": "net_af_xdp0,iface=lo"}):
            with self.subTest(port=port):
                done = self.roost("up", self.write({"switch": {"name": self.name, "preset": "spectrum-x", "mtu": 1500,
                                                               "ports": {"swp1": {"rate": "10G"} | port}}}), status=1)
                self.assertRegex(done.err, r'^roost: swp1: Linux allows AF_XDP to no process in a user namespace: '
                                           r'use `dev: "net_af_packet0,iface=lo"`, or sudo outside of it$')
                self.assertEqual(self.run_inside("ls", "/run/roost").out, "")


if __name__ == "__main__":
    unittest.main()
