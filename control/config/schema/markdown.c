// SPDX-License-Identifier: BSD-3-Clause
// The schema as a page for readers, doc/reference.md: a table for each section. Maps within a
// section are rows of its table, by keys with dots; what is there by name or number, and items of
// lists, have a table of their own behind it. Keys that two sections share are listed once.
#include "describe.h"

#include "control/config/scalar.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SECTIONS_MAX 128

struct section {
	const struct schema *schema;
	char heading[DESCRIBE_PATH_MAX];
	char path[DESCRIBE_PATH_MAX];
};

struct page {
	FILE *to;
	const char *mark; // behind the headings of one of the two kinds of file
	struct section sections[SECTIONS_MAX]; // printed, or to be printed
	unsigned count;
};

// GitHub's anchor of a heading.
static void
print_anchor(FILE *to, const char *heading)
{
	for (; *heading != '\0'; heading++) {
		if (isalnum((unsigned char)*heading) || *heading == '-' || *heading == '_')
			fputc(tolower((unsigned char)*heading), to);
		else if (*heading == ' ')
			fputc('-', to);
	}
}

static void
print_cell(FILE *to, const char *text)
{
	for (; *text != '\0'; text++)
		fprintf(to, *text == '|' ? "\\%c" : "%c", *text);
}

// The section of a map, added at the end if the page has none for it yet.
static const struct section *
page_section(struct page *page, const struct schema *schema, const char *path)
{
	struct section *section = page->sections;

	for (; section < page->sections + page->count; section++)
		if (section->schema == schema)
			return section;
	if (page->count == SECTIONS_MAX)
		return NULL;
	page->count++;
	section->schema = schema;
	snprintf(section->path, sizeof(section->path), "%s", path);
	snprintf(section->heading, sizeof(section->heading), "%.200s%s", path, page->mark);
	return section;
}

static void
print_link(FILE *to, const struct section *section)
{
	fprintf(to, "[%s](#", section->heading);
	print_anchor(to, section->heading);
	fputs(")", to);
}

// ---- rows ---------------------------------------------------------------------------------------

static void
print_meaning(struct page *page, const struct schema *schema, const struct schema_key *key,
	      const struct section *section)
{
	print_cell(page->to, key->help);
	if (key->kinds != 0) {
		fputs(" (", page->to);
		describe_kinds(page->to, schema, key->kinds);
		fputs(")", page->to);
	}
	if (section != NULL) {
		fputs(": ", page->to);
		print_link(page->to, section);
	}
}

static void
print_row(struct page *page, const struct schema *schema, const struct schema_key *key,
	  const char *path, const struct section *section)
{
	fprintf(page->to, "| `%s` | ", path);
	describe_type(page->to, key, true);
	fputs(" | ", page->to);
	describe_range(page->to, key, "");
	fputs(" | ", page->to);
	describe_default(page->to, schema, key, true);
	fputs(" | ", page->to);
	print_meaning(page, schema, key, section);
	fputs(" |\n", page->to);
}

// The map that a value is, or that its parts are, and where that stands.
static const struct schema *
inner_map(const struct schema_form *form, char path[static DESCRIBE_PATH_MAX])
{
	for (; form != NULL; form = form->other) {
		const struct schema_form *item = form->item;
		char name[DESCRIBE_PATH_MAX];

		while (item != NULL && item->sub == NULL)
			item = item->other;
		if (item == NULL && (form->item != NULL || form->sub == NULL))
			continue;
		memcpy(name, path, sizeof(name));
		if (form->type == SCHEMA_NUMBERED)
			describe_join(path, name, "N");
		else if (form->type == SCHEMA_NAMED)
			describe_join(path, name, form->words != NULL ? form->words : "NAME");
		return item != NULL ? item->sub : form->sub;
	}
	return NULL;
}

static void
print_others(struct page *page, const struct schema *schema, const char *path, const char *before)
{
	const struct schema_others *other = schema->others;

	for (; other != NULL && other->pattern != NULL; other++) {
		char shown[DESCRIBE_PATH_MAX], full[DESCRIBE_PATH_MAX];

		describe_join(shown, before, other->name);
		describe_join(full, path, other->name);
		fprintf(page->to, "| `%s` | map |  |  | ", shown);
		print_cell(page->to, other->help);
		for (const struct schema_form *form = &other->form; form; form = form->other) {
			fputs(form == &other->form ? ": as " : " or ", page->to);
			print_link(page->to, page_section(page, form->sub, full));
		}
		fputs(" |\n", page->to);
	}
}

