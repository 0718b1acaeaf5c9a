// SPDX-License-Identifier: BSD-3-Clause
// Words are replaced where the parser found them. The result is then parsed again, and must be the
// tree that the present names make of the old one: a text that would mean something else is never
// returned.
#include "rewrite.h"

#include "control/base/memory.h"
#include "control/config/yaml_emit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define VERSION "version: " FORMAT_VERSION_TEXT

struct text {
	const char *at;
	size_t length;
};

// The length of the line break at an offset, by YAML 1.1; 0: there is none.
static size_t
break_length(const struct text *text, size_t at)
{
	static const char *const breaks[] = {"\r\n",     "\n",           "\r",
					     "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"};

	for (size_t i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++) {
		size_t length = strlen(breaks[i]);

		if (text->length - at >= length && memcmp(text->at + at, breaks[i], length) == 0)
			return length;
	}
	return 0;
}

// Where a reader of places stands.
struct cursor {
	size_t offset;
	struct diag_pos pos;
};

static struct cursor
begin(const struct text *text)
{
	bool marked = text->length >= 3 && memcmp(text->at, "\xef\xbb\xbf", 3) == 0;

	return (struct cursor){.offset = marked ? 3 : 0, .pos = {1, 1}};
}

// Moves forward to a place. The parser counts characters, not bytes.
static size_t
move_to(struct cursor *c, const struct text *text, struct diag_pos pos)
{
	while (c->offset < text->length && diag_pos_compare(c->pos, pos) < 0) {
		size_t length = break_length(text, c->offset);

		if (length > 0) {
			c->pos = (struct diag_pos){c->pos.line + 1, 1};
			c->offset += length;
			continue;
		}
		c->pos.column++;
		c->offset++;
		while (c->offset < text->length &&
		       ((unsigned char)text->at[c->offset] & 0xc0) == 0x80)
			c->offset++;
	}
	return c->offset;
}

// Where a word itself begins: an anchor and an opening quote stand before it.
static size_t
word_begin(const struct text *text, size_t at)
{
	if (at < text->length && text->at[at] == '&') {
		while (at < text->length && strchr(" \t\r\n", text->at[at]) == NULL)
			at++;
		while (at < text->length && strchr(" \t\r\n", text->at[at]) != NULL)
			at++;
	}
	return at < text->length && strchr("'\"", text->at[at]) != NULL ? at + 1 : at;
}

// The offset at which the old name stands, or SIZE_MAX: it is written with escapes, in several
// lines or behind a comment.
static size_t
find_name(const struct text *text, size_t at, const char *was)
{
	size_t begins = word_begin(text, at), length = strlen(was);

	if (begins > text->length || text->length - begins < length ||
	    memcmp(text->at + begins, was, length) != 0)
		return SIZE_MAX;
	return begins;
}

static void
write_part(FILE *to, const struct text *text, size_t from, size_t end)
{
	fwrite(text->at + from, 1, end - from, to);
}

// Writes `version` before the first key. Returns the offset up to which the text has been written;
// SIZE_MAX: it fits nowhere.
static size_t
write_version(FILE *to, const struct text *text, const struct yaml_node *root)
{
	struct cursor c = begin(text);
	size_t map = move_to(&c, text, root->pos);
	size_t first = move_to(&c, text, root->pairs[0].key_pos), line = first, end;

	map = word_begin(text, map);
	if (map < first && text->at[map] == '{') {
		write_part(to, text, 0, map + 1);
		// JSON stays JSON.
		fputs(text->at[first] == '"' ? "\"version\": " FORMAT_VERSION_TEXT : VERSION, to);
		fputs(break_length(text, map + 1) != 0 ? "," : ", ", to);
		return map + 1;
	}
	while (line > 0 && text->at[line - 1] == ' ')
		line--;
	if (first - line + 1 != root->pairs[0].key_pos.column)
		return SIZE_MAX; // behind the `?` of a key
	write_part(to, text, 0, first);
	fputs(VERSION, to);
	for (end = first; end < text->length && text->at[end] != '\r' && text->at[end] != '\n';
	     end++)
		;
	if (end < text->length)
		write_part(to, text, end, end + break_length(text, end));
	else
		fputc('\n', to);
	write_part(to, text, line, first);
	return first;
}

static int
refuse(const char *name, const struct format_change *change, struct diag *diag)
{
	return diag_error(diag, name, change->pos, change->path,
			  "cannot be replaced here: write %s instead of %s", change->row->now,
			  change->row->was);
}

static int
write_all(FILE *to, const struct text *text, const struct yaml_node *root, struct rewrite *out,
	  const char *name, struct diag *diag)
{
	struct cursor c = begin(text);
	unsigned errors = diag->errors;
	size_t written = 0;

	if (yaml_tree_get(root, "version") == NULL) {
		written = write_version(to, text, root);
		out->marked = written != SIZE_MAX;
		written = out->marked ? written : 0;
	}
	for (unsigned i = 0; i < out->changes.count; i++) {
		const struct format_change *change = &out->changes.items[i];
		size_t at;

		if (change->row->kind == FORMAT_DEFAULT)
			continue;
		at = find_name(text, move_to(&c, text, change->pos), change->row->was);
		if (at == SIZE_MAX) {
			refuse(name, change, diag);
			continue;
		}
		write_part(to, text, written, at);
		fputs(change->row->now, to);
		written = at + strlen(change->row->was);
		out->renamed++;
	}
	write_part(to, text, written, text->length);
	return diag->errors > errors ? -EINVAL : 0;
}

// Whether the new text is the old file with its present names.
static bool
is_same(struct rewrite *out, struct yaml_node *root)
{
	struct format_changes left;
	struct yaml_node *again;
	struct diag ignored = {0};
	bool same = yaml_tree_parse(&again, &out->arena, out->text, out->length, "", &ignored) ==
			    0 &&
		    again->kind == YAML_MAP &&
		    format_upgrade(again, &out->arena, "", &left, &ignored) == 0;

	for (unsigned i = 0; same && i < left.count; i++)
		same = left.items[i].row->kind == FORMAT_DEFAULT;
	if (same) {
		format_mark(root, &out->arena);
		format_mark(again, &out->arena);
		same = yaml_tree_equal(root, again);
	}
	diag_free(&ignored);
	return same;
}

int
rewrite_text(struct rewrite *out, const char *text, size_t length, const char *name,
	     struct diag *diag)
{
	const struct text from = {text, length};
	struct yaml_node *root;
	FILE *to;
	int rc;

	*out = (struct rewrite){0};
	rc = yaml_tree_parse(&root, &out->arena, text, length, name, diag);
	if (rc == 0 && root->kind != YAML_MAP)
		rc = diag_error(diag, name, root->pos, NULL,
				"is no configuration: it must begin with keys such as \"fabric:\"");
	if (rc == 0)
		rc = format_upgrade(root, &out->arena, name, &out->changes, diag);
	if (rc != 0 || out->changes.count == 0)
		return rc;
	to = memory_stream_open(&out->text, &out->length);
	rc = write_all(to, &from, root, out, name, diag);
	fclose(to);
	if (rc == 0 && !is_same(out, root))
		rc = diag_error(diag, name, root->pos, NULL,
				"cannot be rewritten: give the keys their present names by hand, "
				"as `roost check` lists them");
	if (rc == 0 && out->renamed == 0 && !out->marked) {
		free(out->text);
		out->text = NULL;
	}
	return rc;
}

void
rewrite_free(struct rewrite *out)
{
	arena_free(&out->arena);
	free(out->text);
	*out = (struct rewrite){0};
}
