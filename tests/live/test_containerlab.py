# SPDX-License-Identifier: BSD-3-Clause
"""The topologies of testbeds/containerlab, and one as netlab makes it, with namespaces in place of containers.

Each node is a process that is the first of its PID namespace and has a network namespace and a /run of its own. /run/netns
lists the network namespace of that process as clab-LAB-NODE. As containerlab does it, all nodes start without links; a link is
a veth pair with random names, of which each end is moved, renamed, given a MAC address and brought up; then the commands under
`exec` are run."""
import secrets
import shlex
import signal

import netlab
import yaml

from common import *

BED = SOURCE / "testbeds/containerlab"
LINK_MTU = 9500         # containerlab's, unless the topology says another
PACKETS = 500
START = 'mount -t tmpfs tmpfs /run && mount -t sysfs sysfs /sys && exec "$@"'


def image_setting(key):
    """What the image that the topologies name says, in testbeds/package/image."""
    return re.search(rf"--config\.{key} (\S+)", (SOURCE / "testbeds/package/image").read_text())[1]


def children(pid, field):
    """What ps says of the children of a process."""
    return command("ps", "--ppid", pid, "-o", f"{field}=", status=None).out.split()


class Lab:
    """A topology file, deployed."""

    def __init__(self, case, file):
        text = yaml.safe_load(file.read_text())
        self.case, self.beside, self.name = case, file.parent, f"{text['name']}-{os.getpid()}"
        self.topology = text["topology"]
        self.processes = {}     # by node: what made the namespaces, and waits for the first process
        for node in self.topology["nodes"]:
            case.addCleanup(self.stop, node)

    def setting(self, node, key, default=None):
        return self.topology["nodes"][node].get(key, self.topology["defaults"].get(key, default))

    def netns(self, node):
        return f"clab-{self.name}-{node}"

    def start(self, node):
        """What the container engine does."""
        root = self.case.directory / node
        place = root / image_setting("workingdir").lstrip("/")
        place.mkdir(parents=True, exist_ok=True)
        for source, target, _ in (one.split(":") for one in self.setting(node, "binds", [])):
            (root / target.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.beside / source, root / target.lstrip("/"))
        entry = shlex.split(self.setting(node, "entrypoint", image_setting("entrypoint")))
        words = [ROOST if word == "/usr/bin/roost" else word for word in entry] + shlex.split(self.setting(node, "cmd"))
        with open(root / "out", "a") as out, open(root / "err", "a") as err:
            self.processes[node] = subprocess.Popen(
                ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", START, "sh", *words],
                cwd=place, stdout=out, stderr=err)
        wait_until(lambda: self.first(node), "it has begun")
        Path(f"/run/netns/{self.netns(node)}").symlink_to(f"/proc/{self.first(node)}/ns/net")
        for key, value in (self.topology["defaults"]["sysctls"] | self.topology["nodes"][node].get("sysctls", {})).items():
            self.run(node, "sysctl", "-qw", f"{key}={value}")

    def first(self, node):
        """The first process in a container, by its number outside; 0 before it is there."""
        pid = self.processes[node].pid
        return int(Path(f"/proc/{pid}/task/{pid}/children").read_text() or 0)

    def stop(self, node, sign=signal.SIGKILL):
        """Returns the status that its first process ended with."""
        if node not in self.processes:
            return None
        Path(f"/run/netns/{self.netns(node)}").unlink(missing_ok=True)
        first = self.first(node)
        if first:
            os.kill(first, sign)
        else:
            self.processes[node].kill()     # its first process has ended by itself
        return self.processes.pop(node).wait(60)

    def run(self, node, *words, **options):
        """A command in a container that runs."""
        return command("nsenter", "-t", self.first(node), "-n", "-m", "-p", *words, **options)

    def join(self, link):
        ends = [one.split(":") for one in link["endpoints"]]
        names = [f"clab-{secrets.token_hex(4)}" for _ in ends]
        mtu = link.get("mtu", LINK_MTU)
        command("ip", "link", "add", names[0], "mtu", mtu, "type", "veth", "peer", "name", names[1], "mtu", mtu)
        for (node, interface), name in zip(ends, names):
            command("ip", "link", "set", name, "netns", self.netns(node))
            mac = "aa:c1:ab:" + ":".join(f"{byte:02x}" for byte in secrets.token_bytes(3))
            for words in ((name, "name", interface), (interface, "address", mac), (interface, "up")):
                command("ip", "-n", self.netns(node), "link", "set", *words)

    def links(self, node):
        return [one for one in self.topology["links"] if any(end.split(":")[0] == node for end in one["endpoints"])]

    def configure(self, node, about=""):
        """Runs its commands, or those about an interface."""
        for line in self.setting(node, "exec", []):
            # Files that are bound into a container are below the directory of its node here.
            words = [f"{self.case.directory}/{node}{word}" if word.startswith("/etc/") else word for word in shlex.split(line)]
            if about in line:
                self.run(node, *words)

    def interface(self, node, interface):
        return command("ip", "-n", self.netns(node), "-j", "link", "show", interface).json[0]


