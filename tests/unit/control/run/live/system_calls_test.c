// SPDX-License-Identifier: BSD-3-Clause
#include "control/run/live/system_calls.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

// Each argument is -1 unless it is named: the calls fail in any case.
struct call {
	const char *name;
	long number;
	long first, second, fourth;
};

#define CALL(NAME)                            \
	{                                     \
#NAME, SYS_##NAME, -1, -1, -1 \
	}

static const struct call refused[] = {
	CALL(acct),
	CALL(add_key),
	CALL(clock_settime),
	CALL(fspick),
	CALL(io_uring_setup),
	CALL(kexec_load),
	CALL(keyctl),
	CALL(move_mount),
	CALL(open_by_handle_at),
	CALL(perf_event_open),
	CALL(pivot_root),
	CALL(process_vm_readv),
#ifndef __SANITIZE_ADDRESS__
	CALL(ptrace),
#endif
	CALL(quotactl),
	CALL(reboot),
	CALL(request_key),
	CALL(settimeofday),
	CALL(swapon),
	CALL(syslog),
	CALL(userfaultfd),
	CALL(delete_module),
	{"setns to mounts", SYS_setns, -1, CLONE_NEWNS, -1},
	{"setns to anything", SYS_setns, -1, 0, -1},
	{"unshare of users", SYS_unshare, CLONE_NEWUSER | CLONE_FS, -1, -1},
	{"mount of a file system", SYS_mount, -1, -1, 0},
	{"mount with a magic number", SYS_mount, -1, -1, MS_MGC_VAL},
	{"mount again", SYS_mount, -1, -1, MS_REMOUNT | MS_BIND},
};

// These reach the kernel, which refuses them for another reason.
static const struct call allowed[] = {
	{"setns", SYS_setns, -1, CLONE_NEWNET, -1},
	{"mount by a bind", SYS_mount, -1, -1, MS_BIND | MS_REC},
	{"mount as shared", SYS_mount, -1, -1, MS_SHARED | MS_REC},
	{"umount2", SYS_umount2, -1, -1, -1},
	{"fsopen", SYS_fsopen, -1, -1, -1},
	{"bpf", SYS_bpf, -1, -1, -1},
	{"close", SYS_close, -1, -1, -1},
};

static const struct call ports[] = {CALL(iopl), CALL(ioperm)};

#define COUNT(LIST) (sizeof(LIST) / sizeof((LIST)[0]))

// How many of the calls do not fail with EPERM.
static unsigned int
reach_kernel(const struct call *calls, size_t count)
{
	unsigned int reached = 0;

	for (size_t i = 0; i < count; i++) {
		const struct call *c = &calls[i];

		errno = 0;
		if (syscall(c->number, c->first, c->second, -1L, c->fourth, -1L, -1L) == -1 &&
		    errno == EPERM)
			continue;
		reached++;
	}
	return reached;
}

// Runs a check in a process of its own, which has a filter from then on. Returns what it returns.
static unsigned int
run(unsigned int (*check)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit((int)check());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return (unsigned int)WEXITSTATUS(status);
}

static unsigned int
reach_without_filter(void)
{
	return reach_kernel(refused, COUNT(refused));
}

static unsigned int
reach_refused(void)
{
	return system_calls_limit(false) == 0 ? reach_kernel(refused, COUNT(refused)) : 255;
}

static unsigned int
reach_allowed(void)
{
	return system_calls_limit(false) == 0 ? reach_kernel(allowed, COUNT(allowed)) : 255;
}

static unsigned int
reach_ports(void)
{
	return system_calls_limit(false) == 0 ? reach_kernel(ports, COUNT(ports)) : 255;
}

static unsigned int
reach_ports_for_pci(void)
{
	return system_calls_limit(true) == 0 ? reach_kernel(ports, COUNT(ports)) : 255;
}

static pthread_barrier_t limited;

static void *
wait_and_reach(void *arg)
{
	pthread_barrier_wait(&limited);
	*(unsigned int *)arg = reach_kernel(refused, COUNT(refused));
	return NULL;
}

static unsigned int
reach_in_earlier_thread(void)
{
	unsigned int reached = 255;
	pthread_t thread;

	pthread_barrier_init(&limited, NULL, 2);
	if (pthread_create(&thread, NULL, wait_and_reach, &reached) != 0 ||
	    system_calls_limit(false) != 0)
		return 255;
	pthread_barrier_wait(&limited);
	pthread_join(thread, NULL);
	return reached;
}

static void
refuses_what_no_switch_needs(void **state)
{
	(void)state;
	if (geteuid() == 0) // for whom Linux does not refuse them first
		assert_int_equal(run(reach_without_filter), COUNT(refused));
	assert_int_equal(run(reach_refused), 0);
}

static void
allows_what_attaches_hosts(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip(); // Linux refuses some to others
	assert_int_equal(run(reach_allowed), COUNT(allowed));
}

static void
leaves_ports_to_drivers_of_nics(void **state)
{
	(void)state;
#ifndef __x86_64__
	skip(); // no other CPU has them
#endif
	assert_int_equal(run(reach_ports), 0);
	if (geteuid() == 0)
		assert_int_equal(run(reach_ports_for_pci), COUNT(ports));
}

static void
holds_for_threads_that_run(void **state)
{
	(void)state;
	assert_int_equal(run(reach_in_earlier_thread), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_what_no_switch_needs),
		cmocka_unit_test(allows_what_attaches_hosts),
		cmocka_unit_test(leaves_ports_to_drivers_of_nics),
		cmocka_unit_test(holds_for_threads_that_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
