// SPDX-License-Identifier: BSD-3-Clause
#include "control/edit/store_internal.h"
#include "place.h"

#include "control/config/yaml_tree.h"
#include "dataplane/base/headers.h"

#include <errno.h>

static int
setup(void **state)
{
	static struct place place;

	place_make(&place);
	*state = &place;
	return 0;
}

static int
teardown(void **state)
{
	place_remove(*state);
	return 0;
}

static void
write_file(const struct place *p, const char *name, const char *text)
{
	char path[128];
	FILE *to;

	snprintf(path, sizeof(path), "%s/" PLACE_FABRIC "/%s", p->path, name);
	to = fopen(path, "w");
	assert_non_null(to);
	fputs(text, to);
	assert_int_equal(fclose(to), 0);
}

static void
revisions_are_found_again(void **state)
{
	struct store *store = place_open();
	struct store_revision *list;
	struct diag diag = {0};
	unsigned count;

	(void)state;
	assert_int_equal(store_last(store), 0);
	assert_int_equal(place_commit(store, "up lab.yaml", "a: 1\n"), 1);
	assert_int_equal(place_commit(store, "set a 2", "a: 2\n"), 2);
	store_close(store);
	assert_int_equal(store_open(&store, PLACE_FABRIC, &diag), 0);
	assert_int_equal(store_last(store), 2);
	place_require_text(store, 1, "\na: 1\n");
	place_require_text(store, 2, "\na: 2\n");
	assert_int_equal(store_list(store, &list, &count, &diag), 0);
	assert_int_equal(count, 2);
	assert_int_equal(list[1].number, 2);
	assert_int_equal(list[1].at, 1763750000);
	assert_int_equal(list[1].uid, 7);
	assert_string_equal(list[1].user, "somebody");
	assert_string_equal(list[0].what, "up lab.yaml");
	assert_string_equal(list[0].file, "/tmp/lab.yaml");
	free(list);
	store_close(store);
}

// A path is any bytes; a reader of YAML takes some of them for the end of a line, and some not at
// all.
static void
a_revision_reads_whatever_its_file_is_called(void **state)
{
	struct store_revision r = {.at = 1, .what = "apply \xe2\x80\xa8seed: 7 #.yaml"}, read;
	const char *yaml = "a: 1\n";
	struct store *store = place_open();
	struct diag diag = {0};
	struct arena arena = {0};
	struct yaml_node *tree;
	char *text;
	size_t length;

	(void)state;
	strcpy(r.file, "/root/f\xe9/\xc2\x80.yaml");
	assert_int_equal(store_commit(store, &r, yaml, strlen(yaml), &diag), 0);
	assert_int_equal(store_read(store, 1, &read, &text, &length, &diag), 0);
	assert_string_equal(read.file, r.file);
	assert_string_equal(read.what, r.what);
	assert_int_equal(yaml_tree_parse(&tree, &arena, text, length, "1.yaml", &diag), 0);
	assert_int_equal(tree->count, 1);
	assert_string_equal(tree->pairs[0].key, "a");
	assert_int_equal(tree->pairs[0].key_pos.line, 7);
	arena_free(&arena);
	free(text);
	store_close(store);
}

static void
no_more_than_so_many_are_kept(void **state)
{
	struct store *store = place_open();
	struct store_revision *list;
	unsigned count;
	struct diag diag = {0};

	(void)state;
	for (int i = 1; i <= STORE_KEPT + 5; i++)
		assert_int_equal(place_commit(store, "set", "a: 1\n"), i);
	assert_int_equal(store_list(store, &list, &count, &diag), 0);
	assert_int_equal(count, STORE_KEPT);
	assert_int_equal(list[0].number, 6);
	assert_int_equal(list[STORE_KEPT - 1].number, STORE_KEPT + 5);
	free(list);
	store_close(store);
}

static void
one_writes_at_a_time(void **state)
{
	struct store *store = place_open(), *other;
	struct diag diag = {0};

	(void)state;
	assert_int_equal(store_open_to_write(&other, PLACE_FABRIC, &diag), -EBUSY);
	assert_null(other);
	diag_free(&diag);
	place_commit(store, "up", "a: 1\n");
	assert_int_equal(store_open(&other, PLACE_FABRIC, &diag), 0);
	store_close(other);
	store_close(store);
	store_close(place_open());
	store_close(NULL);
}

static void
what_is_not_there_is_said(void **state)
{
	struct store *store;
	struct store_revision r;
	struct diag diag = {0};
	char *text;
	size_t length;

	(void)state;
	assert_int_equal(store_open(&store, "nosuch", &diag), -ENOENT);
	assert_string_equal(diag_first_error(&diag), "there are no revisions of a fabric nosuch");
	diag_free(&diag);
	assert_int_equal(store_open(&store, "../demo", &diag), -EINVAL);
	store_close(place_open());
	assert_int_equal(store_open(&store, PLACE_FABRIC, &diag), -ENOENT);
	store = place_open();
	diag_free(&diag);
	assert_int_equal(store_read(store, 4, &r, &text, &length, &diag), -ENOENT);
	assert_string_equal(diag_first_error(&diag), "there is no revision 4");
	assert_int_equal(store_read(store, -1, &r, &text, &length, &diag), -ENOENT);
	assert_int_equal(store_read(store, UINT32_MAX + INT64_C(1), &r, &text, &length, &diag),
			 -ENOENT);
	diag_free(&diag);
	store_close(store);
}

