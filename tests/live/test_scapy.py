# SPDX-License-Identifier: BSD-3-Clause
"""RoCEv2 from outside: packets made with scapy in an attached host's namespace reach a NIC node and are answered as
a NIC answers. Numbers of queue pairs are asked of the fabric."""
import collections
import logging

from common import *

logging.getLogger("scapy").setLevel(logging.ERROR)     # of IPv6, whose ICRC it does not know
from scapy.contrib.roce import AETH, BTH  # noqa: E402
from scapy.layers.inet import IP, UDP  # noqa: E402
from scapy.layers.inet6 import IPv6  # noqa: E402
from scapy.layers.l2 import Ether  # noqa: E402
from scapy.packet import Raw  # noqa: E402

FIRST, MIDDLE, LAST, ONLY, ONLY_IMMEDIATE = 0x06, 0x07, 0x08, 0x0A, 0x0B     # of RDMA WRITE
SEND, READ_REQUEST, RESPONSE_FIRST, RESPONSE_MIDDLE, RESPONSE_LAST, RESPONSE_ONLY = 0x04, 0x0C, 0x0D, 0x0E, 0x0F, 0x10
ACK, NAK = 0x1F, 0x60       # syndromes: no credits are told; PSN sequence error
CE = 3

FLOWS = [
    {"kind": "flow", "from": "h1", "to": "h2", "size": "1MB"},
    {"kind": "flow", "from": "h1", "to": "h6", "size": "1MB"},
    {"kind": "flow", "from": "h3", "to": "h4", "size": "1MB"},
    {"kind": "flow", "from": "h2", "to": "h1", "size": "1MB", "op": "read"},
    {"kind": "flow", "from": "h3", "to": "h4", "size": "1MB", "op": "send", "qps": 2},
    {"kind": "flow", "from": "h2", "to": "h1", "size": "1MB"},          # all of it a NIC's to begin: nothing there
]


class Answer(collections.namedtuple("Answer", "opcode qpn psn syndrome msn frame")):
    """What came back, of one packet."""

    @property
    def short(self):
        return self.syndrome, self.psn, self.msn


class Requester:
    """One end of a queue pair, in an attached host's namespace; the other end is a NIC's."""

    def __init__(self, case, host, peer, role="receiver", index=0):
        self.case, namespace = case, netns(case.name, host)
        run = ("ip", "-n", namespace, "-j")
        link = command(*run, "link", "show", "eth1").json[0]
        own = command(*run, "addr", "show", "dev", "eth1", "scope", "global").json[0]["addr_info"]
        gateway = command(*run, "neigh", "show", "dev", "eth1").json
        self.mac = link["address"]
        pairs = [pair for pair in case.up.show("queue-pairs", peer)["nodes"][peer]["queue_pairs"]
                 if pair["role"] == role and pair["peer"] in {one["local"] for one in own}]
        self.pair = pairs[index]
        self.own, self.host, self.qpn = self.pair["peer"], peer, self.pair["qpn"]
        six = ":" in self.own
        self.gateway = next(one["lladdr"] for one in gateway if (":" in one["dst"]) == six)
        self.peer = case.address(peer, six)
        self.raw = case.raw(host)
        # Somebody listens, so that Linux does not tell the NIC that nobody does.
        self.listener = inside(namespace, lambda: socket.socket(socket.AF_INET6 if six else socket.AF_INET,
                                                                socket.SOCK_DGRAM))
        case.addCleanup(self.listener.close)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("", ROCE_PORT))

    def frame(self, psn, opcode=ONLY, payload=b"roost", qpn=None, ask=0, ecn=2, reth=None):
        """A request as scapy makes it, with the ICRC that it must have."""
        behind = b""
        if opcode in (FIRST, ONLY, ONLY_IMMEDIATE, READ_REQUEST):
            behind += struct.pack(">QII", 0, 0, len(payload) if reth is None else reth)
        if opcode == ONLY_IMMEDIATE:
            behind += struct.pack(">I", 7)
        pad = -len(payload) % 4
        tos = 26 << 2 | ecn
        layer3 = IPv6(src=self.own, dst=self.peer, tc=tos) if ":" in self.own else \
            IP(src=self.own, dst=self.peer, tos=tos, flags="DF", id=psn & 0xFFFF)
        packet = Ether(src=self.mac, dst=self.gateway) / layer3 / UDP(sport=50000, dport=ROCE_PORT, chksum=0) / \
            BTH(opcode=opcode, migreq=1, padcount=pad, dqpn=self.qpn if qpn is None else qpn, ackreq=ask, psn=psn) / \
            Raw(behind + payload + b"\0" * pad)
        made = bytes(packet)
        if ":" in self.own:
            made = made[:-4] + struct.pack("<I", icrc(made[14:]))
        self.case.assertTrue(icrc_valid(made))     # scapy's own over IPv4
        return made

    def send(self, *frames):
        for one in frames:
            self.raw.send(one.ljust(60, b"\0"))

    def write(self, *psns, **options):
        self.send(*(self.frame(psn, **options) for psn in psns))

    def answers(self, count):
        """The next so many answers, each a good packet of the NIC's to this end."""
        found, end = [], time.monotonic() + 10
        while len(found) < count and (left := end - time.monotonic()) > 0:
            for arrival in self.raw.receive(left):
                parsed = Ether(arrival.data)
                if parsed.dst != self.mac or UDP not in parsed or parsed[UDP].dport != ROCE_PORT:
                    continue
                found.append(self.answer(arrival.data, parsed))
                self.case.captured.append(arrival.data)
        self.case.assertEqual(len(found), count, found)
        return found

    def answer(self, data, parsed):
        layer3 = parsed[IPv6] if IPv6 in parsed else parsed[IP]
        self.case.assertEqual((layer3.src, layer3.dst), (self.peer, self.own))
        self.case.assertTrue(icrc_valid(data))
        self.case.assertEqual(parsed[BTH].dqpn, self.qpn)      # as long as nobody told another
        behind = data[(62 if IPv6 in parsed else 42) + 12:]
        has_aeth = parsed[BTH].opcode in (ACKNOWLEDGE, RESPONSE_FIRST, RESPONSE_LAST, RESPONSE_ONLY)
        syndrome, msn = (behind[0], int.from_bytes(behind[1:4], "big")) if has_aeth else (None, None)
        return Answer(parsed[BTH].opcode, parsed[BTH].dqpn, parsed[BTH].psn, syndrome, msn, data)

    def told(self):
        """What the fabric says of the other end."""
        return next(pair for pair in self.case.up.show("queue-pairs", self.host)["nodes"][self.host]["queue_pairs"]
                    if pair["qpn"] == self.qpn)


