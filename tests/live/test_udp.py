# SPDX-License-Identifier: BSD-3-Clause
"""A link in UDP datagrams between two processes: `net_udp`. Between the two is a relay of the test's own, which loses,
repeats and reorders datagrams as it is told, and counts."""
import socket
import threading

from common import *
from test_devices import DeviceCase, Running, frames, read_pcap

NEAR, FAR, NEAR_RELAY, FAR_RELAY = 47900, 47901, 47910, 47911
FRAME = 1       # the kind of a datagram, its sixth byte
COUNT = 1000


class Relay:
    """From NEAR to FAR by way of the relay's ports, and back. treat(number, datagram) returns the datagrams that go on
    instead of each with a frame, from near to far, numbered from 1."""

    def __init__(self, namespace, treat):
        self.sockets = [inside(namespace, lambda port=port: self.open(port)) for port in (NEAR_RELAY, FAR_RELAY)]
        self.treat, self.frames, self.over = treat, 0, False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    @staticmethod
    def open(port):
        opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        opened.bind(("127.0.0.1", port))
        opened.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 8 << 20)
        return opened

    def run(self):
        near, far = self.sockets
        while not self.over:
            for ready in select.select(self.sockets, [], [], 0.05)[0]:
                try:
                    datagram = ready.recv(65536)
                except ConnectionRefusedError:
                    continue        # who is not there hears nothing
                if ready is far:
                    near.sendto(datagram, ("127.0.0.1", NEAR))
                elif datagram[5] != FRAME:
                    far.sendto(datagram, ("127.0.0.1", FAR))
                else:
                    self.frames += 1
                    for one in self.treat(self.frames, datagram):
                        far.sendto(one, ("127.0.0.1", FAR))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over = True
        self.thread.join()
        for one in self.sockets:
            one.close()


def ends(near_remote=FAR, far_remote=NEAR):
    return [f"net_udp0,local=127.0.0.1:{local},remote=127.0.0.1:{remote}"
            for local, remote in ((NEAR, near_remote), (FAR, far_remote))]


