// SPDX-License-Identifier: BSD-3-Clause
// Keys and their values, out of the schema. A key is written with dots, switch.qos.tc.3, or its
// parts apart, tenant green hosts.
#include "complete.h"

#include "control/base/memory.h"
#include "control/config/schema/describe.h"

#include <stdlib.h>
#include <string.h>

struct next {
	struct completion *c;
	const struct describe_place *place;
	char before[DESCRIBE_PATH_MAX]; // "switch.qos."
	bool live;                      // only what can change
	bool dotted;                    // parts are joined by dots
};

// The kind of names that a placeholder of the schema stands for.
static bool
names_of(const struct describe_place *place, const char *word, enum names_kind *kind)
{
	static const struct {
		const char *word;
		const char *path; // where it is so; NULL: everywhere
		enum names_kind kind;
	} named[] = {
		{"leafN", NULL, NAMES_SWITCH},     {"spineN", NULL, NAMES_SWITCH},
		{"superN", NULL, NAMES_SWITCH},    {"NODE", NULL, NAMES_SWITCH},
		{"hN", NULL, NAMES_HOST},          {"HOST", NULL, NAMES_HOST},
		{"NAME", "tenants", NAMES_TENANT}, {"NAME", "attach", NAMES_HOST},
	};

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		*kind = named[i].kind;
		if (strcmp(word, named[i].word) == 0 &&
		    (named[i].path == NULL || strcmp(place->path, named[i].path) == 0))
			return true;
	}
	return false;
}

static void
add_part(const struct next *n, const char *word, const char *help, bool deeper)
{
	char part[DESCRIBE_PATH_MAX];
	bool more = deeper && n->dotted;

	snprintf(part, sizeof(part), "%.200s%s", word, more ? "." : "");
	completion_add(n->c, n->before, part, help, more);
}

static void
add_next(void *context, const struct describe_next *next)
{
	const struct next *n = context;
	enum names_kind kind;
	const char *name;
	json_t *ignored;

	if (n->live && !next->live)
		return;
	if (!next->is_name)
		add_part(n, next->word, next->help, next->deeper);
	else if (names_of(n->place, next->word, &kind) &&
		 json_object_size(names_get(&n->c->names, kind)) > 0)
		json_object_foreach(names_get(&n->c->names, kind), name, ignored)
			add_part(n, name, next->help, next->deeper);
	else if (!n->dotted)
		completion_note(n->c, next->word, next->help);
}

static void
add_from(struct next *n, const struct describe_place *place)
{
	n->place = place;
	describe_list_next(place, add_next, n);
}

// `tenant` for `tenants`, where the words stand apart.
static void
add_singular(void *context, const struct describe_next *next)
{
	const struct next *n = context;
	size_t length = strlen(next->word);
	struct describe_place root = describe_root(true), place;
	char word[DESCRIBE_PATH_MAX];

	if ((n->live && !next->live) || next->is_name || next->word[length - 1] != 's' ||
	    describe_step(&root, next->word, &place) != 0 || place.form.type != SCHEMA_NAMED)
		return;
	snprintf(word, sizeof(word), "%.*s", (int)length - 1, next->word);
	completion_add(n->c, "", word, next->help, false);
}

void
complete_key(struct completion *c, bool live)
{
	const char *dot = strrchr(c->word, '.');
	struct next n = {.c = c, .live = live, .dotted = true};
	struct describe_place root = describe_root(true), place;
	char base[DESCRIBE_PATH_MAX], why[DESCRIBE_WHY];

	if (dot != NULL && (size_t)(dot - c->word) + 1 < sizeof(n.before)) {
		memcpy(base, c->word, (size_t)(dot - c->word));
		base[dot - c->word] = '\0';
		snprintf(n.before, sizeof(n.before), "%.254s.", base);
		if (describe_find(base, &place, why, sizeof(why)) == 0)
			add_from(&n, &place);
	} else if (dot == NULL) {
		add_from(&n, &root);
		describe_list_next(&root, add_singular, &n);
	}
}

unsigned
complete_key_words(unsigned count, char *const *words)
{
	struct describe_place place;
	char why[DESCRIBE_WHY];
	int used = describe_find_words((int)count, words, &place, why, sizeof(why));

	return used > 0 ? (unsigned)used : 1;
}

// ---- values -------------------------------------------------------------------------------------

static void
add_choices(struct completion *c, const struct schema_choice *choices)
{
	for (; choices->name != NULL; choices++)
		completion_add(c, "", choices->name, "", false);
}

static void
add_amounts(struct completion *c, unsigned amounts)
{
	if (amounts & 1u << CONFIG_AMOUNT_UNLIMITED)
		completion_add(c, "", "unlimited", "", false);
	if (amounts & 1u << CONFIG_AMOUNT_AUTO)
		completion_add(c, "", "auto", "", false);
	if (amounts & 1u << CONFIG_AMOUNT_NONE)
		completion_add(c, "", "none", "", false);
}

// "duration, 100us to 10s"
static void
note_value(struct completion *c, const struct describe_place *place)
{
	struct schema_key value = {.form = &place->form};
	const struct schema_key *key = place->key != NULL ? place->key : &value;
	char *text = NULL;
	size_t size;
	FILE *to = memory_stream_open(&text, &size);

	describe_type(to, key, false);
	describe_range(to, key, ", ");
	fclose(to);
	completion_note(c, "VALUE", text);
	free(text);
}

// What the schema calls names of the fabric, "HOST|PORT".
static void
complete_names(struct completion *c, const char *names)
{
	while (*names != '\0') {
		size_t length = strcspn(names, "|,");
		struct cli_argument argument = {.kind = cli_kind_named(names, length)};

		complete_argument(c, &argument, "");
		names += length;
		names += strcspn(names, "|");
		names += *names == '|';
	}
}

static void
add_values(struct completion *c, const struct describe_place *place)
{
	const struct schema_key *key = place->key;

	for (const struct schema_form *form = &place->form; form != NULL; form = form->other) {
		const struct schema_form *item =
			form->type == SCHEMA_LIST && form->item != NULL ? form->item : form;

		if (item->type == SCHEMA_BOOL) {
			completion_add(c, "", "on", "", false);
			completion_add(c, "", "off", "", false);
		} else if (item->choices != NULL) {
			add_choices(c, item->choices);
		}
	}
	if (key != NULL && key->form == NULL && key->type == SCHEMA_AMOUNT)
		add_amounts(c, key->amounts);
	if (key != NULL && key->word != NULL)
		completion_add(c, "", key->word, "", false);
	if (key != NULL && key->names != NULL)
		complete_names(c, key->names);
	note_value(c, place);
}

void
complete_after_key(struct completion *c, unsigned count, char *const *words, bool live, bool value)
{
	struct next n = {.c = c, .live = live, .dotted = false};
	struct describe_place place;
	char why[DESCRIBE_WHY];

	if (describe_find_words((int)count, words, &place, why, sizeof(why)) < 0)
		return;
	add_from(&n, &place);
	if (value)
		add_values(c, &place);
}
