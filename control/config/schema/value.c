// SPDX-License-Identifier: BSD-3-Clause
// The value of a key in words: its type, unit, range and default. A key that can be written in
// several ways has them one after the other.
#include "describe.h"

#include "control/config/scalar.h"

#define AMOUNT(kind) (1u << CONFIG_AMOUNT_##kind)

struct schema_form
describe_form(const struct schema_key *key)
{
	if (key->form != NULL)
		return *key->form;
	return (struct schema_form){
		.type = key->type,
		.min = key->min,
		.max = key->max,
		.choices = key->choices,
		.sub = key->sub,
	};
}

static void
print_word(FILE *to, const char *word, bool quote)
{
	fprintf(to, quote ? "`%s`" : "%s", word);
}

static void
print_choices(FILE *to, const struct schema_choice *choices, bool quote)
{
	const char *between = "";

	for (; choices->name != NULL; choices++) {
		fputs(between, to);
		print_word(to, choices->name, quote);
		between = ", ";
	}
}

static void
print_form(FILE *to, const struct schema_form *form, bool quote)
{
	if (form->type == SCHEMA_LIST) {
		fputs(form->item == NULL || form->item->type == SCHEMA_MAP ? "list of maps"
									   : "list of ",
		      to);
		if (form->item != NULL && form->item->type != SCHEMA_MAP)
			print_form(to, form->item, quote);
		else if (form->item != NULL && form->item->other != NULL) {
			fputs(" or ", to);
			print_form(to, form->item->other, quote);
		}
	} else if (form->type == SCHEMA_NAMED && form->item != NULL) {
		fprintf(to, "map of %s to ", form->words != NULL ? form->words : "name");
		print_form(to, form->item, quote);
	} else if (form->words != NULL) {
		fputs(form->words, to);
	} else if (form->choices != NULL) {
		print_choices(to, form->choices, quote);
	} else {
		fputs(schema_type_name(form->type), to);
	}
	if (form->other != NULL && form->type != SCHEMA_LIST) {
		fputs(", or ", to);
		print_form(to, form->other, quote);
	} else if (form->other != NULL) {
		fputs("; or ", to);
		print_form(to, form->other, quote);
	}
}

static void
print_amounts(FILE *to, unsigned amounts, bool quote)
{
	const char *between = "";

	for (const struct scalar_amount_form *f = scalar_amount_forms; f->name != NULL; f++) {
		if (!(amounts & 1u << f->kind))
			continue;
		fputs(between, to);
		print_word(to, f->name, quote && f->is_word);
		between = ", ";
	}
}

void
describe_type(FILE *to, const struct schema_key *key, bool quote)
{
	struct schema_form form = describe_form(key);

	if (key->form == NULL && key->type == SCHEMA_AMOUNT)
		print_amounts(to, key->amounts, quote);
	else if (key->flags & SCHEMA_HOSTS)
		fputs("list of hosts, such as h1 or h1-h8", to);
	else
		print_form(to, &form, quote);
	if (key->form == NULL && key->word != NULL) {
		fputs(" or ", to);
		print_word(to, key->word, quote);
	}
}

// ---- ranges -------------------------------------------------------------------------------------

static const char *
bound_text(enum schema_type type, int64_t value, char out[static CONFIG_TEXT])
{
	if (type != SCHEMA_INTEGER)
		return config_number_text(schema_unit(type), (uint64_t)value, out);
	snprintf(out, CONFIG_TEXT, "%lld", (long long)value);
	return out;
}

static bool
print_bounds(FILE *to, const struct schema_form *form, const char *before)
{
	bool number = form->type == SCHEMA_INTEGER || form->type == SCHEMA_RATE ||
		      form->type == SCHEMA_BYTES || form->type == SCHEMA_DURATION;
	char least[CONFIG_TEXT], most[CONFIG_TEXT];

	if (form->type == SCHEMA_PERCENT)
		return fprintf(to, "%s0%% to 100%%", before) > 0;
	if (form->type == SCHEMA_NUMBERED)
		return fprintf(to, "%s0 to %d", before, CONFIG_PRIORITIES - 1) > 0;
	if (!number || form->max == 0)
		return false;
	bound_text(form->type, form->min, least);
	if (form->max == INT64_MAX)
		return fprintf(to, "%s%s or more", before, least) > 0;
	return fprintf(to, "%s%s to %s", before, least, bound_text(form->type, form->max, most)) >
	       0;
}