class Scapy(LiveCase):

    def setUp(self):
        self.name = name_of("scapy")
        description = demo(self.name, attach=("h1", "h3"), workload=FLOWS)
        # h6 keeps the placement of all others, out-of-order; h3 is attached by IPv6.
        description |= {"h2": {"placement": "in-order"}, "h4": {"placement": "in-order"}, "h3": {"ip": 6}}
        self.path = self.file(description, f"{self.name}-plan.yaml")
        self.up = self.fabric(description)
        self.captured = []

    def tearDown(self):
        if self.captured:
            self.assert_dissects(write_pcap(self.directory / "answers.pcap", [
                frame[:14 + (40 + struct.unpack_from(">H", frame, 18)[0] if frame[12] == 0x86 else
                             struct.unpack_from(">H", frame, 16)[0])] for frame in self.captured]))

    def address(self, host, six):
        number = int(host[1:]) - 1
        place = roost("where", f"10.0.{number // 4 + 1}.{number % 4 + 1}", self.path, "-o", "json").json
        self.assertEqual(place["host"], host)
        return place["ip6" if six else "ip4"]

    def raw(self, host):
        opened = raw_socket(netns(self.name, host))
        self.addCleanup(opened.socket.close)
        return opened

    def assert_nothing_lost(self):
        """But what Linux sends to all of its link by itself where it speaks IPv6, which is h3."""
        found = {(node, port): reasons["drops"] for node, of in self.up.show("drops")["nodes"].items()
                 for port, reasons in of["ports"].items() if reasons["drops"]}
        self.assertEqual(set(found.pop(("leaf1", "swp3"), {})) - {"martian"}, set())
        self.assertEqual((found, self.up.kernel_drops()), ({}, {}))

    def end(self, *arguments, **options):
        return Requester(self, *arguments, **options)

    def test_queue_pairs_that_answer(self):
        self.assertRegex(self.up.up.err, "roost: note: 6 flows of the workload have an attached host at one end and "
                                         "are left to it")
        nodes = self.up.show("queue-pairs")["nodes"]
        found = {host: [(pair["role"], pair["qpn"], pair["peer_qpn"], pair["psn"], pair["state"])
                        for pair in node["queue_pairs"]] for host, node in nodes.items() if node["queue_pairs"]}
        self.assertEqual(found, {
            "h2": [("receiver", 16, 16, 0, "ready"), ("responder", 17, 17, 0, "ready")],
            "h6": [("receiver", 16, 16, 0, "ready")],
            "h4": [("receiver", qpn, qpn, 0, "ready") for qpn in (16, 17, 18)]})
        self.assertEqual({pair["peer"] for pair in nodes["h4"]["queue_pairs"]}, {self.address("h3", True)})
        lines = self.up.command("show", "queue-pairs", "h2").out.splitlines()
        self.assertEqual(lines[0].split()[:7], ["port", "qpn", "role", "state", "peer", "peer-qpn", "psn"])
        self.assertEqual([line.split()[:7] for line in lines[1:]],
                         [["h2.eth1", "16", "receiver", "ready", "10.0.1.1", "16", "0"],
                          ["h2.eth1", "17", "responder", "ready", "10.0.1.1", "17", "0"]])
        done = self.up.command("show", "queue-pairs", "leaf1", status=2)
        self.assertIn("there is no NIC leaf1", done.err)

    def check_writes(self, end):
        """Messages of one packet and of three: each packet acknowledged, a message counted at its end."""
        end.write(0)
        end.send(end.frame(1, FIRST, b"a" * 1024, reth=3 * 1024 + 3), end.frame(2, MIDDLE, b"b" * 1024),
                 end.frame(3, LAST, b"c" * 1027, ask=1))
        end.write(4, opcode=ONLY_IMMEDIATE)
        end.write(5, payload=b"")
        self.assertEqual([one.short for one in end.answers(6)],
                         [(ACK, 0, 1), (ACK, 1, 1), (ACK, 2, 1), (ACK, 3, 2), (ACK, 4, 3), (ACK, 5, 4)])
        # Duplicates: of each the last that has arrived is acknowledged again.
        end.write(0, 5)
        self.assertEqual([one.short for one in end.answers(2)], [(ACK, 5, 4)] * 2)
        told = end.told()
        self.assertEqual({key: told[key] for key in ("psn", "msn", "packets", "duplicates", "out_of_order", "naks_tx")},
                         {"psn": 6, "msn": 4, "packets": 8, "duplicates": 2, "out_of_order": 0, "naks_tx": 0})

    def check_gap(self, end):
        """6 is missing: one NAK for it whatever follows; it arrives, and all goes on from there."""
        end.write(7, 8, 9)
        end.write(6)
        self.assertEqual([one.short for one in end.answers(2)], [(NAK, 6, 4), (ACK, 6, 5)])
        # What came ahead of it was discarded; the next gap makes a NAK of its own.
        end.write(8, 7)
        self.assertEqual([one.short for one in end.answers(2)], [(NAK, 7, 5), (ACK, 7, 6)])
        told = end.told()
        self.assertEqual((told["out_of_order"], told["naks_tx"], told["reorder_max"]), (4, 2, 3))

    def test_write_and_gap(self):
        for host, peer in (("h1", "h2"), ("h3", "h4")):        # IPv4, IPv6
            with self.subTest(host=host):
                end = self.end(host, peer)
                self.check_writes(end)
                self.check_gap(end)
        self.assert_nothing_lost()

    def test_gap_out_of_order(self):
        """Placed as they come, across the fabric: what is missing is asked for once, when the reorder timeout is over;
        when it is there, all are."""
        end = self.end("h1", "h6")
        end.write(0, 2, 3, 5)
        self.assertEqual([one.short for one in end.answers(2)], [(ACK, 0, 1), (NAK, 1, 1)])
        end.write(1)
        self.assertEqual([one.short for one in end.answers(2)], [(ACK, 3, 4), (NAK, 4, 4)])
        end.write(4)
        self.assertEqual([one.short for one in end.answers(1)], [(ACK, 5, 6)])
        told = end.told()
        keys = ("psn", "packets", "out_of_order", "reorder_max", "duplicates", "naks_tx")
        self.assertEqual([told[key] for key in keys], [6, 6, 3, 4, 0, 2])
        self.assert_nothing_lost()

    def test_what_is_not_answered(self):
        """A wrong ICRC, a queue pair that is not there, and an opcode that its role does not take: dropped by name, and
        nothing moves."""
        for host, peer in (("h1", "h2"), ("h3", "h4")):
            with self.subTest(host=host):
                end = self.end(host, peer)
                good = end.frame(0)
                end.send(good[:-5] + bytes([good[-5] ^ 1]) + good[-4:], good[:-1] + bytes([good[-1] ^ 0x80]))
                end.send(end.frame(0, qpn=77), end.frame(0, READ_REQUEST, b"", reth=100), end.frame(0, 0x13))
                end.write(0)
                self.assertEqual([one.short for one in end.answers(1)], [(ACK, 0, 1)])
                reasons = self.up.show("drops", peer)["nodes"][peer]["ports"]["eth1"]["drops"]
                self.assertEqual(reasons, {"bad-icrc": 2, "no-queue-pair": 2, "not-for-host": 1})
                self.assertEqual(end.told()["packets"], 1)

    def test_marked(self):
        """A packet with CE makes a CNP beside its ACK: to the same queue pair, BECN set, not ECT, one within the
        interval of 50 us, which are 50 ms here."""
        end = self.end("h1", "h2")
        end.write(0, ecn=CE)
        cnp, ack = sorted(end.answers(2), key=lambda one: one.opcode != CNP)
        self.assertEqual((cnp.opcode, ack.opcode), (CNP, ACKNOWLEDGE))
        self.assertEqual((cnp.frame[15] >> 2, cnp.frame[15] & 3, cnp.frame[46] & 0x40), (48, 0, 0x40))
        self.assertEqual(ack.frame[15] & 3, 2)
        self.assertEqual(end.told()["cnps_tx"], 1)

    def test_sends_to_several(self):
        """SENDs, each to a queue pair of its own."""
        for index in (1, 2):
            end = self.end("h3", "h4", index=index)
            end.write(0, 1, opcode=SEND)
            self.assertEqual([one.short for one in end.answers(2)], [(ACK, 0, 1), (ACK, 1, 2)])

    def test_read(self):
        """A READ: packets of 1024 B, the path MTU of 1500 B of IP, padded to 4 bytes and zeros; asked for again they
        come again; a request that shows one to be missing makes a NAK."""
        end = self.end("h1", "h2", role="responder")
        end.send(end.frame(0, READ_REQUEST, b"", reth=2 * 1024 + 453))
        answers = end.answers(3)
        self.assertEqual([(one.opcode, *one.short) for one in answers],
                         [(RESPONSE_FIRST, ACK, 0, 1), (RESPONSE_MIDDLE, None, 1, None), (RESPONSE_LAST, ACK, 2, 1)])
        self.assertEqual([len(one.frame) - 14 - 20 - 8 - 12 - 4 for one in answers], [4 + 1024, 1024, 4 + 456])
        self.assertEqual(set(answers[1].frame[54:-4]), {0})
        end.send(end.frame(5, READ_REQUEST, b"", reth=8))          # 3 and 4 were never asked for
        self.assertEqual([(one.opcode, one.syndrome, one.psn) for one in end.answers(1)], [(ACKNOWLEDGE, NAK, 3)])
        end.send(end.frame(2, READ_REQUEST, b"", reth=453), end.frame(3, READ_REQUEST, b"", reth=8))
        self.assertEqual([(one.opcode, one.psn, one.msn) for one in end.answers(2)],
                         [(RESPONSE_ONLY, 2, 1), (RESPONSE_ONLY, 3, 2)])      # a duplicate is not counted
        self.assertEqual(end.told()["psn"], 4)
        self.assert_nothing_lost()