class TopologyCase(LiveCase):
    ROOST_NODE = FILE = None

    def setUp(self):
        self.lab = Lab(self, self.topology_file())
        self.hosts = [node for node in self.lab.topology["nodes"] if node != self.ROOST_NODE]

    def topology_file(self):
        return BED / self.FILE

    def show(self, *words):
        return self.lab.run(self.ROOST_NODE, ROOST, "show", *words, "-o", "json", timeout=60).json

    def told(self):
        return (self.directory / self.ROOST_NODE / "err").read_text()

    def port(self, host):
        node, port = self.place(host)
        return self.show("interface", f"{node}.{port}")["nodes"][node]["ports"][port]

    def await_state(self, host, state):
        wait_until(lambda: self.port(host)["state"] == state, lambda: f"the port of {host} is {state}: {self.told()}")

    def address(self, host):
        return re.search(r"address add (\S+)/", " ".join(self.lab.setting(host, "exec")))[1]

    def deploy(self):
        for node in self.lab.topology["nodes"]:
            self.lab.start(node)
        # It is up without any of its interfaces, and says what it waits for.
        wait_until(lambda: "runs; Ctrl-C" in (self.directory / self.ROOST_NODE / "out").read_text(), self.told)
        for host in self.hosts:
            self.await_state(host, "down")
            self.assertRegex(self.told(), rf"stays down: \S+iface={self.end(host)}: no interface {self.end(host)} ")
        for link in self.lab.topology["links"]:
            self.lab.join(link)
        for node in self.lab.topology["nodes"]:
            self.lab.configure(node)
        for host in self.hosts:
            self.await_state(host, "up")

    def end(self, host):
        """Roost's end of the link of a host."""
        ends = [end for link in self.lab.links(host) for end in link["endpoints"] if end.startswith(f"{self.ROOST_NODE}:")]
        return ends[0].split(":")[1]

    def ping_all(self):
        for source in self.hosts:
            for destination in self.hosts:
                if source != destination:
                    self.lab.run(source, "ping", "-c", "3", "-i", "0.2", "-W", "1", self.address(destination))

    def keep_neighbours(self):
        """Makes what hosts know of their gateways permanent: no ARP is sent from then on."""
        for host in self.hosts:
            for one in command("ip", "-n", self.lab.netns(host), "-j", "neigh", "show", "dev", "eth1").json:
                command("ip", "-n", self.lab.netns(host), "neigh", "replace", one["dst"], "lladdr", one["lladdr"], "dev",
                        "eth1", "nud", "permanent")

    def assert_exact(self):
        """Every host sends to the next, and the ports count exactly these packets."""
        self.keep_neighbours()
        before = {host: self.port(host) for host in self.hosts}
        lost = drops(self.show("drops")["nodes"])
        sockets = {host: udp_socket(self.lab.netns(host)) for host in self.hosts}
        for i, host in enumerate(self.hosts):
            to = self.hosts[(i + 1) % len(self.hosts)]
            where = (self.address(to), sockets[to].socket.getsockname()[1])
            for number in range(PACKETS):
                sockets[host].send(b"%d" % number, where)
                if number % 16 == 15:
                    time.sleep(0.002)       # a veth's ring holds 256
        for host, one in sockets.items():
            arrivals = one.receive_all(PACKETS)
            one.socket.close()
            self.assertEqual([int(arrival.data) for arrival in arrivals], list(range(PACKETS)), host)
        for host in self.hosts:
            now = self.port(host)
            self.assertEqual([now[key] - before[host][key] for key in ("rx_packets", "tx_packets")], [PACKETS] * 2, host)
        self.assertEqual(drops(self.show("drops")["nodes"]), lost)

    def restart(self, host):
        """The container of a host restarts: the interfaces of its links are gone, and made anew."""
        end, mac = self.end(host), self.lab.interface(self.ROOST_NODE, self.end(host))["address"]
        process, = children(self.lab.first(self.ROOST_NODE), "pid")
        descriptors = len(os.listdir(f"/proc/{process}/fd"))
        self.lab.stop(host)
        self.await_state(host, "down")
        self.lab.start(host)
        for link in self.lab.links(host):
            self.lab.join(link)
        self.lab.configure(host)
        self.lab.configure(self.ROOST_NODE, about=f"dev {end}")
        self.await_state(host, "up")
        self.assertNotEqual(self.lab.interface(self.ROOST_NODE, end)["address"], mac)
        self.assertRegex(self.told(), r"down: \S.* is gone")
        self.assertRegex(self.told(), r"up: \S.* is back")
        self.assertEqual(len(os.listdir(f"/proc/{process}/fd")), descriptors)

    def test_lab(self):
        self.deploy()
        self.ping_all()
        self.assert_exact()
        self.restart(self.hosts[1])
        self.ping_all()
        self.assert_exact()
        self.assertEqual(self.lab.stop(self.ROOST_NODE, signal.SIGTERM), 0, self.told())


