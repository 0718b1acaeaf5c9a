// SPDX-License-Identifier: BSD-3-Clause
#include "encode.h"

#include "control/base/memory.h"
#include "decode.h"
#include "scalar.h"
#include "yaml_emit.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int64_t
load(const void *at, size_t size, bool is_signed)
{
	uint64_t value = 0;
	unsigned unused = 64 - 8 * (unsigned)size;

	memcpy(&value, at, size);
	return is_signed && unused > 0 ? (int64_t)(value << unused) >> unused : (int64_t)value;
}

static bool
encode_number(FILE *to, const struct schema_key *key, const char *base)
{
	// Of an unsigned member a word such as auto may be stored as -1.
	bool is_signed = key->word_value < 0 || key->min < 0;
	int64_t value = load(base + key->offset, key->size, is_signed);
	bool is_word = key->word != NULL &&
		       (key->flag_offset != 0 ? *(const bool *)(base + key->flag_offset)
					      : value == key->word_value);
	char text[CONFIG_TEXT];

	if (is_word)
		return fputs(key->word, to) >= 0;
	if (key->max != 0 && (value < key->min || value > key->max))
		return false;
	if (key->type == SCHEMA_INTEGER)
		return fprintf(to, "%" PRId64, value) > 0;
	return fputs(config_number_text(schema_unit(key->type), (uint64_t)value, text), to) >= 0;
}

static bool
encode_choice(FILE *to, const struct schema_choice *choices, int64_t value)
{
	for (; choices->name != NULL; choices++)
		if (choices->value == value)
			return fputs(choices->name, to) >= 0;
	return false;
}

// 2^shift: 1/8, 4.
static bool
encode_power(FILE *to, int shift)
{
	return fprintf(to, shift < 0 ? "1/%u" : "%u", 1u << abs(shift)) > 0;
}

static bool
encode_amount(FILE *to, const struct config_amount *a)
{
	char text[CONFIG_TEXT];

	switch (a->kind) {
	case CONFIG_AMOUNT_BYTES:
		return fputs(config_bytes_text(a->value, text), to) >= 0;
	case CONFIG_AMOUNT_PERCENT:
		return fputs(config_percent_text((uint32_t)a->value, text), to) >= 0;
	case CONFIG_AMOUNT_ALPHA:
		return encode_power(to, (int)a->value - CONFIG_ALPHA_ONE);
	default:
		break;
	}
	for (const struct scalar_amount_form *f = scalar_amount_forms; f->name != NULL; f++)
		if (f->kind == a->kind)
			return fputs(f->name, to) >= 0;
	return false;
}

static bool
encode_alpha(FILE *to, const struct config_limit *limit)
{
	switch (limit->kind) {
	case CONFIG_LIMIT_ALPHA:
		return encode_power(to, limit->shift);
	case CONFIG_LIMIT_ZERO:
		return fputs("0", to) >= 0;
	case CONFIG_LIMIT_UNLIMITED:
		return fputs("unlimited", to) >= 0;
	default:
		return false;
	}
}

static bool
encode_static(FILE *to, const struct config_limit *limit)
{
	char text[CONFIG_TEXT];

	return limit->kind == CONFIG_LIMIT_STATIC &&
	       fputs(config_bytes_text(limit->static_bytes, text), to) >= 0;
}

// The fraction of least denominator: what was written is one.
static bool
encode_fraction(FILE *to, double value)
{
	for (unsigned below = 1; below <= 1000000; below++) {
		unsigned above = (unsigned)(value * below + 0.5);

		if (above > 0 && (double)above / (double)below == value)
			return fprintf(to, "%u/%u", above, below) > 0;
	}
	return false;
}

static bool
encode_ip(FILE *to, uint8_t version, const uint8_t *bytes)
{
	char text[INET6_ADDRSTRLEN];

	return version != 0 &&
	       inet_ntop(version == 6 ? AF_INET6 : AF_INET, bytes, text, sizeof(text)) != NULL &&
	       fputs(text, to) >= 0;
}

