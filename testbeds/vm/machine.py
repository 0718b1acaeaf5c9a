# SPDX-License-Identifier: BSD-3-Clause
"""A VM of the testbed: QEMU in a network namespace, and commands that run in the VM."""
import select
import socket
import subprocess
import time
from pathlib import Path

# Nothing that leaves the VM may lack a checksum or be larger than a frame: no NIC beyond would mend it.
NO_OFFLOADS = ",".join(f"{one}=off" for one in (
    "csum", "gso", "guest_csum", "guest_tso4", "guest_tso6", "guest_ecn", "guest_ufo", "host_tso4", "host_tso6",
    "host_ecn", "host_ufo", "mrg_rxbuf"))
# One CPU. With room for a second, QEMU before 8.1 emulates memory barriers, too. Without them its virtio devices miss
# what the CPU has queued, and the NIC is silent from then on ("NETDEV WATCHDOG: transmit queue 0 timed out").
SMP = "1,maxcpus=2"
BOOT_S = 90


class Failed(RuntimeError):
    """A command in a VM did not do what it should."""


class Machine:
    """A VM by its name. enter: the words that enter its namespace; directory: where its files are."""

    def __init__(self, name, enter, directory):
        self.name, self.enter, self.directory = name, enter, Path(directory)
        self.socket, self.buffer = None, b""

    # ---- its life ------------------------------------------------------------------------------

    def start(self, kernel, initramfs, mac, *, interface="eth1", kvm=False):
        """Starts QEMU, which outlives this process; wait_for_boot() follows."""
        self.directory.mkdir(parents=True, exist_ok=True)
        words = [*self.enter, "nice", "qemu-system-x86_64", "-name", self.name, "-nodefaults", "-no-user-config",
                 "-display", "none", "-no-reboot", "-machine", "pc", "-smp", SMP, "-m", "512",
                 "-accel", "kvm" if kvm else "tcg", "-cpu", "host" if kvm else "max",
                 "-kernel", kernel / "vmlinuz", "-initrd", initramfs,
                 "-append", "console=ttyS0 quiet panic=-1 mitigations=off",
                 "-serial", f"file:{self.directory / 'console'}",
                 "-chardev", f"socket,id=agent,path={self.directory / 'agent'},server=on,wait=off",
                 "-device", "virtio-serial-pci", "-device", "virtconsole,chardev=agent",
                 "-netdev", f"tap,id=net,ifname={interface},script=no,downscript=no,vhost=off",
                 "-device", f"virtio-net-pci,netdev=net,mac={mac},romfile=,{NO_OFFLOADS}"]
        with open(self.directory / "qemu.log", "w") as log:
            self.process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, start_new_session=True)
        end = time.monotonic() + BOOT_S
        while not self.connect():       # before it boots, because what it says to nobody is lost
            self.check_runs()
            if time.monotonic() > end:
                raise Failed(f"{self.name}: QEMU opens no socket: {self.last_words()}")
            time.sleep(0.02)

    def check_runs(self):
        if self.process.poll() is not None:
            raise Failed(f"{self.name}: QEMU has ended: {self.last_words()}")

    def last_words(self):
        text = "".join((self.directory / one).read_text(errors="replace") for one in ("qemu.log", "console")
                       if (self.directory / one).exists())
        return " / ".join(text.split("\n")[-8:]).strip() or "it says nothing"

    def wait_for_boot(self):
        if self.read_line(time.monotonic() + BOOT_S) != "ready":
            raise Failed(f"{self.name}: does not boot: {self.last_words()}")

    def connect(self):
        """Speaks to the VM, which one process at a time can. Returns whether there is a VM."""
        opened = socket.socket(socket.AF_UNIX)
        try:
            opened.connect(str(self.directory / "agent"))
        except (FileNotFoundError, ConnectionRefusedError):
            opened.close()
            return False
        self.socket = opened
        return True

    def disconnect(self):
        """Another process can speak to the VM now."""
        if self.socket is not None:
            self.socket.close()
            self.socket = None

    # ---- commands ------------------------------------------------------------------------------

    def receive(self, end):
        left = end - time.monotonic()
        if left <= 0 or not select.select([self.socket], [], [], left)[0]:
            raise Failed(f"{self.name}: no answer in time: {self.last_words()}")
        data = self.socket.recv(65536)
        if not data:
            raise Failed(f"{self.name}: QEMU has ended: {self.last_words()}")
        self.buffer += data

    def read_line(self, end):
        while b"\n" not in self.buffer:
            self.receive(end)
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line.decode(errors="replace").strip()

    def run(self, command, *, check=True, timeout=30):
        """Runs one line of shell in the VM; returns what it prints, or (status, text) without check."""
        if "\n" in command:
            raise ValueError("a command is one line")
        if self.socket is None and not self.connect():
            raise Failed(f"{self.name}: does not run")
        end = time.monotonic() + timeout
        self.socket.sendall(command.encode() + b"\n")
        status, length = (int(word) for word in self.read_line(end).split())
        while len(self.buffer) < length:
            self.receive(end)
        text, self.buffer = self.buffer[:length].decode(errors="replace"), self.buffer[length:]
        if check and status != 0:
            raise Failed(f"{self.name}: {command}: exit status {status}: {text.strip()}")
        return text if check else (status, text)

    def wait_until(self, command, what, timeout=30):
        """Repeats a command until its exit status is 0."""
        end = time.monotonic() + timeout
        while self.run(command, check=False)[0] != 0:
            if time.monotonic() > end:
                raise Failed(f"{self.name}: waited {timeout} s in vain: {what}")
            time.sleep(0.1)

    # ---- RDMA ----------------------------------------------------------------------------------

    def configure(self, address, gateway, mtu=1500):
        """The interface as the fabric attaches it, and an rxe device on it."""
        # Simulated senders would drop what Linux answers to their packets for a port where nobody listens.
        self.run("cd /proc/sys/net; echo 1 >ipv6/conf/all/disable_ipv6; echo 0 >ipv4/icmp_msgs_per_sec; "
                 "echo 0 >ipv4/icmp_msgs_burst")
        for words in (f"link set eth0 mtu {mtu} up", f"addr add {address}/32 dev eth0",
                      f"route add {gateway} dev eth0", f"route add default via {gateway}"):
            self.run(f"ip {words}")
        self.run("rdma link add rxe0 type rxe netdev eth0")
        self.wait_until("grep -q ACTIVE /sys/class/infiniband/rxe0/ports/1/state", "rxe0 is active")

    def gid_index(self):
        """Of the RoCEv2 GID that holds the IPv4 address."""
        listed = self.run("cd /sys/class/infiniband/rxe0/ports/1/gids && grep ffff: *")
        return int(listed.split(":")[0])

    def counters(self):
        """rxe's own counters."""
        text = self.run("cd /sys/class/infiniband/rxe0/ports/1/hw_counters && grep . *")
        return {name: int(value) for name, _, value in (line.partition(":") for line in text.splitlines())}

    def marked_arrivals(self):
        """Packets that came in with CE, as Linux counts them."""
        names, values = self.run("grep ^IpExt: /proc/net/netstat").splitlines()
        return int(dict(zip(names.split(), values.split()))["InCEPkts"])
