// SPDX-License-Identifier: BSD-3-Clause
// doc/security.md has the same list with the reasons for its readers. A test compares it with what
// a running fabric has.
#include "capabilities.h"

#include <errno.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// CAP_BPF and CAP_PERFMON are not here: CAP_SYS_ADMIN, which setns() and mount() need, has them.
static const unsigned int kept[] = {
	CAP_DAC_OVERRIDE,     // files of a user who ran `sudo roost up`: `save`, `record:`
	CAP_KILL,             // processes of other users in namespaces that Roost made
	CAP_NET_BIND_SERVICE, // net_udp and FPM at ports below 1024
	CAP_NET_ADMIN,        // interfaces, addresses, routes, taps
	CAP_NET_RAW,          // AF_XDP and packet sockets
	CAP_IPC_LOCK,         // the packets of AF_XDP are locked in memory
	CAP_SYS_PTRACE,       // which namespace a process is in: `pid:`, and whom `down` ends
	CAP_SYS_ADMIN,        // setns(), mount() of a namespace's name, bpf()
	CAP_SYS_NICE,         // the priority of workers
};

// Drivers of NICs ask for it: mlx5 for its queues, virtio for its ports.
#define KEPT_FOR_PCI CAP_SYS_RAWIO

// The inode of the user namespace that Linux begins with, which has no other name
// (PROC_USER_INIT_INO of the kernel's proc_ns.h).
#define FIRST_USER_NAMESPACE 0xEFFFFFFDu

static uint64_t
bit(unsigned int capability)
{
	return (uint64_t)1 << capability;
}

static uint64_t
kept_set(bool pci)
{
	uint64_t set = pci ? bit(KEPT_FOR_PCI) : 0;

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		set |= bit(kept[i]);
	return set;
}

// What programs may have that the process executes. A process without CAP_SETPCAP cannot lower
// this bound; it gains nothing by it either, because of PR_SET_NO_NEW_PRIVS.
static int
lower_bound(uint64_t keep)
{
	// The kernel knows no capability beyond the first that it refuses to read.
	for (unsigned int i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++)
		if (!(keep & bit(i)) && prctl(PR_CAPBSET_DROP, i, 0, 0, 0) != 0 && errno != EPERM)
			return -errno;
	return 0;
}

// The sets of a thread, which the kernel divides into words. glibc has no functions for them.
struct own_sets {
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct words[_LINUX_CAPABILITY_U32S_3];
};

static int
read_own(struct own_sets *own)
{
	*own = (struct own_sets){.header.version = _LINUX_CAPABILITY_VERSION_3};
	return syscall(SYS_capget, &own->header, own->words) != 0 ? -errno : 0;
}

bool
capabilities_have(unsigned int capability)
{
	struct own_sets own;

	return read_own(&own) == 0 &&
	       own.words[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability);
}

static int
lower_own(uint64_t keep)
{
	struct own_sets own;
	int error = read_own(&own);

	if (error != 0)
		return error;
	for (unsigned int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		own.words[i].permitted &= (uint32_t)(keep >> 32 * i);
		own.words[i].effective = own.words[i].permitted;
		own.words[i].inheritable = 0;
	}
	return syscall(SYS_capset, &own.header, own.words) != 0 ? -errno : 0;
}

int
capabilities_drop(bool pci, struct diag *diag)
{
	uint64_t keep = kept_set(pci);
	int error = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ? -errno : 0;

	if (error == 0)
		error = prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 ? -errno : 0;
	if (error == 0)
		error = lower_bound(keep);
	if (error == 0)
		error = lower_own(keep);
	return error == 0 ? 0
			  : diag_fail(diag, -error, "capabilities cannot be given up: %s",
				      strerror(-error));
}

bool
capabilities_in_user_namespace(void)
{
	struct stat own;

	return stat("/proc/self/ns/user", &own) == 0 && own.st_ino != FIRST_USER_NAMESPACE;
}