static bool
encode_mac(FILE *to, const struct config_mac *mac)
{
	const uint8_t *b = mac->bytes;

	return mac->set &&
	       fprintf(to, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4], b[5]) > 0;
}

static bool
encode_names(FILE *to, const struct config_names *names)
{
	if (names->items == NULL)
		return false;
	for (unsigned i = 0; i < names->count; i++)
		fprintf(to, "%s%s", i == 0 ? "[" : ", ", names->items[i].text);
	return fputs(names->count == 0 ? "[]" : "]", to) >= 0;
}

static bool
encode_bits(FILE *to, const struct schema_key *key, const void *at)
{
	uint64_t bits = (uint64_t)load(at, key->size, false);

	if (key->word != NULL && bits == UINT64_MAX >> (63 - key->max))
		return fputs(key->word, to) >= 0;
	fputc('[', to);
	for (; bits != 0; bits &= bits - 1)
		fprintf(to, "%d%s", __builtin_ctzll(bits), (bits & (bits - 1)) != 0 ? ", " : "");
	return fputc(']', to) >= 0;
}

static bool
encode_array(FILE *to, const struct schema_key *key, const char *base)
{
	unsigned count = *(const unsigned *)(base + key->flag_offset);

	if (key->word != NULL && count == 0)
		return fputs(key->word, to) >= 0;
	fputc('[', to);
	for (unsigned i = 0; i < count; i++) {
		fputs(i == 0 ? "" : ", ", to);
		encode_value(to, key->item, base + key->offset + i * key->item->size);
	}
	return fputc(']', to) >= 0;
}

static const void *
table_entry(const struct schema_key *key, const char *base, unsigned i)
{
	return base + key->offset + i * key->item->size;
}

// Whether an entry of a map of numbers says anything.
static bool
is_entry(const struct schema_key *key, const char *base, unsigned i)
{
	return key->item->word == NULL ||
	       load(table_entry(key, base, i), key->item->size, true) != key->item->word_value;
}

static bool
encode_table(FILE *to, const struct schema_key *key, const char *base)
{
	const char *between = "{";

	for (unsigned i = 0; i < key->size / key->item->size; i++) {
		if (!is_entry(key, base, i))
			continue;
		fprintf(to, "%s%u: ", between, i);
		encode_value(to, key->item, table_entry(key, base, i));
		between = ", ";
	}
	if (between[0] == '{')
		return fputs(key->word != NULL ? key->word : "{}", to) >= 0;
	return fputc('}', to) >= 0;
}

bool
encode_value(FILE *to, const struct schema_key *key, const void *base)
{
	const void *at = (const char *)base + key->offset;
	const struct config_prefix *prefix = at;
	const struct config_address *address = at;
	const char *text;
	char percent[CONFIG_TEXT];

	switch (key->type) {
	case SCHEMA_BOOL:
		return fputs(*(const bool *)at ? "on" : "off", to) >= 0;
	case SCHEMA_INTEGER:
	case SCHEMA_RATE:
	case SCHEMA_BYTES:
	case SCHEMA_DURATION:
	case SCHEMA_CABLE:
		return encode_number(to, key, base);
	case SCHEMA_PERCENT:
		return fputs(config_percent_text(*(const uint32_t *)at, percent), to) >= 0;
	case SCHEMA_ENUM:
		return encode_choice(to, key->choices, load(at, key->size, true));
	case SCHEMA_AMOUNT:
		return encode_amount(to, at);
	case SCHEMA_NAME:
	case SCHEMA_TEXT:
		text = ((const struct config_name *)at)->text;
		if (text != NULL)
			yaml_write_word(to, text);
		return text != NULL;
	case SCHEMA_NAMES:
		return encode_names(to, at);
	case SCHEMA_PREFIX:
		return encode_ip(to, prefix->version, prefix->address) &&
		       fprintf(to, "/%u", prefix->length) > 0;
	case SCHEMA_MAC:
		return encode_mac(to, at);
	case SCHEMA_ADDRESS:
		return encode_ip(to, address->version, address->bytes);
	case SCHEMA_FRACTION:
		return encode_fraction(to, *(const double *)at);
	case SCHEMA_ALPHA:
		return encode_alpha(to, at);
	case SCHEMA_STATIC:
		return encode_static(to, at);
	case SCHEMA_BITS:
		return encode_bits(to, key, at);
	case SCHEMA_ARRAY:
		return encode_array(to, key, base);
	case SCHEMA_TABLE:
		return encode_table(to, key, base);
	case SCHEMA_CUSTOM:
		return key->encode != NULL && key->encode(to, key, base);
	default:
		return false;
	}
}

