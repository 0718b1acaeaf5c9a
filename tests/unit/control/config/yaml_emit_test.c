// SPDX-License-Identifier: BSD-3-Clause
#include "control/config/yaml_emit.h"

#include "expect.h"
#include "generated.h"

#include <errno.h>

// To the letter: the order of keys, and what is no value.
static bool
is_same(const struct yaml_node *a, const struct yaml_node *b)
{
	if (a->kind != b->kind || a->null != b->null || a->count != b->count)
		return false;
	if (a->kind == YAML_SCALAR)
		return a->null || strcmp(a->text, b->text) == 0;
	for (unsigned i = 0; i < a->count; i++)
		if (a->kind == YAML_LIST ? !is_same(a->items[i], b->items[i])
					 : strcmp(a->pairs[i].key, b->pairs[i].key) != 0 ||
						   !is_same(a->pairs[i].value, b->pairs[i].value))
			return false;
	return true;
}

static void
what_is_written_reads_as_the_same_tree(void **state)
{
	uint64_t draw = 1;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		struct arena arena = {0};
		struct yaml_node *root = generated_tree(&arena, &draw);
		char *text;
		size_t length;

		assert_int_equal(yaml_emit(root, &text, &length), 0);
		assert_int_equal(strlen(text), length);
		if (!is_same(tree_of(&arena, text), root))
			fail_msg("another tree: %s", text);
		free(text);
		arena_free(&arena);
	}
}

static void
a_value_is_one_line_that_reads_as_the_same(void **state)
{
	uint64_t draw = 2;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		struct arena arena = {0};
		struct yaml_node *node = generated_node(&arena, &draw, 3);
		char *text = yaml_emit_value(node);

		assert_non_null(text);
		if (node->null) {
			assert_string_equal(text, "{}");
		} else if (node->kind == YAML_SCALAR &&
			   (text[0] == '\0' || strchr("[{'\"", text[0]) == NULL)) {
			assert_string_equal(text, node->text);
		} else {
			assert_null(strchr(text, '\n'));
			if (!is_same(tree_of(&arena, text), node))
				fail_msg("another tree: %s", text);
		}
		free(text);
		arena_free(&arena);
	}
}

static void
a_file_is_pleasant_to_read(void **state)
{
	static const char text[] =
		"fabric:\n"
		"  name: demo\n"
		"  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}\n"
		"switch:\n"
		"  preset: spectrum-x\n"
		"  qos:\n"
		"    tc:\n"
		"      3: {ecn: {min: 50KB, max: 500KB, probability: 100%}, weight: 50, alpha: "
		"1/8}\n"
		"      0: {weight: 20}\n"
		"    trust: [dscp, pcp]\n"
		"live: {workers: 1, idle: sleep}\n"
		"tenants:\n"
		"  red: {hosts: [h1, h2], vni: 5001}\n"
		"workload:\n"
		"- {kind: flow, from: h1, to: h2, size: 1MB}\n"
		"record:\n"
		"  queues: [leaf1.swp1.3, leaf1.swp2.3, leaf1.swp3.3, leaf1.swp4.3, leaf1.swp5.3, "
		"leaf1.swp6.3, leaf1.swp7.3,\n"
		"    leaf1.swp8.3]\n"
		"events: []\n"
		"stop: idle\n";
	struct arena arena = {0};
	char *out;
	size_t length;

	(void)state;
	assert_int_equal(yaml_emit(tree_of(&arena, text), &out, &length), 0);
	assert_string_equal(out, text);
	free(out);
	arena_free(&arena);
}

static void
what_is_not_utf8_is_refused(void **state)
{
	struct yaml_node bad = {.kind = YAML_SCALAR, .text = (char[]){"a\xff"}}, *items[] = {&bad};
	struct yaml_node list = {.kind = YAML_LIST, .count = 1, .items = items};
	char *out;
	size_t length;

	(void)state;
	assert_int_equal(yaml_emit(&list, &out, &length), -EINVAL);
	assert_null(out);
	assert_null(yaml_emit_value(&list));
}

static bool
equal(struct arena *arena, const char *a, const char *b)
{
	return yaml_tree_equal(tree_of(arena, a), tree_of(arena, b)) &&
	       yaml_tree_equal(tree_of(arena, b), tree_of(arena, a));
}

static void
equal_says_the_same(void **state)
{
	struct arena arena = {0};

	(void)state;
	assert_true(equal(&arena, "{a: 1, b: {c: [x, y]}}", "{b: {c: [x, y]}, a: '1'}"));
	assert_true(equal(&arena, "{a: }", "{a: {}}"));
	assert_false(equal(&arena, "{a: }", "{a: ''}"));
	assert_false(equal(&arena, "{a: }", "{a: []}"));
	assert_false(equal(&arena, "{a: }", "{b: }"));
	assert_false(equal(&arena, "{a: [x, y]}", "{a: [y, x]}"));
	assert_false(equal(&arena, "{a: 1}", "{a: 1, b: 2}"));
	assert_false(equal(&arena, "{a: 1, c: 2}", "{a: 1, b: 2}"));
	arena_free(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_reads_as_the_same_tree),
		cmocka_unit_test(a_value_is_one_line_that_reads_as_the_same),
		cmocka_unit_test(a_file_is_pleasant_to_read),
		cmocka_unit_test(what_is_not_utf8_is_refused),
		cmocka_unit_test(equal_says_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
