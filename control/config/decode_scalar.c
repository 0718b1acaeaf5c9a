// SPDX-License-Identifier: BSD-3-Clause
// The types that are one word, or a list of names.
#include "decode.h"

#include "control/base/memory.h"
#include "host_range.h"
#include "scalar.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void
decode_store(void *at, size_t size, int64_t value)
{
	switch (size) {
	case 1:
		memcpy(at, &(int8_t){value}, 1);
		break;
	case 2:
		memcpy(at, &(int16_t){value}, 2);
		break;
	case 4:
		memcpy(at, &(int32_t){value}, 4);
		break;
	default:
		memcpy(at, &value, 8);
	}
}

// What descriptions call a type, and the unit of its numbers.
static const struct {
	const char *name;
	bool has_unit;
	enum scalar_kind unit;
} types[] = {
	[SCHEMA_SECTION] = {"map"},
	[SCHEMA_BOOL] = {"on or off"},
	[SCHEMA_INTEGER] = {"integer"},
	[SCHEMA_RATE] = {"rate", true, SCALAR_RATE},
	[SCHEMA_BYTES] = {"size", true, SCALAR_BYTES},
	[SCHEMA_DURATION] = {"duration", true, SCALAR_DURATION},
	[SCHEMA_PERCENT] = {"percentage", true, SCALAR_PERCENT},
	[SCHEMA_ENUM] = {"word"},
	[SCHEMA_AMOUNT] = {"amount"},
	[SCHEMA_NAME] = {"name"},
	[SCHEMA_TEXT] = {"text"},
	[SCHEMA_NAMES] = {"list of names"},
	[SCHEMA_PREFIX] = {"prefix"},
	[SCHEMA_MAC] = {"MAC address"},
	[SCHEMA_CABLE] = {"length of a cable", true, SCALAR_CABLE},
	[SCHEMA_MAP] = {"map"},
	[SCHEMA_NUMBERED] = {"map by number"},
	[SCHEMA_LIST] = {"list"},
	[SCHEMA_NAMED] = {"map by name"},
	[SCHEMA_CUSTOM] = {"value"},
};

const char *
schema_type_name(enum schema_type type)
{
	return types[type].name;
}

int
schema_unit(enum schema_type type)
{
	return types[type].has_unit ? (int)types[type].unit : -1;
}

const char *
schema_choice_name(const struct schema_choice *choices, int value)
{
	for (; choices->name != NULL; choices++)
		if (choices->value == value)
			return choices->name;
	return "?";
}

const char *
decode_choices(const struct schema_choice *choices, char out[static DECODE_CHOICES])
{
	size_t used = 0;

	for (const struct schema_choice *c = choices; c->name != NULL && used < DECODE_CHOICES; c++)
		used += snprintf(out + used, DECODE_CHOICES - used, "%s%s", used ? ", " : "",
				 c->name);
	return out;
}

static void
decode_enum(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	    const char *text, void *at)
{
	const char *names[32];
	char list[DECODE_CHOICES], hint[80];
	size_t count = 0;

	for (const struct schema_choice *c = key->choices; c->name != NULL && count < 32; c++) {
		names[count++] = c->name;
		if (strcmp(c->name, text) == 0) {
			decode_store(at, key->size, c->value);
			return;
		}
	}
	decode_error(d, node->pos, "\"%.40s\" is not one of %s%s", text,
		     decode_choices(key->choices, list), decode_hint(hint, text, names, count));
}

// A number of the unit that the key's type stands for, as a 64-bit value within min..max.
static int
decode_number(const struct schema_key *key, const char *text, int64_t *out, char *why)
{
	char least[CONFIG_TEXT], most[CONFIG_TEXT];
	uint64_t value = 0;
	int kind = schema_unit(key->type);

	if (kind < 0)
		return scalar_integer(text, key->min, key->max, out, why);
	if (scalar_number((enum scalar_kind)kind, text, &value, why) < 0)
		return -EINVAL;
	*out = value;
	if (key->max == 0 || (*out >= key->min && *out <= key->max))
		return 0;
	config_number_text(kind, key->min, least);
	if (key->max == INT64_MAX)
		return scalar_refuse(why, "%.40s is out of range: %s or more", text, least);
	return scalar_refuse(why, "%.40s is out of range: %s to %s", text, least,
			     config_number_text(kind, key->max, most));
}

