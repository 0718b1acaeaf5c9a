# SPDX-License-Identifier: BSD-3-Clause
"""A fabric that is killed at any point of an `apply`, an `attach` or a `detach` comes up with the old configuration or the
new one, never a mixture. If it is killed at any point of an `attach`, `down` removes what was made."""
import ctypes
import signal

from common import *

PTRACE_CONT, PTRACE_SYSCALL, PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_GET_SYSCALL_INFO = 7, 24, 0x4206, 0x4207, 0x420e
PTRACE_O_TRACESYSGOOD, SYSCALL_STOP, WALL = 1, signal.SIGTRAP | 0x80, 0x40000000
ENTRY, EXIT = 1, 2
# x86-64 system calls that a change of the configuration makes, by number.
CALLS = {1: "write", 3: "close", 44: "sendto", 45: "recvfrom", 74: "fsync", 91: "fchmod", 217: "getdents64",
         257: "openat", 263: "unlinkat", 264: "renameat"}
# And those by which `attach` makes what outlives the process.
MAKES = {16: "ioctl", 82: "rename", 165: "mount", 272: "unshare"}
STEPS = MAKES | {74: "fsync", 264: "renameat"}      # the last one is the revision's
TUN = 0x400454ca, 0x400454cb    # TUNSETIFF, TUNSETPERSIST
OLD, NEW = ("50KB", "500KB"), ("60KB", "600KB")


def ptrace(request, pid, address=0, data=0):
    libc.ptrace.restype = ctypes.c_long
    libc.ptrace.argtypes = [ctypes.c_long] * 2 + [ctypes.c_void_p] * 2
    result = libc.ptrace(request, pid, address, data)
    if result < 0:
        raise OSError(ctypes.get_errno(), f"ptrace {request:#x}")
    return result


class Traced:
    """The control thread of a fabric, stopped at each of its system calls."""

    def __init__(self, pid, calls):
        self.pid, self.calls = pid, calls
        ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACESYSGOOD)
        ptrace(PTRACE_INTERRUPT, pid)
        self.wait()

    def wait(self):
        _, status = os.waitpid(self.pid, WALL)
        return os.WSTOPSIG(status) if os.WIFSTOPPED(status) else None

    def next(self):
        """Goes on to the next stop; returns the name of the call and whether it is about to begin, or (None, None)
        when the stop is none of those meant."""
        ptrace(PTRACE_SYSCALL, self.pid)
        if self.wait() != SYSCALL_STOP:
            return None, None
        info = ctypes.create_string_buffer(96)
        ptrace(PTRACE_GET_SYSCALL_INFO, self.pid, 96, ctypes.cast(info, ctypes.c_void_p))
        if info.raw[0] == ENTRY:
            self.call = int.from_bytes(info.raw[24:32], "little")
            self.argument = int.from_bytes(info.raw[40:48], "little")   # the second one
        return self.calls.get(getattr(self, "call", None)), info.raw[0] == ENTRY

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        while True:
            try:
                _, status = os.waitpid(self.pid, WALL)
            except ChildProcessError:
                return
            if not os.WIFSTOPPED(status):
                return


