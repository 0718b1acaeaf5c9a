// SPDX-License-Identifier: BSD-3-Clause
#include "yaml_emit.h"

#include "control/base/memory.h"
#include "control/base/text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 15 // of an integer that every reader of JSON takes exactly

void
yaml_write_json_text(const char *text, FILE *to)
{
	char *copy = memory_text(text);
	json_t *string;

	utf8_repair(copy);
	string = json_string(copy);
	json_dumpf(string, to, JSON_ENCODE_ANY);
	json_decref(string);
	free(copy);
}

// Whether it is an integer in JSON too: no leading zero, no sign but minus.
static bool
is_integer(const char *text)
{
	const char *digits = text + (text[0] == '-');
	size_t length = strlen(digits);

	if (length == 0 || length > DIGITS_MAX || (digits[0] == '0' && text[1] != '\0'))
		return false;
	return strspn(digits, "0123456789") == length;
}

static void
write_map(const struct yaml_node *map, FILE *to)
{
	fputc('{', to);
	for (unsigned i = 0; i < map->count; i++) {
		fputs(i == 0 ? "" : ", ", to);
		yaml_write_json_text(map->pairs[i].key, to);
		fputs(": ", to);
		yaml_write_json(map->pairs[i].value, to);
	}
	fputc('}', to);
}

void
yaml_write_json(const struct yaml_node *node, FILE *to)
{
	if (node->null) {
		fputs("null", to);
	} else if (node->kind == YAML_MAP) {
		write_map(node, to);
	} else if (node->kind == YAML_LIST) {
		fputc('[', to);
		for (unsigned i = 0; i < node->count; i++) {
			fputs(i == 0 ? "" : ", ", to);
			yaml_write_json(node->items[i], to);
		}
		fputc(']', to);
	} else if (is_integer(node->text)) {
		fputs(node->text, to);
	} else {
		yaml_write_json_text(node->text, to);
	}
}
