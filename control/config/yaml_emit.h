// SPDX-License-Identifier: BSD-3-Clause
// A tree as YAML text again.
#pragma once

#include "yaml_tree.h"

#include <stdio.h>

// The tree as a document, keys as they were written, that yaml_tree_parse() reads as an equal tree.
// Returns 0 with *out for free() and its length, or -EINVAL where a word is not UTF-8.
// Control thread.
int yaml_emit(const struct yaml_node *root, char **out, size_t *length);

// One value on one line as config_edit() takes it: a list or map in flow style, "[h1, h2]"; a word
// as it is, without quotes but where it begins like a list, a map or a quoted word; "{}" for a key
// without a value. For free(); NULL where a word is not UTF-8.
char *yaml_emit_value(const struct yaml_node *node);

// The tree as JSON on one line: integers as numbers, every other word as a string, a key without a
// value as null.
void yaml_write_json(const struct yaml_node *node, FILE *to);
// A text, which may come from the command line, as a string of JSON: bytes that are not UTF-8 are
// written as question marks.
void yaml_write_json_text(const char *text, FILE *to);

// One word of a value in flow style, in quotes if YAML could read it as something else.
void yaml_write_word(FILE *to, const char *text);

// True when two trees say the same: the keys of a map in any order; a key without a value says what
// an empty map does.
bool yaml_tree_equal(const struct yaml_node *a, const struct yaml_node *b);
