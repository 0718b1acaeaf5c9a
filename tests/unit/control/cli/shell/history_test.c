// SPDX-License-Identifier: BSD-3-Clause
#include "control/cli/shell/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/roost-history-XXXXXX";

static const char *
path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static int
count_lines(const char *path)
{
	FILE *file = fopen(path, "r");
	int lines = 0, c;

	assert_non_null(file);
	while ((c = fgetc(file)) != EOF)
		lines += c == '\n';
	fclose(file);
	return lines;
}

// The newest line of a history, and how many it has.
static const char *
loaded(int *size)
{
	static char newest[64];
	History *past = history_init();
	HistEvent event;

	history(past, &event, H_SETSIZE, SHELL_HISTORY_MAX);
	shell_history_load(past);
	history(past, &event, H_GETSIZE);
	*size = event.num;
	newest[0] = '\0';
	if (history(past, &event, H_FIRST) >= 0)
		snprintf(newest, sizeof(newest), "%s", event.str);
	history_end(past);
	return newest;
}

static void
lines_are_kept(void **state)
{
	struct stat attributes;
	int size;

	(void)state;
	assert_string_equal(loaded(&size), "");
	assert_int_equal(size, 0);
	assert_int_equal(shell_history_append("show fabric"), 0);
	assert_int_equal(shell_history_append("set switch.qos.pfc '{a: b}'"), 0);
	assert_string_equal(loaded(&size), "set switch.qos.pfc '{a: b}'");
	assert_int_equal(size, 2);
	assert_int_equal(stat(path_of("state/roost/history"), &attributes), 0);
	assert_int_equal(attributes.st_mode & 0777, 0600);
	assert_int_equal(stat(path_of("state/roost"), &attributes), 0);
	assert_int_equal(attributes.st_mode & 0777, 0700);
}

static void
what_is_too_old_goes(void **state)
{
	char line[32];
	int size;

	(void)state;
	for (int i = 0; i < 2 * SHELL_HISTORY_MAX; i++) {
		snprintf(line, sizeof(line), "show %d", i);
		assert_int_equal(shell_history_append(line), 0);
	}
	assert_string_equal(loaded(&size), line);
	assert_int_equal(size, SHELL_HISTORY_MAX);
	assert_int_equal(count_lines(path_of("state/roost/history")), SHELL_HISTORY_MAX);
	assert_int_equal(access(path_of("state/roost/history.new"), F_OK), -1);
	assert_string_equal(loaded(&size), line);
}

static void
bytes_that_are_none(void **state)
{
	int fd = open(path_of("state/roost/history"), O_WRONLY | O_TRUNC), size;
	static char junk[100000];

	(void)state;
	memset(junk, 'x', sizeof(junk));
	assert_int_equal(write(fd, junk, sizeof(junk)), sizeof(junk));
	assert_int_equal(write(fd, "\n\n\0\xff\x01\nlast", 10), 10);
	close(fd);
	assert_string_equal(loaded(&size), "last");
}

static void
no_place_for_it(void **state)
{
	(void)state;
	unsetenv("XDG_STATE_HOME");
	setenv("HOME", path_of("home"), 1);
	assert_int_equal(shell_history_append("a"), 0);
	assert_int_equal(count_lines(path_of("home/.local/state/roost/history")), 1);
	unsetenv("HOME");
	assert_int_equal(shell_history_append("a"), -ENOENT);
	setenv("XDG_STATE_HOME", "/dev/null", 1);
	assert_int_equal(shell_history_append("a"), -ENOTDIR);
}

static int
make_place(void **state)
{
	(void)state;
	if (mkdtemp(directory) == NULL)
		return -1;
	return setenv("XDG_STATE_HOME", path_of("state"), 1);
}

static int
remove_place(void **state)
{
	static const char *const made[] = {"state/roost/history",
					   "state/roost",
					   "state",
					   "home/.local/state/roost/history",
					   "home/.local/state/roost",
					   "home/.local/state",
					   "home/.local",
					   "home",
					   ""};

	(void)state;
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		remove(path_of(made[i]));
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_kept),
		cmocka_unit_test(what_is_too_old_goes),
		cmocka_unit_test(bytes_that_are_none),
		cmocka_unit_test(no_place_for_it),
	};

	return cmocka_run_group_tests(tests, make_place, remove_place);
}
