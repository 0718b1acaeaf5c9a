# SPDX-License-Identifier: BSD-3-Clause
"""The testbed: a namespace with a tap device for each of two VMs, and a fabric between them. Whatever it makes,
down() finds again by the testbed's name alone."""
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
sys.path.insert(0, str(SOURCE / "testbeds"))

from image import check_packages, initramfs, kernel  # noqa: E402
from machine import Machine  # noqa: E402
from processes import end_processes, run  # noqa: E402

MACHINES = {"h1": "10.0.1.1", "h3": "10.0.2.1"}     # by host of the fabric
GATEWAY = "169.254.0.1"
MTU = 1500


def host_mac(host):
    """As the fabric gives it to the host: 02:00 and the IPv4 address."""
    return "02:00:" + ":".join(f"{int(one):02x}" for one in MACHINES[host].split("."))


class Testbed:
    """The testbed of a name, be it up or not."""

    def __init__(self, name="vm", roost=None):
        self.name, self.roost = name, Path(roost or os.environ.get("ROOST") or SOURCE / "build/roost")
        self.directory = Path(f"/run/roost-{name}")
        self.netns = f"roost-{name}"
        self.enter = ["ip", "netns", "exec", self.netns]
        self.machines = {host: Machine(host, self.enter, self.directory / host) for host in MACHINES}

    def there(self):
        return Path("/run/netns", self.netns).exists()

    # ---- up and down ---------------------------------------------------------------------------

    def check_down(self):
        if self.there() or self.directory.exists():
            raise RuntimeError(f"{self.name} is up, or was not taken down: testbeds/vm/vm --name {self.name} down")

    def guard(self):
        """A process that takes the testbed down when its standard input closes: by close() and wait(), or because
        this process was killed."""
        return subprocess.Popen([HERE / "vm", "--name", self.name, "guard"], stdin=subprocess.PIPE, start_new_session=True,
                                env=os.environ | {"ROOST": str(self.roost)})

    def up(self, kvm=False):
        """Boots the VMs and configures them."""
        self.check_down()
        check_packages()
        if not self.roost.exists():
            raise RuntimeError(f"{self.roost} does not exist: run testbeds/setup")
        files = kernel()
        try:
            self.directory.mkdir(parents=True)
            image = self.directory / "initramfs"
            image.write_bytes(initramfs(files / "modules"))
            self.make_namespace()
            for host, machine in self.machines.items():
                machine.start(files, image, host_mac(host), interface=host, kvm=kvm)
            for host, machine in self.machines.items():
                machine.wait_for_boot()
                machine.configure(MACHINES[host], GATEWAY, MTU)
        except BaseException:
            self.down()
            raise

    def make_namespace(self):
        """With the taps of the VMs, to which Linux sends nothing of its own."""
        run("ip", "netns", "add", self.netns)
        run(*self.enter, "sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1")
        for host in MACHINES:
            run("ip", "-n", self.netns, "tuntap", "add", host, "mode", "tap")
            run(*self.enter, "ethtool", "-K", host, "gso", "off", "gro", "off", "txvlan", "off")
            run("ip", "-n", self.netns, "link", "set", host, "mtu", MTU, "txqueuelen", 10000, "up")

    def fabric_up(self, description):
        """description: the text of its file."""
        path = self.directory / "fabric.yaml"
        path.write_text(description)
        return run(*self.enter, self.roost, "up", path).stderr

    def fabric_down(self):
        run(self.roost, "down", self.name)

    def show(self, *words):
        return json.loads(run(self.roost, "show", *words, "-f", self.name, "-o", "json").stdout)

    def links(self):
        return json.loads(run("ip", "-n", self.netns, "-s", "-j", "link").stdout)

    def pids(self):
        return [int(pid) for pid in run("ip", "netns", "pids", self.netns, check=False).stdout.split()]

    def down(self):
        """Everything, whatever state it is in. All that runs in its namespace is its own."""
        if Path(f"/run/roost/{self.name}.state").exists():
            run(self.roost, "down", self.name, check=False)
        if self.there():
            end_processes(self.pids(), signal.SIGKILL)
            run("ip", "netns", "del", self.netns)
        shutil.rmtree(self.directory, ignore_errors=True)
