// SPDX-License-Identifier: BSD-3-Clause
// The process that compiles is this program again: main() does what roost-web does then.
#include "control/web/compile.h"
#include "control/io/capture/filter.h"
#include "control/web/web.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int
run(struct compile *c, const char *filter)
{
	int rc;

	assert_int_equal(compile_start(c, filter), 0);
	do {
		struct pollfd p = {c->fd, POLLIN, 0};

		poll(&p, 1, -1);
		rc = compile_turn(c);
	} while (rc == -EAGAIN);
	assert_int_equal(c->pid, 0);
	assert_int_equal(c->fd, -1);
	return rc;
}

static void
programs_and_reasons_come_back(void **state)
{
	char many[4096] = "vlan"; // more steps than are read at a time
	const char *const filters[] = {"udp port 4791", many};
	struct compile c;

	(void)state;
	while (strlen(many) < sizeof(many) - 1000)
		strcat(many, " or vlan");
	for (unsigned i = 0; i < 2; i++) {
		struct diag diag = {0};
		char *program;

		assert_int_equal(filter_compile(filters[i], &program, &diag), 0);
		assert_int_equal(run(&c, filters[i]), 0);
		assert_string_equal(c.text, program);
		assert_true(i == 0 || c.length > 20000);
		compile_stop(&c);
		free(program);
	}
	assert_int_equal(run(&c, "udp prt 7"), -EINVAL);
	assert_ptr_equal(strstr(c.text, "the filter \"udp prt 7\": "), c.text);
	compile_stop(&c);
}

static void
one_that_is_stopped_ends(void **state)
{
	struct compile c;
	pid_t pid;

	(void)state;
	assert_int_equal(compile_start(&c, "udp"), 0);
	pid = c.pid;
	compile_stop(&c);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
	assert_int_equal(c.fd, -1);
	compile_stop(&c);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_and_reasons_come_back),
		cmocka_unit_test(one_that_is_stopped_ends),
	};

	if (argc == 3 && strcmp(argv[1], "filter") == 0)
		return web_print_filter(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