static void
decode_number_or_word(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		      const char *text, char *base)
{
	bool is_word = key->word != NULL && strcmp(text, key->word) == 0;
	const char *word = key->word != NULL ? key->word : d->or_word;
	int64_t value = key->word_value;
	char why[SCALAR_WHY];

	if (!is_word && decode_number(key, text, &value, why) < 0) {
		// A message that ends in a suggestion gets no second one.
		if (word != NULL && why[strlen(why) - 1] != '?')
			decode_error(d, node->pos, "%s, or %s", why, word);
		else
			decode_error(d, node->pos, "%s", why);
		return;
	}
	decode_store(base + key->offset, key->size, value);
	if (key->flag_offset != 0)
		memcpy(base + key->flag_offset, &is_word, sizeof(is_word));
}

static bool
printable(const char *text)
{
	for (; *text != '\0'; text++)
		if (iscntrl((unsigned char)*text))
			return false;
	return true;
}

static void
decode_name(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	    const char *text, void *at)
{
	char why[SCALAR_WHY];

	if (key->type == SCHEMA_NAME && scalar_name(text, why) < 0)
		decode_error(d, node->pos, "%s", why);
	else if (text[0] == '\0' || !printable(text))
		decode_error(d, node->pos, "must be printable text, not empty");
	else
		*(struct config_name *)at =
			(struct config_name){.text = (char *)text, .pos = node->pos};
}

// What one item of a list stands for: a range of hosts, or a name.
static bool
read_names(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	   struct host_range *range)
{
	const char *text = decode_text(d, node);
	char why[SCALAR_WHY];

	if (text == NULL)
		return false;
	*range = (struct host_range){.text = text};
	if (key->flags & SCHEMA_HOSTS && host_range_read_item(range, d->fabric, text, why) < 0)
		decode_error(d, node->pos, "%s", why);
	else if (!(key->flags & SCHEMA_HOSTS) && !host_range_is_name(text))
		decode_error(d, node->pos, "\"%.40s\" is not a name", text);
	else
		return true;
	return false;
}

static void
add_names(struct decoder *d, const struct host_range *range, struct diag_pos pos,
	  struct config_names *to)
{
	char name[6 * CONFIG_NAME_MAX];

	for (unsigned i = 0; i == 0 || i < range->count; i++)
		to->items[to->count++] = (struct config_name){
			.text = arena_text(d->arena, name,
					   (size_t)host_range_name(range, i, name, sizeof(name))),
			.range = range->count != 0 ? range->text : NULL,
			.pos = pos,
		};
}

static int
name_compare(const void *left, const void *right)
{
	const struct config_name *a = *(const struct config_name *const *)left;
	const struct config_name *b = *(const struct config_name *const *)right;
	int order = strcmp(a->text, b->text);

	return order != 0 ? order : a < b ? -1 : a > b;
}

// Reports names that are listed before. One error is enough for a range.
static void
refuse_duplicates(struct decoder *d, const struct config_names *names)
{
	const struct config_name **sorted =
		memory_array(names->count, sizeof(const struct config_name *), "names of a list");
	const char *reported = NULL;

	for (unsigned i = 0; i < names->count; i++)
		sorted[i] = &names->items[i];
	qsort(sorted, names->count, sizeof(const struct config_name *), name_compare);
	for (unsigned i = 1; i < names->count; i++) {
		const struct config_name *name = sorted[i];

		if (strcmp(name->text, sorted[i - 1]->text) != 0 ||
		    (name->range != NULL && name->range == reported))
			continue;
		reported = name->range;
		decode_error(d, name->pos, "%s is named twice", name->text);
	}
	free(sorted);
}