static bool
print_count(FILE *to, const struct schema_form *form, const char *before)
{
	if (form->min == 0 && form->max == 0)
		return false;
	fputs(before, to);
	if (form->max == 0)
		fprintf(to, "%d at least", (int)form->min);
	else if (form->min == 0)
		fprintf(to, "%d at most", (int)form->max);
	else
		fprintf(to, "%d to %d of them", (int)form->min, (int)form->max);
	return true;
}

static bool
print_form_range(FILE *to, const struct schema_form *form, const char *before)
{
	const char *next = before;

	if (print_bounds(to, form, next))
		next = "; ";
	if (form->item != NULL && print_form_range(to, form->item, next))
		next = "; ";
	if (form->type == SCHEMA_LIST && print_count(to, form, next))
		next = "; ";
	if (form->other != NULL && print_form_range(to, form->other, next))
		next = "; ";
	return next != before;
}

bool
describe_range(FILE *to, const struct schema_key *key, const char *before)
{
	struct schema_form form = describe_form(key);

	if (key->type == SCHEMA_NAMES)
		return key->min > 0 && fprintf(to, "%s%d at least", before, (int)key->min) > 0;
	return print_form_range(to, &form, before);
}

static bool
print_unit(FILE *to, enum schema_type type, const char *before)
{
	int kind = type != SCHEMA_CABLE ? schema_unit(type) : -1;

	return kind >= 0 && fprintf(to, "%s%s", before, scalar_unit_list(kind)) > 0;
}

bool
describe_unit(FILE *to, const struct schema_key *key)
{
	struct schema_form first = describe_form(key);
	const struct schema_form *form = &first;
	const char *before = "";

	if (key->form == NULL && key->type == SCHEMA_AMOUNT) {
		if (key->amounts & AMOUNT(BYTES) && print_unit(to, SCHEMA_BYTES, before))
			before = "; ";
		if (key->amounts & AMOUNT(PERCENT) && print_unit(to, SCHEMA_PERCENT, before))
			before = "; ";
		return before[0] != '\0';
	}
	for (; form != NULL; form = form->other) {
		const struct schema_form *inner = form;

		while (inner->item != NULL)
			inner = inner->item;
		if (print_unit(to, inner->type, before))
			before = "; ";
	}
	return before[0] != '\0';
}

// ---- defaults and kinds -------------------------------------------------------------------------

const struct schema_choice *
describe_kind_choices(const struct schema *schema)
{
	for (unsigned i = 0; i < schema->count; i++)
		if (schema->keys[i].type == SCHEMA_SECTION && schema->keys[i].choices != NULL)
			return schema->keys[i].choices;
	return NULL;
}

bool
describe_kind(const struct schema *schema, unsigned i, const char **word, uint32_t *bit)
{
	const struct schema_choice *choices = describe_kind_choices(schema);

	*word = NULL;
	*bit = 1u << i;
	if (schema->kind_keys != NULL) {
		*word = schema->kind_keys[i];
	} else if (choices != NULL) {
		*word = choices[i].name;
		*bit = 1u << choices[i].value;
	}
	return *word != NULL;
}

bool
describe_kinds(FILE *to, const struct schema *schema, uint32_t kinds)
{
	const char *word, *between = "";
	uint32_t bit;

	for (unsigned i = 0; kinds != 0 && describe_kind(schema, i, &word, &bit); i++) {
		if (!(kinds & bit))
			continue;
		fprintf(to, "%s%s", between, word);
		between = ", ";
	}
	return between[0] != '\0';
}

bool
describe_default(FILE *to, const struct schema *schema, const struct schema_key *key, bool quote)
{
	if (key->required != 0) {
		fputs("needed", to);
		if (key->kinds != 0 && key->required != key->kinds) {
			fputs(" (", to);
			describe_kinds(to, schema, key->required);
			fputs(")", to);
		}
		return true;
	}
	if (key->type == SCHEMA_SECTION && key->choices != NULL)
		return fputs("needed", to) >= 0;
	if (schema_default(schema, key) == NULL)
		return false;
	print_word(to, key->def, quote);
	return true;
}