class Crash(LiveCase):

    def setUp(self):
        self.name = name_of("crash")
        self.addCleanup(self.assert_clean, self.name)
        self.addCleanup(roost, "down", self.name, status=None)
        self.lab = self.file(self.described(OLD), "lab.yaml")
        self.new = self.file(self.described(NEW), "new.yaml")

    def described(self, ecn):
        """Two sections of two switches, and tenants, so that there would be something between."""
        described = demo(self.name, attach=())
        described["fabric"]["topology"] |= {"leaves": 1, "spines": 1, "hosts-per-leaf": 2}
        described["tenants"] = {"red": {"hosts": ["h1", "h2"], "vni": 5001}} if ecn == OLD else \
            {"red": {"hosts": ["h1"], "vni": 5001}, "blue": {"hosts": ["h2"], "vni": 5002}}
        del described["attach"], described["switch"]["qos"]
        for node in ("leaf1", "spine1"):
            described[node] = {"qos": {"tc": {3: {"ecn": dict(zip(("min", "max"), ecn))}}}}
        return described

    def running(self):
        """What both switches have, as one of OLD and NEW; the rest is as the file says that has this."""
        nodes = roost("show", "config", "-f", self.name, "-o", "json").json["nodes"]
        found = {tuple(nodes[node]["values"][f"qos.tc.3.ecn.{key}"]["value"] for key in ("min", "max"))
                 for node in ("leaf1", "spine1")}
        self.assertEqual(len(found), 1, found)
        self.assertIn(next(iter(found)), (OLD, NEW))
        file = self.lab if OLD in found else self.new
        self.assertEqual(roost("apply", file, "-f", self.name).out, "nothing changes\n")
        return found.pop()

    def apply_until(self, stop):
        """Has the fabric apply `new`, and kills it at the stop of that number since the request came. Returns the
        calls that were seen, or None where the apply was done before."""
        pid = json.loads(Path(f"/run/roost/{self.name}.state").read_text())["pid"]
        traced = Traced(pid, CALLS)
        client = subprocess.Popen([ROOST, "apply", self.new, "-f", self.name], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        seen, began = [], False
        while True:
            call, entry = traced.next()
            began |= call == "recvfrom" and not entry
            if not began or call is None:
                continue
            seen.append(f"{call}{'' if entry else '='}")
            if len(seen) - 1 == stop or seen[-1] == "sendto=":
                break
        traced.kill()
        client.wait()
        return seen

    def test_killed_at_each_step(self):
        roost("up", self.lab)
        self.assertEqual(self.running(), OLD)
        steps = self.apply_until(10 ** 6)
        roost("up", self.name)
        self.assertEqual(self.running(), NEW, "it was applied, and not found")
        commit = steps.index("renameat=")
        self.assertIn("fsync=", steps[:commit])
        self.assertIn("fsync=", steps[commit:])
        for stop in range(len(steps)):
            roost("apply", self.lab, "-f", self.name)
            self.assertEqual(self.running(), OLD)
            seen = self.apply_until(stop)
            roost("up", self.name)
            self.assertEqual(self.running(), NEW if "renameat=" in seen else OLD, seen)
        roost("set", "leaf1.qos.tc.3.ecn.min", "70KB", "-f", self.name)


class Attaching(LiveCase):
    """Killed at each step of `attach`: `down` knows of everything that outlives the process."""

    def setUp(self):
        self.name = name_of("crash")
        self.addCleanup(roost, "down", self.name, status=None)
        described = demo(self.name, attach=())
        described["fabric"]["topology"] |= {"leaves": 1, "spines": 1, "hosts-per-leaf": 2}
        del described["tenants"]
        self.lab = self.file(described, "lab.yaml")

    def attach_until(self, stop, settings):
        """Attaches h1, and kills the fabric after so many of the system calls in MAKES. Returns these calls."""
        return self.run_until(stop, MAKES, "attach", "h1", settings)

    def run_until(self, stop, calls, *words):
        pid = json.loads(Path(f"/run/roost/{self.name}.state").read_text())["pid"]
        traced, seen = Traced(pid, calls), []
        client = subprocess.Popen([ROOST, *words, "-f", self.name], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        while len(seen) <= stop and client.poll() is None:
            call, entry = traced.next()
            if call is not None and not entry and (call != "ioctl" or traced.argument in TUN):
                seen.append(call)
        traced.kill()
        client.wait()
        return seen

    def test_killed_at_each_step(self):
        there, tap = netns(self.name, "h1"), f"tap{os.getpid() % 100000}"
        self.addCleanup(command, "ip", "netns", "del", there, status=None)
        self.addCleanup(command, "ip", "link", "del", tap, status=None)
        for settings, made, calls in ((f"netns={there}", Path(f"/run/netns/{there}"), ("unshare", "mount")),
                                      (f"tap={tap}", Path(f"/sys/class/net/{tap}"), ("ioctl",))):
            stop, outlived = 0, False
            while True:
                with self.subTest(settings, stop=stop):
                    roost("up", self.lab)
                    seen = self.attach_until(stop, settings)
                    outlived |= made.exists()
                    self.assertIn("cleaned up after it", roost("down", self.name).out)
                    self.assertFalse(made.exists(), seen)
                    self.assertFalse(Path(f"/etc/netns/{there}").exists(), seen)
                    self.assert_clean(self.name)
                if len(seen) <= stop:
                    break
                stop += 1
            self.assertTrue(outlived)
            self.assertLess(seen.index("rename"), seen.index(calls[0]), "what is to be made is recorded first")

    def test_up_again(self):
        """Whether h1 is attached depends on the revision only. If it is not, nothing of it is left."""
        there = netns(self.name, "h1")
        self.addCleanup(command, "ip", "netns", "del", there, status=None)
        roost("up", self.lab)
        for words in (("attach", "h1", f"netns={there}"), ("detach", "h1")):
            stop, ended = 0, False
            while not ended:
                seen = self.run_until(stop, STEPS, *words)
                ended, stop = len(seen) <= stop, stop + 1
                roost("up", self.name)
                attached = roost("show", "config", "-f", self.name, "-o", "json").json["attach"]
                with self.subTest(words, seen=seen):
                    self.assertEqual("h1" in attached, (words[0] == "attach") == ("renameat" in seen))
                    self.assertEqual(Path(f"/run/netns/{there}").exists(), "h1" in attached)
                if "renameat" in seen and not ended:
                    roost("rollback", 1 if words[0] == "attach" else 2, "-f", self.name)
            self.assertIn("renameat", seen)
