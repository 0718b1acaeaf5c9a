// SPDX-License-Identifier: BSD-3-Clause
// JSON Schemas of what is one word of a file. Words that YAML 1.1 takes for truth values (off) and
// numbers (ip: 4) are taken in either guise.
#include "json.h"

#include <string.h>

#define AMOUNT(kind) (1u << CONFIG_AMOUNT_##kind)

json_t *
json_any_of(json_t *ways)
{
	json_t *only = json_array_size(ways) == 1 ? json_incref(json_array_get(ways, 0)) : NULL;

	if (only == NULL)
		return json_pack("{s:o}", "anyOf", ways);
	json_decref(ways);
	return only;
}

json_t *
json_pattern_schema(const char *pattern)
{
	return json_pack("{s:s,s:s}", "type", "string", "pattern", pattern);
}

// "^[0-9]+([.][0-9]+)?(K|M|G|T)$"
json_t *
json_unit_schema(enum scalar_kind kind)
{
	char pattern[120] = "^[0-9]+([.][0-9]+)?(";
	const char *between = "";

	for (const struct scalar_unit *unit = scalar_units(kind); unit->name != NULL; unit++) {
		snprintf(pattern + strlen(pattern), sizeof(pattern) - strlen(pattern), "%s%s",
			 between, unit->name);
		between = "|";
	}
	strncat(pattern, ")$", sizeof(pattern) - strlen(pattern) - 1);
	return json_pattern_schema(pattern);
}

static bool
is_among(const char *word, const char *const *words)
{
	for (; *words != NULL; words++)
		if (strcmp(word, *words) == 0)
			return true;
	return false;
}

static bool
is_true(const char *word)
{
	return is_among(word, (const char *const[]){"on", "true", "yes", NULL});
}

static bool
is_false(const char *word)
{
	return is_among(word, (const char *const[]){"off", "false", "no", NULL});
}

json_t *
json_bool_schema(void)
{
	return json_pack("{s:[b,b,s,s,s,s,s,s]}", "enum", 1, 0, "on", "off", "true", "false", "yes",
			 "no");
}

json_t *
json_word_value(const char *word)
{
	char why[SCALAR_WHY];
	int64_t number;

	if (scalar_integer(word, INT64_MIN, INT64_MAX, &number, why) == 0)
		return json_integer(number);
	if (is_true(word) || is_false(word))
		return json_boolean(is_true(word));
	return json_string(word);
}

// The words themselves, and what YAML may make of them.
json_t *
json_choices_schema(const struct schema_choice *choices)
{
	json_t *words = json_array();
	bool any_true = false, any_false = false;

	for (const struct schema_choice *c = choices; c->name != NULL; c++) {
		json_t *read = json_word_value(c->name);

		json_array_append_new(words, json_string(c->name));
		if (json_is_integer(read))
			json_array_append(words, read);
		any_true |= is_true(c->name);
		any_false |= is_false(c->name);
		json_decref(read);
	}
	if (any_true)
		json_array_append_new(words, json_true());
	if (any_false)
		json_array_append_new(words, json_false());
	return json_pack("{s:o}", "enum", words);
}

json_t *
json_amounts_schema(unsigned amounts)
{
	static const struct {
		unsigned amount;
		const char *word;
	} words[] = {
		{AMOUNT(UNLIMITED), "unlimited"}, {AMOUNT(AUTO), "auto"}, {AMOUNT(NONE), "none"}};
	json_t *ways = json_array();

	if (amounts & AMOUNT(BYTES))
		json_array_append_new(ways, json_unit_schema(SCALAR_BYTES));
	if (amounts & AMOUNT(PERCENT))
		json_array_append_new(ways, json_unit_schema(SCALAR_PERCENT));
	if (amounts & AMOUNT(ALPHA))
		json_array_append_new(ways, json_form_schema(NULL, &schema_form_alpha, ""));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (amounts & words[i].amount)
			json_array_append_new(ways, json_pack("{s:s}", "const", words[i].word));
	return json_any_of(ways);
}

json_t *
json_integer_schema(const struct schema_form *form)
{
	return json_pack("{s:s,s:I,s:I}", "type", "integer", "minimum", (json_int_t)form->min,
			 "maximum", (json_int_t)form->max);
}

// A name of letters and digits may be a number to YAML.
json_t *
json_name_schema(const char *pattern)
{
	return json_pack("{s:[s,s],s:s}", "type", "string", "integer", "pattern", pattern);
}

json_t *
json_text_schema(const struct schema_form *form)
{
	if (form->pattern != NULL)
		return json_pattern_schema(form->pattern);
	return json_pack("{s:[s,s,s],s:i}", "type", "string", "number", "boolean", "minLength", 1);
}
