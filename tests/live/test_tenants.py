# SPDX-License-Identifier: BSD-3-Clause
"""Hosts of a tenant reach each other through the fabric and nobody else; nothing is lost."""
from common import *
from pages import run_page


class Tenants(Shared):

    def setUp(self):
        self.before = drops(self.up.show("drops")["nodes"])

    def dropped(self):
        return dict(drops(self.up.show("drops")["nodes"]) - self.before)

    def assert_nothing_else_lost(self):
        refused = drops(self.up.show("drops")["nodes"])["no-route"]
        self.assert_lossless(self.up, **({"no-route": refused} if refused else {}))

    def test_ping_within_a_tenant(self):
        for source, destination in (("h1", "h5"), ("h5", "h1"), ("h3", "h7"), ("h7", "h3")):
            with self.subTest(f"{source} to {destination}"):
                before = self.port(destination)
                done = self.ping(source, destination)
                self.assertIn("4 packets transmitted, 4 received, 0% packet loss", done.out)
                # The leaves are routers; the spine between sees the tunnel's TTL.
                self.assertEqual(re.findall(r"ttl=(\d+)", done.out), ["62"] * 4)
                after = self.port(destination)
                self.assertEqual([after[key] - before[key] for key in ("tx_packets", "rx_packets")], [4, 4])
        self.assertEqual(self.dropped(), {})
        self.assert_nothing_else_lost()

    def test_first_packet(self):
        """A host may speak as soon as `up` has returned."""
        name = name_of("first")
        fabric = self.fabric(demo(name, attach=("h1", "h5")))
        self.assert_reaches(name, "h1", "h5", 1)
        self.assert_lossless(fabric)

    def test_nothing_between_tenants(self):
        for source, destination in (("h1", "h3"), ("h1", "h7"), ("h7", "h1"), ("h5", "h3")):
            with self.subTest(f"{source} to {destination}"):
                heard = self.raw(destination)
                before, sent_before = self.port(source), self.port(destination)["tx_packets"]
                self.up.exec(source, "ping", "-c", 4, "-i", "0.02", "-W", "0.5", HOSTS[destination], status=1)
                after = self.port(source)
                # At the port that they came in by, every one of them.
                self.assertEqual((after["rx_packets"] - before["rx_packets"],
                                  after["drops"].get("no-route", 0) - before["drops"].get("no-route", 0)), (4, 4))
                self.assertEqual(self.port(destination)["tx_packets"], sent_before)
                self.assertEqual(heard.receive(0.1), [])
        self.assertEqual(set(self.dropped()), {"no-route"})
        self.assert_nothing_else_lost()

    def test_udp_between_tenants(self):
        sender, receiver = self.udp("h3"), self.udp("h5", UDP_PORT)
        for _ in range(40):
            sender.send(b"let me in", (HOSTS["h5"], UDP_PORT))
        wait_until(lambda: self.dropped() == {"no-route": 40}, "40 packets dropped as no-route")
        self.assertEqual(receiver.receive(), [])

    def test_ports_cross_both_spines(self):
        ports, each = 64, 4
        receiver = self.udp("h5", UDP_PORT)
        senders = [self.udp("h1") for _ in range(ports)]
        up = ("leaf1.swp5", "leaf1.swp6"), ("spine1.swp2", "spine2.swp2"), ("leaf2.swp5", "leaf2.swp6")
        before = [[self.port(one) for one in pair] for pair in up]
        for i in range(each):
            for sender in senders:
                sender.send(bytes([i]) * 100, (HOSTS["h5"], UDP_PORT))
                time.sleep(0.0005)    # a veth holds 256 packets, and its far end is polled every 100 us
        arrivals = receiver.receive_all(ports * each)
        self.assertEqual(len(arrivals), ports * each)
        counts = collections.Counter(arrival.source[1] for arrival in arrivals)
        self.assertEqual(counts, {sender.socket.getsockname()[1]: each for sender in senders})
        after = [[self.port(one) for one in pair] for pair in up]
        counted = [[now[key] - then[key] for now, then in zip(pair_after, pair_before)]
                   for pair_after, pair_before, key in zip(after, before, ("tx_packets", "tx_packets", "rx_packets"))]
        self.assertGreater(min(counted[0]), 0, counted)
        self.assertEqual(sum(counted[0]), ports * each)
        self.assertEqual(counted[1], counted[0])
        self.assertEqual(counted[2], counted[0])
        self.assertEqual(self.dropped(), {})
        self.assert_nothing_else_lost()

    def test_flow_stays_in_order(self):
        """Packets that are not RoCE keep to the path of their flow."""
        sender, receiver = self.udp("h7"), self.udp("h3", UDP_PORT)
        for i in range(500):
            sender.send(struct.pack(">I", i), (HOSTS["h3"], UDP_PORT))
            time.sleep(0.0005)
        self.assertEqual([struct.unpack(">I", one.data)[0] for one in receiver.receive_all(500)], list(range(500)))
        self.assert_nothing_else_lost()

    def test_sizes(self):
        """Every size up to the MTU crosses whole; beyond it a host fragments, and fragments cross too."""
        sender, receiver = self.udp("h1"), self.udp("h5", UDP_PORT)
        sizes = [0, 1, 17, 18, 19, 63, 64, 65, 500, 1024, 1471, 1472, 1473, 2000, 4000]
        for size in sizes:
            sender.send(bytes(i & 0xFF for i in range(size)), (HOSTS["h5"], UDP_PORT))
        arrivals = sorted((one.data for one in receiver.receive_all(len(sizes))), key=len)
        self.assertEqual([len(data) for data in arrivals], sizes)
        for data in arrivals:
            self.assertEqual(data, bytes(i & 0xFF for i in range(len(data))))
        self.assert_nothing_else_lost()


