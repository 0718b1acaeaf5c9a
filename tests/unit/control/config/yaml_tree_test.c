// SPDX-License-Identifier: BSD-3-Clause
#include "control/config/yaml_tree.h"

#include "expect.h"

static struct yaml_node *
parse(struct arena *arena, const char *text, struct diag *diag)
{
	struct yaml_node *root;

	yaml_tree_parse(&root, arena, text, strlen(text), "f.yaml", diag);
	return root;
}

static void
every_key_and_value_has_its_position(void **state)
{
	struct diag diag = {0};
	struct arena arena = {0};
	struct yaml_node *root = parse(&arena, "a: 1\nb:\n  c: [x, yz]\n  \"d\": ''\ne:\n", &diag);
	struct yaml_pair *c;

	(void)state;
	assert_non_null(root);
	assert_int_equal(root->count, 3);
	c = yaml_tree_get(yaml_tree_get(root, "b")->value, "c");
	assert_int_equal(c->key_pos.line, 3);
	assert_int_equal(c->key_pos.column, 3);
	assert_int_equal(c->value->kind, YAML_LIST);
	assert_int_equal(c->value->items[1]->pos.column, 10);
	assert_string_equal(c->value->items[1]->text, "yz");
	assert_false(yaml_tree_get(yaml_tree_get(root, "b")->value, "d")->value->null);
	assert_true(yaml_tree_get(root, "e")->value->null);
	assert_null(yaml_tree_get(root, "x"));
	arena_free(&arena);
	diag_free(&diag);
}

static void
bad_texts_say_where_and_what(void **state)
{
	(void)state;
	expect_messages("", "f.yaml:1:1: the file is empty\n");
	expect_messages("# nothing\n", "f.yaml:1:1: the file is empty\n");
	expect_messages("a:\n\tb: 1\n", "f.yaml:2:1: a tab: YAML indents with spaces\n");
	// Positions hold behind characters of several bytes, and a byte order mark.
	expect_messages("\xef\xbb\xbf# \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\na:\n\tb: 1\n",
			"f.yaml:3:1: a tab: YAML indents with spaces\n");
	expect_messages("# \xc3\xa4\xc3\xb6\xc3\xbc\na: {hosts: h[1-8]}\n",
			"f.yaml:2:13: a range with brackets needs quotes in a list or map: write "
			"\"h[1-8]\", or h1-h8\n");
	expect_messages("# \xc3\xa4\xc3\xb6\xc3\xbc\na: [b",
			"f.yaml:2:6: the file ends in the middle of what begins at line 2\n");
	expect_messages("switch:\n  ports: {swp1: {rate: 100G",
			"f.yaml:2:28: the file ends in the middle of what begins at line 2\n");
	expect_messages("a: \"b\n",
			"f.yaml:2:1: the file ends in the middle of what begins at line 1\n");
	expect_messages("a: &x 1\nb: *x\n", "f.yaml:2:4: aliases (*name) are not used here\n");
	expect_messages("a: !t 1\n", "f.yaml:1:4: tags (!...) are not used here\n");
	expect_messages("a: 1\n---\nb: 1\n",
			"f.yaml:2:1: a second document (---): one file holds one\n");
	expect_messages("[a]: 1\n", "f.yaml:1:1: a key must be a word, not a map or a list\n");
	expect_messages("a: \"x\\0y\"\n", "f.yaml:1:4: a value must not contain a NUL character\n");
	expect_messages("\xff\xfe\xff",
			"f.yaml:1:3: not text in UTF-8: incomplete UTF-16 character\n");
	expect_messages("a\xc0z: 1\n",
			"f.yaml:1:3: not text in UTF-8: invalid trailing UTF-8 octet\n");
	expect_messages(
		"- a\n",
		"f.yaml:1:1: is no configuration: it must begin with keys such as \"fabric:\"\n");
	expect_messages("a: b: c\n",
			"f.yaml:1:5: mapping values are not allowed in this context\n");
}

static void
duplicate_keys_are_all_found(void **state)
{
	struct diag diag = {0};
	struct arena arena = {0};

	(void)state;
	assert_null(parse(&arena, "", &diag));
	diag_free(&diag);
	parse(&arena, "a: 1\nb: {x: 1, y: 2, x: 3}\na: 2\na: 3\n", &diag);
	assert_int_equal(diag.errors, 3);
	assert_string_equal(diag.messages[0].text, "f.yaml:2:17: x: already given at line 2");
	assert_string_equal(diag.messages[1].text, "f.yaml:3:1: a: already given at line 1");
	assert_string_equal(diag.messages[2].text, "f.yaml:4:1: a: already given at line 3");
	arena_free(&arena);
	diag_free(&diag);
}

static void
depth_is_bounded(void **state)
{
	char text[200] = "a: ";

	(void)state;
	memset(text + 3, '[', 100);
	expect_messages(text, "f.yaml:1:35: nested too deeply (32 levels at most)\n");
}

static void
words_are_bounded(void **state)
{
	char *text = calloc(1, 6000);

	(void)state;
	memcpy(text, "a: ", 3);
	memset(text + 3, 'x', 5000);
	expect_messages(text, "f.yaml:1:4: this value is too long (4096 characters at most)\n");
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_and_value_has_its_position),
		cmocka_unit_test(bad_texts_say_where_and_what),
		cmocka_unit_test(duplicate_keys_are_all_found),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(words_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
