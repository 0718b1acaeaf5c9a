// SPDX-License-Identifier: BSD-3-Clause
// How many ranks share the cores of one.
#include "dataplane/drive/ranks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SETS_MAX 4

static const struct {
	const char *what;
	struct {
		int first, end; // cores
	} of[SETS_MAX];
	uint32_t want[SETS_MAX];
} rows[] = {
	{"not bound", {{0, 64}, {0, 64}, {0, 64}, {0, 64}}, {4, 4, 4, 4}},
	{"cores of their own", {{0, 32}, {32, 64}, {64, 96}, {96, 128}}, {1, 1, 1, 1}},
	{"two on each processor", {{0, 32}, {0, 32}, {32, 64}, {32, 64}}, {2, 2, 2, 2}},
	{"one spans the others", {{0, 4}, {0, 2}, {2, 4}, {1022, 1024}}, {3, 2, 2, 1}},
};

static void
test_sharers(void **state)
{
	(void)state;
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		cpu_set_t sets[SETS_MAX];

		for (uint32_t i = 0; i < SETS_MAX; i++) {
			CPU_ZERO(&sets[i]);
			for (int core = rows[r].of[i].first; core < rows[r].of[i].end; core++)
				CPU_SET(core, &sets[i]);
		}
		for (uint32_t i = 0; i < SETS_MAX; i++)
			if (ranks_count_sharers(sets, SETS_MAX, i) != rows[r].want[i])
				fail_msg("%s: rank %u", rows[r].what, i);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sharers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
