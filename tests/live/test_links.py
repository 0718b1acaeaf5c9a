# SPDX-License-Identifier: BSD-3-Clause
"""The links of attached hosts: a host that takes its interface down, a namespace that goes and comes back."""
import signal

from common import *

RINGS = 2 * 2048        # packets in the rings of a device on a veth
PACKETS = 16384 + 2 * RINGS + 1024      # of a fabric with two such devices and so small a buffer


class Links(Shared):

    @classmethod
    def description(cls):
        return demo(cls.name, attach=("h1", "h5")) | {"tenants": {}}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.h5 = netns(cls.name, "h5")
        # Once a test has made it anew, it is not the fabric's to remove.
        cls.addClassCleanup(command, "ip", "netns", "del", cls.h5, status=None)

    def setUp(self):
        self.logged = len(self.entries())

    def entries(self):
        return self.up.show("log")["log"]

    def log(self):
        """The log since this test began: (event, message)."""
        return [(one["what"], one["message"]) for one in self.entries()[self.logged:]
                if (one["node"], one.get("port")) == ("leaf2", "swp1")]

    def await_state(self, state):
        wait_until(lambda: self.port("h5")["state"] == state, lambda: f"the port is {state}, after {self.log()}")

    def await_log(self, *expected):
        """Waits for lines of the log, which are written after the port has changed."""
        wait_until(lambda: self.log() == list(expected), lambda: f"{expected}, not {self.log()}")

    def settings(self):
        """The addresses and routes of the host's interface, as `ip` prints them."""
        return [command("ip", "-n", self.h5, *words).out for words in (
            ("-o", "-4", "addr", "show", "dev", "eth1"), ("route", "show", "dev", "eth1"))]

    def set_link(self, state):
        command("ip", "-n", self.h5, "link", "set", "eth1", state)

    def test_a_host_bounces_its_interface(self):
        before = self.settings()
        self.set_link("down")
        self.await_state("down")
        self.assertNotEqual(self.settings(), before)
        sender = self.udp("h1")
        lost = drops(self.up.show("drops")["nodes"])["no-next-hop"]
        for _ in range(3):
            sender.send(b"down", (HOSTS["h5"], UDP_PORT))
        wait_until(lambda: drops(self.up.show("drops")["nodes"])["no-next-hop"] == lost + 3, "the leaf dropped them")
        self.set_link("up")
        self.await_state("up")
        self.await_log(("link-down", f"down: eth1 in namespace {self.h5} has no carrier"),
                       ("link-up", f"up: eth1 in namespace {self.h5} has a carrier again"))
        wait_until(lambda: self.settings() == before, lambda: f"it has {before} again, not {self.settings()}")
        self.assert_reaches(self.name, "h1", "h5")
        self.assert_reaches(self.name, "h5", "h1")

    def test_faster_than_it_is_looked_at(self):
        before = self.settings()
        self.set_link("down")
        self.set_link("up")
        wait_until(lambda: self.settings() == before, "it has its routes again")
        self.ping("h5", "h1")
        self.assertEqual(self.port("h5")["state"], "up")

    def test_another_default_route_is_left_alone(self):
        self.set_link("down")
        self.await_state("down")
        command("ip", "-n", self.h5, "link", "add", "own", "type", "veth", "peer", "name", "peer")
        command("ip", "-n", self.h5, "link", "set", "own", "up")
        command("ip", "-n", self.h5, "route", "add", "default", "dev", "own")
        self.set_link("up")
        self.await_state("up")
        self.assertEqual(command("ip", "-n", self.h5, "route", "show", "default").out.split()[:3],
                         ["default", "dev", "own"])
        command("ip", "-n", self.h5, "link", "del", "own")
        self.set_link("down")
        self.set_link("up")
        wait_until(lambda: "eth1" in command("ip", "-n", self.h5, "route", "show", "default").out, "the own route")

    def test_a_namespace_is_made_anew(self):
        """A namespace without processes is deleted. A new one of the same name is the host from then on."""
        before = self.settings()
        command("ip", "netns", "del", self.h5)
        self.await_state("down")
        command("ip", "netns", "add", self.h5)
        self.await_state("up")
        self.await_log(("link-down", f"down: eth1 in namespace {self.h5} is gone"),
                       ("link-up", f"up: eth1 in namespace {self.h5} is back"))
        self.assertEqual(self.settings(), before)
        self.ping("h1", "h5")
        self.ping("h5", "h1")

    def test_the_old_namespace_lives_on(self):
        """The old namespace lives on because a process is in it, but its name is that of a new one."""
        with udp_socket(self.h5).socket:
            command("ip", "netns", "del", self.h5)
            command("ip", "netns", "add", self.h5)
            wait_until(lambda: command("ip", "-n", self.h5, "link", "show", "eth1", status=None).status == 0,
                       "the new one is attached")
            self.await_state("up")
            self.ping("h1", "h5")

    def test_an_interface_of_that_name_is_in_the_way(self):
        command("ip", "netns", "del", self.h5)
        self.await_state("down")
        # Made under another name first: the fabric takes a namespace as soon as its name is there.
        other = f"{self.h5}-new"
        command("ip", "netns", "add", other)
        self.addCleanup(command, "ip", "netns", "del", other, status=None)
        command("ip", "-n", other, "link", "add", "eth1", "type", "veth", "peer", "name", "peer")
        command("touch", f"/run/netns/{self.h5}")
        command("mount", "--bind", f"/run/netns/{other}", f"/run/netns/{self.h5}")
        command("ip", "netns", "del", other)
        why = f"stays down: namespace {self.h5}: there is an interface eth1 already: " \
              f"ip netns exec {self.h5} ip link del eth1"
        wait_until(lambda: ("link-down", why) in self.log(), "the reason is logged")
        command("ip", "-n", self.h5, "link", "del", "eth1")
        self.await_state("up")
        self.assertEqual(self.log().count(("link-down", why)), 1)
        self.ping("h1", "h5")

    def test_many_times(self):
        """A device that is gone gives back the packets in its rings, also one that goes while it is being opened. It goes so
        often that all packets of the fabric would be used up otherwise."""
        for _ in range(PACKETS // 2048 + 2):
            command("ip", "-n", self.h5, "link", "del", "eth1", status=None)    # it may have gone again already
            wait_until(lambda: command("ip", "-n", self.h5, "link", "show", "eth1", status=None).status == 0,
                       "it is back")
        self.await_state("up")
        self.ping("h1", "h5")


class NamespacesOfOthers(LiveCase):

    def test_one_that_took_the_name_stays(self):
        """`down` removes the namespaces that `up` made, and no others of their names."""
        name = name_of("others")
        h5 = netns(name, "h5")
        self.addCleanup(command, "ip", "netns", "del", h5, status=None)
        with Fabric(self.file(demo(name, attach=("h1", "h5")), f"{name}.yaml"), name):
            command("ip", "netns", "del", h5)
            command("ip", "netns", "add", h5)
        self.assertTrue(Path("/run/netns", h5).exists())
        self.assertFalse(Path("/run/netns", netns(name, "h1")).exists())
        command("ip", "netns", "del", h5)

    def test_one_that_took_the_name_after_a_kill_stays(self):
        name = name_of("killed")
        h5 = netns(name, "h5")
        self.addCleanup(command, "ip", "netns", "del", h5, status=None)
        roost("up", self.file(demo(name, attach=("h1", "h5")), f"{name}.yaml"))
        os.kill(json.loads(Path(f"/run/roost/{name}.state").read_text())["pid"], signal.SIGKILL)
        command("ip", "netns", "del", h5)
        command("ip", "netns", "add", h5)
        roost("down", name)
        self.assertTrue(Path("/run/netns", h5).exists())
        self.assertFalse(Path("/run/netns", netns(name, "h1")).exists())
