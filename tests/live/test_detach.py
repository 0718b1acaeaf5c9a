# SPDX-License-Identifier: BSD-3-Clause
"""What a host that is detached leaves: its addresses are its own again, its simulated NIC takes packets, its processes end."""
import signal

from common import *
from test_api import Client


class Detach(LiveCase):

    def setUp(self):
        self.name = name_of("detach")

    def place(self, host):
        return f"netns={netns(self.name, host)}"

    def test_addresses_of_the_plan(self):
        """While a host has others, nobody is attached with its own; and it stays attached if its tenant has lent them."""
        fabric = self.fabric(demo(self.name, attach=()))

        def refuse(error, *words):
            self.assertRegex(fabric.command(*words, status=1).err, error)
        fabric.command("attach", "h3", self.place("h3"), "ip=10.9.9.9")
        fabric.command("attach", "h5", self.place("h5"), "mac=52:54:00:00:00:07")
        refuse("attach.h4.ip: this is that of h3, which has it back when it is detached", "attach", "h4", self.place("h4"), "ip=10.0.1.3")
        refuse("attach.h6.mac: this is that of h5, which has it back", "attach", "h6", self.place("h6"), "mac=02:00:0a:00:02:01")
        fabric.command("set", "tenants.blue.addresses", "{h4: 10.0.1.3}")
        refuse("a fabric with this configuration would not come up: tenants.blue.addresses: 10.0.1.3 is already h3's", "detach", "h3")
        fabric.exec("h3", "true")
        fabric.command("unset", "tenants.blue.addresses")
        fabric.command("detach", "h3")
        fabric.command("detach", "h5")
        fabric.command("set", "tenants.blue.addresses", "{h4: 10.7.7.7}")     # tenants can change as before
        refuse("this is the MAC of h5 already", "attach", "h6", self.place("h6"), "mac=02:00:0a:00:02:01")

    def test_simulated_nic(self):
        """It answers to its own addresses."""
        description = demo(self.name, attach=("h1",))
        del description["tenants"]
        fabric = self.fabric(description)
        for settings in ((), ("nic=off",)):
            with self.subTest(settings):
                fabric.command("attach", "h5", self.place("h5"), "mac=52:54:00:00:00:07", "ip=192.168.7.9", *settings)
                fabric.exec("h1", "ping", "-c", 1, "-W", 2, "192.168.7.9")
                fabric.command("detach", "h5")
                fabric.exec("h1", "ping", "-c", 3, "-i", "0.2", "-W", 2, HOSTS["h5"])
        self.assertEqual(dict(drops(fabric.show("drops")["nodes"])), {})

    def test_killed_while_a_process_ends(self):
        """It has a second to end. If the fabric dies within it, `down` finds the process, although its namespace has no name."""
        there = netns(self.name, "h5")
        roost("up", self.file(demo(self.name, attach=()), "killed.yaml"))
        self.addCleanup(self.assert_clean, self.name)
        self.addCleanup(roost, "down", self.name, status=None)
        roost("attach", "h5", f"netns={there}", "-f", self.name)
        left = subprocess.Popen(["ip", "netns", "exec", there, "sh", "-c", "trap '' TERM; echo; exec sleep 600"], stdout=subprocess.PIPE)
        self.addCleanup(left.communicate)
        self.addCleanup(left.kill)
        left.stdout.readline()
        fabric = json.loads(Path(f"/run/roost/{self.name}.state").read_text())["pid"]
        with Client(self.name) as client:
            client.ask("detach-host", host="h5")
            os.kill(fabric, signal.SIGKILL)
        self.assertFalse(Path(f"/run/netns/{there}").exists())
        self.assertIsNone(left.poll())
        done = roost("down", self.name)
        self.assertRegex(done.err, rf"roost: note: ended process {left.pid} \((sh|sleep)\) of a host that was detached\n")
        self.assertEqual(left.wait(60), -signal.SIGKILL)

    def test_killed_while_names_are_written(self):
        """A file of names that is empty is nobody's."""
        names = Path(f"/etc/netns/{netns(self.name, 'h1')}/hosts")
        names.parent.mkdir(parents=True)
        names.touch()
        with Fabric(self.file(demo(self.name, attach=("h1", "h5")), "names.yaml"), self.name) as fabric:
            self.assertNotIn("a file of your own", fabric.up.err)
            self.assertIn("10.0.2.1", fabric.exec("h1", "getent", "-s", "files", "hosts", "h5").out)
        self.assertFalse(names.parent.exists())


if __name__ == "__main__":
    unittest.main()
