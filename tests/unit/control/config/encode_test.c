// SPDX-License-Identifier: BSD-3-Clause
// Of every row of the schema: what its encoder writes of a value, its decoder reads as that value.
// The values are those of the row itself: its default, the ends of its range, its words.
#include "expect.h"

#include "control/base/arena.h"
#include "control/config/decode.h"
#include "control/config/encode.h"

#define BASE_MAX 65536 // of the largest struct that rows describe
#define SEEN_MAX 128

struct rows {
	const struct schema *seen[SEEN_MAX];
	unsigned seen_count;
	unsigned rows, values;
	struct arena arena;
};

// Returns NULL if the row does not read the text, or does not express the value.
static char *
read_and_write(struct rows *r, const struct schema_key *key, const char *text, char *base)
{
	struct diag diag = {0};
	struct decoder d = {.file = "row", .diag = &diag, .arena = &r->arena};
	struct yaml_node *node = NULL;
	char *written = NULL;
	size_t size;
	FILE *to;

	memset(base, 0, BASE_MAX);
	if (yaml_tree_parse(&node, &r->arena, text, strlen(text), "row", &diag) == 0)
		decode_value(&d, key, node, base);
	if (diag.errors == 0) {
		to = open_memstream(&written, &size);
		if (!encode_value(to, key, base)) {
			fclose(to);
			free(written);
			written = NULL;
		} else {
			fclose(to);
		}
	}
	diag_free(&diag);
	return written;
}

// Texts and names point into what was read: only their words are compared.
static bool
is_of_pointers(enum schema_type type)
{
	return type == SCHEMA_NAME || type == SCHEMA_TEXT || type == SCHEMA_NAMES ||
	       type == SCHEMA_ADDRESS || type == SCHEMA_CUSTOM;
}

// Returns whether the row has this value.
static bool
try_value(struct rows *r, const struct schema_key *key, const char *text)
{
	static char first[BASE_MAX], second[BASE_MAX];
	char *written = read_and_write(r, key, text, first), *again;

	if (written == NULL)
		return false;
	again = read_and_write(r, key, written, second);
	if (again == NULL || strcmp(again, written) != 0)
		fail_msg("%s: %s is written as %s and that as %s", key->name, text, written,
			 again != NULL ? again : "nothing");
	if (!is_of_pointers(key->type) &&
	    memcmp(first + key->offset, second + key->offset, key->size) != 0)
		fail_msg("%s: %s is written as %s, which is read as another value", key->name, text,
			 written);
	free(written);
	free(again);
	r->values++;
	return true;
}

static bool
try_bound(struct rows *r, const struct schema_key *key, int64_t bound)
{
	char text[CONFIG_TEXT];

	switch (key->type) {
	case SCHEMA_RATE:
		config_rate_text((uint64_t)bound, text);
		break;
	case SCHEMA_BYTES:
		config_bytes_text((uint64_t)bound, text);
		break;
	case SCHEMA_DURATION:
		config_duration_text((uint64_t)bound, text);
		break;
	case SCHEMA_CABLE:
		config_cable_text((uint64_t)bound, text);
		break;
	default:
		snprintf(text, sizeof(text), "%lld", (long long)bound);
	}
	return try_value(r, key, text);
}

// Words that some rows take; the others refuse them.
static const char *const words[] = {
	"on",
	"off",
	"none",
	"auto",
	"any",
	"all",
	"unlimited",
	"0",
	"1/128",
	"1/4",
	"1/256",
	"3/7",
	"1",
	"64",
	"0%",
	"37.5%",
	"0.0001%",
	"2.5e-12",
	"100%",
	"0B",
	"9216B",
	"150KB",
	"1MiB",
	"1ns",
	"300ms",
	"12.345m",
	"198km",
	"3600s",
	"name",
	"leaf1.swp1",
	"swp3.4",
	"[a, b]",
	"10.0.0.0/8",
	"2001:db8::/32",
	"10.0.0.1",
	"2001:db8::1",
	"02:00:00:00:00:01",
	"[]",
	"[3]",
	"[0, 3, 7]",
	"[dscp]",
	"[pcp, dscp]",
	"[1KB, 2KB, 1MB]",
	"{3: 26, 0: 1}",
	"{3: 3}",
	"{3: 60%, 0: 40%}",
	"127.0.0.1:2620",
	"\"[::1]:2620\"",
};

static void
try_row(struct rows *r, const struct schema_key *key)
{
	unsigned before = r->values;

	if (key->def != NULL)
		try_value(r, key, key->def);
	if (key->word != NULL && !try_value(r, key, key->word))
		fail_msg("%s does not take its word %s", key->name, key->word);
	if (key->type < SCHEMA_BITS && key->max != 0 && key->type != SCHEMA_ENUM &&
	    (!try_bound(r, key, key->min) || !try_bound(r, key, key->max)))
		fail_msg("%s does not take the ends of its range", key->name);
	for (const struct schema_choice *c = key->choices;
	     key->type == SCHEMA_ENUM && c != NULL && c->name != NULL; c++)
		if (!try_value(r, key, c->name))
			fail_msg("%s does not take %s", key->name, c->name);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		try_value(r, key, words[i]);
	r->rows++;
	if (r->values == before && !(key->type == SCHEMA_CUSTOM && key->encode == NULL))
		fail_msg("%s: no value is read and written", key->name);
}

static void
try_schema(struct rows *r, const struct schema *schema)
{
	for (unsigned i = 0; i < r->seen_count; i++)
		if (r->seen[i] == schema)
			return;
	assert_true(r->seen_count < SEEN_MAX);
	r->seen[r->seen_count++] = schema;
	for (unsigned i = 0; i < schema->count; i++) {
		const struct schema_key *key = &schema->keys[i];

		if (key->sub != NULL)
			try_schema(r, key->sub);
		else if (key->type != SCHEMA_SECTION)
			try_row(r, key);
	}
}

static void
every_row_reads_what_it_writes(void **state)
{
	struct rows r = {0};

	(void)state;
	try_schema(&r, &schema_fabric_file);
	try_schema(&r, &schema_switch_file);
	try_schema(&r, &schema_link_written);
	assert_true(r.rows > 200);
	arena_free(&r.arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_reads_what_it_writes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
