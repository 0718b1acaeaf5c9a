# SPDX-License-Identifier: BSD-3-Clause
"""Attached hosts behind edge NICs: the fabric loses nothing, however fast Linux sends.

Three namespaces send to a fourth, each as fast as it can, in the lossless priority. At dilation 5000 a link
of 100G carries 20 Mb/s of wall time, and Linux sends many times that. Packets that the hosts' own NICs and
the kernel cannot hold are lost by the hosts and counted there, so that every packet is accounted for.
"""
from common import *

LOSSLESS_DSCP, LOSSY_DSCP = 26, 0
SENDERS = ("h1", "h2", "h3")
RECEIVER, ADDRESS = "h5", "10.0.2.1"
SLOW = 5000
PACKETS, BYTES = 1500, 1400
FRAME_NS = (BYTES + 14 + 20 + 8 + 24) * 8 / 100     # of a link at 100G, with headers, preamble, FCS and gap
RECEIVE_BUFFER = 256 << 20
GATEWAY_MAC = "02:01:00:00:00:01"


def description(name, **attach):
    """The buffers of the switches are small and those of the NICs large: an incast has to pause."""
    made = demo(name, attach=(*SENDERS, RECEIVER), dilation=SLOW)
    del made["tenants"]
    made["switch"]["buffer"]["size"] = "1MB"
    for host in made["attach"].values():
        host |= attach
    return made


