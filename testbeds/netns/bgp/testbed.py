# SPDX-License-Identifier: BSD-3-Clause
"""The testbed as something that is brought up, asked and taken down. Whatever it makes, down() finds again by
the testbed's name alone."""
import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "testbeds"))

from plan import (HOSTS, LINKS, SWITCHES, address, bfdd_conf, bgpd_conf, gateway, loopback, ports,  # noqa: E402
                  switch_file, zebra_conf)
from processes import end_processes, run  # noqa: E402

FRR = Path("/usr/lib/frr")
DAEMONS = ("zebra", "bfdd", "bgpd")     # in the order in which they start; all others are clients of zebra
QUEUES = ("numtxqueues", "1", "numrxqueues", "1")
OFFLOADS = ("tx", "off", "gso", "off", "tso", "off", "gro", "off", "txvlan", "off", "rxvlan", "off")
PATIENCE_S = 60
MTU = 1500

# Linux does not route: what the dataplane does not forward must not find another way. Routers are believed
# by FRR alone, and addresses are good at once.
SWITCH_SYSCTLS = ("net.ipv4.ip_forward=0", "net.ipv6.conf.all.forwarding=0", "net.ipv6.conf.default.forwarding=0",
                  "net.ipv6.conf.default.accept_ra=0", "net.ipv6.conf.default.accept_dad=0",
                  "net.ipv4.conf.all.rp_filter=0", "net.ipv4.conf.default.rp_filter=0")
HOST_SYSCTLS = ("net.ipv6.conf.default.accept_ra=0", "net.ipv6.conf.default.accept_dad=0")


def wait_until(condition, what, seconds=PATIENCE_S):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(f"waited {seconds} s in vain: {what()}")
        time.sleep(0.1)


