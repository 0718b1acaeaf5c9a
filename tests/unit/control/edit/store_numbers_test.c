// SPDX-License-Identifier: BSD-3-Clause
#include "control/edit/store_internal.h"

#include "place.h"

#include <errno.h>
#include <fcntl.h>

struct directory {
	struct place place;
	int fd;
};

static int
open_directory(void **state)
{
	struct directory *d = calloc(1, sizeof(*d));

	place_make(&d->place);
	d->fd = open(d->place.path, O_RDONLY | O_DIRECTORY);
	*state = d;
	return d->fd >= 0 ? 0 : -errno;
}

static int
close_directory(void **state)
{
	struct directory *d = *state;

	close(d->fd);
	place_remove(&d->place);
	free(d);
	return 0;
}

static void
make_file(const struct directory *d, const char *name)
{
	int fd = openat(d->fd, name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static void
test_names(void **state)
{
	char name[NUMBERS_NAME];

	(void)state;
	numbers_name(1, name);
	assert_string_equal(name, "1.yaml");
	numbers_name(UINT32_MAX, name);
	assert_string_equal(name, "4294967295.yaml");
}

// By number and not by name, and of a name that is no number nothing.
static void
test_list(void **state)
{
	static const uint32_t wanted[] = {1, 2, 9, 10, 100, 4294967295};
	static const char *const names[] = {
		"10.yaml",         "9.yaml",      "100.yaml",
		"1.yaml",          "2.yaml",      "4294967295.yaml",
		"4294967296.yaml", "0.yaml",      "01.yaml",
		"+3.yaml",         " 4.yaml",     "-1.yaml",
		"5.yaml~",         "6.yam",       "7",
		".8.yaml",         "0x9.yaml",    "yaml",
		"11.YAML",         "latest.yaml", "18446744073709551617.yaml"};
	const struct directory *d = *state;
	uint32_t *numbers;
	unsigned count;

	assert_int_equal(numbers_list(d->fd, &numbers, &count), 0);
	assert_int_equal(count, 0);
	free(numbers);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		make_file(d, names[i]);
	for (unsigned again = 0; again < 2; again++) { // the directory is read from its start
		assert_int_equal(numbers_list(d->fd, &numbers, &count), 0);
		assert_int_equal(count, 6);
		assert_memory_equal(numbers, wanted, sizeof(wanted));
		free(numbers);
	}
	assert_int_equal(numbers_list(-1, &numbers, &count), -EBADF);
	assert_null(numbers);
}

static void
test_many(void **state)
{
	const struct directory *d = *state;
	char name[NUMBERS_NAME];
	uint32_t *numbers;
	unsigned count;

	for (uint32_t i = 1000; i > 0; i--) {
		numbers_name(i, name);
		make_file(d, name);
	}
	assert_int_equal(numbers_list(d->fd, &numbers, &count), 0);
	assert_int_equal(count, 1000);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(numbers[i], i + 1);
	free(numbers);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test_setup_teardown(test_list, open_directory, close_directory),
		cmocka_unit_test_setup_teardown(test_many, open_directory, close_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