class Edge(LiveCase):

    def udp(self, host, dscp=LOSSLESS_DSCP):
        opened = udp_socket(netns(self.name, host), dscp=dscp)
        self.addCleanup(opened.socket.close)
        return opened

    def blast(self, senders, receiver, packets=PACKETS):
        """Sends from all hosts, each as fast as its socket takes packets. Returns how many packets have arrived."""
        receiver.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER)
        to = (ADDRESS, receiver.socket.getsockname()[1])
        left = {sender: packets for sender in senders}
        arrived = 0
        while left:
            _, ready, _ = select.select([], [sender.socket for sender in left], [], 5)
            self.assertTrue(ready, "no sender may go on")
            for sender in [sender for sender in left if sender.socket in ready]:
                try:
                    for _ in range(min(32, left[sender])):
                        sender.send(bytes(BYTES), to)
                        left[sender] -= 1
                except BlockingIOError:
                    pass
                if left[sender] == 0:
                    del left[sender]
            arrived += len(receiver.receive())
        while more := receiver.receive(1.0):
            arrived += len(more)
        return arrived

    def lost_by_hosts(self, fabric):
        """What the NICs of hosts and the kernel have dropped, by (host, reason)."""
        lost = collections.Counter()
        for name, node in fabric.show("interface")["nodes"].items():
            for port, values in node["ports"].items():
                if port.startswith("host"):
                    lost.update({(name, reason): count for reason, count in values["drops"].items()})
                    lost[name, "missed"] += values["device"]["rx_missed"]
        return +lost

    def incast(self, **attach):
        self.name = name_of("edge")
        fabric = self.fabric(description(self.name, **attach))
        arrived = self.blast([self.udp(host) for host in SENDERS], self.udp(RECEIVER))
        return fabric, arrived

    def assert_nothing_is_missing(self, fabric, arrived):
        """Every packet has arrived, or the sender's NIC or the kernel has counted it as dropped."""
        self.assertEqual(self.switch_drops(fabric), {})
        lost = self.lost_by_hosts(fabric)
        self.assertLessEqual({host for host, _ in lost}, set(SENDERS))
        self.assertLessEqual({reason for _, reason in lost}, {"host-buffer", "missed"})
        self.assertEqual(arrived + sum(lost.values()), len(SENDERS) * PACKETS, lost)
        ports = {host: fabric.show("interface", host)["nodes"][host]["ports"] for host in (*SENDERS, RECEIVER)}
        for host in SENDERS:
            self.assertEqual(ports[host]["eth1"]["queue"][3]["packets"],
                             PACKETS - sum(count for (name, _), count in lost.items() if name == host))
        self.assertEqual(ports[RECEIVER]["host1"]["queue"][3]["packets"], arrived)

    def test_an_incast_loses_nothing_in_the_fabric(self):
        fabric, arrived = self.incast(buffer="2MB")
        self.assert_nothing_is_missing(fabric, arrived)
        for host in SENDERS:
            port = fabric.show("interface", f"{host}.eth1")["nodes"][host]["ports"]["eth1"]
            self.assertGreater(port["pfc_rx"][3], 0, host)
            self.assertLessEqual(port["queue"][3]["depth_max"], 2_000_000)

    def test_a_host_is_paced_to_its_link(self):
        """While its NIC has packets, they leave back to back in fabric time."""
        self.name = name_of("edge")
        made = description(self.name)
        made["fabric"]["dilation"] = 10 * SLOW      # the NIC has something to send for 3 seconds
        fabric = self.fabric(made)
        sender = self.udp("h1")
        sender.socket.setblocking(True)
        for _ in range(600):    # it holds 650
            sender.send(bytes(BYTES), (ADDRESS, UDP_PORT))

        def sent():
            found = fabric.show("interface", "h1.eth1")
            queue = found["nodes"]["h1"]["ports"]["eth1"]["queue"][3]
            self.assertGreater(queue["depth"], 0)
            return found["time_ns"], queue["packets"]

        start, before = sent()
        wait_until(lambda: sent()[1] >= before + 100, "a hundred more have left")
        end, after = sent()
        self.assertAlmostEqual((after - before) * FRAME_NS, end - start, delta=2 * FRAME_NS)

    def test_some_hosts_have_none(self):
        """Hosts with and without a NIC in one file."""
        self.name = name_of("edge")
        made = demo(self.name)
        del made["tenants"]
        for host in ("h3", "h5"):
            made["attach"][host]["nic"] = False
        fabric = self.fabric(made)
        self.assertIn("8 hosts (4 attached)", roost("check", self.file(made, "checked.yaml")).out)
        for source in HOSTS:
            for destination in HOSTS:
                if source != destination:
                    self.assert_reaches(self.name, source, destination)
        nodes = fabric.show("interface")["nodes"]
        self.assertEqual({host: sorted(nodes[host]["ports"]) for host in HOSTS if host in nodes},
                         {host: ["eth1", "host1"] for host in ("h1", "h7")})

    def test_a_host_has_one_for_some_links(self):
        """One link of a host has an edge NIC, the other has none."""
        self.name = name_of("edge")
        one, other = netns(self.name, "h1"), netns(self.name, "h2")
        made = {"fabric": {"name": self.name, "dilation": DILATION, "topology": {
                    "kind": "rail", "leaves": 2, "rails": 2, "spines": 1, "hosts-per-leaf": 2}},
                "switch": {"preset": "spectrum-x", "lldp": "off"},
                "attach": {"h1.eth1": {"netns": one}, "h1.eth2": {"netns": one, "nic": False}, "h2": {"netns": other}}}
        self.assertIn("2 hosts (2 attached)", roost("check", self.file(made, "checked.yaml")).out)
        fabric = self.fabric(made)
        for rail in ("10.0.1.", "10.0.2."):
            fabric.exec("h1.eth1", "ping", "-c", 3, "-i", "0.2", "-W", 2, "-I", f"{rail}1", f"{rail}2")
        ports = fabric.show("interface", "h1")["nodes"]["h1"]["ports"]
        self.assertEqual([ports[port]["rx_packets"] > 0 for port in ("eth1", "host1", "eth2", "host2")],
                         [True, True, False, False])
        self.assertEqual(self.switch_drops(fabric), {})

    def test_hosts_attached_while_it_runs_lose_nothing_in_the_fabric(self):
        self.name = name_of("edge")
        made = description(self.name)
        made["attach"] = {}
        fabric = self.fabric(made)
        for host in (*SENDERS, RECEIVER):
            fabric.command("attach", host, f"netns={netns(self.name, host)}")
        arrived = self.blast([self.udp(host) for host in SENDERS], self.udp(RECEIVER))
        self.assert_nothing_is_missing(fabric, arrived)
        # Hosts are detached under load. The simulated NICs are back.
        self.blast([self.udp("h1")], self.udp(RECEIVER), packets=200)
        for host in (*SENDERS, RECEIVER):
            fabric.command("detach", host)
        self.assertEqual(list(fabric.show("interface", "h1")["nodes"]["h1"]["ports"]), ["eth1"])
        self.assertEqual(fabric.show("fabric")["nodes"]["leaf1"]["ports_up"], 6)

    def test_a_device_that_holds_is_read_no_faster_than_the_link(self):
        """A file of 4 MB could be read at once. The NIC holds 1 MB, so it reads no faster than the link sends."""
        self.name = name_of("edge")
        made, in_file = description(self.name), 3000
        made["fabric"]["dilation"] = DILATION
        frames_ = [udp("10.0.1.1", ADDRESS, size=BYTES, dport=UDP_PORT, dscp=LOSSLESS_DSCP, dst_mac=GATEWAY_MAC)] * in_file
        source = write_pcap(self.directory / "in.pcap", frames_)
        made["attach"] = {"h1": {"dev": f"net_pcap0,rx_pcap={source}", "mtu": 1500},
                          RECEIVER: {"netns": netns(self.name, RECEIVER)}}
        fabric = self.fabric(made)

        def host_side():
            return port_of(fabric.name, "h1", "host1")

        def link():
            return port_of(fabric.name, "h1", "eth1")

        wait_until(lambda: host_side()["rx_packets"] > 0, "the file is being read")
        self.assertLess(host_side()["rx_packets"] - link()["tx_packets"], 1_000_000 // BYTES)
        wait_until(lambda: link()["tx_packets"] == in_file, "all have left")
        self.assertEqual((host_side()["rx_packets"], host_side()["drops"]), (in_file, {}))
        self.assertLess(500_000, link()["queue"][3]["depth_max"])
        self.assertLess(link()["queue"][3]["depth_max"], 1_000_000)
        self.assertEqual(self.switch_drops(fabric), {})

    def test_without_the_nic_it_overruns_headroom(self):
        """The advice names what can be wrong, and the key that helps against Linux, which ignores pauses."""
        fabric, _ = self.incast(nic=False)
        lost = sum(count for (_, reason), count in self.switch_drops(fabric).items() if reason == "headroom")
        self.assertGreater(lost, 0)
        self.assertRegex(fabric.command("show", "drops").out,
                         rf"(?m)^headroom  {lost} packets, came in by .*leaf1\.swp\d.*\n"
                         r"    headroom too small for rate, cable or MTU, or the sender ignores pauses, as with `nic: off`$")
        self.assertNotIn("h1", fabric.show("interface")["nodes"])
