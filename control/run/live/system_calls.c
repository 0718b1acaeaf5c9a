// SPDX-License-Identifier: BSD-3-Clause
// The filter names what is refused, and not what is allowed. The calls of this program depend on
// libraries that it does not control: drivers of DPDK with those of their vendors (libibverbs), the
// C library, libbpf, and `docker inspect`. An update of one of them that makes a new call would
// stop a fabric, perhaps only once a link fails. What is refused here is what none of them needs,
// and what an attacker with the capabilities that a fabric keeps (capabilities.c) would reach for.
//
// The filter costs the dataplane nothing: the kernel decides by a bitmap for calls that are always
// allowed, and a packet needs a call in few drivers only.
#include "system_calls.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/mount.h>

static const int refused[] = {
	// The kernel itself, and its clock.
	SCMP_SYS(acct), SCMP_SYS(adjtimex), SCMP_SYS(clock_adjtime), SCMP_SYS(clock_settime),
	SCMP_SYS(delete_module), SCMP_SYS(finit_module), SCMP_SYS(init_module),
	SCMP_SYS(kexec_file_load), SCMP_SYS(kexec_load), SCMP_SYS(quotactl), SCMP_SYS(quotactl_fd),
	SCMP_SYS(reboot), SCMP_SYS(setdomainname), SCMP_SYS(sethostname), SCMP_SYS(settimeofday),
	SCMP_SYS(swapoff), SCMP_SYS(swapon), SCMP_SYS(syslog),
	// Other processes: CAP_SYS_PTRACE is for reading which namespace one is in.
	SCMP_SYS(kcmp), SCMP_SYS(pidfd_getfd), SCMP_SYS(process_madvise),
	SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
	// File systems: a namespace gets its name by mount() and loses it by umount2(). The watcher
	// reads a sysfs by fsopen() and fsmount() (io/host/link.c), which give it no place.
	SCMP_SYS(chroot), SCMP_SYS(fanotify_init), SCMP_SYS(fspick), SCMP_SYS(mount_setattr),
	SCMP_SYS(move_mount), SCMP_SYS(open_by_handle_at), SCMP_SYS(open_tree),
	SCMP_SYS(pivot_root),
	// Interfaces of the kernel with a history of holes. io_uring also makes calls that no
	// filter sees.
	SCMP_SYS(add_key), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register),
	SCMP_SYS(io_uring_setup), SCMP_SYS(keyctl), SCMP_SYS(modify_ldt), SCMP_SYS(perf_event_open),
	SCMP_SYS(request_key), SCMP_SYS(userfaultfd),
#if !defined(__SANITIZE_ADDRESS__)
	SCMP_SYS(ptrace), // the sanitizer looks for leaks with it
#endif
};

// Ports of the CPU, which drivers of NICs on PCI may use.
static const int refused_without_pci[] = {
	SCMP_SYS(ioperm),
	SCMP_SYS(iopl),
};

static int
refuse(scmp_filter_ctx filter, const int *calls, size_t count)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), calls[i], 0);
	return rc;
}

// The network's namespaces only; and of mounts, only binding a file that exists, which names a
// namespace, and who sees that.
static int
refuse_arguments(scmp_filter_ctx filter)
{
	const struct {
		int call;
		struct scmp_arg_cmp argument;
	} rules[] = {
		{SCMP_SYS(setns), SCMP_A1(SCMP_CMP_NE, CLONE_NEWNET)},
		{SCMP_SYS(unshare), SCMP_A0(SCMP_CMP_NE, CLONE_NEWNET)},
		{SCMP_SYS(mount), SCMP_A3(SCMP_CMP_MASKED_EQ, MS_BIND | MS_PRIVATE | MS_SHARED, 0)},
		{SCMP_SYS(mount), SCMP_A3(SCMP_CMP_MASKED_EQ, MS_REMOUNT, MS_REMOUNT)},
		// The kernel removes this number: bits of it count for nothing.
		{SCMP_SYS(mount), SCMP_A3(SCMP_CMP_MASKED_EQ, MS_MGC_MSK, MS_MGC_VAL)},
	};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(rules) / sizeof(rules[0]); i++)
		rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), rules[i].call, 1,
				      rules[i].argument);
	return rc;
}

static int
load(scmp_filter_ctx filter, bool pci)
{
	int rc = seccomp_attr_set(filter, SCMP_FLTATR_API_SYSRAWRC, 1);

	if (rc == 0)
		rc = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
	// Workers run no foreign code: they need no slower CPU against speculation.
	if (rc == 0)
		rc = seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
	if (rc == 0)
		rc = refuse(filter, refused, sizeof(refused) / sizeof(refused[0]));
	if (rc == 0 && !pci)
		rc = refuse(filter, refused_without_pci,
			    sizeof(refused_without_pci) / sizeof(refused_without_pci[0]));
	if (rc == 0)
		rc = refuse_arguments(filter);
	return rc == 0 ? seccomp_load(filter) : rc;
}

int
system_calls_limit(bool pci)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int rc = filter != NULL ? load(filter, pci) : -ENOMEM;

	seccomp_release(filter);
	return rc;
}
