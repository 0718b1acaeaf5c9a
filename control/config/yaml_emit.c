// SPDX-License-Identifier: BSD-3-Clause
// libyaml quotes what needs quotes; what is decided here is only what a reader sees: what fits a
// line stands in flow style, everything else and the larger sections of the top level in block
// style. A
// word that YAML would take for no value (~, null, nothing) is quoted unless it is none.
#include "yaml_emit.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#define EMIT_WIDTH 100
#define EMIT_FLOW_MAX 88 // characters of what stands on one line

struct emitter {
	yaml_emitter_t yaml;
	bool all_flow;
};

static int
write_to(void *context, unsigned char *text, size_t size)
{
	return fwrite(text, 1, size, context) == size;
}

static bool
emit(struct emitter *e, yaml_event_t *event, int initialized)
{
	return initialized != 0 && yaml_emitter_emit(&e->yaml, event) != 0;
}

// Double quotes where a line break or another unusual character must be written as an escape.
static yaml_scalar_style_t
style_of(const char *text)
{
	for (const char *c = text; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f)
			return YAML_DOUBLE_QUOTED_SCALAR_STYLE;
	if (text[0] == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0)
		return YAML_SINGLE_QUOTED_SCALAR_STYLE;
	return YAML_ANY_SCALAR_STYLE;
}

static bool
emit_word(struct emitter *e, const char *text, yaml_scalar_style_t style)
{
	yaml_event_t event;

	return emit(e, &event,
		    yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text,
						 (int)strlen(text), 1, 1, style));
}

// The characters of a value in flow style, about; stops counting beyond EMIT_FLOW_MAX.
static size_t
flow_length(const struct yaml_node *node)
{
	size_t length = 2;

	if (node->kind == YAML_SCALAR)
		return strlen(node->text);
	for (unsigned i = 0; i < node->count && length <= EMIT_FLOW_MAX; i++)
		length += node->kind == YAML_MAP ? strlen(node->pairs[i].key) + 4 +
							   flow_length(node->pairs[i].value)
						 : 2 + flow_length(node->items[i]);
	return length;
}

static bool
has_words_only(const struct yaml_node *node)
{
	for (unsigned i = 0; i < node->count; i++)
		if ((node->kind == YAML_MAP ? node->pairs[i].value : node->items[i])->kind !=
		    YAML_SCALAR)
			return false;
	return true;
}

static bool emit_node(struct emitter *e, const struct yaml_node *node, unsigned depth);

static bool
emit_list(struct emitter *e, const struct yaml_node *node, bool flow, unsigned depth)
{
	yaml_event_t event;
	bool ok = emit(e, &event,
		       yaml_sequence_start_event_initialize(&event, NULL, NULL, 1,
							    flow ? YAML_FLOW_SEQUENCE_STYLE
								 : YAML_BLOCK_SEQUENCE_STYLE));

	for (unsigned i = 0; ok && i < node->count; i++)
		ok = emit_node(e, node->items[i], depth + 1);
	return ok && emit(e, &event, yaml_sequence_end_event_initialize(&event));
}

static bool
emit_map(struct emitter *e, const struct yaml_node *node, bool flow, unsigned depth)
{
	yaml_event_t event;
	bool ok = emit(e, &event,
		       yaml_mapping_start_event_initialize(&event, NULL, NULL, 1,
							   flow ? YAML_FLOW_MAPPING_STYLE
								: YAML_BLOCK_MAPPING_STYLE));

	for (unsigned i = 0; ok && i < node->count; i++)
		ok = emit_word(e, node->pairs[i].key, style_of(node->pairs[i].key)) &&
		     emit_node(e, node->pairs[i].value, depth + 1);
	return ok && emit(e, &event, yaml_mapping_end_event_initialize(&event));
}

