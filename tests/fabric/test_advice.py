# SPDX-License-Identifier: BSD-3-Clause
"""Warnings of `roost check` about settings that hold but hurt: that each comes where it is due, at its place in
the file, and not where it is not. They leave the exit status 0, and `roost sim` gives them too."""
from common import *

PLACE = "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}}\n"
LOSSY = """switch:
  preset: lossy
  qos: {trim: {size: 256B, dscp: 11, tc: 4, eligible-tc: [3]}, priority-to-tc: {3: 3, 4: 4, 6: 6, default: 0}}
"""
QUIET = PLACE + "switch: {preset: spectrum-x}\n"


class Advice(Case):
    def warned(self, text, *expected):
        """Each is (position, pattern); position "" where the file does not say it."""
        path = self.file(text)
        done = roost("check", path)
        self.assertRegex(done.out, rf"^{path}: ok: \d+ .*\n$")
        lines = done.err.splitlines()
        self.assertEqual(len(lines), len(expected), done.err)
        for line, (position, pattern) in zip(lines, expected):
            start = f"warning: {path}:" + (f"{position}:" if position else "") + " "
            self.assertTrue(line.startswith(start), line)
            self.assertRegex(line[len(start):], f"^{pattern}")
        return path

    def quiet(self, text):
        self.warned(text)

    def test_presets_are_quiet(self):
        presets = [{"preset": preset} for preset in ("spectrum-x", "sonic", "lossy", "infiniband", "uec", "mrc")]
        presets += [{"preset": "spectrum-x", "preset-mode": mode}
                    for mode in ("lossless", "lossy", "lossless-single-pool")]
        tenants = {"red": {"hosts": ["h1", "h3"], "buffer": {"guaranteed": "256KB", "share": "50%"}},
                   "blue": {"hosts": ["h2", "h4"], "buffer": {"guaranteed": "256KB", "share": "50%"}}}
        for switch in presets:
            for leaves, spines, hosts in ((1, 0, 4), (4, 2, 4), (8, 8, 8)):
                self.quiet(to_yaml(fabric(leaves, spines, hosts, switch=switch)))
            self.quiet(to_yaml(fabric(2, 2, 2, switch=switch, tenants=tenants)))

    def test_the_demo_is_quiet(self):
        self.assertEqual(roost("check", DEMO).err, "")

    def test_headroom(self):
        needed = roost("headroom", "100G", "99m", "4200", "-o", "json").json["needed"]
        text = PLACE + "switch:\n  preset: spectrum-x\n  qos: {pg: {3: {headroom: %dB}}}\n"
        self.warned(text % (needed - 192),
                    ("4:28", rf"qos.pg.3.headroom: {needed - 192} B are less than the {needed} B that may still arrive "
                     r"after XOFF at leaf1.swp1 and 11 other ports \(100 Gb/s, 500 ns\)"))
        self.quiet(text % needed)
        # Ports of another length are another matter; what nobody pauses for is none.
        longer = text.replace("hosts-per-leaf: 2}", "hosts-per-leaf: 2}, links: {fabric: {delay: 600ns}}")
        self.warned(longer % needed, ("4:28", rf"qos.pg.3.headroom: {needed} B .* at leaf1.swp3 and 7 other ports"))
        self.warned(text.replace("preset: spectrum-x", "preset: spectrum-x\n  preset-mode: lossy") % 192,
                    ("5:28", "qos.pg.3.headroom: has no effect: group 3 is not lossless"))

    def test_headroom_of_one_switch(self):
        text = ("switch:\n  name: dut\n  preset: spectrum-x\n  qos: {pg: {3: {headroom: 10KB}}}\n"
                "  ports: {swp1: {rate: 400G, cable: 300m}, swp2: {rate: 400G, cable: 300m}}\n")
        self.warned(text, ("4:28", r"qos.pg.3.headroom: 10176 B are less .* at swp1 and 1 other port \(400 Gb/s"))

    def test_headroom_of_one_port(self):
        text = PLACE + "switch:\n  preset: spectrum-x\n  qos: {ports: {%s: {pg: {3: {headroom: 10KB}}}}}\n"
        self.warned(text % "swp4", ("4:43", r"qos.ports.swp4.pg.3.headroom: 10176 B are less .* at leaf1.swp4 and 1 other port"))

    def test_headroom_pool(self):
        text = PLACE + "switch:\n  preset: spectrum-x\n  buffer: {headroom-pool: {size: %s}}\n"
        self.warned(text % "20KB", ("4:34", r"buffer.headroom-pool.size: 19968 B, shared by all groups, is less than the "
                                    r"\d+ B of headroom that one group may need"))
        self.quiet(text % "1MB")

    def test_ecn_above_pfc(self):
        # Cell 1, nothing reserved: alpha 1 of a pool of S alone comes to S / 2.
        text = PLACE + ("switch:\n  preset: spectrum-x\n"
                        "  buffer: {size: 8MB, cell: 1, pools: {ingress-lossless: {size: 2000000B}}}\n"
                        "  qos: {tc: {3: {ecn: {max: %s}}}, pg: {3: {%s}}}\n")
        for threshold, depth in (("alpha: 1", 1000000), ("alpha: 1/4", 400000), ("alpha: 4", 1600000),
                                 ("static: 500KB", 500000)):
            self.quiet(text % (f"{depth}B", threshold))
            self.warned(text % (f"{depth + 1}B", threshold),
                        ("5:29", rf"qos.tc.3.ecn.max: {depth + 1} B is above the {depth} B at which group 3, congested "
                         r"alone, sends XOFF on leaf1 and 1 other switch: PFC acts first"),
                        ("5:29", r"qos.tc.3.ecn.max: .* on spine1 and 1 other switch"))
        self.quiet("fabric: {topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts-per-leaf: 4}}\nswitch:\n  buffer: {size: 540672B, cell: 64}\n"
                   "  qos: {flow-control: credit, credit: {buffer: 45056B}}\n")
        # Reserved at each of a leaf's 4 ports, and the group's own on top; a spine has only 2 ports.
        depth = (2000000 - 4 * 10000) // 2 + 10000
        self.quiet(text % (f"{depth}B", "alpha: 1, reserved: 10KB"))
        self.warned(text % (f"{depth + 1}B", "alpha: 1, reserved: 10KB"),
                    ("5:29", rf"qos.tc.3.ecn.max: {depth + 1} B is above the {depth} B .* on leaf1 and 1 other switch"))
        # Nobody pauses: nothing to come too late for.
        self.quiet(text.replace("preset: spectrum-x", "preset: spectrum-x\n  preset-mode: lossy")
                   .replace(", pools: {ingress-lossless: {size: 2000000B}}", "") % ("8MB", "alpha: 1/128"))
        # Two levels, as in sonic-mgmt's generator: a p S / (1 + a p + a) of the whole pool.
        two = text.replace("{size: 2000000B}", "{size: 2000000B, port-alpha: 2}")
        self.quiet(two % ("1000000B", "alpha: 1"))
        self.warned(two % ("1000001B", "alpha: 1"), ("5:29", ".* 1000000 B at which"), ("5:29", ".* 1000000 B"))
        half = text.replace("{size: 2000000B}", "{size: 2000000B, port-alpha: 1/2}")
        self.quiet(half % ("400000B", "alpha: 1"))
        self.warned(half % ("400001B", "alpha: 1"), ("5:29", ".* 400000 B at which"), ("5:29", ".* 400000 B"))

    def test_ecn_is_told_where_the_room_is_taken(self):
        text = PLACE + "switch:\n  preset: spectrum-x\nleaf: {%s}\n"
        told = "qos.tc.3.ecn.max: 1500000 B is above the .* on leaf1 and 1 other switch: PFC acts first"
        for settings, column in (("buffer: {size: 2MB}", 23), ("buffer: {pools: {ingress-lossless: {size: 1%}}}", 50),
                                 ("buffer: {pools: {ingress-lossless: {port-alpha: 1/64}}}", 56),
                                 ("qos: {pg: {3: {alpha: 1/128}}}", 30), ("qos: {pg: {3: {static: 100KB}}}", 31),
                                 ("buffer: {headroom-pool: {size: 60MB}}", 39)):
            with self.subTest(settings):
                self.warned(text % settings, (f"4:{column}", told))
        # Nothing at all is worse than too little, and told alone.
        self.warned(text % "buffer: {pools: {ingress-lossless: {size: 0%}}}",
                    ("4:50", "buffer.pools.ingress-lossless.size: all of priority 3 drops"))

    def test_keys_of_hosts_without_effect(self):
        lossy = PLACE.replace("hosts-per-leaf: 2", "hosts-per-leaf: 2%s") + LOSSY
        hosts, idle = "hosts: {transport: %s, ack-dscp: 48, %s}\n", "hosts.%s: has no effect: %s$"
        not_uet, not_mrc, not_roce = ("transport is not " + word for word in ("uet", "mrc", "roce"))
        of_roce = [(key, f"{key}: {value}", not_roce) for key, value in (
            ("recovery", "selective"), ("placement", "out-of-order"), ("ack-every", 2), ("reorder-timeout", "1us"), ("cnp", "{dscp: 26}"))]
        for transport, rows in (
                ("roce", [("uet", "uet: {paths: 2}", not_uet), ("mrc", "mrc: {paths: 2}", not_mrc),
                          ("nscc", "nscc: {decrease: 1/2}", "congestion is not nscc")]),
                ("uet", [("mrc", "mrc: {deny-planes: [2]}", not_mrc), ("uet.grant", "uet: {grant: 2}", "uet.credits is off"),
                         ("uet.unsolicited", "uet: {unsolicited: 2}", "uet.credits is off")] + of_roce),
                ("mrc", [("uet", "uet: {grant: 2}", not_uet),
                         ("mrc.deny-planes", "mrc: {deny-planes: [2]}", "hosts have one port, so there are no planes")] + of_roce)):
            for key, written, why in rows:
                text = lossy % "" + hosts % (transport, written)
                value = written.split(": ", key.count(".") + 1)[-1]
                line = text.splitlines()[-1]
                self.warned(text, (f"{text.count(chr(10))}:{line.index(value.rstrip('}') if '.' in key else value) + 1}", idle % (key, why)))
        for transport, written in (("uet", "uet: {credits: on, grant: 2, unsolicited: 2}, nscc: {decrease: 1/2}"),
                                   ("mrc", "mrc: {paths: 2}"),
                                   ("roce", ", ".join(written for _, written, _ in of_roce))):
            self.quiet(lossy % "" + hosts % (transport, written))
        self.quiet(lossy % ", planes: 2" + hosts % ("mrc", "mrc: {deny-planes: [2]}"))
        self.warned(lossy % ", planes: 2" + hosts % ("mrc", "mrc: {deny-planes: [2, 5]}"),
                    ("5:58", "hosts.mrc.deny-planes: there is no plane 5; planes are 1 to 2$"))
        # A key in `hosts` may be for one host alone; a host's own is for nobody else.
        mixed = lossy % "" + hosts % ("uet", "ack-every: 2")
        self.quiet(mixed + "h3: {transport: roce}\n")
        self.warned(mixed + "h3: {transport: roce, uet: {paths: 2}}\nh4: {recovery: selective}\n",
                    ("6:28", idle % ("uet", not_uet)), ("7:16", idle % ("recovery", not_roce)))

    def test_links_that_credits_cannot_fill(self):
        """InfiniBand grants 131,072 B ahead. A round trip takes two delays, what both switches take, and two frames of 4246 B."""
        text = ("fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 1}\n"
                "  links: {host: {rate: 800G, delay: 15ns}, fabric: {rate: 800G, delay: %s}}\n"
                "switch: {buffer: {size: 64MB, cell: 64}, latency: %s, qos: {flow-control: %s%s}}\n")
        told = r"qos.credit.buffer: leaf-spine links of 800 Gb/s with a delay of %d ns need %d B for a round trip, and at most " \
               r"131072 B are granted ahead: a lane gets %d %% of the rate at leaf1.swp2 and 3 other ports: use shorter cables or a " \
               r"lower rate$"
        self.warned(text % ("750ns", "0ns", "credit", ""), ("4:76", told % (750, 158528, 83)))
        # A NIC takes no time, so links to hosts are full.
        self.warned(text % ("250ns", "700ns", "credit", ", credit: {buffer: auto}"), ("4:103", told % (250, 198528, 66)))
        for quiet in (("612ns", "0ns", "credit", ""), ("750ns", "0ns", "cbfc", ""),
                      ("750ns", "0ns", "credit", ", credit: {buffer: 64KB}")):
            self.quiet((text % quiet).replace("cell: 64", "cell: 128" if "cbfc" in quiet else "cell: 64"))
        self.warned(text % ("613ns", "0ns", "credit", ""), ("4:76", told % (613, 131136, 99)))

    RETRY = ("fabric:\n  topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts-per-leaf: 2}\n"
             "  links: {host: {rate: %s, delay: %s}}\n  mtu: %d\nswitch: {qos: {llr: {state: on%s}}}\n")

    def test_links_that_link_level_retry_cannot_fill(self):
        """Until the ACK of a frame of 4114 B is here, 1.33072 us pass at 100G and 500 ns; each frame takes 0.33104 us of them."""
        told = r"qos.llr.replay-buffer: host-leaf links of %d Gb/s with a delay of %d ns carry %d frames of MTU %d in a round trip, " \
               r"and %s: %d %% of the rate at leaf1.swp1 and 1 other port: %s$"
        for size, holds, share in ((5000, 1, 25), (4114 + 4122, 2, 50), (4 * 4114 + 4121, 4, 99)):
            self.warned(self.RETRY % ("100G", "500ns", 4100, f", replay-buffer: {size}B"),
                        ("5:48", told % (100, 500, 5, 4100, f"the buffer holds {holds}", share, "write auto")))
        self.quiet(self.RETRY % ("100G", "500ns", 4100, f", replay-buffer: {4 * 4114 + 4122}B"))
        self.quiet(self.RETRY % ("100G", "500ns", 4100, ""))
        # 4096 of 23063 frames of 438 B with all that is around them.
        self.warned((self.RETRY % ("800G", "50505ns", 400, "")).replace("switch: {", "switch: {buffer: {size: 512MB}, "),
                    ("5:52", told % (800, 50505, 23063, 400, "a port keeps 4096 at most", 18,
                                     "use larger frames, shorter cables or a lower rate")))

    def test_timers_below_the_round_trip(self):
        """A frame, one that it waits for and one that its ACK waits for, of 4146 B each, and 2048 B between ACKs: 14486 B
        of 80 ps, and two delays."""
        told = r"qos.llr.timer: %s us is less than the round trip of leaf1.swp1 and 1 other port \(up to 2.16 us\): frames that " \
               r"have arrived may be sent again: write auto$"
        for timer, us in (("1us", "1"), ("2158879ps", "2.15888")):
            self.warned(self.RETRY % ("100G", "500ns", 4100, f", timer: {timer}"), ("5:40", told % us))
        self.quiet(self.RETRY % ("100G", "500ns", 4100, ", timer: 2158880ps"))

    def test_replay_tells_too(self):
        text = ("switch:\n  name: dut\n  preset: spectrum-x\n  qos: {pg: {3: {headroom: 10KB}}}\n"
                "  ports: {swp1: {rate: 400G, cable: 300m}, swp2: {rate: 400G, cable: 300m}}\n")
        path = self.file(text)
        told = roost("check", path).err
        self.assertIn("4:28: qos.pg.3.headroom: 10176 B are less", told)
        self.assertEqual(self.replay(path, {"swp1": []}).done.err, told)

    def test_two_sides(self):
        self.quiet(QUIET + "spine: {qos: {pg: {3: {alpha: 2}}}}\n")
        self.warned(QUIET + "spine: {qos: {pg: {3: {lossless: false, pool: ingress-lossy}}, pfc: {priorities: []}}}\n",
                    ("3:34", r"qos: on the link leaf1-spine1 and 3 other links, priority 3 is lossless on the leaf and "
                     "lossy on the spine"))
        self.warned(QUIET + "spine1: {qos: {pfc: {priorities: [3, 4]}, priority-to-pg: {4: 3}, priority-to-tc: {4: 3}}}\n",
                    ("3:63", r"qos: on the link leaf1-spine1 and 1 other link, priority 4 is lossless on the spine and "
                     "lossy on the leaf"))
        self.warned(QUIET + "leaf1:\n  qos: {ports: {swp3: {pfc: {priorities: []}}}}\n",
                    ("4:42", "qos.ports.swp3.pfc.priorities: at swp3, priority 3 is in lossless group 3, but pfc.priorities"),
                    ("4:42", r"qos: on the link leaf1-spine1, priority 3 is lossless on the spine and lossy on the leaf"))
        # Everything follows the leaf at a host's link, and one leaf's peculiarity is its own affair without spines.
        self.quiet("fabric: {topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts-per-leaf: 2}}\n"
                   "switch: {preset: sonic}\nleaf: {qos: {pfc: {priorities: [3]}, pg: {4: {lossless: false}}}}\n")

    def test_two_ways_of_pausing(self):
        self.warned(QUIET + "leaf: {qos: {flow-control: pause}}\n",
                    ("3:28", r"qos: on the link leaf1-spine1 and 3 other links, one end sends link pauses \(802.3x\) and "
                     "the other priority pauses"))

    def test_two_maps(self):
        self.warned(QUIET + "spine: {qos: {dscp-to-priority: {26: 5}}}\n",
                    ("3:38", r"qos: on the link leaf1-spine1 and 3 other links, DSCP 26 is priority 3 on the leaf and 5 "
                     "on the spine: a pause from one end"))
        self.warned(QUIET + "spine: {qos: {dscp-to-priority: {26: 5, 27: 5, 28: 5}}}\n",
                    ("3:38", r".* priority 3 on the leaf and 5 on the spine \(and 2 more DSCPs\): a pause from"))
        self.quiet(QUIET + "spine: {qos: {dscp-to-priority: {10: 2}}}\n")

    def test_two_trusts(self):
        """What the one end reads and the other does not."""
        differs = (r"qos: on the link leaf1-spine1 and 3 other links, DSCP 24 is priority 3 on the leaf and 0 on the "
                   r"spine \(and 7 more DSCPs\): a pause from one end")
        # Between switches nothing is tagged: what trusts PCP alone reads nothing.
        for trust in ("[]", "[pcp]"):
            self.warned(QUIET + f"spine: {{qos: {{trust: {trust}}}}}\n", ("3:22", differs))
        self.quiet(QUIET + "spine: {qos: {trust: [pcp, dscp]}}\n")
        self.warned(QUIET + "spine: {qos: {trust: [], port-priority: 3}}\n",
                    ("3:41", r"hosts.cnp.dscp: CNPs \(DSCP 48 of h1\) are priority 3 on spine1 and 1 other switch"),
                    ("3:41", r"qos: .* DSCP 0 is priority 0 on the leaf and 3 on the spine \(and 55 more"))
        # The maps of single ports: of the link's own, and of one by which packets come in.
        self.warned(QUIET + "spine1: {qos: {ports: {swp1: {dscp-to-priority: {26: 5}}}}}\n",
                    ("3:24", "qos: on the link leaf1-spine1 and 1 other link, DSCP 26 is priority 3 on the leaf and 5 on the "
                     "spine:"))
        self.warned(QUIET + "leaf1: {qos: {ports: {swp1: {trust: [], port-priority: 3}}}}\n",
                    ("3:23", "hosts.cnp.dscp: CNPs"),
                    ("3:23", r"qos: on the link leaf1-spine1 and 1 other link, DSCP 0 is priority 3 on the leaf and 0 on "
                     r"the spine \(and 55 more DSCPs\)"))

    def test_two_sides_of_a_remark(self):
        self.warned(QUIET + "leaf: {qos: {remark: {dscp: {3: 0}}}}\n",
                    ("3:29", "qos: on the link leaf1-spine1 and 3 other links, packets of priority 3 leave the leaf with "
                     "DSCP 0, which is priority 0 on the spine: a pause from one end"))
        self.warned(QUIET + "leaf2: {qos: {ports: {swp3: {remark: {dscp: {0: 26}}}}}}\n",
                    ("3:23", "qos: on the link leaf2-spine1, packets of priority 0 leave the leaf with DSCP 26, which is "
                     "priority 3 on the spine"))
        # What is marked as its priority is; what no switch behind it is given; hosts follow their leaf.
        self.quiet(QUIET + "leaf: {qos: {remark: {dscp: {3: 26}}}}\n")
        self.quiet(QUIET + "leaf: {qos: {remark: {dscp: {3: 40, 5: 45}}}}\nspine: {qos: {dscp-to-priority: {40: 3}}}\n"
                   "leaf1: {qos: {ports: {swp3: {dscp-to-priority: {40: 3}}, swp4: {dscp-to-priority: {40: 3}}}}}\n"
                   "leaf2: {qos: {ports: {swp3: {dscp-to-priority: {40: 3}}, swp4: {dscp-to-priority: {40: 3}}}}}\n")
        self.quiet(QUIET + "leaf: {qos: {ports: {swp1: {remark: {dscp: {3: 0}}}}}}\n")
        # A port that gives all it takes in one priority, and marks it so.
        self.warned(QUIET + "leaf1: {qos: {ports: {swp1: {trust: [], port-priority: 3}}}}\n"
                    "leaf: {qos: {remark: {dscp: {3: 26}}}}\n", ("3:23", "hosts.cnp.dscp: CNPs"))

    def test_pauses(self):
        """100 quanta of 512 bit times are 512 ns at 100 Gb/s and 128 ns at 400 Gb/s."""
        text = PLACE + "switch:\n  preset: spectrum-x\n  qos: {pfc: {%s}}\n"
        told = (r"qos.pfc.refresh: a pause of 1000 quanta sent by leaf1.swp1 and 11 other ports lasts 5.120 us but is sent "
                r"again only after %s, up to 0.346 us later behind a frame of MTU 4200: senders resume in between")
        self.warned(text % "quanta: 1000, refresh: 100us", ("4:38", told % "100us"))
        self.warned(text % "quanta: 1000, refresh: 5120ns", ("4:38", told % "5120ns"))
        # MTU 4200: a frame of 4222 B with two tags and the pause of 60 B, each 24 B more on the wire, are 4330 B, 346.4 ns.
        self.warned(text % "quanta: 1000, refresh: 4773601ps", ("4:38", told % "4773601ps"))
        self.quiet(text % "quanta: 1000, refresh: 4773600ps")
        # On its own a refresh is early enough, or the quanta are refused: two pauses more are 4498 B, 70.3 quanta.
        self.quiet(text % "quanta: 71")
        path = self.file(text % "quanta: 70")
        self.assertEqual(roost("check", path, status=2).err.splitlines()[0],
                         f"{path}:4:23: qos.pfc.quanta: on leaf1 swp1: a pause of 70 quanta lasts 0.358 us and runs out "
                         "while its refresh waits behind a frame of MTU 4200: at least 71 quanta are needed")
        self.warned(text % "quanta: 0", ("4:23", "qos.pfc.quanta: a pause of 0 quanta ends a pause: senders to "
                                         "leaf1.swp1 and 11 other ports are never paused"))
        faster = (text % "quanta: 1000, refresh: 2us").replace(
            "hosts-per-leaf: 2}", "hosts-per-leaf: 2}, links: {fabric: {rate: 400G}}")
        self.warned(faster, ("4:38", "qos.pfc.refresh: a pause of 1000 quanta sent by leaf1.swp3 and 7 other ports "
                             "lasts 1.280 us but is sent again only after 2us"))
        # 802.3x pauses are as long; who sends none needs none.
        self.warned(text % "quanta: 0}, flow-control: pause, remark: {dscp: none", ("4:23", "qos.pfc.quanta: "))
        self.quiet((text % "quanta: 0").replace("spectrum-x", "lossy"))

    def test_window_below_ack_every(self):
        """Of packets of 4096 B a window of 16 KB holds three; a message that fits, or a READ, waits for nobody."""
        text = (QUIET + "hosts: {ack-every: %s, congestion: window, window: {size: %s}}\n"
                "workload: [{kind: flow, from: h1, to: h3, size: %s%s}]\n")
        self.warned(text % (4, "16KB", "1MB", ""),
                    ("3:20", "hosts.ack-every: h1 to h3: the congestion window of 3 packets is smaller than the 4 packets "
                     "after which the receiver acknowledges: the sender waits for `rto` each time"))
        self.warned(text % (2, "1KB", "1MB", ""), ("3:20", "hosts.ack-every: h1 to h3: the congestion window of 1 packet is"))
        self.quiet(text % (3, "16KB", "1MB", ""))
        self.quiet(text % (4, "16KB", "12KB", ""))
        self.quiet(text % (4, "16KB", "1MB", ", op: read"))
        self.quiet(text % (8, "auto", "1MB", ""))
        self.warned(text % (500, "auto", "10MB", ""), ("3:20", r"hosts.ack-every: h1 to h3: the congestion window of \d+ packets"))

    def test_attached_hosts_that_see_reordering(self):
        text = ("fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}}\n"
                "switch: {preset: spectrum-x, routing: {mode: %s}}\nattach:\n  h3: {netns: advice-h3%s}\n"
                "workload: [{kind: flow, from: %s, to: %s, size: 1MB%s}]\n")
        for mode in ("adaptive", "spray", "random"):
            self.warned(text % (mode, "", "h1", "h3", ""),
                        ("4:3", "attach: RoCE packets for h3 may overtake each other: leaf1 chooses a path for each of them; a "
                         r"host that goes back N, such as rdma_rxe, needs attach.h3.reorder: on \(with nic: on\), or "
                         "routing.mode: ecmp, ecmp-qp or flowlet"))
        for mode in ("ecmp", "ecmp-qp", "flowlet"):
            self.quiet(text % (mode, "", "h1", "h3", ""))
        for written in ("on", "off"):
            self.quiet(text % ("spray", f", reorder: {written}", "h1", "h3", ""))
        self.quiet(text % ("spray", "", "h4", "h3", ""))   # one leaf, one path
        self.quiet(text % ("spray", "", "h1", "h4", ""))
        path = self.file(text % ("spray", ", reorder: on, nic: off", "h1", "h3", ""))
        self.assertEqual(roost("check", path, status=2).err,
                         f"{path}:4:35: attach.h3: reorder: on needs nic: on, because the edge NIC does it\n")

    def test_attached_hosts_that_send_to_each_other(self):
        """Virtual machines and devices may send RoCE to each other, whatever the workload does."""
        text = ("fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}, mtu: 1500}\n"
                "switch: {preset: spectrum-x, routing: {mode: %s}}\nattach:\n%s%s")

        def attach(**hosts):
            return "".join(f"  {host}: {{{words}}}\n" for host, words in hosts.items())

        told = ("RoCE packets for {}{} may overtake each other: leaf{} chooses a path for each of them; a host that goes back N, "
                r"such as rdma_rxe, needs attach.{}.reorder: on \(with nic: on\), or routing.mode: ecmp, ecmp-qp or flowlet")
        vms = attach(h1="tap: t1", h3="tap: t3")
        for mode in ("adaptive", "spray", "random"):
            self.warned(text % (mode, vms, ""), ("4:3", "attach: " + told.format("h1", " and 1 other attached host", 2, "h1")))
        for mode in ("ecmp", "ecmp-qp", "flowlet"):
            self.quiet(text % (mode, vms, ""))
        self.warned(text % ("adaptive", attach(h1="tap: t1, reorder: on", h3="dev: net_null0", h4="dev: net_null1"), ""),
                    ("5:3", "attach: " + told.format("h3", " and 1 other attached host", 1, "h3")))
        self.warned(text % ("adaptive", vms, "workload: [{kind: flow, from: h2, to: h3, size: 1MB}]\n"),   # once
                    ("4:3", "attach: " + told.format("h1", " and 1 other attached host", 2, "h1")))
        for quiet in (attach(h1="tap: t1"), attach(h1="tap: t1", h2="tap: t2"),      # nobody else; one leaf
                      attach(h1="tap: t1, reorder: off", h3="tap: t3, reorder: on"),
                      attach(h1="netns: n1", h3="netns: n3"), attach(h1="netns: n1", h3="tap: t3")):
            self.quiet(text % ("adaptive", quiet, ""))
        self.quiet(text % ("adaptive", vms, "tenants: {red: {hosts: [h1, h2], vni: 1}, blue: {hosts: [h3, h4], vni: 2}}\n"))

    def test_rates(self):
        """All ports are of 100 Gb/s. A rate that no port feels, of those that a section is for, has no effect."""
        told = "has no effect: no port is as fast as %s"
        self.warned(QUIET + "leaf: {qos: {tc: {3: {max-rate: 200G}}}}\n",
                    ("3:33", "qos.tc.3.max-rate: " + told % "200G"))
        self.warned(QUIET + "leaf2: {qos: {port: {max-rate: 101G}}}\n",
                    ("3:32", "qos.port.max-rate: " + told % "101G"))
        self.warned(QUIET + "leaf: {qos: {ports: {swp2: {max-rate: 400G}}}}\n",
                    ("3:22", "qos.ports.swp2.max-rate: has no effect: the port is not as fast as 400G"))
        self.quiet(QUIET + "leaf: {qos: {tc: {3: {max-rate: 100G}}, port: {max-rate: 99G}, ports: {swp1: "
                   "{max-rate: none}}}}\n")
        self.quiet(QUIET + "leaf: {qos: {tc: {3: {max-rate: 200G}}}}\nleaf2: {qos: {tc: {3: {max-rate: 50G}}}}\n")

    def test_data_out_of_pfc(self):
        self.warned(QUIET + "hosts: {dscp: 0}\n",
                    ("3:15", r"hosts.dscp: leaf1 puts data of h1 \(DSCP 0\) into priority 0, without PFC, not into 3, with PFC"))
        self.warned(QUIET + "h3: {dscp: 34}\n", ("3:12", r"hosts.dscp: leaf2 puts data of h3 \(DSCP 34\) into priority 4"))
        self.quiet(QUIET + "hosts: {dscp: 27}\n")
        self.quiet(QUIET + "hosts: {dscp: 0, priority: 0}\n")

    def test_cnps(self):
        self.warned(QUIET + "hosts: {cnp: {dscp: 26}}\n",
                    ("3:21", r"hosts.cnp.dscp: CNPs \(DSCP 26 of h1\) are priority 3 on leaf1 and 3 other switches, in "
                     "class 3, which PFC of priority 3 pauses"))
        self.quiet(QUIET + "hosts: {cnp: {dscp: 4}}\n")
        self.warned(QUIET + "h2: {cnp: {dscp: 24}}\n", ("3:18", r"hosts.cnp.dscp: CNPs \(DSCP 24 of h2\)"))
        self.warned(QUIET + "hosts: {cnp: {dscp: 26}}\n" + "".join(f"h{i}: {{cnp: {{dscp: 48}}}}\n" for i in (1, 2, 3)),
                    ("3:21", r"hosts.cnp.dscp: CNPs \(DSCP 26 of h4\)"))
        # A priority of its own, in a class that it shares with a paused one.
        self.warned(PLACE + "switch: {preset: spectrum-x, qos: {priority-to-tc: {6: 3}}}\n",
                    ("2:56", r"hosts.cnp.dscp: CNPs \(DSCP 48 of h1\) are priority 6 .* in class 3, which PFC of "
                     "priority 3"))
        self.warned(QUIET + "leaf: {qos: {dscp-to-priority: {48: 3}}}\nspine: {qos: {dscp-to-priority: {48: 3}}}\n",
                    ("3:37", r"hosts.cnp.dscp: CNPs \(DSCP 48 of h1\) are priority 3 on leaf1 and 3 other switches"))
        self.quiet(PLACE + "switch: {preset: spectrum-x, preset-mode: lossy}\nhosts: {cnp: {dscp: 26}}\n")

    def pinned(self, pin, more="", section=None):
        """A file with this pin, or these, and where the `via` of the last stands."""
        settings = f"routing: {{mode: spray, pinned: [{pin}]}}"
        line = f"switch: {{preset: spectrum-x, {settings}}}" if section is None else f"{section}: {{{settings}}}"
        text = (PLACE if section is None else QUIET) + f"{line}\n{more}"
        return text, f"{text[:text.index(line)].count(chr(10)) + 1}:{line.rindex('via: ') + 6}"

    def test_pins_that_nothing_follows(self):
        """An entry needs one switch that the source's packets pass, and at which its `via` leads to the destination."""
        for pin in ("src: h1, dst: h3, via: spine1", "src: leaf1, dst: leaf2, via: swp4",
                    "src: h3, dst: h1, via: leaf1", "src: h1, dst: h2, via: h2", "src: h1, dst: 10.0.2.1, via: leaf1.swp3",
                    "src: h1, dst: leaf2, via: spine2"):
            with self.subTest(pin):
                self.quiet(self.pinned(f"{{{pin}}}")[0])
        told = "routing.pinned: has no effect: on %s is not a next hop for packets from %s to %s$"
        for pin, where in (("src: h1, dst: h2, via: spine1", ("leaf1 and 1 other switch, spine1", "h1", "h2")),
                           ("src: h1, dst: h3, via: leaf1", ("spine1 and 1 other switch, leaf1", "h1", "h3")),
                           ("src: h1, dst: h3, via: h1", ("leaf1, h1", "h1", "h3")),
                           ("src: h1, dst: h2, via: leaf1.swp3", ("leaf1, leaf1.swp3", "h1", "h2")),
                           ("src: h1, dst: 198.18.0.1, via: spine1",
                            ("leaf1 and 1 other switch, spine1", "h1", "198.18.0.1"))):
            with self.subTest(pin):
                text, at = self.pinned(f"{{{pin}}}")
                self.warned(text, (at, told % where))
        text, at = self.pinned("{src: h3, dst: h1, via: spine1}", section="leaf1")
        self.warned(text, (at, told % ("leaf1, spine1", "h3", "h1")))
        text, at = self.pinned("{src: h1, dst: h3, via: swp4}", section="spine")
        self.warned(text, (at, "routing.pinned: has no effect: no switch with this setting has swp4 or a link to it$"))
        # Each entry for itself; links that fail and routes that are set change who is next.
        text, at = self.pinned("{src: h1, dst: h3, via: spine2}, {src: h1, dst: h2, via: spine2}")
        self.warned(text, (at, told % ("leaf1 and 1 other switch, spine2", "h1", "h2")))
        for event in ("link: leaf1-spine1, state: down", "node: leaf1, route: {prefix: 10.0.2.0/24, via: [spine1]}"):
            self.quiet(self.pinned("{src: h1, dst: h2, via: spine1}", f"events: [{{at: 1us, {event}}}]\n")[0])

    def test_pins_of_one_switch(self):
        text = ("switch:\n  name: dut\n  preset: spectrum-x\n  ports: {swp1: {rate: 100G}, swp2: {rate: 100G}, "
                "swp3: {rate: 100G}}\n  routes:\n    - {prefix: 198.18.0.0/16, via: [{port: swp2, mac: "
                '"02:00:00:00:02:02"}]}\n  routing: {pinned: [{src: 198.19.0.1, dst: 198.18.0.1, via: %s}]}\n')
        self.quiet(text % "swp2")
        self.warned(text % "swp3", ("7:62", "routing.pinned: has no effect: on dut, swp3 is not a next hop for packets "
                                    "from 198.19.0.1 to 198.18.0.1$"))

    def test_pinned_without_pins(self):
        told = "routing.mode: pinned, but `routing.pinned` names no flow: all flows are hashed, as with ecmp$"
        text = PLACE + "switch: {preset: spectrum-x, routing: {mode: pinned%s}}\n"
        for pins in ("", ", pinned: []", ", pinned: none"):
            self.warned(text % pins, ("2:46", told))
        self.warned(QUIET + "leaf2: {routing: {mode: pinned}}\n", ("3:25", told))
        # Pins may stand elsewhere, or be set later.
        self.quiet(text % "" + "leaf: {routing: {pinned: [{src: h1, dst: h3, via: spine1}]}}\n")
        self.quiet(text % "" + "events:\n  - {at: 1us, set: leaf.routing.pinned, to: \"[{src: h1, dst: h3, via: spine1}]\"}\n")

    def test_what_never_starts(self):
        text = QUIET + "workload:\n  - {kind: flow, from: h1, to: h3, size: 1KB}\n  - {%s}\nstop: 1ms\n"
        told = "workload: never starts: its start is at %s, but the run ends at 1ms$"
        for item in ("kind: flow, from: h1, to: h3, size: 1KB", "kind: stream, from: h1, to: h3, rate: 1G",
                     "kind: incast, from: [h1, h2], to: h3, size: 1KB", "kind: permutation, size: 1KB",
                     "kind: all-reduce, size: 1KB", "kind: step, operations: [{kind: all-gather, size: 1KB}]"):
            with self.subTest(item):
                self.quiet(text % f"{item}, at: 999us")
                self.warned(text % f"{item}, at: 1ms", ("5:5", told % "1ms"))
                self.warned(text % f"{item}, at: 2500us", ("5:5", told % "2500us"))
        late = text % "kind: flow, name: late, from: h1, to: h3, size: 1KB, at: 1ms"
        self.quiet(late.replace("stop: 1ms\n", ""))
        # It is so: nothing of it is sent; and the run's own end counts, not the file's.
        path = self.file(late)
        sim = self.sim(path)
        self.assertEqual([one["fct_ps"] is None for one in sim.flows], [False, True])
        self.assertEqual(sim.nodes["h1"]["ports"]["eth1"]["tx_packets"], 1)
        self.assertIn("never starts", sim.done.err)
        self.assertEqual(roost("sim", path, "--until", "2ms").err, "")
        self.assertIn(" its start is at 1ms, but the run ends at 500us", roost("sim", path, "--until", "500us").err)

    def test_events_beyond_the_end(self):
        """What is at the end itself still happens."""
        text = QUIET + "events:\n  - {at: 1ms, snapshot: full}\n  - {at: %s, snapshot: full}\n%s"
        told = "events: never happens: it is at 1001us, but the run ends at 1ms$"
        self.quiet(text % ("1ms", "stop: 1ms\n"))
        self.quiet(text % ("1001us", ""))
        late = text % ("1001us", "stop: 1ms\n")
        self.warned(late, ("5:5", told))
        sim = roost("sim", self.file(late), "--json")
        self.assertEqual([one["at_ns"] for one in sim.json["snapshots"]], [1000000])
        self.assertEqual(roost("sim", self.file(late), "--until", "2ms").err, "")

    def test_what_a_flow_file_starts_late(self):
        flows = self.directory / "flows.txt"
        flows.write_text("2\n0 2 3 100 1000 0.001\n1 3 3 100 1000 %s\n" % "0.0005")
        text = QUIET + f"workload: [{{kind: flows, format: hpcc, file: {flows}}}]\nstop: %s\n"
        self.quiet(text % "600us")
        self.warned(text % "500us", ("3:12", "workload: never starts: its start is at 500us, but the run ends at 500us$"))

    def test_streams_beyond_their_nic(self):
        text = QUIET + "workload:\n  - {kind: stream, from: %s, to: h3, rate: %s, until: 1us}\n"
        self.quiet(text % ("h1", "100G"))
        self.warned(text % ("h1", "100001M"),
                    ("4:5", "workload.rate: 100001M is above the 100G that h1.eth1 can send$"))
        slow = text.replace("hosts-per-leaf: 2}", "hosts-per-leaf: 2}, links: {host: {rate: 25G}}")
        self.quiet(slow % ("h2", "25G"))
        self.warned(slow % ("h2", "100G"), ("4:5", "workload.rate: 100G is above the 25G that h2.eth1 can send"))

    def test_a_cycle(self):
        route = "{at: %s, node: %s, route: {prefix: 10.0.2.0/24, via: [%s]}}"
        events = QUIET + "events:\n  - " + "\n  - ".join(
            [route % ("1us", "leaf1", "spine2"), route % ("5us", "spine1", "leaf1"),
             route % ("2us", "leaf1", "spine1"), route % ("9us", "spine1", "leaf2")]) + "\n"
        loop = ("5:5", r"events.route: routing loop: packets to 10\.0\.2\.1 circulate until their TTL expires: "
                       "leaf1.swp3 -> spine1.swp1 -> leaf1.swp3$")
        path = self.warned(events, loop, ("5:5", "events.route: buffers of priority 3 depend on each other in a cycle, so "
                                          r"PFC can deadlock: leaf1.swp3 -> spine1.swp1 -> leaf1.swp3$"))
        self.assertIn("events.route: buffers of priority 3 depend", roost("sim", path).err)
        # Taken back at the same instant there is neither; where nothing is lossless no deadlock.
        self.quiet(events.replace("at: 9us", "at: 5us"))
        self.warned(events.replace("spectrum-x", "lossy"), loop)

    def test_a_cycle_that_a_link_closes(self):
        # spine1 sends back only what it is given, and that is nothing until leaf1 has no other way.
        text = QUIET + ("events:\n  - {at: 0us, node: leaf1, route: {prefix: 10.0.2.0/24, via: [spine2]}}\n"
                        "  - {at: 1us, node: spine1, route: {prefix: 10.0.2.2/32, via: [leaf1]}}\n")
        self.quiet(text)
        self.warned(text.replace("via: [spine2]", "via: [spine1, spine2]"),
                    ("5:5", ".*loop: packets to 10.0.2.2 .*: leaf1.swp3 -> spine1.swp1 -> leaf1.swp3"),
                    ("5:5", ".*cycle, .*: leaf1.swp3 -> spine1.swp1 -> leaf1.swp3"))

    def test_computed_routes_have_none(self):
        ring = ("fabric:\n  topology:\n    kind: explicit\n"
                "    nodes: {leaf1: leaf, leaf2: leaf, leaf3: leaf, leaf4: leaf, h1: host, h2: host, h3: host, h4: host}\n"
                "    links:\n" + "".join(f"      - {{a: h{i}.eth1, b: leaf{i}.swp1}}\n" for i in range(1, 5)) +
                "".join(f"      - {{a: leaf{i}.swp2, b: leaf{i % 4 + 1}.swp3}}\n" for i in range(1, 5)) +
                "switch: {preset: spectrum-x}\n")
        self.quiet(ring)
        # Clockwise everywhere: the textbook's deadlock, four links long.
        events = "events:\n" + "".join(
            f"  - {{at: 1us, node: leaf{at}, route: {{prefix: 10.0.{to}.0/24, via: [leaf{at % 4 + 1}]}}}}\n"
            for at in range(1, 5) for to in range(1, 5) if at != to)
        self.warned(ring + events, ("27:5", ".*: leaf1.swp2 -> leaf2.swp2 -> leaf3.swp2 -> leaf4.swp2 -> leaf1.swp2$"))

    def test_it_is_quick(self):
        text = to_yaml(fabric(64, 32, 32, switch={"preset": "spectrum-x", "buffer": {"size": "160MB"}}))
        before = time.monotonic()
        self.quiet(text)
        if not SANITIZED:
            self.assertLess(time.monotonic() - before, 5)
