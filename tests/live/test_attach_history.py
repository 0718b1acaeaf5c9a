# SPDX-License-Identifier: BSD-3-Clause
"""Attached hosts are part of the configuration: `show config` lists them, `save` writes them, `rollback` and `up` restore them."""
import itertools
import signal

from common import *

MIN = "switch.qos.tc.3.ecn.min"


def netns_processes(namespace):
    return [int(pid) for pid in command("ip", "netns", "pids", namespace).out.split()]


class History(LiveCase):
    numbers = itertools.count()

    def setUp(self):
        self.name = name_of(f"attaches{next(self.numbers)}")     # whose history begins here
        self.addCleanup(self.assert_clean, self.name)
        self.addCleanup(roost, "down", self.name, status=None)
        self.addCleanup(self.kill)

    def kill(self):
        """Kills the fabric, if it runs."""
        path = Path(f"/run/roost/{self.name}.state")
        if path.exists():
            pid = json.loads(path.read_text())["pid"]
            end = os.pidfd_open(pid)
            os.kill(pid, signal.SIGKILL)
            self.assertTrue(select.select([end], [], [], 10)[0])
            os.close(end)

    def up(self, description):
        self.lab = self.file(description, "lab.yaml")
        roost("up", self.lab)

    def roost(self, *words, **options):
        return roost(*words, "-f", self.name, **options)

    def refuse(self, pattern, *words):
        self.assertRegex(self.roost(*words, status=1).err, pattern)

    def whats(self):
        return [one["what"] for one in self.roost("history", "-o", "json").json["revisions"]][1:]

    def attached(self):
        """The section `attach:` as `show config` has it. `show device` must have the same hosts."""
        hosts = {host: {key: one["value"] for key, one in entry.items()}
                 for host, entry in self.roost("show", "config", "-o", "json").json["attach"].items()}
        nics = {port["host"].partition(".")[0] for node in self.roost("show", "device", "-o", "json").json["nodes"].values()
                for port in node["ports"].values()}
        self.assertEqual({host.partition(".")[0] for host in hosts}, nics)
        return hosts

    def place(self, host):
        return netns(self.name, host)

    def reach(self, *hosts):
        for host in hosts:
            roost("exec", host, "-f", self.name, "--", "ping", "-c", 1, "-W", 2, "169.254.0.1")

    def process_in(self, namespace):
        """A process in a namespace that Roost has made."""
        process = subprocess.Popen(["ip", "netns", "exec", namespace, "sleep", "600"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        wait_until(lambda: process.pid in netns_processes(namespace), "it is in the namespace")
        return process

    def end(self, process):
        """Ends it, without waiting for it as a parent."""
        process.kill()
        wait_until(lambda: "State:\tZ" in Path(f"/proc/{process.pid}/status").read_text(), "it has ended")

    def plain(self, **attach):
        described = demo(self.name, attach=())
        described["attach"] = attach
        if not attach:
            del described["attach"]
        del described["tenants"]
        return described

    def test_shown_saved_and_up_again(self):
        """After `down`, and after a crash."""
        self.up(self.plain(h1={"netns": self.place("h1")}))
        there = self.place("h5")
        done = self.roost("attach", "h5", f"netns={there}", "reorder=on", "mac=52:54:00:00:00:07", "ip=192.168.7.9")
        self.assertEqual((done.out, done.err), ("", ""))
        h1, h5 = {"netns": self.place("h1")}, {"netns": there, "reorder": "on", "mac": "52:54:00:00:00:07",
                                               "ip": "192.168.7.9"}
        self.assertEqual(self.attached(), {"h1": h1, "h5": h5})
        words = "attach h5 netns=%s reorder=on mac=52:54:00:00:00:07 ip=192.168.7.9" % there
        self.assertEqual(self.whats(), [words])
        self.assertIn(words, self.roost("show", "log").out)
        self.assertEqual(self.roost("config", "diff").out, f"what runs, compared with {self.lab}:\n+ attach.h5: {{netns: {there}, "
                         "reorder: on, mac: '52:54:00:00:00:07', ip: 192.168.7.9}\n")
        for end in (lambda: roost("down", self.name), self.kill):
            end()
            self.assertIn(f"{self.name} is up", roost("up", self.name).out)
            self.assertRegex(self.roost("show", "config", "h5").out, r"h5\.reorder +on +revision 2, line \d+\n")
            self.assertRegex(self.roost("show", "config", "leaf1").out, r"^leaf1, preset spectrum-x \(revision 2, line \d+\)")
            self.assertEqual(self.attached(), {"h1": h1, "h5": h5})
            roost("exec", "h1", "-f", self.name, "--", "ping", "-c", 1, "-W", 2, "192.168.7.9")
            self.assertEqual(self.whats(), [words])
        self.roost("save")
        self.assertEqual(self.roost("config", "diff").out, "")
        roost("check", self.lab)
        roost("down", self.name)
        roost("up", self.lab)
        self.assertEqual(self.attached(), {"h1": h1, "h5": h5})
        # The file attaches it now: with the addresses that it came up with.
        self.roost("detach", "h5")
        self.refuse(r"attach\.h5: the fabric came up with it attached: its mac and ip stay", "attach", "h5", f"netns={there}")
        self.roost("attach", "h5", f"netns={there}", "mac=52:54:00:00:00:07", "ip=192.168.7.9")
        self.reach("h1", "h5")
        self.assertEqual(self.attached(), {"h1": h1, "h5": {key: h5[key] for key in ("netns", "mac", "ip")}})

    def test_rolled_back(self):
        """To revisions before and after an attach, also with other changes. A change that fails detaches nobody."""
        self.up(self.plain())
        one, two = self.place("h5"), self.place("h6")
        self.roost("attach", "h5", f"netns={one}")                      # 2
        self.roost("set", MIN, "100KB")                                 # 3
        self.roost("attach", "h6", f"netns={two}", "ip=192.168.7.9")    # 4
        self.assertEqual(self.roost("rollback", 1).out, "2 changes, revision 5\n")
        self.assertEqual(self.attached(), {})
        self.assertFalse(Path(f"/run/netns/{one}").exists())
        self.assertEqual(self.roost("config", "diff", 1).out, "")
        self.assertEqual(self.roost("rollback", 4).out, "3 changes, revision 6\n")
        self.assertEqual(self.attached(), {"h5": {"netns": one}, "h6": {"netns": two, "ip": "192.168.7.9"}})
        roost("exec", "h5", "-f", self.name, "--", "ping", "-c", 1, "-W", 2, "192.168.7.9")
        self.roost("detach", "h5")
        self.assertEqual(self.whats()[-3:], ["rollback 1", "rollback 4", "detach h5"])
        self.assertIn(f"- attach.h5: {{netns: {one}}}\n", self.roost("config", "diff", 6).out)
        self.roost("rollback", 3)
        self.assertEqual(self.attached(), {"h5": {"netns": one}})
        self.assertEqual(self.roost("config", "diff", 3).out, "")
        # A file that asks for too much: a process in the namespace of h5 goes on.
        bad = self.plain(h6={"netns": one}) | {"switch": self.plain()["switch"] | {"latency": "2us"}}
        before = self.whats()
        running = self.process_in(one)
        self.refuse("cannot change while leaf1 runs", "apply", self.file(bad, "bad.yaml"))
        self.assertEqual((self.attached(), self.whats()), ({"h5": {"netns": one}}, before))
        self.reach("h5")
        self.assertEqual(netns_processes(one), [running.pid])
        self.assertIsNone(running.poll())

    def lending(self):
        """A fabric, and an edited file of it in which h4 has the address that h3 would have, which has another."""
        described = demo(self.name, attach=())
        del described["attach"]
        self.up(described)
        described["attach"] = {"h3": {"netns": self.place("h3"), "ip": "10.9.9.9"}}
        described["tenants"]["blue"]["addresses"] = {"h4": "10.0.1.3"}
        described["switch"]["qos"]["tc"][3]["ecn"]["min"] = "100KB"
        return self.file(described, "lending.yaml")

    def assert_lent(self):
        self.assertEqual(self.attached(), {"h3": {"netns": self.place("h3"), "ip": "10.9.9.9"}})
        self.assertIn("10.0.1.3/32", self.roost("show", "route", "leaf1", "vrf", "blue").out)     # of h4
        self.reach("h3")

    def test_one_change_of_addresses(self):
        """An address that only the whole change frees: for the tenant, and for the host again."""
        path = self.lending()
        self.assertEqual(self.roost("apply", path).out, "3 changes, revision 2\n")
        self.assert_lent()
        self.assertEqual(self.roost("rollback", 1).out, "3 changes, revision 3\n")
        self.assertEqual(self.attached(), {})
        self.assertEqual(self.roost("config", "diff", 1).out, "")
        self.roost("rollback", 2)
        self.assert_lent()

    def test_not_confirmed(self):
        """A change of addresses of a host and of a tenant: undone at once, and after the time."""
        path = self.lending()
        self.roost("apply", path, "--confirm", "5m")
        self.assert_lent()
        self.roost("apply", "--confirm-no")
        self.assertEqual((self.attached(), self.roost("config", "diff", 1).out), ({}, ""))
        self.roost("apply", path, "--confirm", "1s")
        wait_until(lambda: "not confirmed in time, undone: apply lending.yaml" in self.roost("show", "log").out, "it is undone")
        self.assertEqual((self.attached(), self.roost("config", "diff", 1).out, self.whats()), ({}, "", []))

    def test_not_confirmed_and_not_attached_again(self):
        """What else was changed is undone, also if a device is gone by now: after the time, and at once."""
        for words in (("--confirm", "1s"), ("--confirm", "5m")):
            with self.subTest(words):
                self.up(self.plain())
                near = f"roost{os.getpid() % 100000}"
                command("ip", "link", "add", near, "up", "type", "veth", "peer", "name", f"{near}p")
                self.addCleanup(command, "ip", "link", "del", near, status=None)
                there = self.place("h6")
                self.roost("attach", "h5", f"dev=net_af_packet5,iface={near}", "mtu=1500")
                before = self.whats()
                described = self.plain(h6={"netns": there})
                described["switch"]["qos"]["tc"][3]["ecn"]["min"] = "100KB"
                self.roost("apply", self.file(described, "other.yaml"), *words)
                command("ip", "link", "del", near)
                what = "undone, but h5 cannot be attached as before"
                if words[1] == "5m":
                    self.assertIn("warning: h5 cannot be attached as before: ", self.roost("apply", "--confirm-no").err)
                wait_until(lambda: what in self.roost("show", "log").out, "it is undone")
                self.assertEqual(self.attached(), {})
                self.assertRegex(self.roost("show", "config", "leaf1").out, r"ecn\.min +50KB")
                self.assertEqual(self.whats(), before + [what])
                self.assertEqual(self.roost("config", "diff", len(self.whats()) + 1).out, "")
                roost("down", self.name)

    def test_set_and_apply(self):
        """`set`, `unset` and `apply` attach and detach: at once, staged, and with --confirm."""
        self.up(self.plain(h1={"netns": self.place("h1")}))
        one, two = self.place("h5"), self.place("h6")
        self.roost("set", "attach.h5.netns", one)
        self.roost("set", "attach.h5.reorder", "on")
        self.assertIn("h5.eth1", self.roost("show", "reorder").out)
        self.refuse(r"^roost set: attach\.h5\.nets: unknown key", "set", "attach.h5.nets", "x")
        self.refuse(r"^roost set: attach: there is no host h99", "set", "attach.h99", "{netns: x}")
        self.refuse(r"^roost unset: attach\.h7: is not set", "unset", "attach.h7")
        self.refuse(r"^roost attach: h5 is already attached: run `roost detach h5` first$", "attach", "h5", "netns=x")
        self.refuse(rf"{one} is the namespace of h5 already", "set", "attach.h6", f"{{netns: {one}}}", "--stage")
        self.roost("set", "attach.h6", f"{{netns: {two}}}", "--stage")
        self.roost("unset", "attach.h5", "--stage")
        self.assertIn("attach.h6", self.roost("config", "diff").out)
        self.assertEqual(self.roost("apply").out, "2 changes, revision 4\n")
        h1 = {"netns": self.place("h1")}
        self.assertEqual(self.attached(), {"h1": h1, "h6": {"netns": two}})
        # The host takes the place of another in one change, and gives it back unless that is confirmed.
        path = self.file(self.plain(h1=h1, h5={"netns": two}), "other.yaml")
        self.roost("apply", path, "--confirm", "5m")
        self.assertEqual(self.attached(), {"h1": h1, "h5": {"netns": two}})
        self.refuse("waits to be confirmed", "attach", "h6", "netns=x")
        self.reach("h5")
        self.roost("apply", "--confirm-no")
        self.assertEqual(self.attached(), {"h1": h1, "h6": {"netns": two}})
        self.reach("h6")
        self.roost("apply", self.lab)
        self.assertEqual(self.attached(), {"h1": h1})
        self.reach("h1")

    def test_what_cannot_be_attached_changes_nothing(self):
        """A host that had to be detached first is attached again, and there is no new revision."""
        self.up(self.plain())
        there = self.place("h5")
        self.roost("attach", "h5", f"netns={there}")
        gone = subprocess.Popen(["true"])
        gone.wait()
        for words, why in ((("attach", "h6", "dev=net_af_packet0,iface=nothing"), "nothing"),
                           (("attach", "h6", f"pid={gone.pid}"), "there is no such process"),
                           (("set", "attach.h5", f"{{pid: {gone.pid}}}"), "there is no such process"),
                           (("set", "attach.h5.mtu", "9000"), "carries an MTU of 4200"),
                           (("set", "attach.h5.netns", "a/b"), "cannot name a namespace")):
            with self.subTest(words):
                self.refuse(why, *words)
                self.assertEqual(self.attached(), {"h5": {"netns": there}})
                self.assertEqual(self.whats(), [f"attach h5 netns={there}"])
                self.reach("h5")

    def test_what_cannot_be_attached_again(self):
        """A change fails after it has detached a host whose device is gone by now. The configuration then has the host no more."""
        self.up(self.plain())
        near = f"roost{os.getpid() % 100000}"
        command("ip", "link", "add", near, "up", "type", "veth", "peer", "name", f"{near}p")
        self.addCleanup(command, "ip", "link", "del", near, status=None)
        self.roost("attach", "h5", f"dev=net_af_packet5,iface={near}", "mtu=1500")
        self.roost("attach", "h6", f"netns={self.place('h6')}")
        command("ip", "link", "del", near)
        gone = subprocess.Popen(["true"])
        gone.wait()
        self.refuse("there is no such process", "set", "attach.h5", f"{{pid: {gone.pid}}}")
        self.assertEqual(self.attached(), {"h6": {"netns": self.place("h6")}})
        self.assertEqual(self.whats()[2:], ["h5 detached: attaching it again failed"])
        self.assertIn("h5 detached: attaching it again failed", self.roost("show", "log").out)

    def test_nic_of_several(self):
        described = self.plain()
        described["fabric"]["topology"] = {"kind": "rail", "leaves": 2, "rails": 2, "spines": 1, "hosts-per-leaf": 2}
        self.up(described)
        there = self.place("h1")
        for nic in (1, 2):
            self.roost("attach", f"h1.eth{nic}", f"netns={there}")
        self.roost("set", "attach.h1.eth2.mtu", "1400")
        both = {"h1.eth1": {"netns": there}, "h1.eth2": {"netns": there, "mtu": "1400"}}
        self.assertEqual(self.attached(), both)
        self.assertRegex(self.roost("show", "config", "h1").out, r"^attach\n(.*\n)*  h1\.eth2\.mtu +1400 +live\n$")
        self.roost("rollback", 2)
        self.assertEqual(self.attached(), {"h1.eth1": {"netns": there}})
        self.roost("rollback", 4)
        self.kill()
        roost("up", self.name)
        self.assertEqual(self.attached(), both)
        self.assertEqual({one["ifname"]: one["mtu"] for one in command("ip", "-n", there, "-j", "link").json if one["ifname"] != "lo"},
                         {"eth1": 1500, "eth2": 1400})

    def sleeper(self):
        """A process with a network namespace of its own."""
        process = subprocess.Popen(["unshare", "--net", "sleep", "600"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        wait_until(lambda: Path(f"/proc/{process.pid}/comm").read_text() == "sleep\n", "it sleeps")
        return process

    def test_process(self):
        """`up NAME` attaches the host again while the process runs, and warns when the process has ended."""
        self.up(self.plain())
        process = self.sleeper()
        self.assertIn(f"attached only as long as process {process.pid} runs", self.roost("attach", "h5", f"pid={process.pid}").err)
        self.kill()
        self.assertEqual(roost("up", self.name).err.count("has ended"), 0)
        self.assertEqual(self.attached(), {"h5": {"pid": str(process.pid)}})
        self.kill()
        self.end(process)
        self.assertIn(f"attach.h5: process {process.pid} has ended, so h5 is not attached: run `roost attach h5 ...`", roost("up", self.name).err)
        self.assertEqual(self.attached(), {})
        self.assertEqual(self.whats()[-1], f"up {self.name}")
        done = self.roost("rollback", 2)
        self.assertIn(f"process {process.pid} has ended, so h5 is not attached", done.err)
        self.assertEqual((self.attached(), self.whats()[-1]), ({}, f"up {self.name}"))
        self.roost("set", MIN, "100KB")
        self.roost("rollback", 2)
        self.assertEqual((self.attached(), self.whats()[-1]), ({}, "rollback 2"))

    def test_process_that_has_ended(self):
        """A host by `pid:` cannot be attached again, by `set` or by --confirm-no, once the process has ended."""
        self.up(self.plain())
        process = self.sleeper()
        self.roost("attach", "h5", f"pid={process.pid}")
        described = self.plain()
        described["switch"]["qos"]["tc"][3]["ecn"]["min"] = "100KB"
        self.roost("apply", self.file(described, "without.yaml"), "--confirm", "5m")
        self.roost("apply", "--confirm-no")
        self.assertEqual(self.attached(), {"h5": {"pid": str(process.pid)}})
        self.end(process)
        self.refuse(f"attach.h5: process {process.pid} has ended", "set", "attach.h5.mtu", "1400")
        self.assertEqual(self.attached(), {"h5": {"pid": str(process.pid)}})
        self.roost("apply", self.file(described, "without.yaml"), "--confirm", "5m")
        self.assertIn(f"h5 cannot be attached as before: attach.h5: process {process.pid} has ended", self.roost("apply", "--confirm-no").err)
        self.assertEqual(self.attached(), {})
        self.assertRegex(self.roost("show", "config", "leaf1").out, r"ecn\.min +50KB")

    def test_process_that_is_younger(self):
        """A process that began after the revision was written is another one with the same number."""
        self.up(self.plain())
        process = self.sleeper()
        self.roost("attach", "h5", f"pid={process.pid}")
        self.roost("set", MIN, "100KB")    # a later revision has the host too
        self.kill()
        revision = Path(os.environ["ROOST_STATE"]) / self.name / "2.yaml"
        text, changed = re.subn(r"^# at 20\d\d", "# at 2001", revision.read_text(), flags=re.M)
        self.assertEqual(changed, 1)
        revision.write_text(text)
        self.assertIn(f"process {process.pid} has ended", roost("up", self.name).err)
        self.assertEqual(self.attached(), {})

    def test_events_do_not_attach(self):
        described = self.plain() | {"events": [{"at": "1s", "set": "attach.h1.netns", "to": "x"}]}
        self.assertIn("events cannot attach or detach hosts", roost("check", self.file(described, "e.yaml"), status=2).err)


if __name__ == "__main__":
    unittest.main()