static bool
emit_node(struct emitter *e, const struct yaml_node *node, unsigned depth)
{
	bool fits = depth > 0 && flow_length(node) <= EMIT_FLOW_MAX;
	bool words = has_words_only(node);
	bool flow = e->all_flow || (fits && (depth > 1 || words));

	// A list of words is one line, or a few.
	if (node->kind == YAML_LIST)
		return emit_list(e, node, flow || words, depth);
	if (node->kind == YAML_MAP)
		return emit_map(e, node, flow, depth);
	if (node->null)
		return emit_word(e, "~", YAML_PLAIN_SCALAR_STYLE);
	return emit_word(e, node->text, style_of(node->text));
}

static bool
emit_document(struct emitter *e, const struct yaml_node *root)
{
	yaml_event_t event;

	return emit(e, &event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING)) &&
	       emit(e, &event, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1)) &&
	       emit_node(e, root, 0) &&
	       emit(e, &event, yaml_document_end_event_initialize(&event, 1)) &&
	       emit(e, &event, yaml_stream_end_event_initialize(&event)) &&
	       yaml_emitter_flush(&e->yaml) != 0;
}

static int
emit_text(const struct yaml_node *root, bool all_flow, char **out, size_t *length)
{
	struct emitter e = {.all_flow = all_flow};
	FILE *to;
	bool ok;

	if (!yaml_emitter_initialize(&e.yaml))
		memory_exhausted(1, sizeof(e.yaml), "emitter of YAML");
	to = memory_stream_open(out, length);
	yaml_emitter_set_output(&e.yaml, write_to, to);
	yaml_emitter_set_unicode(&e.yaml, 1);
	yaml_emitter_set_width(&e.yaml, all_flow ? -1 : EMIT_WIDTH);
	ok = emit_document(&e, root);
	fclose(to);
	if (e.yaml.error == YAML_MEMORY_ERROR)
		memory_exhausted(*length, 1, "bytes of YAML");
	yaml_emitter_delete(&e.yaml);
	if (ok)
		return 0;
	free(*out);
	*out = NULL;
	*length = 0;
	return -EINVAL; // an event could not be made: its word is not UTF-8
}

int
yaml_emit(const struct yaml_node *root, char **out, size_t *length)
{
	return emit_text(root, false, out, length);
}

// Words that config_edit() would take for something else.
static bool
is_quoted(const char *text)
{
	return text[0] != '\0' && strchr("[{'\"", text[0]) != NULL;
}

char *
yaml_emit_value(const struct yaml_node *node)
{
	char *text;
	size_t length;

	if (node->null)
		return memory_text("{}");
	if (node->kind == YAML_SCALAR && !is_quoted(node->text))
		return memory_text(node->text);
	if (emit_text(node, true, &text, &length) != 0)
		return NULL;
	while (length > 0 && text[length - 1] == '\n')
		text[--length] = '\0';
	return text;
}

static bool
is_nothing(const struct yaml_node *node)
{
	return node->null || (node->kind == YAML_MAP && node->count == 0);
}

bool
yaml_tree_equal(const struct yaml_node *a, const struct yaml_node *b)
{
	if (is_nothing(a) || is_nothing(b))
		return is_nothing(a) && is_nothing(b);
	if (a->kind != b->kind)
		return false;
	if (a->kind == YAML_SCALAR)
		return strcmp(a->text, b->text) == 0;
	if (a->count != b->count)
		return false;
	for (unsigned i = 0; i < a->count; i++) {
		const struct yaml_pair *pair;

		if (a->kind == YAML_LIST) {
			if (!yaml_tree_equal(a->items[i], b->items[i]))
				return false;
			continue;
		}
		pair = yaml_tree_get(b, a->pairs[i].key);
		if (pair == NULL || !yaml_tree_equal(a->pairs[i].value, pair->value))
			return false;
	}
	return true;
}

void
yaml_write_word(FILE *to, const char *text)
{
	if (text[0] != '\0' && strpbrk(text, " \t\n,:[]{}#&*!|>'\"%@`") == NULL) {
		fputs(text, to);
		return;
	}
	fputc('\'', to);
	for (const char *c = text; *c != '\0'; c++)
		fputs(*c == '\'' ? "''" : (char[]){*c, '\0'}, to);
	fputc('\'', to);
}
