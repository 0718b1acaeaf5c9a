// SPDX-License-Identifier: BSD-3-Clause
#include "control/base/file.h"
#include "tests/unit/control/edit/place.h"

#include <errno.h>

static char *
text_of(const char *path, char *out, size_t size)
{
	FILE *from = fopen(path, "r");
	size_t got;

	assert_non_null(from);
	got = fread(out, 1, size - 1, from);
	out[got] = '\0';
	fclose(from);
	return out;
}

static int
put(const char *path, const char *text, int *kept)
{
	const struct file_part part = {text, strlen(text)};

	return file_replace(path, &part, 1, kept);
}

static void
the_old_file_is_kept_beside_the_new(void **state)
{
	struct place place;
	char path[128], old[136], link[128], text[64];
	struct stat st;
	int kept;

	(void)state;
	place_make(&place);
	snprintf(path, sizeof(path), "%s/lab.yaml", place.path);
	snprintf(old, sizeof(old), "%s~", path);
	snprintf(link, sizeof(link), "%s/link", place.path);
	assert_int_equal(put(path, "one", &kept), 0);
	assert_false(kept);
	assert_int_equal(access(old, F_OK), -1);
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(put(path, "two", &kept), 0);
	assert_true(kept);
	assert_string_equal(text_of(path, text, sizeof(text)), "two");
	assert_string_equal(text_of(old, text, sizeof(text)), "one");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	// Through a link it is the file that is meant.
	assert_int_equal(symlink("lab.yaml", link), 0);
	assert_int_equal(put(link, "three", &kept), 0);
	assert_string_equal(text_of(path, text, sizeof(text)), "three");
	assert_string_equal(text_of(old, text, sizeof(text)), "two");
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	place_remove(&place);
}

static void
what_cannot_be_replaced_stays(void **state)
{
	struct place place;
	char path[128];
	int kept;

	(void)state;
	place_make(&place);
	assert_int_equal(put(place.path, "x", &kept), -EISDIR);
	snprintf(path, sizeof(path), "%s/no/file", place.path);
	assert_int_equal(put(path, "x", &kept), -ENOENT);
	assert_int_equal(put("/dev/null", "x", &kept), -EEXIST);
	place_remove(&place);
}

static void
directories_are_made_with_those_above(void **state)
{
	struct place place;
	char path[128];
	struct stat st;

	(void)state;
	place_make(&place);
	snprintf(path, sizeof(path), "%s/a/b", place.path);
	assert_int_equal(file_make_directories(path, 0700, 0711), 0);
	assert_int_equal(file_make_directories(path, 0755, 0755), 0); // they exist
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	*strrchr(path, '/') = '\0';
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0711);
	place_remove(&place);
	assert_int_equal(file_make_directories("/dev/null/a/b", 0700, 0700), -ENOTDIR);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_old_file_is_kept_beside_the_new),
		cmocka_unit_test(what_cannot_be_replaced_stays),
		cmocka_unit_test(directories_are_made_with_those_above),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
