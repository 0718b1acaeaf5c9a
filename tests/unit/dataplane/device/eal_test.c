// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/device/eal.h"

#include <rte_eal.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define WORKERS 5 // more than many machines have CPUs

static char prefix[64];

static void
refuses_bad_options_before_anything_starts(void **state)
{
	const unsigned absent[] = {CPU_SETSIZE - 1};
	struct eal_options options = {.prefix = "", .memory_mb = 64};
	char err[256] = "";

	(void)state;
	assert_int_equal(eal_start(&options, err, sizeof(err)), -EINVAL);
	options.prefix = "a/b";
	assert_int_equal(eal_start(&options, err, sizeof(err)), -EINVAL);
	options.prefix = prefix;
	options.cpus = absent;
	options.cpu_count = 1;
	assert_int_equal(eal_start(&options, err, sizeof(err)), -EINVAL);
	assert_non_null(strstr(err, "CPU 1023"));
	options.cpu_count = 0;
	options.workers = RTE_MAX_LCORE;
	assert_int_equal(eal_start(&options, err, sizeof(err)), -EINVAL);
}

static void
huge_pages_that_are_not_there_are_an_error_only_if_demanded(void **state)
{
	// More than any machine has: 3 TB.
	struct eal_options options = {
		.prefix = prefix, .hugepages = EAL_HUGEPAGES_ON, .memory_mb = 3u << 20};
	char err[256] = "";

	(void)state;
	assert_int_equal(eal_start(&options, err, sizeof(err)), -ENOMEM);
	assert_non_null(strstr(err, "sysctl -w vm.nr_hugepages=1572864"));
	assert_null(strchr(err, '\n'));
}

static int
say_lcore(void *arg)
{
	unsigned *seen = arg;

	seen[rte_lcore_id()]++;
	return 0;
}

static void
starts_with_more_workers_than_cpus_and_leaves_no_directory(void **state)
{
	struct eal_options options = {.prefix = prefix, .workers = WORKERS, .memory_mb = 64};
	unsigned seen[RTE_MAX_LCORE] = {0};
	char err[256] = "";
	char path[128];

	(void)state;
	assert_int_equal(eal_start(&options, err, sizeof(err)), 0);
	assert_int_equal(rte_lcore_id(), 0);
	assert_int_equal(rte_lcore_count(), WORKERS + 1);
	rte_eal_mp_remote_launch(say_lcore, seen, SKIP_MAIN);
	rte_eal_mp_wait_lcore();
	for (unsigned i = 1; i <= WORKERS; i++)
		assert_int_equal(seen[i], 1);
	snprintf(path, sizeof(path), "%s", rte_eal_get_runtime_dir());
	assert_non_null(strstr(path, prefix));
	assert_int_not_equal(access(path, F_OK), 0);

	assert_int_equal(eal_start(&options, err, sizeof(err)), -EALREADY);
	eal_stop();
	assert_int_not_equal(access(path, F_OK), 0);
	eal_stop();
	*strrchr(path, '/') = '\0'; // of all programs with EAL: one may be about to use it
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(eal_start(&options, err, sizeof(err)), -EALREADY);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_bad_options_before_anything_starts),
		cmocka_unit_test(huge_pages_that_are_not_there_are_an_error_only_if_demanded),
		cmocka_unit_test(starts_with_more_workers_than_cpus_and_leaves_no_directory),
	};

	snprintf(prefix, sizeof(prefix), "roost-eal-test-%d", (int)getpid());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
