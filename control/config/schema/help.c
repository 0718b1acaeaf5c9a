// SPDX-License-Identifier: BSD-3-Clause
// What --help prints for a key: its type, unit, range and default; of a map its keys.
#include "describe.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

#define WORD_WIDTH 18

enum part { PART_TYPE, PART_UNIT, PART_RANGE, PART_DEFAULT, PART_NEEDED, PART_KINDS };

static void
print_part(FILE *to, const struct describe_place *place, enum part part)
{
	switch (part) {
	case PART_TYPE:
		describe_type(to, place->key, false);
		break;
	case PART_UNIT:
		describe_unit(to, place->key);
		break;
	case PART_RANGE:
		describe_range(to, place->key, "");
		break;
	case PART_DEFAULT:
		if (schema_default(place->schema, place->key) != NULL)
			fputs(place->key->def, to);
		break;
	case PART_NEEDED:
		if (place->key->required != 0 && place->key->kinds == 0)
			fputs("yes", to);
		else if (place->key->required != 0)
			describe_kinds(to, place->schema, place->key->required);
		break;
	case PART_KINDS:
		describe_kinds(to, place->schema, place->key->kinds);
	}
}

// A line "  NAME  TEXT" for each part that there is something to say of.
static void
print_parts(FILE *to, const struct describe_place *place)
{
	static const char *const names[] = {
		[PART_TYPE] = "type",       [PART_UNIT] = "unit",     [PART_RANGE] = "range",
		[PART_DEFAULT] = "default", [PART_NEEDED] = "needed", [PART_KINDS] = "of",
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *text;
		size_t size;
		FILE *memory = memory_stream_open(&text, &size);

		print_part(memory, place, i);
		fclose(memory);
		if (size > 0)
			fprintf(to, "  %-8s %s\n", names[i], text);
		free(text);
	}
}

static void
print_next(void *context, const struct describe_next *next)
{
	FILE *to = context;
	bool first = next->is_number && strcmp(next->word, "0") == 0;

	if (first)
		fprintf(to, "  %-*s %s\n", WORD_WIDTH, "0 to 7", next->help);
	else if (!next->is_number)
		fprintf(to, "  %-*s %s\n", WORD_WIDTH, next->word, next->help);
}

void
describe_help(FILE *to, const struct describe_place *place)
{
	fprintf(to, "%s: %s\n", place->path, place->help);
	if (place->key != NULL) {
		print_parts(to, place);
	} else if (!describe_is_deeper(&place->form)) {
		struct schema_key value = {.form = &place->form};
		struct describe_place alone = *place;

		alone.key = &value;
		print_parts(to, &alone);
	}
	fprintf(to, "  %-8s %s\n", "live",
		place->live ? "`roost set` changes it while a fabric runs"
			    : "it stays as the file has it while a fabric runs");
	if (!describe_is_deeper(&place->form))
		return;
	fputs("keys:\n", to);
	describe_list_next(place, print_next, to);
}
