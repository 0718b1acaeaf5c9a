// SPDX-License-Identifier: BSD-3-Clause
#include "control/edit/edit.h"
#include "control/config/yaml_emit.h"

#include "tests/unit/control/config/expect.h"
#include "tests/unit/control/config/generated.h"

#include <errno.h>

// A value as the text of a difference says it: a word, or a quoted word, list or map.
static struct yaml_node *
value_of(struct arena *arena, const char *text)
{
	struct yaml_node *node;

	if (text[0] != '\0' && strchr("[{'\"", text[0]) != NULL)
		return tree_of(arena, text);
	node = arena_alloc(arena, sizeof(*node));
	node->text = arena_text(arena, text, strlen(text));
	return node;
}

// What is said of a key, done to a tree by the plainest means: down along its words, making maps
// where there are none.
static void
do_to(struct arena *arena, struct yaml_node *map, const char *key, const char *text)
{
	char *rest = arena_text(arena, key, strlen(key));

	for (char *word; (word = strsep(&rest, ".")) != NULL;) {
		struct yaml_pair *pair = yaml_tree_get(map, word);

		if (text == NULL && rest == NULL) {
			assert_non_null(pair);
			*pair = map->pairs[--map->count];
			return;
		}
		if (pair == NULL) {
			yaml_tree_add_pair(arena, map, (struct yaml_pair){.key = word});
			pair = &map->pairs[map->count - 1];
		}
		if (text != NULL && rest == NULL) {
			pair->value = value_of(arena, text);
			return;
		}
		if (pair->value == NULL || pair->value->kind != YAML_MAP) {
			assert_true(pair->value == NULL || pair->value->null);
			pair->value = arena_alloc(arena, sizeof(*pair->value));
			pair->value->kind = YAML_MAP;
		}
		map = pair->value;
	}
}

static void
applying_a_difference_makes_the_other(void **state)
{
	uint64_t draw = 3;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		struct arena arena = {0};
		struct yaml_node *from = generated_tree(&arena, &draw);
		struct yaml_node *to = generated_tree(&arena, &draw);
		struct config_differences found;

		assert_int_equal(config_diff(&found, &arena, from, to), 0);
		for (unsigned k = 0; k < found.count; k++) {
			const struct config_difference *d = &found.items[k];

			assert_true(d->from != NULL || d->to != NULL);
			if (d->to == NULL || d->replaced)
				do_to(&arena, from, d->key, NULL);
			if (d->to != NULL)
				do_to(&arena, from, d->key, d->to);
		}
		if (!yaml_tree_equal(from, to)) {
			char *a = yaml_emit_value(from), *b = yaml_emit_value(to);

			fail_msg("%s is not %s", a, b);
		}
		assert_int_equal(config_diff(&found, &arena, from, to), 0);
		assert_int_equal(found.count, 0);
		arena_free(&arena);
	}
}

static void
expect(const char *from, const char *to, const char *lines)
{
	struct arena arena = {0};
	struct config_differences found;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(config_diff(&found, &arena, tree_of(&arena, from), tree_of(&arena, to)),
			 0);
	for (unsigned i = 0; i < found.count; i++) {
		const struct config_difference *d = &found.items[i];

		fprintf(out, "%s%s: %s -> %s @%u:%u\n", d->replaced ? "!" : "", d->key,
			d->from != NULL ? d->from : "nothing", d->to != NULL ? d->to : "nothing",
			d->pos.line, d->pos.column);
	}
	fclose(out);
	assert_string_equal(text, lines);
	free(text);
	arena_free(&arena);
}

static void
differences_are_told_key_by_key(void **state)
{
	(void)state;
	expect("a: 1\n", "a: 1\n", "");
	expect("a: {b: {c: 1, d: 2}}\n", "a:\n  b:\n    d: 3\n",
	       "a.b.c: 1 -> nothing @3:5\na.b.d: 2 -> 3 @3:5\n");
	expect("tenants: {red: {hosts: [h1, h2], vni: 5}, blue: {hosts: [h3]}}\n",
	       "tenants:\n  red: {hosts: [h1], vni: 5}\n  green: {hosts: [h2]}\n",
	       "tenants.red.hosts: [h1, h2] -> [h1] @2:9\n"
	       "tenants.blue: {hosts: [h3]} -> nothing @2:3\n"
	       "tenants.green: nothing -> {hosts: [h2]} @3:3\n");
	expect("a: 1\n", "a: 1\nleaf1: {qos: {tc: {3: {weight: 2}}}, latency: 1us}\n",
	       "leaf1.qos: nothing -> {tc: {3: {weight: 2}}} @2:9\n"
	       "leaf1.latency: nothing -> 1us @2:38\n");
	expect("a: 1\nleaf1: {latency: 1us}\n", "a: 1\n",
	       "leaf1: {latency: 1us} -> nothing @1:1\n");
	// One kind in the place of another.
	expect("tc: {ecn: on}\n", "tc: {ecn: {min: 1KB}}\n", "!tc.ecn: on -> {min: 1KB} @1:6\n");
	expect("tc: {ecn: }\n", "tc: {ecn: {min: 1KB}}\n", "tc.ecn.min: nothing -> 1KB @1:12\n");
	expect("tc: {ecn: {min: 1KB}}\n", "tc: {ecn: }\n", "tc.ecn.min: 1KB -> nothing @1:11\n");
	// Keys with dots are nobody's to write one by one.
	expect("t: {addresses: {h1: 10.0.0.1}}\n", "t: {addresses: {h1.eth2: 10.0.0.1}}\n",
	       "t.addresses: {h1: 10.0.0.1} -> {h1.eth2: 10.0.0.1} @1:5\n");
	// Those of NICs are.
	expect("attach: {h1: {netns: a}}\n", "attach: {h1: {netns: b}, h1.eth2: {netns: a}}\n",
	       "attach.h1.netns: a -> b @1:15\nattach.h1.eth2: nothing -> {netns: a} @1:26\n");
	expect("w: [{kind: flow}]\n", "w: [{kind: flow}, {kind: step}]\n",
	       "w: [{kind: flow}] -> [{kind: flow}, {kind: step}] @1:1\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(applying_a_difference_makes_the_other),
		cmocka_unit_test(differences_are_told_key_by_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
