# SPDX-License-Identifier: BSD-3-Clause
"""Hosts change their tenants in a live fabric under load: counters before, during and after."""
import threading

from common import *

PUMP = 0.0008    # s between two rounds: a veth holds 256 packets, and its far end is polled every 100 us
BESIDE = [{"kind": "stream", "from": source, "to": destination, "rate": "20G", "packet": "1000B", "until": "100s"}
          for source, destination in (("h4", "h8"), ("h8", "h4"), ("h2", "h6"))]


class Slicing(Shared):
    """Red has h1 and h5, blue h3 and h7; NICs load the links beside them."""
    workers = 1

    @classmethod
    def description(cls):
        return demo(cls.name, workload=BESIDE, dilation=10_000, workers=cls.workers)

    def setUp(self):
        self.before = self.counters()

    def counters(self):
        return self.up.show("interface", "counters")["nodes"]

    def changes(self):
        return [one for one in self.up.show("log")["log"] if one["what"] == "tenants"]

    def change(self, *words):
        """Runs `roost set` or `unset`; returns what the log says of it and when it was over."""
        known = len(self.changes())
        self.up.command(*words)
        entry = wait_until(lambda: self.changes()[known:], "the log tells of the change")[0]
        return entry["message"], time.time()

    def pump(self, pairs, stop):
        """Numbered packets from each host to another until told to stop; {pair: how many}."""
        sockets = {pair: (self.udp(pair[0]), self.udp(pair[1], UDP_PORT + number))
                   for number, pair in enumerate(pairs)}
        sent = dict.fromkeys(pairs, 0)

        def run():
            while not stop.is_set():
                for number, pair in enumerate(pairs):
                    sockets[pair][0].send(struct.pack(">I", sent[pair]), (self.address(pair[1]), UDP_PORT + number))
                    sent[pair] += 1
                time.sleep(PUMP)

        thread = threading.Thread(target=run)
        thread.start()
        return sent, {pair: one[1] for pair, one in sockets.items()}, thread

    @staticmethod
    def address(host):
        return HOSTS[host]

    def refused(self):
        return drops(self.up.show("drops")["nodes"])["no-route"]

    def assert_others(self, sent, arrivals):
        """Everything has come, in order."""
        self.assertEqual([struct.unpack(">I", one.data)[0] for one in arrivals], list(range(sent)))

    def test_a_host_moves_and_comes_back(self):
        moved, other, back = ("h1", "h5"), ("h3", "h7"), ("h5", "h1")
        stop = threading.Event()
        refused = self.refused()
        pauses = self.pauses()
        sent, receivers, thread = self.pump([moved, other, back], stop)
        try:
            time.sleep(0.3)
            message, over = self.change("set", "tenants.red.hosts", "[h1, h2, h6]")
            self.assertRegex(message, r"^set tenants\.red\.hosts \[h1, h2, h6\]: tenant rest: h5 from red; "
                             r"\d+ packets? drained, 0 dropped$")
            self.assertEqual([one for one in self.up.show("log")["log"] if one["what"] == "configuration"], [])
            time.sleep(0.3)
            before, again = self.refused(), time.time()
            message, _ = self.change("set", "tenants.red.hosts", "[h1, h2, h5, h6]")
            self.assertRegex(message, r"^set tenants\.red\.hosts \[h1, h2, h5, h6\]: tenant red: h5 from rest; "
                             r"\d+ packets? drained, 0 dropped$")      # the leaves' own, that there was no way
            time.sleep(0.3)
        finally:
            stop.set()
            thread.join()
        arrivals = {pair: [] for pair in receivers}

        def all_accounted():
            """Whatever was sent has arrived, or was refused where it came in; nothing is lost on the way."""
            for pair, receiver in receivers.items():
                arrivals[pair] += receiver.receive()
            return sum(sent.values()) == sum(map(len, arrivals.values())) + self.refused() - refused

        wait_until(all_accounted, lambda: f"{sent} sent, { {pair: len(one) for pair, one in arrivals.items()} } arrived, "
                   f"{self.refused() - refused} refused")
        self.assert_others(sent[other], arrivals[other])
        between = [one for one in arrivals[moved] + arrivals[back] if over < one.at < again]
        self.assertEqual(between, [])
        self.assertGreater(before, refused)
        for pair in (moved, back):
            numbers = [struct.unpack(">I", one.data)[0] for one in arrivals[pair]]
            self.assertEqual(numbers, sorted(numbers))
        self.assert_lossless(self.up, **{"no-route": self.refused()})
        self.assertEqual(self.pauses(), pauses)

    def pauses(self):
        return sum(sum(port["pfc_tx"]) for node in self.counters().values() for port in node["ports"].values())

    def test_a_tenant_with_addresses_of_its_own(self):
        """What runs in the host finds its tenant's address, and the place's when it is back."""
        def addresses():
            return [one["local"] for one in self.up.exec("h5", "ip", "-j", "-4", "address", "show", "eth1").json[0]["addr_info"]]

        self.assertEqual(addresses(), ["10.0.2.1"])
        self.change("set", "tenants.red.hosts", "[h1, h2, h6]")
        self.change("set", "tenants.green", "{hosts: [h5], vni: 5003, addresses: {h5: 172.16.0.5}}")
        self.assertEqual(addresses(), ["172.16.0.5"])
        self.ping("h1", "h5", status=1)
        # Another place of the new tenant reaches it by the address that it has there.
        self.change("set", "tenants.blue.hosts", "[h4, h7, h8]")
        self.change("set", "tenants.green.hosts", "[h3, h5]")
        done = self.up.exec("h3", "ping", "-c", 3, "-i", "0.25", "-W", "2", "172.16.0.5")
        self.assertIn("3 received", done.out)
        self.change("set", "tenants.green", "{hosts: [], vni: 5003}")
        self.change("set", "tenants.red.hosts", "[h1, h2, h5, h6]")
        self.change("set", "tenants.blue.hosts", "[h3, h4, h7, h8]")
        self.assertEqual(addresses(), ["10.0.2.1"])
        self.assertIn("4 received", self.ping("h1", "h5").out)
        self.assertIn("4 received", self.ping("h3", "h7").out)

    def test_refused(self):
        """A change that cannot be changes nothing and says why."""
        done = self.up.command("set", "tenants.blue.hosts", "[h3, h5]", status=1)
        self.assertIn("h5 is in tenant red: unset it there first", done.err)
        self.assertIn("4 received", self.ping("h1", "h5").out)


class SlicingOnTwoWorkers(Slicing):
    """The same where a leaf's packets pass from one worker to another."""
    workers = 2


if __name__ == "__main__":
    unittest.main()
