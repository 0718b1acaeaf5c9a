// SPDX-License-Identifier: BSD-3-Clause
#include "control/base/output.h"

#include "control/base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/roost-output-XXXXXX";

static int
setup(void **state)
{
	(void)state;
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	return mkdtemp(directory) != NULL ? 0 : -1;
}

static int
teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command);
}

static bool
there(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return access(path, F_OK) == 0;
}

// Writes a table as one run does.
static int
run(bool gzip, bool commit)
{
	struct output o;
	struct output_table table;
	int rc;

	assert_int_equal(output_open(&o, directory), 0);
	o.gzip = gzip;
	rc = output_add_table(&o, "a.csv", &table);
	if (rc == 0)
		fputs("x\n1\n", table.to);
	if (rc == 0)
		rc = output_close_table(&o, &table);
	assert_int_equal(output_close_table(&o, &table), 0); // again is fine
	if (rc == 0 && commit)
		rc = output_commit(&o);
	output_close(&o);
	return rc;
}

static void
test_a_table_is_complete_or_absent(void **state)
{
	(void)state;
	assert_int_equal(run(false, false), 0);
	assert_false(there("a.csv") || there(".a.csv.new"));
	assert_int_equal(run(false, true), 0);
	assert_true(there("a.csv") && !there(".a.csv.new"));
}

// One form of a table does not stay beside the other, which would be of another run.
static void
test_one_form_replaces_the_other(void **state)
{
	struct output o;

	(void)state;
	assert_int_equal(run(false, true), 0);
	assert_int_equal(run(true, false), 0); // which failed
	assert_true(there("a.csv") && !there("a.csv.gz"));
	assert_int_equal(run(true, true), 0);
	assert_true(!there("a.csv") && there("a.csv.gz"));
	assert_int_equal(run(false, true), 0);
	assert_true(there("a.csv") && !there("a.csv.gz"));
	assert_int_equal(run(true, true), 0);
	assert_int_equal(output_open(&o, directory), 0);
	assert_int_equal(output_add_table_removal(&o, "a.csv"), 0);
	assert_int_equal(output_commit(&o), 0);
	output_close(&o);
	assert_false(there("a.csv") || there("a.csv.gz"));
}

static void
test_the_first_error_is_told(void **state)
{
	struct output o;
	struct output_table table;

	(void)state;
	assert_int_equal(output_open(&o, directory), 0);
	assert_int_equal(output_add_table(&o, "a.csv", &table), 0);
	fclose(table.to);
	table.to = fopen("/dev/full", "w");
	setvbuf(table.to, NULL, _IONBF, 0);
	fputs("x", table.to);
	output_check_table(&table);
	assert_int_equal(table.error, -ENOSPC);
	assert_int_equal(output_close_table(&o, &table), -ENOSPC);
	assert_non_null(strstr(diag_first_error(&o.diag), "/a.csv: No space left on device"));
	output_close(&o);
}

// A process that is about to end leaves nothing half done.
static void
test_what_is_not_committed_can_be_discarded(void **state)
{
	struct output o;
	struct output_table table;

	(void)state;
	assert_int_equal(output_open(&o, directory), 0);
	assert_int_equal(output_add_table(&o, "a.csv", &table), 0);
	assert_true(there(".a.csv.new"));
	output_discard(&o);
	assert_false(there(".a.csv.new"));
	assert_int_equal(output_close_table(&o, &table), 0);
	output_close(&o);
}

static void
test_what_stands_in_the_way(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/a.csv.gz", directory);
	assert_int_equal(mkdir(path, 0777), 0);
	assert_int_equal(run(true, true), -EISDIR);
	assert_int_equal(run(false, true), -EISDIR); // it would have to go
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_a_table_is_complete_or_absent),
		T(test_one_form_replaces_the_other),
		T(test_the_first_error_is_told),
		T(test_what_is_not_committed_can_be_discarded),
		T(test_what_stands_in_the_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