class Page(LiveCase):
    """The worked example of doc/live.md, word for word, but for the fabric's name."""

    def test_speaking_to_a_nic(self):
        name = name_of("talk")
        text = (SOURCE / "doc/live.md").read_text()
        section = re.search(r"^## Speaking to a NIC.*?(?=^## )", text, re.M | re.S).group().replace("talk", name)
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", section, re.M | re.S)
        self.assertEqual([kind for kind, _ in blocks], ["yaml", "console", "python", "console"])
        self.file(blocks[0][1], f"{name}.yaml")
        self.file(blocks[2][1], "write.py")
        self.addCleanup(self.assert_clean, name)
        self.addCleanup(command, ROOST, "down", name, status=None)
        # Debian's Python, which scapy is for, and this fabric, whatever else is up.
        environment = os.environ | {"ROOST_FABRIC": name, "PATH": f"/usr/bin:{os.environ['PATH']}"}
        entries = [entry for kind, block in blocks if kind == "console"
                   for entry in re.split(r"^\$ ", block, flags=re.M)[1:]]
        for entry in entries:
            line, *told = entry.splitlines()
            with self.subTest(command=line):
                words = line.removeprefix("sudo ").split()
                self.assertEqual(words[0], "roost")
                done = roost(*words[1:], cwd=self.directory, env=environment)
                if told:
                    self.assertEqual(done.out.splitlines(), told)
        self.assertEqual(len(entries), 7)
