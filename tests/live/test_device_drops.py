# SPDX-License-Identifier: BSD-3-Clause
"""What devices and the kernel lose is counted and logged like any other drop."""
import signal

from common import *

SENT = 4000     # more than the ring of an AF_XDP socket, 2048, and the ring of a veth, 256


class DeviceDrops(Shared):

    @classmethod
    def description(cls):
        return demo(cls.name, attach=("h1", "h5")) | {"tenants": {}}

    def lost(self):
        ports = self.up.show("drops")["nodes"]["leaf1"]["ports"]
        return {reason: count for reason, count in ports["swp1"]["drops"].items() if reason.startswith("device-")}

    def logged(self):
        return [one["message"] for one in self.up.show("log")["log"] if one["what"] == "device-drops"]

    def test_a_fabric_that_does_not_read(self):
        """Every packet has come in or is counted as lost, none twice."""
        self.assertEqual(self.lost(), {})
        pid = json.loads(Path(f"/run/roost/{self.name}.state").read_text())["pid"]
        sender = self.udp("h1")
        before = self.port("h1")["rx_packets"]
        os.kill(pid, signal.SIGSTOP)
        try:
            for _ in range(SENT):
                sender.send(b"lost", (HOSTS["h5"], UDP_PORT))
        finally:
            os.kill(pid, signal.SIGCONT)

        def come_in():
            return self.port("h1")["rx_packets"] - before

        wait_until(lambda: come_in() + sum(self.lost().values()) == SENT, "all are accounted for")
        lost = self.lost()
        self.assertEqual(set(lost), {"device-ring-full"})
        wait_until(self.logged, "it is logged")
        self.assertRegex(self.logged()[0], rf"^{lost['device-ring-full']} packets lost, device-ring-full: the fabric read")
        text = self.up.roost("show", "drops", "leaf1").out
        self.assertIn(f"device-ring-full  {lost['device-ring-full']} packets, lost by the device of leaf1.swp1 "
                      f"({lost['device-ring-full']})\n", text)
        # A device that is opened anew begins at 0, what it has lost stays.
        command("ip", "-n", netns(self.name, "h1"), "link", "del", "eth1")
        wait_until(lambda: self.port("h1")["state"] == "down", "it is gone")
        self.assertEqual(self.lost(), lost)
        wait_until(lambda: self.port("h1")["state"] == "up", "it is back")
        self.ping("h1", "h5")
        self.assertEqual(self.lost(), lost)