class Testbed:
    """The fabric of a name, be it up or not."""

    def __init__(self, name="bgp", roost=None, bfd_in_dataplane=False):
        self.bfd_in_dataplane = bfd_in_dataplane    # of what up() makes
        self.name, self.roost = name, Path(roost or os.environ.get("ROOST") or SOURCE / "build/roost")
        self.directory = Path(f"/run/roost-{name}")

    # ---- names and places ----------------------------------------------------------------------

    def netns(self, node):
        return f"roost-{self.name}-{node}"

    def bfd_socket(self, switch):
        """Where bfdd listens for roost."""
        return self.directory / switch / "bfd-dataplane.sock"

    def enter(self, node):
        return ["ip", "netns", "exec", self.netns(node)]

    def inside(self, node, *words, **options):
        return run(*self.enter(node), *words, **options)

    def there(self):
        """Which of its namespaces are there."""
        return [self.netns(node) for node in (*SWITCHES, *HOSTS) if Path("/run/netns", self.netns(node)).exists()]

    # ---- bringing it up ------------------------------------------------------------------------

    def up(self):
        if self.there() or self.directory.exists():
            raise RuntimeError(f"{self.name} is up, or was not taken down")
        for program, package in ((self.roost, "testbeds/setup"), (FRR / "bgpd", "apt install frr"),
                                 (Path("/usr/sbin/ethtool"), "apt install ethtool")):
            if not program.exists():
                raise RuntimeError(f"{program} is not there: {package}")
        try:
            self.make()
            wait_until(self.converged, lambda: json.dumps(self.state()))
        except BaseException:
            self.down()
            raise

    def make(self):
        for node in SWITCHES:
            self.make_node(node, SWITCH_SYSCTLS)
        for node in HOSTS:
            self.make_node(node, HOST_SYSCTLS)
        for leaf, up, spine, down in LINKS:
            self.make_link(leaf, f"swp{up}", spine, f"swp{down}")
        for host, (leaf, port) in HOSTS.items():
            self.make_link(leaf, f"swp{port}", host, "eth1")
            self.give_addresses(host, leaf, f"swp{port}")
        for switch in SWITCHES:
            run("ip", "-n", self.netns(switch), "addr", "add", f"{loopback(switch)}/32", "dev", "lo")
        cpus = sorted(os.sched_getaffinity(0))
        for i, switch in enumerate(SWITCHES):
            self.make_switch(switch, cpus[i % len(cpus)])

    def make_node(self, node, sysctls):
        run("ip", "netns", "add", self.netns(node))
        self.inside(node, "sysctl", "-qw", *sysctls)
        run("ip", "-n", self.netns(node), "link", "set", "lo", "up")

    def make_link(self, a, port_a, b, port_b):
        run("ip", "-n", self.netns(a), "link", "add", port_a, "mtu", MTU, *QUEUES, "type", "veth",
            "peer", "name", port_b, "netns", self.netns(b), "mtu", MTU, *QUEUES)
        for node, port in ((a, port_a), (b, port_b)):
            self.inside(node, "ethtool", "-K", port, *OFFLOADS)
            run("ip", "-n", self.netns(node), "link", "set", port, "up")

    def give_addresses(self, host, leaf, port):
        for mine, its, length in zip(address(host), gateway(host), (24, 64)):
            run("ip", "-n", self.netns(leaf), "addr", "add", f"{its}/{length}", "dev", port)
            run("ip", "-n", self.netns(host), "addr", "add", f"{mine}/{length}", "dev", "eth1")
            run("ip", "-n", self.netns(host), "route", "add", "default", "via", its)

    def make_switch(self, switch, cpu):
        place = self.directory / switch
        place.mkdir(parents=True)
        shutil.chown(place, "frr", "frr")
        socket = self.bfd_socket(switch) if self.bfd_in_dataplane else None
        for name, text in (("switch.yaml", switch_file(self.name, switch, cpu, socket)), ("zebra.conf", zebra_conf(switch)),
                           ("bfdd.conf", bfdd_conf(switch)), ("bgpd.conf", bgpd_conf(switch))):
            (place / name).write_text(text)
        self.start_roost(switch)
        for daemon in DAEMONS:
            self.run_daemon(switch, daemon)

    def start_roost(self, switch):
        self.inside(switch, self.roost, "up", self.directory / switch / "switch.yaml")

    def run_daemon(self, switch, daemon):
        place = self.directory / switch
        own = {"zebra": ["--v6-rr-semantics"], "bfdd": ["--bfdctl", place / "bfdd.sock"]}.get(daemon, [])
        if daemon == "bfdd" and str(self.bfd_socket(switch)) in (place / "switch.yaml").read_text():
            own += ["--dplaneaddr", f"unix:{self.bfd_socket(switch)}"]
        self.inside(switch, FRR / daemon, "-d", "-f", place / f"{daemon}.conf", "-i", place / f"{daemon}.pid",
                    "-z", place / "zserv.api", "--vty_socket", place, "-P", "0",
                    "--log", f"file:{place / daemon}.log", *own)

    def start(self, switch, daemon):
        """Starts a daemon that was killed. The clients of zebra are started again with it, as FRR's watchfrr does:
        they connect to a new zebra, but do not announce their routes to it again."""
        if self.pid(switch, daemon):
            raise RuntimeError(f"{daemon} of {switch} runs")
        with_it = DAEMONS[1:] if daemon == "zebra" else ()
        clients = [one for one in with_it if self.pid(switch, one)]
        end_processes([self.pid(switch, one) for one in clients], signal.SIGTERM)
        for one in (daemon, *clients):
            self.run_daemon(switch, one)

    def pid(self, switch, daemon):
        """Of a daemon that runs, or None."""
        try:
            pid = int((self.directory / switch / f"{daemon}.pid").read_text())
        except (OSError, ValueError):
            return None
        return pid if pid in self.pids(switch) else None

    def kill(self, switch, daemon):
        """As a crash would: whoever listens finds out by himself."""
        pid = self.pid(switch, daemon)
        if pid is None:
            raise RuntimeError(f"{daemon} of {switch} does not run")
        end_processes([pid], signal.SIGKILL)

    def roost_pid(self, switch):
        return int(json.loads(Path(f"/run/roost/{self.name}-{switch}.state").read_text())["pid"])

    def kill_roost(self, switch):
        end_processes([self.roost_pid(switch)], signal.SIGKILL)

    # ---- what it does --------------------------------------------------------------------------

    def vtysh(self, switch, *commands):
        words = [word for command in commands for word in ("-c", command)]
        return self.inside(switch, "vtysh", "--vty_socket", self.directory / switch, *words).stdout

    def sessions(self, switch):
        """The state of each BGP session, by port: {"swp3": "Established"}."""
        try:
            told = json.loads(self.vtysh(switch, "show bgp ipv4 unicast summary json"))
        except (RuntimeError, ValueError):      # bgpd does not answer
            return {}
        return {port: peer["state"] for port, peer in told.get("peers", {}).items()}

    def bfd(self, switch):
        """The state of each BFD session that belongs to a port: {"swp3": "up"}."""
        try:
            told = json.loads(self.vtysh(switch, "show bfd peers json"))
        except (RuntimeError, ValueError):      # bfdd does not answer
            return {}
        return {peer["interface"]: peer["status"] for peer in told if "interface" in peer}

    def routes(self, switch):
        """Ports of the next hops by prefix, as roost forwards."""
        done = run(self.roost, "show", "route", "-f", f"{self.name}-{switch}", "-o", "json", check=False)
        if done.returncode != 0:
            return {}
        vrfs = json.loads(done.stdout)["nodes"].get(f"{self.name}-{switch}", {}).get("vrfs", {})
        return {prefix: sorted(hop["port"] for hop in route["via"])
                for prefix, route in vrfs.get("default", {}).items()}

    def expected_routes(self, switch):
        """The networks of hosts behind other switches, by each port that leads there."""
        up = [f"swp{port}" for port in ports(switch)[1]]
        expected = {}
        for host, (leaf, _) in HOSTS.items():
            ip4, ip6 = gateway(host)
            via = up if "leaf" in switch else [f"swp{SWITCHES[leaf][0]}"]
            expected |= {f"{ip4[:-1]}0/24": via, f"{ip6[:-1]}/64": via} if leaf != switch else {}
        return expected

    def converged(self):
        for switch in SWITCHES:
            sessions, routes, bfd = self.sessions(switch), self.routes(switch), self.bfd(switch)
            if len(sessions) != 2 or set(sessions.values()) != {"Established"} or \
               len(bfd) != 2 or set(bfd.values()) != {"up"} or \
               any(routes.get(prefix) != via for prefix, via in self.expected_routes(switch).items()):
                return False
        return True

    def state(self):
        return {switch: {"sessions": self.sessions(switch), "bfd": self.bfd(switch), "routes": self.routes(switch)}
                for switch in SWITCHES}

    # ---- taking it down ------------------------------------------------------------------------

    def pids(self, node):
        return [int(pid) for pid in run("ip", "netns", "pids", self.netns(node), check=False).stdout.split()]

    def down(self):
        """All that runs in its namespaces is its own: asked to end, then made to."""
        nodes = [node for node in (*SWITCHES, *HOSTS) if self.netns(node) in self.there()]
        for number in (signal.SIGTERM, signal.SIGKILL):
            end_processes([pid for node in nodes for pid in self.pids(node)], number)
        for switch in SWITCHES:
            if Path(f"/run/roost/{self.name}-{switch}.state").exists():     # roost was killed
                run(self.roost, "down", f"{self.name}-{switch}", check=False)
        for node in nodes:
            run("ip", "netns", "del", self.netns(node))
        shutil.rmtree(self.directory, ignore_errors=True)
