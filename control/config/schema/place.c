// SPDX-License-Identifier: BSD-3-Clause
// From a place in the schema to the next: a key, a number, a name. Where a file has a name (a node,
// a tenant) or a number, the schema has what stands for all of them, and so has a place's path.
#include "describe.h"

#include "control/config/scalar.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#define NAME_PATTERN "^[A-Za-z0-9][A-Za-z0-9_-]*$"
#define NUMBER_WORD "N"
#define CANDIDATES_MAX 128

struct describe_place
describe_root(bool fabric)
{
	return (struct describe_place){
		.help = fabric ? "a fabric's file" : "the file of one switch",
		.form = {SCHEMA_MAP, .sub = fabric ? &schema_fabric_file : &schema_switch_file},
	};
}

static bool
matches(const char *pattern, const char *word)
{
	regex_t regex;
	bool matched;

	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		return false;
	matched = regexec(&regex, word, 0, NULL, 0) == 0;
	regfree(&regex);
	return matched;
}

// What a list's item or a map's value is.
static struct schema_form
item_form(const struct schema_form *form)
{
	return form->item != NULL ? *form->item
				  : (struct schema_form){SCHEMA_MAP, .sub = form->sub};
}

void
describe_join(char out[static DESCRIBE_PATH_MAX], const char *path, const char *word)
{
	size_t used = strnlen(path, DESCRIBE_PATH_MAX - 1);

	memmove(out, path, used);
	if (used > 0 && used < DESCRIBE_PATH_MAX - 1)
		out[used++] = '.';
	snprintf(out + used, DESCRIBE_PATH_MAX - used, "%s", word);
}

static int
step_to_key(const struct describe_place *from, const struct schema *schema, const char *word,
	    struct describe_place *to)
{
	const struct schema_key *key = schema_find(schema, word);

	if (key == NULL)
		return -ENOENT;
	*to = *from;
	describe_join(to->path, to->path, word);
	to->help = key->help;
	to->schema = schema;
	to->key = key;
	to->form = describe_form(key);
	to->live = (from->live && !(key->flags & SCHEMA_FIXED)) || key->flags & SCHEMA_LIVE;
	to->any_name = false;
	return 0;
}

// Any name will do for a node that the topology lists, but one that is nearly a key is meant so.
static bool
is_near_key(const struct schema *schema, const char *word)
{
	const char *names[CANDIDATES_MAX];
	unsigned count = 0;

	for (; count < schema->count && count < CANDIDATES_MAX; count++)
		names[count] = schema->keys[count].name;
	return config_suggest(word, names, count) != NULL;
}

static int
step_to_other(const struct describe_place *from, const struct schema *schema, const char *word,
	      struct describe_place *to)
{
	const struct schema_others *other = schema->others;

	for (; other != NULL && other->pattern != NULL; other++) {
		if (strcmp(word, other->name) != 0 &&
		    (!matches(other->pattern, word) ||
		     (other->listed && is_near_key(schema, word))))
			continue;
		*to = *from;
		describe_join(to->path, to->path, other->name);
		to->help = other->help;
		to->schema = NULL;
		to->key = NULL;
		to->form = other->form;
		to->live = other->live;
		to->any_name = other->listed;
		return 0;
	}
	return -ENOENT;
}

static int
step_into_map(const struct describe_place *from, const struct schema *schema, const char *word,
	      struct describe_place *to)
{
	if (schema == NULL)
		return -ENOENT;
	if (step_to_key(from, schema, word, to) == 0)
		return 0;
	if (schema->beside != NULL && step_to_key(from, schema->beside, word, to) == 0)
		return 0;
	return step_to_other(from, schema, word, to);
}

// To a value of a map by number or by name, or to an item of a list.
static void
step_to_item(const struct describe_place *from, const struct schema_form *form, const char *word,
	     struct describe_place *to)
{
	*to = *from;
	if (word != NULL)
		describe_join(to->path, to->path, word);
	to->schema = NULL;
	to->key = NULL;
	to->form = item_form(form);
}

