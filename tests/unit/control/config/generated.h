// SPDX-License-Identifier: BSD-3-Clause
// Trees drawn at random, for what must hold of every tree: words that YAML quotes and words that it
// takes for something else, empty and missing values, keys with dots.
#pragma once

#include "control/config/yaml_tree.h"

#include <stdlib.h>

static inline unsigned
generated_number(uint64_t *state, unsigned below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((*state >> 33) % below);
}

static inline const char *
generated_word(uint64_t *state)
{
	static const char *const words[] = {
		"h1",
		"100KB",
		"off",
		"~",
		"null",
		"",
		"a b",
		" lead",
		"trail ",
		"#x",
		"a: b",
		"- d",
		"[x",
		"{y}",
		"&z",
		"*w",
		"!t",
		"'q'",
		"\"d\"",
		"1e3",
		"0x10",
		"true",
		"02:00:00",
		"10.0.0.0/8",
		"::/0",
		"l1\nl2",
		"\ttab",
		"\x01",
		"\xc3\xa9",
		"\xe2\x80\xa8",
		"%p",
		"?",
		":",
		"a,b",
		"---",
		"...",
		"=",
		"<<",
		"-",
		"x\\y",
		"\xef\xbb\xbf",
		"@at",
		"`b",
		"|",
		">",
		"long long long long "
		"long long long long long long long long long long long long long long long long "
		"long long long long long long long"};

	return words[generated_number(state, sizeof(words) / sizeof(words[0]))];
}

static inline const char *
generated_key(uint64_t *state)
{
	static const char *const keys[] = {"a", "b",  "c",        "d",  "e",  "f-1",
					   "3", "h1", "key word", "#k", "x.y"};

	// A key with dots makes its map one value: not too often.
	return keys[generated_number(state, generated_number(state, 8) == 0 ? 11 : 10)];
}

static inline struct yaml_node *
generated_node(struct arena *arena, uint64_t *state, unsigned depth)
{
	struct yaml_node *node = arena_alloc(arena, sizeof(*node));
	unsigned kind = generated_number(state, depth == 0 ? 4 : 8), count;

	if (node == NULL)
		abort();
	if (kind < 3) {
		const char *word = generated_word(state);

		node->text = arena_text(arena, word, strlen(word));
		return node;
	}
	if (kind == 3) {
		node->null = true;
		node->text = arena_text(arena, "~", 1);
		return node;
	}
	node->kind = kind == 4 ? YAML_LIST : YAML_MAP;
	count = generated_number(state, 5);
	for (unsigned i = 0; i < count; i++) {
		const char *key = generated_key(state);
		struct yaml_node *child = generated_node(arena, state, depth - 1);

		if (node->kind == YAML_LIST)
			yaml_tree_add_item(arena, node, child);
		else if (yaml_tree_get(node, key) == NULL)
			yaml_tree_add_pair(
				arena, node,
				(struct yaml_pair){.key = arena_text(arena, key, strlen(key)),
						   .value = child});
	}
	return node;
}

// A whole configuration: a map with something in it, and no dots in its keys.
static inline struct yaml_node *
generated_tree(struct arena *arena, uint64_t *state)
{
	struct yaml_node *root;

	do
		root = generated_node(arena, state, 4);
	while (root->kind != YAML_MAP || root->count == 0 || yaml_tree_get(root, "x.y") != NULL);
	return root;
}