// path: of the map; before: what stands before its keys in this table.
static void
print_keys(struct page *page, const struct schema *schema, const char *path, const char *before)
{
	for (unsigned i = 0; i < schema->count; i++) {
		const struct schema_key *key = &schema->keys[i];
		struct schema_form form = describe_form(key);
		char shown[DESCRIBE_PATH_MAX], full[DESCRIBE_PATH_MAX];
		const struct section *section = NULL;
		const struct schema *inner;

		describe_join(shown, before, key->name);
		describe_join(full, path, key->name);
		inner = inner_map(&form, full);
		// A map within a section is part of its table.
		if (inner != NULL && (key->type != SCHEMA_MAP || path[0] == '\0'))
			section = page_section(page, inner, full);
		print_row(page, schema, key, shown, section);
		if (inner != NULL && section == NULL)
			print_keys(page, inner, full, shown);
	}
	print_others(page, schema, path, before);
}

// ---- sections -----------------------------------------------------------------------------------

static void
print_telling(FILE *to, const struct schema *schema)
{
	const char *word;
	uint32_t bit;

	if (schema->kind_keys == NULL)
		return;
	fputs("An item has one of ", to);
	for (unsigned i = 0; describe_kind(schema, i, &word, &bit); i++)
		fprintf(to, "%s`%s`", i > 0 ? ", " : "", word);
	fputs(": that key decides what the item is, and which other keys it has.\n\n", to);
}

static void
print_table(struct page *page, const struct schema *schema, const char *path)
{
	print_telling(page->to, schema);
	fputs("| Key | Value | Range | Default | Meaning |\n| --- | --- | --- | --- | --- |\n",
	      page->to);
	print_keys(page, schema, path, "");
	if (schema->beside == NULL)
		return;
	fputs("\nBeside these it has the keys of ", page->to);
	print_link(page->to, page_section(page, schema->beside, path));
	fputs(".\n", page->to);
}

// The sections from `first` on, each with those that it is the first to need.
static void
print_sections(struct page *page, unsigned first, const char *level)
{
	unsigned end = page->count;

	for (unsigned i = first; i < end; i++) {
		unsigned next = page->count;
		char path[DESCRIBE_PATH_MAX];

		memcpy(path, page->sections[i].path, sizeof(path));
		fprintf(page->to, "\n%s %s\n\n", level, page->sections[i].heading);
		print_table(page, page->sections[i].schema, path);
		print_sections(page, next, "###");
	}
}

static void
print_file(struct page *page, const struct schema *schema, const char *heading, const char *mark)
{
	unsigned first = page->count;

	page->mark = mark;
	fprintf(page->to, "\n## %s\n\n", heading);
	print_table(page, schema, "");
	print_sections(page, first, "##");
}

void
describe_markdown(FILE *to)
{
	static const enum schema_type numbers[] = {SCHEMA_BYTES, SCHEMA_RATE, SCHEMA_DURATION,
						   SCHEMA_CABLE, SCHEMA_PERCENT};
	struct page page = {.to = to};

	fputs("# Reference of keys\n\n"
	      "This page lists every key that a file may have. `roost schema --markdown` prints "
	      "this page, and `roost help KEY` prints the same for one key. "
	      "[configuration.md](configuration.md) explains the structure of files.\n\n"
	      "Write these values with a unit, without a blank in between:\n\n",
	      to);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		fprintf(to, "- %s: %s\n", schema_type_name(numbers[i]),
			scalar_unit_list(schema_unit(numbers[i])));
	fputs("\nA dot stands for nesting: `topology.kind` is `topology: {kind: ...}`. Brackets "
	      "after a meaning list the kinds of item that have the key. You can write a list of "
	      "one word as that word alone.\n",
	      to);
	print_file(&page, &schema_fabric_file, "The file of a fabric", "");
	print_file(&page, &schema_switch_file, "The file of one switch", " (one switch)");
}