static bool
is_number(const char *word)
{
	char why[SCALAR_WHY];
	unsigned number;

	return strcmp(word, NUMBER_WORD) == 0 ||
	       scalar_index(word, CONFIG_PRIORITIES, &number, why) == 0;
}

static const char *
name_word(const struct schema_form *form)
{
	return form->words != NULL ? form->words : "NAME";
}

int
describe_step(const struct describe_place *from, const char *word, struct describe_place *to)
{
	for (const struct schema_form *form = &from->form; form != NULL; form = form->other) {
		struct describe_place item;
		const char *pattern = form->pattern != NULL ? form->pattern : NAME_PATTERN;

		if ((form->type == SCHEMA_MAP || form->type == SCHEMA_SECTION) &&
		    step_into_map(from, form->sub, word, to) == 0)
			return 0;
		if (form->type == SCHEMA_NUMBERED && is_number(word)) {
			step_to_item(from, form, NUMBER_WORD, to);
			return 0;
		}
		if (form->type == SCHEMA_NAMED &&
		    (strcmp(word, name_word(form)) == 0 || matches(pattern, word))) {
			step_to_item(from, form, name_word(form), to);
			return 0;
		}
		if (form->type != SCHEMA_LIST)
			continue;
		step_to_item(from, form, NULL, &item);
		if (describe_step(&item, word, to) == 0)
			return 0;
	}
	return -ENOENT;
}

bool
describe_is_deeper(const struct schema_form *form)
{
	for (; form != NULL; form = form->other) {
		struct schema_form item;

		if (form->type == SCHEMA_MAP || form->type == SCHEMA_NUMBERED ||
		    form->type == SCHEMA_NAMED ||
		    (form->type == SCHEMA_SECTION && form->sub != NULL))
			return true;
		if (form->type != SCHEMA_LIST)
			continue;
		item = item_form(form);
		if (describe_is_deeper(&item))
			return true;
	}
	return false;
}

// ---- what may follow ----------------------------------------------------------------------------

static void
list_keys(const struct describe_place *place, const struct schema *schema, describe_next_fn *each,
	  void *context)
{
	for (unsigned i = 0; i < schema->count; i++) {
		const struct schema_key *key = &schema->keys[i];
		struct schema_form form = describe_form(key);

		each(context, &(struct describe_next){
				      .word = key->name,
				      .help = key->help,
				      .deeper = describe_is_deeper(&form),
				      .live = (place->live && !(key->flags & SCHEMA_FIXED)) ||
					      key->flags & SCHEMA_LIVE,
			      });
	}
}

static void
list_others(const struct schema *schema, describe_next_fn *each, void *context)
{
	const struct schema_others *other = schema->others;

	for (; other != NULL && other->pattern != NULL; other++)
		each(context, &(struct describe_next){
				      .word = other->name,
				      .help = other->help,
				      .is_name = true,
				      .deeper = true,
				      .live = other->live,
			      });
}

void
describe_list_next(const struct describe_place *place, describe_next_fn *each, void *context)
{
	for (const struct schema_form *form = &place->form; form != NULL; form = form->other) {
		struct describe_next next = {.help = place->help, .live = place->live};
		struct schema_form item;
		char number[2] = "0";

		if ((form->type == SCHEMA_MAP || form->type == SCHEMA_SECTION) &&
		    form->sub != NULL) {
			list_keys(place, form->sub, each, context);
			if (form->sub->beside != NULL)
				list_keys(place, form->sub->beside, each, context);
			list_others(form->sub, each, context);
			continue;
		}
		item = item_form(form);
		next.deeper = describe_is_deeper(&item);
		next.is_number = true;
		next.word = number;
		for (; form->type == SCHEMA_NUMBERED && number[0] < '0' + CONFIG_PRIORITIES;
		     number[0]++)
			each(context, &next);
		next.is_number = false;
		next.word = name_word(form);
		next.is_name = true;
		if (form->type == SCHEMA_NAMED)
			each(context, &next);
		if (form->type == SCHEMA_LIST) {
			struct describe_place inside = *place;

			inside.form = item;
			describe_list_next(&inside, each, context);
		}
	}
}
