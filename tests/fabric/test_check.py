# SPDX-License-Identifier: BSD-3-Clause
"""`roost check` and the command line: what is wrong is said in one line, where it is, with what was
probably meant, and an exit status of 2."""
from common import *

PLACE = "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}}\n"
EXPLICIT = ("fabric:\n  topology:\n    kind: explicit\n    nodes: {leaf1: leaf, h1: host, h2: host}\n"
            "    links:\n      - {a: h1.eth1, b: leaf1.swp1}\n")
COMMANDS = ("check", "sim", "replay", "up", "down", "exec", "run", "show", "where",
            "headroom")


class Check(Case):
    def refused(self, text, *lines):
        """Each line of stderr is FILE:line:column: and what the pattern says; likewise from `sim`."""
        path = self.file(text)
        for name in ("check", "sim"):
            done = roost(name, path, status=2)
            self.assertEqual(done.out, "")
            found = done.err.splitlines()
            self.assertEqual(len(found), len(lines), done.err)
            for line, (position, pattern) in zip(found, lines):
                self.assertTrue(line.startswith(f"{path}:{position}: "), line)
                self.assertRegex(line[len(f"{path}:{position}: "):], f"^{pattern}")

    def test_good_files(self):
        for path in (DEMO, self.file(PLACE)):
            done = roost("check", path)
            self.assertRegex(done.out, rf"^{path}: ok: \d+ .*\n$")
            self.assertEqual(done.err, "")

    def test_did_you_mean(self):
        self.refused("fabric:\n  topologi: {kind: leaf-spine}\n",
                     ("2:3", r'fabric.topologi: unknown key; did you mean "topology"\?'),
                     ("2:3", r'fabric: needs "topology"'))
        self.refused(PLACE + "hosts: {placment: in-order}\nworkload:\n  - {kind: flwo}\n",
                     ("2:9", r'hosts.placment: unknown key; did you mean "placement"\?'),
                     ("4:12", r'workload\[0\].kind: "flwo" is not one of .*; did you mean "flow"\?'))
        self.refused("fabric: {topology: {kind: explicit, nodes: {leaf1: leaf, rack1-gpu1: host, rack1-gpu2: host}, "
                     "links: [{a: leaf1.swp1, b: rack1-gpu1}, {a: leaf1.swp2, b: rack1-gpu2}]}}\n"
                     "workload: [{kind: flow, from: rack1-gpu1, to: rack1-gup2, size: 1KB}]\n",
                     ("2:47", r"workload.to: there is no host rack1-gup2; did you mean rack1-gpu2\?"))
        self.refused("fabric: {topology: {kind: explicit, nodes: {leaf1: leaf, spine1: spine, h1: host}, "
                     "links: [{a: leaf1.swp1, b: h1}]}}\n", ("1:20", "topology: spine1 has no link$"))
        self.refused(PLACE + "tenants: {red: {hosts: h1-h2}, blue: {hosts: [h1-h2]}}\n",
                     ("2:47", "tenants.blue.hosts: h1-h2: h1 is already in tenant red"))
        self.refused(PLACE + "swich: {preset: sonic}\n", ("2:1", r'swich: unknown key.*did you mean "switch"\?'))
        self.refused(PLACE + "switch: {preset: spectrumx}\n", ("2:18", r'.*did you mean "spectrum-x"\?'))
        self.refused(PLACE + "workload:\n  - {kind: flow, from: h1, to: h11, size: 1MB}\n",
                     ("3:32", r'workload.to: there is no host h11; did you mean "?h1"?\?'))
        self.refused(PLACE + "events:\n  - {at: 1us, link: leaf1-spine3, state: down}\n",
                     ("3:21", r'events.link: there is no link leaf1-spine3; did you mean "?leaf1-spine1"?\?'))
        self.refused(PLACE + "events:\n  - {at: 1us, set: switch.qos.tc.3.ecn.mni, to: 1KB}\n",
                     ("3:20", r'switch.qos.tc.3.ecn.mni: unknown key; did you mean "min"\?'))

    def test_devices(self):
        """What a device cannot carry is an error of the file, also without the device. `sim` needs none."""
        def refused(text, *lines):
            path = self.file(text)
            for verb in ("check", "sim"):
                done = roost(verb, path, status=2 if verb == "check" else 0)
                if verb == "check":
                    self.assertEqual(done.err.splitlines(), [f"{path}:{line}" for line in lines])

        line = PLACE.replace("}}\n", "}, mtu: 4200}\n") + "attach:\n"
        most = "net_af_xdp carries an MTU of at most 3360, and so must every port beside it"
        xdp = '"net_af_xdp0,iface=a"'
        refused(line + f"  h1: {{dev: {xdp}, mtu: 3361}}\n", f"3:13: attach.h1: net_af_xdp0,iface=a: {most}")
        refused(line + f"  h1: {{dev: {xdp}, mtu: 1500}}\n  h3: {{netns: one, mtu: 3361}}\n  h2: {{netns: two, mtu: 9000}}\n",
                f"5:15: attach.h2: net_af_xdp0,iface=a: {most}")
        refused(line + '  h1: {dev: "net_foo0"}\n  h2: {dev: "net_af_pakcet0,iface=lo"}\n'
                       '  h3: {dev: net_af_packet0}\n  h4: {dev: "net_null"}\n',
                "3:13: attach.h1: net_foo0: neither a port driver's name (net_af_xdp0, net_memif0, net_tap0, "
                "net_pcap0, ...) nor a PCI address (0000:03:00.0)",
                "4:13: attach.h2: net_af_pakcet0,iface=lo: no such port driver; did you mean net_af_packet0?",
                "5:13: attach.h3: net_af_packet0: which interface? add ,iface=NAME",
                "6:13: attach.h4: net_null: a device's name is its driver and a number: net_null0")
        refused(line + '  h1: {dev: "net_memif0,bsize=9000", mtu: 1500}\n',
                "3:13: attach.h1: net_memif0,bsize=9000: bsize is larger than a packet, which holds 2048 bytes")
        refused(line + "  h1: {netns: one}\n  h2: {netns: one}\n",
                "4:15: attach.netns: one is the namespace of h1 already")
        refused(line + "  h1: {container: one}\n  h2: {container: one}\n",
                "4:19: attach.container: one is the namespace of h1 already")
        refused(line + "  h1: {pid: 7}\n  h2: {pid: 7}\n", "4:3: attach.pid: this process is the namespace of h1 already")
        refused(line + "  h1: {tap: t0}\n  h2: {tap: t0}\n", "4:13: attach.tap: t0 is the interface of h1 already")
        refused(line + "  h1: {netns: one}\n  h1.eth1: {netns: two}\n",
                "4:3: attach: h1.eth1 is attached already, as h1")
        self.refused(PLACE + "attach:\n  h1.eth2: {netns: one}\n", ("3:3", "attach: h1 has no port eth2; it has eth1"))
        for port, error in (("netdev: swp1, mtu: 3500", f"3:31: switch.ports.swp1: net_af_xdp1001,iface=swp1: {most}"),
                            ("netdev: swp1", None), ("dev: net_foo0", "3:28: switch.ports.swp1: net_foo0: neither ")):
            path = self.file("switch:\n  ports:\n    swp1: {rate: 10G, " + port + "}\n")
            done = roost("check", path, status=0 if error is None else 2)
            self.assertTrue(done.err.startswith("" if error is None else f"{path}:{error}"), done.err)

    def test_mtu_of_a_path(self):
        """An attached host may send what no link between switches, or what the other host does not take."""
        place = "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}"
        for links, attach, warnings in (
                ("", "{h1: {netns: a, mtu: 9000}, h3: {netns: b, mtu: 9000}}", ()),
                (", links: {fabric: {mtu: 1400}}", "{h1: {netns: a}, h2: {netns: b}}", ()),
                (", links: {fabric: {mtu: 1400}}", "{h1: {netns: a}, h3: {netns: b}}",
                 (("2:22", "attach.h1: its MTU of 1500 is more than the 1400 that the path to h3 carries"),
                  ("2:38", "attach.h3: its MTU of 1500 is more than the 1400 that the path to h1 carries"))),
                ("", "{h1: {netns: a, mtu: 9000}, h3: {netns: b}}",
                 (("2:22", "attach.h1: its MTU of 9000 is more than the 1500 that the path to h3 carries"),)),
                ("", "{h1: {pid: 1, mtu: 3000}, h1.eth1: {netns: b}}", None)):
            path = self.file(f"{place}{links}}}\nattach: {attach}\n")
            done = roost("check", path, status=2 if warnings is None else 0)
            lines = [line for line in done.err.splitlines() if "attach" in line and "warning" in line]
            expected = [f"warning: {path}:{at}: {text}" for at, text in warnings or ()]
            self.assertEqual([line[:len(one)] for line, one in zip(lines, expected)], expected)
            self.assertEqual(len(lines), len(expected), done.err)

    def test_nothing_stops_at_the_first_error(self):
        self.refused(PLACE + "hosts:\n  rto: 5\n  qps: many\n  ip: 5\nstop: soon\n",
                     ("3:8", "hosts.rto: 5 has no unit"), ("4:8", "hosts.qps: "), ("5:7", "hosts.ip: "),
                     ("6:7", "stop: "))

    def test_units_and_ranges(self):
        self.refused("fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}\n"
                     "  links: {host: {rate: 100, delay: 5}}\n",
                     ("3:24", "fabric.links.host.rate: 100 has no unit: write it with K, M, G or T"),
                     ("3:36", "fabric.links.host.delay: 5 has no unit"))
        self.refused(PLACE + "switch: {qos: {pfc: {quanta: 9999999}}}\n",
                     ("2:30", r"switch.qos.pfc.quanta: 9999999 is out of range: 0 to 65535"))
        self.refused(PLACE + "switch: {qos: {pg: {3: {alpha: 3}}}}\n", ("2:32", "switch.qos.pg.3.alpha: "))

    def test_yaml_itself(self):
        self.refused("fabric:\n  topology: {kind: leaf-spine, leaves: 2, spi\n",
                     ("3:1", "the file ends in the middle of what begins at line 2"))
        self.refused(PLACE + "hosts: {ip: 4, ip: 6}\n", ("2:16", "ip: already given at line 2"))
        self.refused(PLACE + "hosts: [1, 2\nstop: idle\n", ("3:5", ".*"))
        self.refused("", ("1:1", "the file is empty"))
        self.refused(PLACE + "\thosts: {}\n", ("2:1", ".*"))

    def test_a_truncated_file_anywhere(self):
        # Cut at any byte: good where what is left is a whole description, else refused, never worse.
        text, good = DEMO.read_text(), 0
        for length in range(0, len(text), 1 if FULL else 37):
            done = roost("check", self.file(text[:length]), status=None)
            self.assertIn(done.status, (0, 2), f"{length}: {done}")
            good += done.status == 0
            wrong = [line for line in done.err.splitlines() if not line.startswith("warning: ")]
            self.assertEqual(done.status == 2, wrong != [], f"{length}: {done}")
        self.assertGreater(good, 2)

    def test_hostile_bytes(self):
        path = self.directory / "test.yaml"
        for content in (b"\0" * 100, bytes(range(256)), b"\xff\xfe" + b"a" * 50, b"a: " + b"[" * 100000, b"{" * 100000,
                        b"a: &a [*a]\n", b"- " * 50000, b"a:" + b" " * 10**6, b"x" * 10**6,
                        b"a: &a [1]\nb: &b [*a,*a]\nc: &c [*b,*b]\nfabric: *c\n"):
            path.write_bytes(content)
            done = roost("check", path, status=2)
            self.assertEqual((done.out, "Invalid argument" in done.err), ("", False), done)
            self.assertLess(len(done.err), 5000)

    def test_tenants(self):
        tenants = "tenants: {red: {hosts: [h1]}, blue: {hosts: [h2]}}\n"
        self.refused(PLACE + tenants + "workload:\n  - {kind: flow, from: h1, to: h2, size: 1MB}\n",
                     ("4:5", r"workload: traffic between tenants that no route joins: h1 \(red\) to h2 \(blue\)"))
        self.refused(PLACE + tenants + "workload:\n  - {kind: stream, from: h1, to: h3, rate: 1G, until: 1us}\n",
                     ("4:5", r"workload: traffic between tenants that no route joins: h1 \(red\) to h3 \(rest\)"))
        self.refused(PLACE + tenants + "workload:\n  - {kind: flow, tenant: green, from: h1, to: h2, size: 1MB}\n",
                     ("4:26", "workload.tenant: there is no tenant green"))
        self.refused(PLACE + "tenants: {red: {hosts: [h1, h9]}}\n", ("2:29", "tenants.red.hosts: there is no host h9"))
        self.refused(PLACE + "tenants: {red: {hosts: [h1]}, blue: {hosts: [h1]}}\n",
                     ("2:46", "tenants.blue.hosts: h1 is already in tenant red"))

    def test_tenants_that_cannot_be(self):
        for keys, *lines in (
                ("red: {vni: 7}, blue: {vni: 7}", ("2:38", "tenants.blue.vni: 7 is already tenant red's")),
                ("red: {vni: 16777214}", ("2:22", "tenants.red.vni: 16777214 is already tenant rest's")),
                ("red: {vlan: 9}, blue: {vlan: 9}", ("2:40", "tenants.blue.vlan: 9 is already tenant red's")),
                ("red: {encap: vxlan}", ("2:24", "tenants.red.encap: vxlan needs a VNI")),
                ("red: {leak: [blue]}, blue: {leak: [green]}, green: {leak: [red]}",
                 ("2:24", "tenants.red.leak: loop of leaks: red -> blue -> green -> red$")),
                ("red: {leak: red}", ("2:23", "tenants.red.leak: a tenant's routes are its own already")),
                ("red: {leak: blu}, blue: {}", ("2:23", 'tenants.red.leak: there is no tenant blu; did you mean "blue"')),
                ("red: {leak: oob}, oob: {network: out-of-band}", ("2:23", "tenants.red.leak: oob is an out-of-band")),
                ("red: {hosts: [h1], border: {h1: 10.0.0.1/8}}",
                 ("2:43", r"tenants.red.border.h1: 10.0.0.1/8 has bits set past its length; did you mean \"10.0.0.0/8")),
                ("red: {hosts: [h1], border: {h2: 10.0.0.0/8}}",
                 ("2:39", "tenants.red.border: h2 is not one of this tenant's hosts: it is in rest")),
                ("red: {hosts: [h1], addresses: {h1: 10.1.0.0/16}}",
                 ("2:46", 'tenants.red.addresses.h1: "10.1.0.0/16" is a prefix')),
                ("red: {hosts: [h1], addresses: {h1: 224.0.0.1}}", ("2:46", ".*224.0.0.1 is a multicast address")),
                ("red: {hosts: [h1, h2], vni: 5, addresses: {h1: 1.1.1.1, h2: 1.1.1.1}}",
                 ("2:71", r"tenants.red.addresses: 1.1.1.1 is already h1's \(tenant red\)$")),
                ("red: {hosts: [h1], vni: 5, addresses: {h1: 1.1.1.1}, leak: blue}, "
                 "blue: {hosts: [h2], vni: 6, addresses: {h2: 1.1.1.1}}",
                 ("2:121", r"tenants.blue.addresses: 1.1.1.1 is already h1's \(tenant red\): VRF blue would know both")),
                ("red: {hosts: [h1], addresses: {h1: 172.16.0.2}}",
                 ("2:46", "tenants.red.addresses: 172.16.0.2 is already leaf2's loopback")),
                ("rest: {hosts: [h1]}", ("2:25", "tenants.rest.hosts: rest has the hosts that no other tenant has")),
        ):
            with self.subTest(keys):
                self.refused(PLACE + f"tenants: {{{keys}}}\n", *lines)

    def test_tenants_may_overlap(self):
        path = self.file(PLACE + "tenants:\n  red: {hosts: [h1, h3], vni: 1, addresses: {h1: 1.1.1.1, h3: 1.1.1.2}}\n"
                         "  blue: {hosts: [h2, h4], vlan: 2, addresses: {h2: 1.1.1.1, h4: 1.1.1.2}}\n")
        self.assertEqual(roost("check", path).err, "")

    def test_room_for_tunnels(self):
        place = "fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}\n  underlay: %s\n"
        tenants = "tenants: {red: {hosts: [h1, h3], vni: 1}}\n"
        for underlay, mtu in ((4, 4250), (6, 4270)):
            for more, good in (("", True), (f"  links: {{fabric: {{mtu: {mtu}}}}}\n", True),
                               (f"  links: {{fabric: {{mtu: {mtu - 1}}}}}\n", False)):
                done = roost("check", self.file(place % underlay + more + tenants))
                if good:
                    self.assertEqual(done.err, "")
                else:
                    self.assertRegex(done.err, rf"^warning: \S+:4:19: fabric.links: leaf1-spine1 carries {mtu - 1} bytes of "
                                     rf"IP, too few for what hosts of tenant red may send \(4200, and {mtu - 4200} around")
        self.refused(place % 5, ("3:13", 'fabric.underlay: "5" is not one of 4, 6'))

    def test_guarantees(self):
        tenants = "tenants: {red: {hosts: [h1, h3], buffer: {guaranteed: %s, share: 50%%}}}\n"
        for preset in ("{preset: spectrum-x}", "{preset: sonic}", "{preset: lossy}",
                       "{preset: spectrum-x, preset-mode: lossy}",
                       "{preset: spectrum-x, preset-mode: lossless-single-pool}"):
            with self.subTest(preset=preset):
                path = self.file(PLACE + f"switch: {preset}\n" + tenants % "1MB")
                done = roost("check", path)
                self.assertRegex(done.out, rf"^{path}: ok: \d+ .*\n$")
                self.assertEqual(done.err, "")
                # Said once, of one switch and one pool, where it is written.
                self.refused(PLACE + f"switch: {preset}\n" + tenants % "65MB",
                             ("3:42", r"tenants: on leaf1 pool \S+ of \d+ B does not hold the 65000064 B guaranteed "
                              "to tenants and 0 B reserved in it"))
        for share in ("100KB", "0"):
            self.refused(PLACE + f"tenants: {{red: {{hosts: [h1], buffer: {{share: {share}}}}}}}\n",
                         ("2:46", f'tenants.red.buffer.share: "?{share}"? .*a percentage'))

    def test_promises_are_by_port(self):
        text = ("switch:\n  name: dut\n  ports: {swp1: {rate: 100G}, swp2: {rate: 100G}}\n  qos:\n"
                "    port: {max-rate: 10G}\n    tc: {3: {min-rate: 20G}}\n"
                "    ports: {swp1: {max-rate: 40G}, swp2: {max-rate: %s}}\n")
        path = self.file(text % "30G")
        done = roost("check", path)
        self.assertRegex(done.out, rf"^{path}: ok: \d+ .*\n$")
        self.assertEqual(done.err, "")
        self.assert_refused(r":6:24: qos.tc.3.min-rate: on dut 20G promised to 1 class are more than the 15G of swp2 "
                            r"\(its max-rate\)\n$", "check", self.file(text % "15G"))

    def test_numbers_as_keys(self):
        self.refused(PLACE + "switch: {qos: {tc: {0x3: {weight: 2}}}}\n"
                     "events: [{at: 1us, set: switch.qos.tc.3.weight, to: 3}]\n",
                     ("2:21", r'switch.qos.tc.0x3: write "0x3" as 3'))

    def test_the_value_of_a_set(self):
        self.refused(PLACE + 'events:\n  - at: 1us\n    set: switch.qos.tc.3.ecn\n    to: "{min: 1KB"\n',
                     ("5:9", r'switch.qos.tc.3.ecn: "{min: 1KB": it ends in the middle'))

    def test_what_has_no_effect(self):
        path = self.file(PLACE + "switch:\n  preset: spectrum-x\n  qos:\n    pg: {0: {headroom: 9KB}}\n"
                         "    tc: {6: {weight: 9}, 3: {max-rate: 200G}}\n")
        done = roost("check", path)
        self.assertRegex(done.out, rf"^{path}: ok: \d+ .*\n$")
        self.assertEqual(done.err.replace(f"warning: {path}:", "").splitlines(),
                         ["5:24: qos.pg.0.headroom: has no effect: group 0 is not lossless",
                          "6:22: qos.tc.6.weight: has no effect: the scheduler of class 6 is strict",
                          "6:40: qos.tc.3.max-rate: has no effect: no port is as fast as 200G"])

    def test_what_no_fabric_can_be(self):
        self.refused("fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}\n"
                     "  links:\n    host: {delay: 0ns}\n",
                     ("4:11", "links: from h1.eth1 to leaf1.swp1: the delay must be above 0"))
        self.refused("fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}\n"
                     "  links:\n    fabric: {delay: 0ns}\n",
                     ("4:13", r"links: from leaf1.swp3 to spine1.swp1: the delay must be above 0"))
        self.refused(EXPLICIT + "      - {a: h2.eth1, b: leaf1.swp2, delay: 0ns}\n",
                     ("7:9", "links: from h2.eth1 to leaf1.swp2: the delay must be above 0"))
        self.refused("fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 200, hosts-per-leaf: 200}}\n",
                     ("1:20", "fabric.topology: a leaf would have 400 ports: 256 at most"))
        self.refused("fabric: {topology: {kind: leaf-spine, leaves: 257, spines: 2, hosts-per-leaf: 2}}\n",
                     ("1:47", "fabric.topology.leaves: 257 is out of range: 1 to 256"))
        self.refused("fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 0, hosts-per-leaf: 2}}\n",
                     ("1:20", "fabric.topology: 2 leaves without a spine"))

    def test_a_port_named_twice(self):
        self.refused(EXPLICIT + "      - {a: h2.eth1, b: leaf1.swp1}\n",
                     ("7:25", "links: leaf1.swp1 already has a link"))
        self.refused(PLACE + "record: {pcap: [leaf1.swp1, leaf1.swp1]}\n", ("2:29", "record.pcap.*leaf1.swp1"))
        self.refused(PLACE + "leaf1: {latency: 1us}\nleaf1: {latency: 2us}\n",
                     ("3:1", "leaf1: already given at line 2"))

    def test_a_delay_may_be_the_switches(self):
        # Between switches a pipeline's latency is as good as a cable.
        text = ("fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 1}\n"
                "  links: {fabric: {delay: 0ns}}\nswitch: {latency: 300ns}\n"
                "workload: [{kind: flow, from: h1, to: h2, size: 10KB}]\n")
        roost("check", self.file(text))
        host, inner = Hop(100 * 10**9, 500_000), Hop(100 * 10**9, 300_000)
        path = [Hop(100 * 10**9, 800_000), inner, inner, host]
        self.assertEqual(self.sim(text).flows[0]["fct_ps"], completion(10000, path, back=path))

    def test_ranges_of_hosts(self):
        fabric = "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}}\n"
        work = "workload:\n- {kind: shift, size: 1KB, hosts: "
        for hosts in ("h1-h8", "[h1-h8]", "[h1-h4, h5, h6-h8]", '"h[1-8]"', '["h[1-4].eth1", "h[5-8]"]'):
            self.assertIn(", 8 flows", roost("check", self.file(f"{fabric}{work}{hosts}}}\n")).out)
        for hosts, position, message in (
                ("h8-h1", "3:35", "h8-h1 runs backwards"),
                ("[h1, h2-h99999]", "3:40", "h2-h99999 stands for 99998 hosts: 16384 at most"),
                ("h1-leaf2", "3:35", "there is no host h1-leaf2; write a range as h1-h8 or"),
                ("h1-h4.eth1", "3:35", r"there is no host h1-h4; did you mean h\[1-4\].eth1\?"),
                ("[h1-h8, h5]", "3:43", "h5 is named twice"),
                ("[h1, h6-h99]", "3:40", "h6-h99: there is no host h9; there are h1 .. h8"),
                ("[h1, h[6-8]]", "3:41", "a range with brackets needs quotes")):
            self.refused(f"{fabric}{work}{hosts}}}\n", (position, f".*{message}"))
        self.refused(fabric + "tenants:\n  red:\n    hosts: h[7-10]\n",
                     ("4:12", "tenants.red.hosts: h.7-10.: there is no host h9"))

    def test_keys_without_a_feature_are_unknown(self):
        for text, position, message in (("switch: {slices: 2}", "2:10", "switch.slices: unknown key"),
                                        ("attach: {h1: {netns: a, tpa: t0}}", "2:25", "attach.h1.tpa: unknown key"),
                                        ("attach: {h1: {netns: a, rate: 10G}}", "2:25",
                                         "attach.h1.rate: unknown key"),
                                        ("switch: {qos: {flow-control: credits}}", "2:30",
                                         'switch.qos.flow-control: "credits" is not one of')):
            self.refused(PLACE + text + "\n", (position, message))

    def test_topologies(self):
        self.refused("fabric: {topology: {kind: fat-tree, k: 5}}\n",
                     ("1:20", "fabric.topology: k is 5: half the ports"))
        self.refused(PLACE + "leaf3: {latency: 1us}\n", ("2:1", "leaf3: unknown key, and no node's name"))
        links = "fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}\n  links: "
        self.refused(links + "{leaf1-spine3: {rate: 1G}}\n",
                     ("3:11", "fabric.links: there is no link leaf1-spine3; did you mean"))
        (self.directory / "t.txt").write_text("3 1 2\n1\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n")
        path = self.file("fabric: {topology: {kind: file, file: t.txt}}\n")
        self.assert_refused(r"t\.txt:4:1: both ends are hosts", "check", path)

    def test_workload(self):
        one = PLACE + "workload:\n  - "
        self.refused(one + "{kind: flow, from: h1, to: h1, size: 1MB}\n", ("3:5", "workload: h1 would send to itself"))
        self.refused(one + "{kind: permutation}\n", ("3:5", r'workload\[0\]: needs "size"'))
        self.refused(PLACE + "switch: {preset: sonic}\nworkload:\n"
                     "  - {kind: flow, from: h1, to: h2, size: 1B, priority: 7}\n",
                     ("4:5", "workload.priority: no DSCP stands for priority 7 at the leaf of h1"))
        self.refused(PLACE + "hosts: {ip: 6}\nworkload:\n"
                     "  - {kind: stream, from: h1, to: h2, rate: 1G, packet: 60B, until: 1us}\n",
                     ("4:5", "workload.packet: 60 bytes do not hold the headers of a UDP packet of IPv6"))
        self.refused(PLACE + "hosts: {path-mtu: 256}\nworkload:\n  - {kind: flow, from: h1, to: h2, size: 1000GB}\n",
                     ("4:5", "workload.size: 1000000000000 bytes in packets of 256"))
        self.refused("fabric: {mtu: 300, topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts-per-leaf: 2}}\n"
                     "workload:\n  - {kind: flow, from: h1, to: h2, size: 1MB}\n",
                     ("3:5", "workload: h1 to h2: the path carries 300 bytes of IP, too few for a path MTU of 256"))

    def test_a_flow_file(self):
        flows = self.directory / "x.flow"
        path = self.file(PLACE + "workload:\n  - {kind: flows, file: x.flow}\n")
        self.refused(PLACE + "workload:\n  - {kind: flows, file: x.flow}\n",
                     ("3:25", "workload.file: x.flow cannot be read: No such file or directory$"))
        for text, expected in (("h1 h2 - 3 1000\n",
                                r"x\.flow:1:1: 5 words; a line is `src dst tenant priority bytes start_ns`"),
                               ("# fine\nh1 h9 - 3 1000 0\n", r"x\.flow:2:4: dst: there is no host h9"),
                               ("h1 h2 - 8 1000 0\n", r"x\.flow:1:9: priority: 8 is out of range: 0 to 7"),
                               ("h1 h2 - 3 0 0\n", r"x\.flow:1:11: bytes: 0 is out of range"),
                               ("h1 h2 red 3 1 0\n", r"x\.flow:1:7: tenant: h1 is not in tenant red")):
            flows.write_text(text)
            self.assert_refused(expected, "check", path)

    def test_record(self):
        self.refused(PLACE + "record: {interval: 1us, queues: [leaf1.swp9.3]}\n",
                     ("2:34", r"record.queues: there is no port leaf1.swp9; leaf1 has swp1 .. swp4"))
        self.refused(PLACE + "record: {pcap: [leaf1.swp77, h1.eth2]}\n",
                     ("2:17", "record.pcap: there is no port leaf1.swp77"),
                     ("2:30", "record.pcap: there is no port h1.eth2"))
        self.refused(PLACE + "record: {interval: 1us, queues: [leaf1.swp1.8]}\n",
                     ("2:34", "record.queues: .*leaf1.swp1.8"))

    def test_events(self):
        route = "route: {vrf: default, prefix: 10.0.0.0/8, via: "
        self.refused(PLACE + f"events: [{{at: 1us, node: leaf9, {route}[spine1]}}}}]\n",
                     ("2:26", "events.node: there is no node leaf9"))
        self.refused(PLACE + f"events: [{{at: 1us, node: leaf1, {route}[spine3]}}}}]\n",
                     ("2:81", "events.route.via: there is no node spine3"))
        self.refused(PLACE + "events: [{at: 1us, port: leaf1.swp1}]\n", ("2:10", r'events\[0\]: needs "tx" or "pfc"'))
        self.refused(PLACE + "events: [{at: 1us, set: switch.qos.tc.3.ecn.min, to: 2000KB}]\n",
                     ("2:54", "qos.tc.3.ecn: min .* is above max"))

    def test_a_warning_is_no_error(self):
        path = self.file(PLACE + "hosts: {path-mtu: 1000}\n")
        done = roost("check", path)
        self.assertRegex(done.out, rf"^{path}: ok: \d+ .*\n$")
        self.assertRegex(done.err, rf"^warning: {path}:2:19: hosts.path-mtu: 1000 is none of RoCE's five")

    def test_a_path_mtu_that_does_not_fit(self):
        path = self.file("fabric: {mtu: 1500, topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts-per-leaf: 2}}\n"
                         "hosts: {path-mtu: 4096}\nworkload:\n  - {kind: permutation, size: 1MB}\nstop: 1ms\n")
        done = roost("check", path)
        self.assertRegex(done.out, rf"^{path}: ok: \d+ .*\n$")
        self.assertEqual([line for line in done.err.splitlines() if "path-mtu" in line],
                         [f"warning: {path}:2:19: hosts.path-mtu: h1 to h2: the path carries 1500 bytes of IP, too few "
                          "for a path MTU of 4096 and its headers: such packets are dropped as mtu-exceeded"])
        self.assertIn("mtu-exceeded", roost("sim", path).out)

    def test_files_that_are_none(self):
        for path, why in ((self.directory / "none.yaml", "No such file"), (self.directory, "is a directory: name a configuration file")):
            for name in ("check", "sim"):
                self.assert_refused(rf"^{path}: .*{why}", name, path)

    def test_one_switch_is_for_replay(self):
        path = self.file("switch: {name: dut, role: leaf, ports: {swp1: {rate: 25G}}}\n")
        roost("check", path)
        self.assert_refused(r"one switch.*use `roost replay`", "sim", path)