class Switch(TopologyCase):
    """One switch, whose ports Linux shares."""
    ROOST_NODE, FILE = "leaf", "switch.clab.yml"

    def place(self, host):
        return self.ROOST_NODE, self.end(host)

    def restart(self, host):
        super().restart(host)
        wait_until(lambda: self.port(host)["mac"] == self.lab.interface(self.ROOST_NODE, self.end(host))["address"],
                   "the port has the MAC of the new interface")


class Netlab(Switch):
    """A switch as testbeds/netlab describes it. Its links have the MTU of containerlab until its commands are run."""
    ROOST_NODE = "s1"

    def topology_file(self):
        links = [netlab.interface(number, f"h{number}") for number in (1, 2, 3)]
        data = netlab.node(links)
        nodes = {"s1": {"cmd": netlab.DEVICE["clab"]["node"]["cmd"], "binds": [], "exec": []}}
        for template, target in (netlab.DEVICE["clab"]["node"]["config_templates"] | netlab.DEVICE["clab"]["node_config"]).items():
            target, _, how = target.partition(":")
            self.file(netlab.render(template, data), template)
            nodes["s1"]["binds"].append(f"{template}:{target}:ro")
            if how == "sh":
                nodes["s1"]["exec"].append(f"sh {target}")
        for link in links:
            neighbour, = link["neighbors"]
            nodes[neighbour["node"]] = {"entrypoint": "sleep", "cmd": "infinity", "exec": [
                "ethtool -K eth1 tx off", "ip link set eth1 mtu 1500", f"ip address add {neighbour['ipv4']} dev eth1",
                f"ip route add 172.16.0.0/16 via {link['ipv4'].split('/')[0]}"]}
        return self.file({"name": "lab", "topology": {
            "defaults": {"sysctls": {"net.ipv6.conf.default.disable_ipv6": 1}}, "nodes": nodes,
            "links": [{"endpoints": [f"s1:{link['ifname']}", f"{link['neighbors'][0]['node']}:eth1"]} for link in links]}}, "clab.yml")

    def restart(self, host):
        super().restart(host)
        self.lab.configure(self.ROOST_NODE)


class WholeFabric(TopologyCase):
    """A leaf/spine fabric in one container."""
    ROOST_NODE, FILE = "roost", "fabric.clab.yml"

    def place(self, host):
        number = int(host[1:]) - 1
        return f"leaf{number // 2 + 1}", f"swp{number % 2 + 1}"


class FirstProcess(LiveCase):
    """`roost run` as the first process of a container."""

    def test_orphans_are_reaped(self):
        lab = Lab(self, BED / "fabric.clab.yml")
        lab.start("roost")

        def names():
            return children(lab.first("roost"), "comm")
        wait_until(lambda: names() == ["roost"], names)         # the process of the fabric
        lab.run("roost", "sh", "-c", "sleep infinity </dev/null >/dev/null 2>&1 &")
        wait_until(lambda: "sleep" in names(), "its parent is gone")
        lab.run("roost", "pkill", "-x", "sleep")
        wait_until(lambda: names() == ["roost"], names)
        self.assertEqual(lab.stop("roost", signal.SIGINT), 0)

    def test_status(self):
        missing = self.directory / "missing.yaml"
        done = command("unshare", "--pid", "--fork", ROOST, "run", missing, status=2)
        self.assertIn(f"{missing}: cannot be read", done.err)


del TopologyCase

if __name__ == "__main__":
    unittest.main()