static void
what_others_put_there_is_passed_over(void **state)
{
	static const char *const names[] = {"02.yaml", "0.yaml",  "7.yaml~",
					    "x.yaml",  "-3.yaml", "99999999999.yaml",
					    "+8.yaml", "8.yamlx", ".new"};
	struct store *store = place_open();
	struct store_revision *list, r;
	struct diag diag = {0};
	char *text, path[128];
	unsigned count;
	size_t length;

	assert_int_equal(place_commit(store, "up", "a: 1\n"), 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		write_file(*state, names[i], "a: 1\n");
	write_file(*state, "5.yaml", "# roost revision 4\n# at yesterday\na: 1\n");
	store_close(store);
	store = place_open();
	snprintf(path, sizeof(path), "%s/" PLACE_FABRIC "/.new", ((struct place *)*state)->path);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(store_last(store), 5);
	assert_int_equal(store_list(store, &list, &count, &diag), 0);
	assert_int_equal(count, 1);
	free(list);
	assert_int_equal(store_read(store, 5, &r, &text, &length, &diag), -EBADMSG);
	diag_free(&diag);
	assert_int_equal(place_commit(store, "set", "a: 2\n"), 6);
	store_close(store);
}

static void
a_commit_that_fails_leaves_nothing(void **state)
{
	struct store *store = place_open();
	char path[128];

	assert_int_equal(place_commit(store, "up", "a: 1\n"), 1);
	// A directory where the revision would be.
	snprintf(path, sizeof(path), "%s/" PLACE_FABRIC "/2.yaml", ((struct place *)*state)->path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(place_commit(store, "set", "a: 2\n"), -EISDIR);
	assert_int_equal(rmdir(path), 0);
	snprintf(path, sizeof(path), "%s/" PLACE_FABRIC "/.new", ((struct place *)*state)->path);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(store_last(store), 1);
	assert_int_equal(place_commit(store, "set", "a: 3\n"), 2);
	place_require_text(store, 2, "\na: 3\n");
	store_close(store);
}

static void
require_last(const struct store *store, unsigned number, unsigned passed_over)
{
	struct store_revision r;
	struct diag diag = {0};
	size_t length;
	char *text;

	assert_int_equal(store_read_last(store, &r, &text, &length, &diag),
			 number != 0 ? 0 : -EBADMSG);
	assert_int_equal(r.number, number);
	assert_int_equal(diag.errors, passed_over);
	diag_free(&diag);
	free(text);
}

// A disk that loses the end of a file, and what others put in its place.
static void
damaged_revisions_are_passed_over(void **state)
{
	struct store *store = place_open();
	const struct place *p = *state;
	char path[128];

	assert_int_equal(place_commit(store, "up", "a: 1\n"), 1);
	assert_int_equal(place_commit(store, "set", "a: 2\nb: 3\n"), 2);
	require_last(store, 2, 0);
	snprintf(path, sizeof(path), "%s/" PLACE_FABRIC "/2.yaml", p->path);
	for (off_t lost = 1; lost < 40; lost += 12) {
		struct stat is;

		assert_int_equal(stat(path, &is), 0);
		assert_int_equal(truncate(path, is.st_size - lost), 0);
		require_last(store, 1, 1);
	}
	write_file(p, "3.yaml", "");
	snprintf(path, sizeof(path), "%s/" PLACE_FABRIC "/4.yaml", p->path);
	assert_int_equal(mkfifo(path, 0600), 0); // a reader would wait
	snprintf(path, sizeof(path), "%s/" PLACE_FABRIC "/5.yaml", p->path);
	assert_int_equal(symlink("1.yaml", path), 0);
	require_last(store, 1, 4);
	write_file(p, "1.yaml", "a: 1\n");
	assert_int_equal(store_last(store), 2); // as when it was opened
	store_close(store);
}

static void
none_of_them_can_be_read(void **state)
{
	struct store *store = place_open();
	struct store_revision r;
	struct diag diag = {0};
	size_t length;
	char *text;

	assert_int_equal(store_read_last(store, &r, &text, &length, &diag), -ENOENT);
	write_file(*state, "1.yaml", "a: 1\n");
	write_file(*state, "2.yaml", "");
	require_last(store, 0, 2);
	store_close(store);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(revisions_are_found_again, setup, teardown),
		cmocka_unit_test_setup_teardown(no_more_than_so_many_are_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(one_writes_at_a_time, setup, teardown),
		cmocka_unit_test_setup_teardown(a_revision_reads_whatever_its_file_is_called, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_is_not_there_is_said, setup, teardown),
		cmocka_unit_test_setup_teardown(what_others_put_there_is_passed_over, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_commit_that_fails_leaves_nothing, setup,
						teardown),
		cmocka_unit_test_setup_teardown(damaged_revisions_are_passed_over, setup, teardown),
		cmocka_unit_test_setup_teardown(none_of_them_can_be_read, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