class CommandLine(Case):
    def test_help(self):
        done = roost("--help")
        self.assertEqual(done.err, "")
        self.assertRegex(done.out, r"^usage: roost ")
        for name in COMMANDS:
            with self.subTest(command=name):
                (line,) = (one for one in done.out.splitlines() if one.split()[:1] == [name])
                own = roost(name, "--help")
                self.assertEqual(own.err, "")
                self.assertTrue(own.out.startswith(f"usage: roost {name} "), own.out)
                # What it is for, in the same words.
                self.assertIn(" ".join(line.split()[1:]), own.out)
                self.assertEqual(roost(name, "-h").out, own.out)
        self.assertEqual(roost("-h").out, done.out)

    def test_without_a_command(self):
        done = roost(status=2)
        self.assertEqual((done.out, done.err), ("", roost("--help").out))
        self.assertIn("\nA software leaf/spine fabric of lossless Ethernet, InfiniBand or Ultra Ethernet:\n", done.err)

    def test_it_says_what_the_file_describes(self):
        for description, told in (
                (fabric(4, 2, 2, workload=[flow("h1", "h3", "1MB")]),
                 "4 leaves, 2 spines, 8 hosts, oversubscription 1:1, 1 flow"),
                (fabric(2, 1, 3, host_link={"rate": "25G"}, workload=[{"kind": "stream", "from": "h1", "to": "h2", "rate": "1G", "until": "1ms"}]),
                 "2 leaves, 1 spine, 6 hosts, oversubscription 1:1.33, 1 stream"),
                (fabric(1, 1, 5, attach={"h2": {"netns": "h2"}}), "1 leaf, 1 spine, 5 hosts (1 attached), oversubscription 5:1"),
                (fabric(1, 0, 2), "1 leaf, 2 hosts"),
                ({"switch": {"preset": "sonic", "ports": {"swp1": {"rate": "100G"}}}}, "1 switch, 1 port")):
            path = self.file(description)
            self.assertEqual(roost("check", path).out, f"{path}: ok: {told}\n")

    def test_unknown_commands(self):
        for typed, meant in (("siim", "sim"), ("chek", "check"), ("relpay", "replay"), ("shwo", "show")):
            done = roost(typed, status=2)
            self.assertRegex(done.err, rf'unknown command {typed}; did you mean "{meant}"\?')
            self.assertEqual(done.out, "")
        self.assertNotIn("did you mean", roost("quetzalcoatl", status=2).err)

    def test_wrong_usage(self):
        path = self.file(PLACE)
        for words in (("check",), ("check", path, path), ("sim",), ("sim", path, "extra"), ("sim", path, "--no-such"),
                      ("sim", path, "--until", "5"), ("sim", path, "--until", "soon"), ("sim", path, "--seed", "-1"),
                      ("sim", path, "--seed", "x"), ("sim", path, "-o"), ("where",),
                      ("where", "10.0.1.1", "-o", "xml")):
            with self.subTest(words=words):
                done = roost(*words, status=2)
                self.assertEqual(done.out, "")
                self.assertTrue(done.err)
                self.assertNotIn("Invalid argument", done.err)

    def test_an_output_that_cannot_be_written(self):
        path = self.file(PLACE)
        (self.directory / "file").write_text("")
        done = roost("sim", path, "-o", self.directory / "file", status=1)
        self.assertRegex(done.err, r"/file: Not a directory")
        done = roost("sim", path, "-o", self.directory / "none/deeper", status=1)
        self.assertRegex(done.err, r"none/deeper: No such file or directory")
        with open("/dev/full", "w") as full:
            for words in (("sim", path), ("sim", path, "--json"), ("check", path), ("--help",)):
                done = subprocess.run([ROOST, *map(str, words)], stdout=full, stderr=subprocess.PIPE, text=True,
                                      check=False)
                self.assertEqual(done.returncode, 1, words)
                self.assertIn("No space left on device", done.stderr)

    def test_where_without_a_fabric(self):
        """An address has a place by the plan; a name needs a fabric, of which this machine may have some."""
        def alone(*words, status=0):
            return command("unshare", "--mount", "--map-root-user", "sh", "-c", 'mount -t tmpfs none /run && exec "$@"', "sh",
                           ROOST, "where", *words, status=status, env={"PATH": os.environ["PATH"]})
        self.assertEqual(alone("10.1.3.7", "-o", "json").json,
                         {"address": "10.1.3.7", "plane": 0, "pod": 1, "leaf": 3, "port": 7})
        self.assertIn("192.0.2.1 is outside the address plan", alone("192.0.2.1", status=1).err)
        self.assertIn("no fabric is up", alone("300.1.1.1", status=1).err)
        self.assertIn("no fabric is up", alone("h5", status=1).err)

    def test_where(self):
        for address in ("10.0.1.2", "fd00::1:2", "02:00:0a:00:01:02"):
            answer = roost("where", address, DEMO, "-o", "json").json
            known = {"host": "h2", "host_port": "eth1", "switch_port": "leaf1.swp2", "ip4": "10.0.1.2",
                     "ip6": "fd00::1:2", "mac": "02:00:0a:00:01:02", "tenant": "red", "vrf": "red"}
            self.assertEqual({key: answer[key] for key in known}, known)
        text = roost("where", "10.0.1.2", DEMO).out
        self.assertRegex(text, r"(?m)^host\s+h2$")
        done = roost("where", "10.0.9.9", DEMO, status=1)
        self.assertIn("no host or switch has 10.0.9.9", done.err)

    def test_where_knows_what_packets_carry(self):
        # The addresses in a capture are those that `where` tells.
        sim = self.sim(fabric(2, 1, 2, workload=[flow("h1", "h4", "1B")], record={"pcap": ["h4.eth1"]}))
        source, destination, mac_address = tshark(sim.directory / "h4.eth1.pcapng", "ip.src", "ip.dst", "eth.dst")[0]
        for address, host in ((source, "h1"), (destination, "h4"), (mac_address, "h4")):
            self.assertEqual(roost("where", address, self.file(fabric(2, 1, 2)), "-o", "json").json["host"], host)


if __name__ == "__main__":
    unittest.main()
