// SPDX-License-Identifier: BSD-3-Clause
// Searches with a program in the place of Docker's.
#include "control/io/host/container.h"

#include "control/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/container_test.XXXXXX";
static char docker[sizeof(directory) + sizeof("/docker")];

static void
write_docker(const char *script)
{
	FILE *file = fopen(docker, "we");

	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n%s\n", script);
	assert_int_equal(fchmod(fileno(file), 0755), 0);
	fclose(file);
}

static int
finish(struct container_search *s, struct diag *diag)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	int rc;

	while ((rc = container_search_poll(s, diag)) == -EAGAIN)
		nanosleep(&moment, NULL);
	return rc;
}

static void
expect(const char *script, int result, const char *error)
{
	struct container_search *s = container_search_start("one");
	struct diag diag = {0};

	write_docker(script);
	assert_int_equal(finish(s, &diag), result);
	if (error != NULL)
		assert_string_equal(diag_first_error(&diag), error);
	diag_free(&diag);
	container_search_end(s);
}

static void
test_what_it_says(void **state)
{
	(void)state;
	expect("echo 0", -ENOENT, "container one: it is not running");
	expect("echo one two", -ENOENT, "container one: docker names no process but \"one two\"");
	expect("echo no; exit 1", -ENOENT, "container one: docker inspect: no");
	expect("exit 1", -ENOENT, "container one: docker inspect: it fails without a message");
}

static void
test_found(void **state)
{
	struct container_search *s = container_search_start("one");
	struct diag diag = {0};

	(void)state;
	write_docker("[ \"$4\" = one ] && echo 4711");
	assert_int_equal(finish(s, &diag), 4711);
	assert_int_equal(diag.errors, 0);
	container_search_end(s);
}

// Nobody waits for a program that hangs, and it ends with the search.
static void
test_hangs(void **state)
{
	struct container_search *s = container_search_start("one");
	struct diag diag = {0};
	int64_t start = clock_ms();

	(void)state;
	write_docker("exec sleep 600");
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(container_search_poll(s, &diag), -EAGAIN);
	container_search_end(s);
	assert_true(clock_ms() - start < 9000);
	assert_int_equal(diag.errors, 0);
}

// It is read a bit at a time.
static void
test_writes_without_end(void **state)
{
	struct container_search *s = container_search_start("one");
	struct diag diag = {0};
	int64_t start = clock_ms();

	(void)state;
	write_docker("exec yes");
	alarm(30);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(container_search_poll(s, &diag), -EAGAIN);
	container_search_end(s);
	alarm(0);
	assert_true(clock_ms() - start < 9000);
	assert_int_equal(diag.errors, 0);
}

// Whatever the process has open that would be passed on.
static void
test_gets_no_descriptors(void **state)
{
	int fd = open("/dev/null", O_RDONLY);

	(void)state;
	assert_int_equal(dup2(fd, 9), 9);
	expect("[ -e /proc/$$/fd/9 ] && echo 1 || echo 4711", 4711, NULL);
	close(9);
	close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_it_says),
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_hangs),
		cmocka_unit_test(test_writes_without_end),
		cmocka_unit_test(test_gets_no_descriptors),
	};
	char path[256];
	int failed;

	if (mkdtemp(directory) == NULL)
		return 1;
	snprintf(docker, sizeof(docker), "%s/docker", directory);
	snprintf(path, sizeof(path), "%s:/usr/bin:/bin", directory);
	setenv("PATH", path, 1);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(docker);
	rmdir(directory);
	return failed;
}