// ---- every value of a struct --------------------------------------------------------------------

struct walk {
	encode_each_fn *each;
	void *context;
	struct decoder path; // of which only the path is used
};

static void walk_map(struct walk *w, const struct schema *schema, const char *base);

static void
tell_value(struct walk *w, const struct schema_key *key, const char *base)
{
	char *text;
	size_t size;
	FILE *to = memory_stream_open(&text, &size);
	bool expressed = encode_value(to, key, base);

	fclose(to);
	if (expressed)
		w->each(w->context, w->path.path, text);
	free(text);
}

static void
walk_number(struct walk *w, const struct schema_key *key, const char *base, unsigned i)
{
	size_t size = key->size / CONFIG_PRIORITIES, before;
	char name[12];

	snprintf(name, sizeof(name), "%u", i);
	before = decode_enter(&w->path, name);
	if (key->type == SCHEMA_NUMBERED)
		walk_map(w, key->sub, base + key->offset + i * size);
	else if (is_entry(key, base, i))
		tell_value(w, key->item, table_entry(key, base, i));
	decode_leave(&w->path, before);
}

static void
walk_named(struct walk *w, const struct schema_key *key, const char *base)
{
	const char *items;
	unsigned count;

	memcpy(&items, base + key->offset, sizeof(items));
	memcpy(&count, base + key->flag_offset, sizeof(count));
	for (unsigned i = 0; i < count; i++) {
		const char *item = items + i * key->sub->size;
		size_t before = decode_enter(&w->path, ((const struct config_name *)item)->text);

		walk_map(w, key->sub, item);
		decode_leave(&w->path, before);
	}
}

static void
walk_key(struct walk *w, const struct schema_key *key, const char *base)
{
	const char *at = base + key->offset;
	bool on;

	switch (key->type) {
	case SCHEMA_MAP:
		walk_map(w, key->sub, at);
		break;
	case SCHEMA_SWITCHED:
		on = *(const bool *)(at + key->sub->keys[0].offset);
		w->each(w->context, w->path.path, on ? "on" : "off");
		if (on)
			walk_map(w, key->sub, at);
		break;
	case SCHEMA_NUMBERED:
		for (unsigned i = 0; i < CONFIG_PRIORITIES; i++)
			walk_number(w, key, base, i);
		break;
	case SCHEMA_TABLE:
		for (unsigned i = 0; i < key->size / key->item->size; i++)
			walk_number(w, key, base, i);
		break;
	case SCHEMA_NAMED:
		walk_named(w, key, base);
		break;
	default:
		tell_value(w, key, base);
	}
}

// Of two keys that exclude each other the first is written; alpha and static know which of them it
// is.
static bool
is_second(const struct schema_key *key)
{
	return key->excludes != NULL && key->type != SCHEMA_STATIC;
}

static void
walk_map(struct walk *w, const struct schema *schema, const char *base)
{
	uint32_t written = schema->written != NULL ? schema->written(base) : UINT32_MAX;

	for (unsigned i = 0; i < schema->count; i++) {
		const struct schema_key *key = &schema->keys[i];
		size_t before;

		if (is_second(key) || strcmp(key->name, "enabled") == 0 ||
		    (i < 32 && !(written >> i & 1)))
			continue;
		before = decode_enter(&w->path, key->name);
		walk_key(w, key, base);
		decode_leave(&w->path, before);
	}
}

void
encode_each(const struct schema *schema, const void *base, encode_each_fn *each, void *context)
{
	struct walk w = {.each = each, .context = context};

	walk_map(&w, schema, base);
}
