// SPDX-License-Identifier: BSD-3-Clause
#include "control/api/api.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[64];
static char path[API_PATH_MAX];
static struct diag diag; // of the last call

static int
setup(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/roost-path-XXXXXX");
	assert_non_null(mkdtemp(directory));
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	diag_free(&diag);
	return rmdir(directory);
}

static struct api_server *
serve(const char *name)
{
	static const struct api_method none[] = {{.name = NULL}};
	struct api_server *server;
	char at[API_PATH_MAX];

	snprintf(at, sizeof(at), "%s/%s.sock", directory, name);
	assert_int_equal(api_server_create(&server, at, none, NULL, &diag), 0);
	return server;
}

static int
find(const char *name)
{
	diag_free(&diag);
	return api_socket_find_in(directory, name, path, &diag);
}

static void
test_none_one_and_several(void **state)
{
	struct api_server *one, *two, *three;
	char expected[API_PATH_MAX];

	(void)state;
	assert_int_equal(find(NULL), -ENOENT);
	assert_string_equal(diag_first_error(&diag),
			    "no fabric is up: \"roost up FILE\" brings one up");
	one = serve("demo");
	assert_int_equal(find(NULL), 0);
	snprintf(expected, sizeof(expected), "%s/demo.sock", directory);
	assert_string_equal(path, expected);
	two = serve("lab");
	three = serve("demo-2");
	assert_int_equal(find(NULL), -EEXIST);
	assert_string_equal(diag_first_error(&diag),
			    "several fabrics are up (demo demo-2 lab): pick one with -f NAME");
	api_server_destroy(three);
	assert_int_equal(find("lab"), 0);
	assert_non_null(strstr(path, "/lab.sock"));
	assert_int_equal(find("lob"), -ENOENT);
	assert_non_null(strstr(diag_first_error(&diag), "fabric lob is not up; up: "));
	api_server_destroy(one);
	api_server_destroy(two);
	assert_int_equal(find("lab"), -ENOENT);
	assert_string_equal(diag_first_error(&diag), "fabric lab is not up");
}

// A socket that nobody serves and files that are none do not count.
static void
test_only_what_is_alive_counts(void **state)
{
	struct api_server *server = serve("demo");
	char other[API_PATH_MAX];
	FILE *file;

	(void)state;
	snprintf(other, sizeof(other), "%s/dead.sock", directory);
	file = fopen(other, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(find(NULL), 0);
	assert_non_null(strstr(path, "/demo.sock"));
	assert_int_equal(find("dead"), -ENOENT);
	unlink(other);
	api_server_destroy(server);
	diag_free(&diag);
	assert_int_equal(api_socket_find_in("/nowhere/at/all", NULL, path, &diag), -ENOENT);
	assert_string_equal(diag_first_error(&diag),
			    "no fabric is up: \"roost up FILE\" brings one up");
}

static void
test_names_stay_in_the_directory(void **state)
{
	(void)state;
	assert_int_equal(find("../demo"), -EINVAL);
	assert_int_equal(find("a/b"), -EINVAL);
	assert_int_equal(find(""), -EINVAL);
	assert_int_equal(find("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"), -EINVAL);
	assert_true(diag.errors != 0);
}

static void
test_path_of_a_user(void **state)
{
	(void)state;
	if (geteuid() == 0) {
		assert_int_equal(api_socket_path("demo", path, &diag), 0);
		assert_string_equal(path, "/run/roost/demo.sock");
		return;
	}
	setenv("XDG_RUNTIME_DIR", "/run/user/1", 1);
	assert_int_equal(api_socket_path("demo", path, &diag), 0);
	assert_string_equal(path, "/run/user/1/roost/demo.sock");
	unsetenv("XDG_RUNTIME_DIR");
	assert_int_equal(api_socket_path("demo", path, &diag), -ENOENT);
	assert_non_null(strstr(diag_first_error(&diag), "XDG_RUNTIME_DIR"));
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_none_one_and_several),
		T(test_only_what_is_alive_counts),
		T(test_names_stay_in_the_directory),
		cmocka_unit_test(test_path_of_a_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
