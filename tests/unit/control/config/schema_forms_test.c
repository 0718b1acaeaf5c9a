// SPDX-License-Identifier: BSD-3-Clause
// What must hold of every key of the table, wherever it stands, so that all that is made of the
// table can be made.
#include "control/config/schema.h"

#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SCHEMAS_MAX 256

// Those that were met. A schema is looked at once.
static const struct schema *met[SCHEMAS_MAX];
static unsigned met_count, key_count;

static void look_at_schema(const struct schema *schema);

static void
must_compile(const char *pattern)
{
	regex_t regex;

	assert_int_equal(pattern[0], '^');
	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
	regfree(&regex);
}

static void
look_at_form(const struct schema_form *form)
{
	for (; form != NULL; form = form->other) {
		assert_int_not_equal(form->type, SCHEMA_CUSTOM);
		assert_int_not_equal(form->type, SCHEMA_AMOUNT);
		if (form->pattern != NULL)
			must_compile(form->pattern);
		if (form->type == SCHEMA_MAP)
			assert_non_null(form->sub);
		if (form->type == SCHEMA_ENUM)
			assert_non_null(form->choices);
		if (form->type == SCHEMA_NAMED || form->type == SCHEMA_LIST)
			assert_true(form->item != NULL || form->sub != NULL);
		// What a pattern is like is said in words.
		if (form->type == SCHEMA_TEXT && form->pattern != NULL)
			assert_non_null(form->words);
		if (form->sub != NULL)
			look_at_schema(form->sub);
		if (form->item != NULL)
			look_at_form(form->item);
	}
}

static void
look_at_key(const struct schema *schema, const struct schema_key *key)
{
	bool excluded = key->excludes == NULL;

	key_count++;
	if (key->help == NULL || key->help[0] == '\0')
		fail_msg("%s has no help", key->name);
	if (key->help[strlen(key->help) - 1] == '.')
		fail_msg("the help of %s ends with a full stop", key->name);
	if (key->type == SCHEMA_CUSTOM && key->form == NULL)
		fail_msg("%s is decoded by a function, and no form says what it may be", key->name);
	if (key->type == SCHEMA_SECTION && key->sub == NULL && key->choices == NULL)
		fail_msg("%s is read elsewhere: sub or choices are to say what it may be",
			 key->name);
	for (unsigned i = 0; i < schema->count && key->excludes != NULL; i++)
		excluded |= strcmp(schema->keys[i].name, key->excludes) == 0;
	if (!excluded)
		fail_msg("%s excludes %s, which is no key beside it", key->name, key->excludes);
	if (key->kinds != 0 && schema->select == NULL)
		fail_msg("%s is of some kinds of item, which nothing tells", key->name);
	look_at_form(key->form);
	if (key->sub != NULL)
		look_at_schema(key->sub);
}

static void
look_at_schema(const struct schema *schema)
{
	const struct schema_others *other;

	for (unsigned i = 0; i < met_count; i++)
		if (met[i] == schema)
			return;
	assert_true(met_count < SCHEMAS_MAX);
	met[met_count++] = schema;
	for (unsigned i = 0; i < schema->count; i++)
		look_at_key(schema, &schema->keys[i]);
	for (other = schema->others; other != NULL && other->pattern != NULL; other++) {
		must_compile(other->pattern);
		assert_non_null(other->help);
		look_at_form(&other->form);
	}
	if (schema->beside != NULL)
		look_at_schema(schema->beside);
}

static void
every_key_says_what_it_is(void **state)
{
	(void)state;
	look_at_schema(&schema_fabric_file);
	look_at_schema(&schema_switch_file);
	assert_true(met_count > 40);
	assert_true(key_count > 250);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_key_says_what_it_is)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