class Udp(DeviceCase):

    def loopback(self):
        namespace = self.namespace()
        command("ip", "-n", namespace, "link", "set", "lo", "up")
        return namespace

    def relayed(self, namespace, treat):
        """Switches whose link passes a relay that treats datagrams with frames so."""
        relay = Relay(namespace, treat)
        self.addCleanup(relay.__exit__)
        return relay, *self.joined_switches(*ends(NEAR_RELAY, FAR_RELAY))

    def send(self, namespace, one, two, expected):
        """COUNT frames go into the first switch; so many reach the second."""
        for run, port in ((one, "swp2"), (two, "swp1")):
            wait_until(lambda: run.port(port)["state"] == "up", "they have found each other")
        with raw_socket(namespace, "t1").socket as left:
            for i in range(COUNT):
                left.send(udp("198.18.1.9", "198.18.2.9", size=200, ident=i))
        wait_until(lambda: two.port("swp2")["tx_packets"] == expected, lambda: f"{expected} frames of {two.port('swp2')}")

    def lost(self, run, port="swp1"):
        """What the device of a port has lost, and what `show device` says of its datagrams."""
        drops = roost("show", "drops", "-f", run.name, "-o", "json").json["nodes"].get(run.name, {}).get("ports", {})
        device = roost("show", "device", "-f", run.name, "-o", "json").json["nodes"][run.name]["ports"][port]
        return {reason: count for reason, count in drops.get(port, {}).get("drops", {}).items() if count}, device["carrier"]

    def test_frames_arrive_as_they_were_sent(self):
        """Of all sizes, also in datagrams that Linux has to send in fragments."""
        namespace, given = self.loopback(), frames()
        first, second = self.joined_switches(*ends())
        with Running(self, first, namespace) as one:
            wait_until(lambda: one.port("swp2")["state"] == "down", "nobody is there")
            with Running(self, second, namespace) as two:
                self.carry_all(namespace, one, two, given)
                self.assertEqual((self.lost(one, "swp2")[0], self.lost(two)[0]), ({}, {}))
                carrier = self.lost(two)[1]
                self.assertEqual((carrier["received"], carrier["lost"]), (len(given), 0))
                wait_until(lambda: self.lost(two)[1]["round_trip_min_ns"] > 0, "a hello has been answered")
                carrier = self.lost(two)[1]
                self.assertLessEqual(carrier["round_trip_min_ns"], carrier["round_trip_ns"])
        sent = read_pcap(self.directory / "out.pcap")
        self.assertEqual(sorted(frame[18:20] for frame in sent), sorted(frame[18:20] for frame in given))
        for frame in sent:
            self.assertEqual((frame[22], checksum(frame[14:34])), (62, 0))

    def test_carries_pauses(self):
        self.hold_by_pause(self.loopback(), *self.joined_switches(*ends()))

    def test_loss_is_counted(self):
        """1 % of the datagrams, the last one among them."""
        namespace = self.loopback()
        relay, first, second = self.relayed(namespace, lambda number, datagram: [datagram] if number % 100 else [])
        with Running(self, first, namespace) as one, Running(self, second, namespace) as two:
            self.send(namespace, one, two, COUNT * 99 // 100)
            wait_until(lambda: self.lost(two)[0] == {"device-carrier-loss": COUNT // 100}, lambda: f"{self.lost(two)}")
            self.assertEqual((self.lost(two)[1]["received"], self.lost(two)[1]["lost"]), (COUNT * 99 // 100, COUNT // 100))
            self.assertEqual((relay.frames, one.port("swp2")["tx_packets"], self.lost(one, "swp2")[0]), (COUNT, COUNT, {}))
            wait_until(lambda: "datagrams with frames did not arrive" in roost("show", "log", "-f", two.name).out, "it is logged")
            self.assertRegex(roost("show", "device", "-f", two.name).out,
                             rf"\n\ncarried by datagrams\n.*\n{two.name}\.swp1 +0 +{COUNT * 99 // 100} +{COUNT // 100} +0 +0 +\S")

    def test_repeated_and_late(self):
        """Of 100 datagrams one comes twice and one behind the next one, where a link cannot take it."""
        held = []

        def treat(number, datagram):
            if number % 100 == 50:
                held.append(datagram)
                return []
            before, held[:] = held[:], []
            return [datagram] * (1 + (number % 100 == 0)) + before

        namespace = self.loopback()
        _, first, second = self.relayed(namespace, treat)
        with Running(self, first, namespace) as one, Running(self, second, namespace) as two:
            self.send(namespace, one, two, COUNT * 99 // 100)
            lost = {"device-carrier-duplicate": COUNT // 100, "device-carrier-loss": COUNT // 100}
            wait_until(lambda: self.lost(two)[0] == lost, lambda: f"{self.lost(two)}")
            self.assertEqual(self.lost(two)[1]["late"], COUNT // 100)

    def test_senseless_datagrams(self):
        """From the far end they are counted; anybody else's are not even received."""
        namespace = self.loopback()
        wrong = [b"", b"x", b"x" * 100, b"RSTU\2" + bytes(60), b"RSTU\1\1\0\0" + b"\1" * 13]
        _, first, second = self.relayed(namespace, lambda number, datagram: [*wrong, datagram] if number == 1 else [datagram])
        with Running(self, first, namespace) as one, Running(self, second, namespace) as two:
            stranger = inside(namespace, lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            with stranger:
                for datagram in wrong * 10:
                    stranger.sendto(datagram, ("127.0.0.1", FAR))
            self.send(namespace, one, two, COUNT)
            self.assertEqual(self.lost(two)[0], {"device-receive-error": len(wrong)})

    def test_either_end_restarts(self):
        namespace = self.loopback()
        first, second = self.joined_switches(*ends())
        with Running(self, first, namespace) as stays:
            killed = Running(self, second, namespace)
            killed.__enter__()
            wait_until(lambda: stays.port("swp2")["state"] == "up", "the far end is there")
            killed.process.kill()
            killed.process.communicate(timeout=60)
            wait_until(lambda: stays.port("swp2")["state"] == "down", "it has gone")
            with Running(self, second, namespace) as again:
                self.carry_all(namespace, stays, again, frames()[:50])
                self.assertEqual(self.lost(again)[0], {})
            wait_until(lambda: stays.port("swp2")["state"] == "down", "it was taken down")
        with Running(self, second, namespace) as stays, Running(self, first, namespace) as again:
            self.carry_all(namespace, again, stays, frames()[:50])

    def test_quick_restart_begins_anew(self):
        """A far end that is back before it was missed: the link goes down for a moment, and nothing counts as lost."""
        namespace = self.loopback()
        first, second = self.joined_switches(*ends())
        with Running(self, first, namespace) as stays:
            with Running(self, second, namespace) as two:
                self.carry_all(namespace, stays, two, frames()[:50])
            with Running(self, second, namespace) as again:
                self.carry_all(namespace, stays, again, frames()[50:100])
                self.assertEqual((self.lost(stays, "swp2")[0].get("device-carrier-loss"), self.lost(again)[0]), (None, {}))

    def test_refused(self):
        for device, error in (("net_udp0", "needs local=ADDRESS:PORT"),
                              ("net_udp0,local=127.0.0.1:1", "needs remote=ADDRESS:PORT"),
                              ("net_udp0,local=127.0.0.1,remote=127.0.0.1:2", "local=127.0.0.1 is no address with a port"),
                              ("net_udp0,local=127.0.0.1:65536,remote=127.0.0.1:2", "is no address with a port"),
                              ("net_udp0,local=127.0.0.1:1,remote=[::1]:2", "are of different IP versions")):
            done = roost("check", self.file(self.switch(device), "wrong.yaml"), status=2)
            self.assertIn(f"switch.ports.swp1: {device}: ", done.err)
            self.assertIn(error, done.err)
