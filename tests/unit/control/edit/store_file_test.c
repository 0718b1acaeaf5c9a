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

static void
a_header_reads_as_it_was_written(void **state)
{
	static const struct store_revision all[] = {
		{1, 0, 0, "root", "up lab.yaml", "/root/lab.yaml"},
		{UINT32_MAX, 1763750000, 65534, "", "", ""},
		{7, 32503679999, 1000, "two words (x)", "set a [b, (c)]", "/a b/\xc3\xa9.yaml"},
	};
	struct store_revision back;
	char text[HEADER_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		size_t length = header_write(&all[i], text);

		assert_int_equal(length, strlen(text));
		assert_int_equal(header_read(&back, text, length), (ssize_t)length);
		assert_int_equal(back.number, all[i].number);
		assert_int_equal(back.at, all[i].at);
		assert_int_equal(back.uid, all[i].uid);
		assert_string_equal(back.user, all[i].user);
		assert_string_equal(back.what, all[i].what);
		assert_string_equal(back.file, all[i].file);
		// Nothing shorter is one.
		for (size_t cut = 0; cut < length; cut++)
			assert_int_equal(header_read(&back, text, cut), -EBADMSG);
	}
}

// All of a fabric ran where no part is named.
static void
a_header_names_the_part(void **state)
{
	struct store_revision r = {.number = 3, .bytes = 12, .part = "east"}, back;
	char text[HEADER_MAX];
	size_t length = header_write(&r, text);

	(void)state;
	assert_non_null(strstr(text, "\n# bytes 12\n# part east\n"));
	assert_int_equal(header_read(&back, text, length), (ssize_t)length);
	assert_string_equal(back.part, "east");
	r.part[0] = '\0';
	length = header_write(&r, text);
	assert_null(strstr(text, "part"));
	assert_int_equal(header_read(&back, text, length), (ssize_t)length);
	assert_string_equal(back.part, "");
}

static void
a_header_is_comment_whatever_was_done(void **state)
{
	struct store_revision r = {.number = 3, .what = "set a \nb: 1\r", .file = "/x\ny"};
	char text[HEADER_MAX];

	(void)state;
	header_write(&r, text);
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
		assert_int_equal(line[0], '#');
	assert_int_equal(header_read(&r, "# roost revision 0\n", 19), -EBADMSG);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_header_reads_as_it_was_written),
		cmocka_unit_test(a_header_names_the_part),
		cmocka_unit_test(a_header_is_comment_whatever_was_done),
		cmocka_unit_test(test_names),
		cmocka_unit_test_setup_teardown(test_list, open_directory, close_directory),
		cmocka_unit_test_setup_teardown(test_many, open_directory, close_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
