// SPDX-License-Identifier: BSD-3-Clause
#include "control/run/live/capabilities.h"

#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define CAPABILITIES 64

// What a process may have at most, as a set of bits.
static uint64_t
bound(void)
{
	uint64_t set = 0;

	for (unsigned int i = 0; i < CAPABILITIES; i++)
		if (prctl(PR_CAPBSET_READ, i, 0, 0, 0) == 1)
			set |= (uint64_t)1 << i;
	return set;
}

// The bound of a process that has given up what it does not need. It sends it by a pipe, because
// nothing can be had back.
static uint64_t
bound_after(bool pci)
{
	uint64_t set = 0;
	int ends[2], status;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		struct diag diag = {0};

		if (capabilities_drop(pci, &diag) != 0 ||
		    prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
			_exit(1);
		set = bound();
		_exit(write(ends[1], &set, sizeof(set)) != sizeof(set));
	}
	close(ends[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(read(ends[0], &set, sizeof(set)), sizeof(set));
	close(ends[0]);
	return set;
}

static void
nics_on_pci_need_one_more(void **state)
{
	const uint64_t before = bound(), raw = (uint64_t)1 << CAP_SYS_RAWIO;
	const uint64_t without = bound_after(false), with = bound_after(true);

	(void)state;
	if (!(before & raw) || geteuid() != 0)
		skip(); // whoever has less cannot lower it
	assert_int_equal(without & raw, 0);
	assert_int_equal(with, without | raw);
	assert_int_not_equal(without & (uint64_t)1 << CAP_NET_ADMIN, 0);
	assert_int_equal(without & (uint64_t)1 << CAP_SYS_MODULE, 0);
}

// An ordinary user has nothing to give up, which is no error.
static void
works_without_any(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		skip();
	pid = fork();
	if (pid == 0) {
		struct diag diag = {0};

		_exit(setuid(65534) != 0 || capabilities_drop(false, &diag) != 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nics_on_pci_need_one_more),
		cmocka_unit_test(works_without_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
