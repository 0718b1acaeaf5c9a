# SPDX-License-Identifier: BSD-3-Clause
"""What a VM boots: Debian's kernel, and an initramfs made of the machine's own programs."""
import os
import re
import stat
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = ("/usr/bin/ip", "/usr/bin/rdma", "/usr/bin/ibv_devinfo", "/usr/bin/ib_write_bw", "/usr/bin/ib_send_bw",
            "/usr/bin/ib_read_bw", "/usr/bin/ib_write_lat")
PROVIDERS = "/usr/lib/x86_64-linux-gnu/libibverbs"      # libibverbs looks for the device's driver here
BUSYBOX = "/bin/busybox"
RXE = "/etc/libibverbs.d/rxe.driver"
DIRECTORIES = ("/dev", "/proc", "/run", "/sys", "/tmp")
# Programs that the testbed needs, with the package that has each. testbeds/setup installs them all.
NEEDED = {BUSYBOX: "busybox-static", "/usr/bin/qemu-system-x86_64": "qemu-system-x86", "/usr/bin/ip": "iproute2",
          "/usr/bin/ibv_devinfo": "ibverbs-utils", "/usr/bin/ib_write_bw": "perftest",
          RXE: "ibverbs-providers"}


def check_packages():
    missing = {path: package for path, package in NEEDED.items() if not Path(path).exists()}
    if missing:
        raise RuntimeError(f"{', '.join(missing)}: not found; run testbeds/setup, or "
                           f"apt-get install --no-install-recommends {' '.join(sorted(set(missing.values())))}")


def kernel():
    """The directory with vmlinuz and modules; downloads the kernel at the first call."""
    done = subprocess.run([HERE / "kernel"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return Path(done.stdout.strip())


def libraries(program):
    """The paths of the shared libraries that a program or library loads, its loader included."""
    done = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
    if "not found" in done.stdout or done.returncode != 0:
        raise RuntimeError(f"{program}: its libraries are not complete: {(done.stderr or done.stdout).strip()}")
    return re.findall(r"(?:=> |^\t)(/\S+)", done.stdout, re.M)


class Cpio:
    """An archive in the "newc" format, which the kernel unpacks into its first root directory."""

    def __init__(self):
        self.parts, self.count, self.directories = [], 0, set()

    def add(self, name, mode, data=b""):
        self.count += 1
        fields = (self.count, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
        head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
        for part in (head, data):
            self.parts += [part, bytes(-len(part) % 4)]

    def add_directory(self, path):
        """And those above it, unless they are there. path: absolute."""
        for one in [*reversed(Path(path).parents), Path(path)]:
            if one not in self.directories and one != Path("/"):
                self.directories.add(one)
                self.add(str(one)[1:], stat.S_IFDIR | 0o755)

    def add_file(self, path, source):
        self.add_directory(Path(path).parent)
        self.add(path[1:], stat.S_IFREG | (0o755 if os.access(source, os.X_OK) else 0o644), Path(source).read_bytes())

    def bytes(self):
        self.add("TRAILER!!!", 0)
        return b"".join(self.parts)


def initramfs(modules):
    """The archive: the init script, busybox, the RDMA programs with their libraries, and the modules."""
    archive = Cpio()
    for path in DIRECTORIES:
        archive.add_directory(path)
    provider, = Path(PROVIDERS).glob("librxe-rdmav*.so")
    files = {"/init": HERE / "init", BUSYBOX: BUSYBOX, RXE: RXE, str(provider): provider}
    for program in (*PROGRAMS, provider):
        files |= {path: path for path in (str(program), *libraries(program))}
    files |= {f"/modules/{path.name}": path for path in modules.iterdir()}
    for path, source in files.items():
        archive.add_file(path, source)
    return archive.bytes()