class Borders(LiveCase):
    OUTSIDE = "203.0.113.9"

    def outside(self, up, name):
        """The border that answers for an address outside."""
        def answered():
            return {host: port_of(name, *PORTS[host])["tx_packets"] for host in ("h3", "h7")}

        before = answered()
        up.exec("h1", "ping", "-c", 2, "-i", "0.25", "-W", "2", self.OUTSIDE)
        return {host: count - before[host] for host, count in answered().items()}

    def test_another_takes_its_place(self):
        """Two borders have the same prefix: that of the sender's leaf is nearer, and the other's while its link is
        down."""
        name = name_of("borders")
        description = demo(name, attach=("h1", "h3", "h7"), dilation=1000) | {"events": [
            {"at": f"{at}ms", "link": "leaf1-h3", "state": state} for at, state in ((5, "down"), (10, "up"))]}
        description["tenants"] = {"red": {"hosts": ["h1", "h3", "h7"], "vni": 5001,
                                          "border": {host: ["203.0.113.0/24"] for host in ("h3", "h7")}}}
        up = self.fabric(description)

        def is_now(state):
            return any(link["state"] == state for link in up.show("fabric")["links"]
                       if {link["a"], link["b"]} == {"h3.eth1", "leaf1.swp3"})

        for host in ("h3", "h7"):
            up.exec(host, "ip", "address", "add", f"{self.OUTSIDE}/32", "dev", "lo")
        self.assertEqual(self.outside(up, name), {"h3": 2, "h7": 0})
        wait_until(lambda: is_now("down"), "the link is down")
        self.assertEqual(self.outside(up, name), {"h3": 0, "h7": 2})
        wait_until(lambda: is_now("up"), "the link is up")
        self.assertEqual(self.outside(up, name), {"h3": 2, "h7": 0})
        self.assert_lossless(up)


class Page(LiveCase):
    def test_slicing_32_leaves(self):
        """Every command of doc/tenants.md: from none to three tenants and back."""
        name = name_of("cloud")
        (self.directory / "conf").mkdir()
        text = (SOURCE / "conf/cloud-32.yaml").read_text()
        # Namespaces that other fabrics of this file do not have.
        text = text.replace("name: cloud", f"name: {name}").replace("netns: cloud-", f"netns: {name}-")
        (self.directory / "conf/cloud-32.yaml").write_text(text)
        self.addCleanup(self.assert_clean, name)
        self.addCleanup(roost, "down", name, status=None)
        page = (SOURCE / "doc/tenants.md").read_text()
        self.assertGreater(run_page(self, page, "cloud", name), 25)
