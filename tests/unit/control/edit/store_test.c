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
	char err[256];
	unsigned count;

	(void)state;
	assert_int_equal(store_last(store), 0);
	assert_int_equal(place_commit(store, "up lab.yaml", "a: 1\n"), 1);
	assert_int_equal(place_commit(store, "set a 2", "a: 2\n"), 2);
	store_close(store);
	assert_int_equal(store_open(&store, PLACE_FABRIC, err, sizeof(err)), 0);
	assert_int_equal(store_last(store), 2);
	place_require_text(store, 1, "\na: 1\n");
	place_require_text(store, 2, "\na: 2\n");
	assert_int_equal(store_list(store, &list, &count, err, sizeof(err)), 0);
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
	char *text, err[256];
	size_t length;

	(void)state;
	strcpy(r.file, "/root/f\xe9/\xc2\x80.yaml");
	assert_int_equal(store_commit(store, &r, yaml, strlen(yaml), err, sizeof(err)), 0);
	assert_int_equal(store_read(store, 1, &read, &text, &length, err, sizeof(err)), 0);
	assert_string_equal(read.file, r.file);
	assert_string_equal(read.what, r.what);
	assert_int_equal(yaml_tree_parse(&tree, &arena, text, length, "1.yaml", &diag), 0);
	assert_int_equal(tree->count, 1);
	assert_string_equal(tree->pairs[0].key, "a");
	assert_int_equal(tree->pairs[0].key_pos.line, 6);
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
	char err[256];

	(void)state;
	for (int i = 1; i <= STORE_KEPT + 5; i++)
		assert_int_equal(place_commit(store, "set", "a: 1\n"), i);
	assert_int_equal(store_list(store, &list, &count, err, sizeof(err)), 0);
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
	char err[256];

	(void)state;
	assert_int_equal(store_open_to_write(&other, PLACE_FABRIC, err, sizeof(err)), -EBUSY);
	assert_null(other);
	place_commit(store, "up", "a: 1\n");
	assert_int_equal(store_open(&other, PLACE_FABRIC, err, sizeof(err)), 0);
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
	char err[256], *text;
	size_t length;

	(void)state;
	assert_int_equal(store_open(&store, "nosuch", err, sizeof(err)), -ENOENT);
	assert_string_equal(err, "there are no revisions of a fabric nosuch");
	assert_int_equal(store_open(&store, "../demo", err, sizeof(err)), -EINVAL);
	store_close(place_open());
	assert_int_equal(store_open(&store, PLACE_FABRIC, err, sizeof(err)), -ENOENT);
	store = place_open();
	assert_int_equal(store_read(store, 4, &r, &text, &length, err, sizeof(err)), -ENOENT);
	assert_string_equal(err, "there is no revision 4");
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
	char err[256], *text, path[128];
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
	assert_int_equal(store_list(store, &list, &count, err, sizeof(err)), 0);
	assert_int_equal(count, 1);
	free(list);
	assert_int_equal(store_read(store, 5, &r, &text, &length, err, sizeof(err)), -EBADMSG);
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
		cmocka_unit_test(a_header_reads_as_it_was_written),
		cmocka_unit_test(a_header_is_comment_whatever_was_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