static void
decode_names(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	     struct config_names *at)
{
	struct yaml_node *single[1];
	unsigned count;
	struct yaml_node *const *items = decode_items(d, node, single, &count);
	struct host_range *ranges = arena_alloc(d->arena, (count + 1) * sizeof(*ranges));
	struct config_names names = {0};
	size_t total = 0;

	if (items == NULL)
		return;
	for (unsigned i = 0; i < count; i++) {
		if (!read_names(d, key, items[i], &ranges[i]))
			return;
		total += ranges[i].count != 0 ? ranges[i].count : 1;
	}
	if (total > HOST_RANGE_MAX) {
		decode_error(d, node->pos, "%zu names: %d at most", total, HOST_RANGE_MAX);
		return;
	}
	d->names += total;
	if (d->names > HOST_NAMES_MAX) {
		decode_error(d, node->pos, "the lists of the file have more than %d names in total",
			     HOST_NAMES_MAX);
		return;
	}
	names.items = arena_alloc(d->arena, (total + 1) * sizeof(*names.items));
	for (unsigned i = 0; i < count; i++)
		add_names(d, &ranges[i], items[i]->pos, &names);
	if (key->flags & SCHEMA_UNIQUE)
		refuse_duplicates(d, &names);
	if (count < key->min)
		decode_error(d, node->pos, "needs at least %d name%s", (int)key->min,
			     key->min == 1 ? "" : "s");
	*at = names;
}

static int
decode_address(const struct yaml_node *node, const char *text, struct config_address *at, char *why)
{
	at->pos = node->pos;
	return scalar_host_address(text, &at->version, at->bytes, why);
}

static int
decode_static(const char *text, struct config_limit *at, char *why)
{
	struct config_limit limit = {.kind = CONFIG_LIMIT_STATIC};

	if (scalar_bytes(text, &limit.static_bytes, why) < 0)
		return -1;
	*at = limit;
	return 0;
}

bool
decode_scalar(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	      void *base)
{
	char *at = (char *)base + key->offset;
	char why[SCALAR_WHY];
	const char *text;
	int result = 0;

	if (key->type == SCHEMA_NAMES) {
		decode_names(d, key, node, (struct config_names *)at);
		return true;
	}
	if (key->type == SCHEMA_SECTION || key->type >= SCHEMA_BITS)
		return false;
	text = decode_text(d, node);
	if (text == NULL)
		return true;
	decode_mark(d, node->pos);
	switch (key->type) {
	case SCHEMA_BOOL:
		result = scalar_bool(text, (bool *)at, why);
		break;
	case SCHEMA_ENUM:
		decode_enum(d, key, node, text, at);
		break;
	case SCHEMA_PERCENT:
		result = scalar_percent(text, (uint32_t *)at, why);
		break;
	case SCHEMA_AMOUNT:
		result = scalar_amount(text, key->amounts, (struct config_amount *)at, why);
		break;
	case SCHEMA_NAME:
	case SCHEMA_TEXT:
		decode_name(d, key, node, text, at);
		break;
	case SCHEMA_PREFIX:
		result = scalar_prefix(text, (struct config_prefix *)at, why);
		break;
	case SCHEMA_MAC:
		result = scalar_mac(text, (struct config_mac *)at, why);
		break;
	case SCHEMA_ADDRESS:
		result = decode_address(node, text, (struct config_address *)at, why);
		break;
	case SCHEMA_FRACTION:
		result = scalar_fraction(text, (double *)at, why);
		break;
	case SCHEMA_ALPHA:
		result = scalar_alpha(text, (struct config_limit *)at, why);
		break;
	case SCHEMA_STATIC:
		result = decode_static(text, (struct config_limit *)at, why);
		break;
	default:
		decode_number_or_word(d, key, node, text, base);
	}
	if (result < 0)
		decode_error(d, node->pos, "%s", why);
	return true;
}
