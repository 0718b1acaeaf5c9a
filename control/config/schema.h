// SPDX-License-Identifier: BSD-3-Clause
// The schema: for each key of a file its type, unit, range, default, help and place in the structs
// of config.h. One description, from which parsing, range checks, defaults, "did you mean", the
// JSON Schema, the reference page, the help of keys and completion (control/schema, control/shell)
// come; it is spread over schema_*.c by section.
#pragma once

#include "config.h"
#include "yaml_tree.h"

struct decoder;
struct schema_key;

enum schema_type {
	SCHEMA_SECTION, // read by another pass
	SCHEMA_BOOL,
	SCHEMA_INTEGER,
	SCHEMA_RATE,     // uint64_t, bits per second
	SCHEMA_BYTES,    // of any width
	SCHEMA_DURATION, // uint64_t, picoseconds
	SCHEMA_PERCENT,  // uint32_t, parts per million
	SCHEMA_ENUM,
	SCHEMA_AMOUNT, // struct config_amount; amounts: the forms allowed
	SCHEMA_NAME,   // struct config_name: letters, digits, - and _
	SCHEMA_TEXT,   // struct config_name: anything printable
	SCHEMA_NAMES,  // struct config_names: node, port, queue names
	SCHEMA_PREFIX,
	SCHEMA_MAC,
	SCHEMA_ADDRESS,  // struct config_address, of a host
	SCHEMA_CABLE,    // uint64_t, millimetres
	SCHEMA_FRACTION, // double, 1/256
	SCHEMA_ALPHA,    // struct config_limit, unless it is static
	SCHEMA_STATIC,   // struct config_limit, if it is static
	SCHEMA_BITS,     // a list of the numbers 0..max, bit n for number n; min items; word: all
	SCHEMA_ARRAY,    // a list of `item`: an array at `offset`, an unsigned at `flag_offset`
	SCHEMA_TABLE,    // a map of numbers to `item`: an array; flag_offset: struct config_listed
	SCHEMA_MAP,      // keys of `sub`, based at `offset`; word: every key's default
	SCHEMA_SWITCHED, // the same or on or off; the first key of `sub` is `enabled`
	SCHEMA_NUMBERED, // a map keyed 0..7, each entry a map of `sub`
	SCHEMA_LIST,     // of maps of `sub`: a pointer at `offset`, an unsigned at `flag_offset`
	SCHEMA_NAMED,    // the same as a map by name; an item begins with its struct config_name
	SCHEMA_CUSTOM,   // decode(), and encode() if the value is one word
};

struct schema_choice { // ends with a NULL name
	const char *name;
	int value;
};

// How a value is written, where its type does not say it: of CUSTOM, and of a text or the keys of a
// map of which not all will do. The key's description shows it instead of the type.
//   a word:  its type with min, max and choices as a key has them; of TEXT what it matches
//   MAP:     keys of `sub`
//   NAMED:   {key: item}, its keys names or what `pattern` matches
//   LIST:    of items, min to max of them (max 0: any number); a word may stand alone
// A pattern is a regular expression that POSIX (extended) and ECMA-262 read alike.
struct schema_form {
	enum schema_type type;
	int64_t min, max;
	const struct schema_choice *choices;
	const struct schema *sub;
	const char *pattern;
	const char *words; // what it is called, of NAMED what its keys are called
	const struct schema_form *item;
	const struct schema_form *other; // one more way to write it
};

#define SCHEMA_HOSTS 1u       // NAMES: of hosts, among which h1-h8 stands for eight
#define SCHEMA_UNIQUE 2u      // NAMES, ARRAY: none twice
#define SCHEMA_LIVE 4u        // a section whose keys `set` changes while a fabric runs
#define SCHEMA_FIXED 8u       // not this one of them
#define SCHEMA_ASCENDING 16u  // ARRAY: each item is greater than the one before
#define SCHEMA_MERGED 64u     // NAMED: an item adds to what a farther section wrote of it
#define SCHEMA_ENDPOINTS 128u // NAMED: a name may be that of a host's NIC, h1.eth2
#define SCHEMA_ANEW 32u       // MAP: what a farther section wrote does not show through

struct schema_key {
	const char *name;
	enum schema_type type;
	unsigned flags;
	const char *def; // default, as it would be written; NULL: the zero value
	const char *help;
	size_t offset; // of the member in the struct of this schema
	size_t size;
	int64_t min, max; // INTEGER to RATE, CABLE: max 0 means no bounds; lists: of their items
	const char *word; // a word allowed in the number's place, stored as word_value
	int64_t word_value;
	size_t flag_offset; // of a bool: it was the word; 0: none
	unsigned amounts;   // AMOUNT: bits 1 << enum config_amount_kind
	const struct schema_choice *choices;
	const struct schema *sub;
	const struct schema_key *item; // of ARRAY, TABLE
	void (*decode)(struct decoder *d, const struct schema_key *key,
		       const struct yaml_node *node, void *base);
	// CUSTOM: the inverse of decode(). Returns false if the key does not express the value.
	bool (*encode)(FILE *to, const struct schema_key *key, const void *base);
	// After the value has been stored without an error: what its type does not check, and
	// members that follow from it.
	void (*check)(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		      void *base);
	uint32_t kinds;    // the kinds of item the key belongs to; 0: all
	uint32_t required; // the kinds that cannot do without
	const struct schema_form *form;
	const char *names;    // what its names are of: "HOST", "TENANT"; else NULL
	const char *excludes; // a key of the same map that cannot be combined with this one
};

// Keys of a map that are names, not listed in its schema.
struct schema_others {
	const char *pattern; // as of struct schema_form; begins with ^
	const char *name;    // instead of such a key: "NODE"
	const char *help;
	struct schema_form form;
	bool live;   // as SCHEMA_LIVE
	bool listed; // the file itself lists the names: any will do where it does
};

struct schema {
	const struct schema_key *keys;
	unsigned count;
	size_t size;                   // of an item of a LIST or NAMED
	size_t pos_offset;             // of a struct diag_pos, where the map stands; 0: not kept
	const struct schema *beside;   // keys of the same map that another pass reads
	bool unknown_passed_over;      // unknown keys are reported elsewhere
	bool inherits;                 // what is not written is as elsewhere: no key has a default
	const char *word_key;          // of an item of a LIST: the key that a lone word stands for
	const char *const *kind_names; // "a link event", by bit; NULL: "kind: WORD"
	const char *kind_word;         // instead of "kind:"
	// By bit, NULL at the end: the key that makes an item of this kind. NULL: `kind:` says it,
	// by its choices.
	const char *const *kind_keys;
	const struct schema_others *others; // ends with a NULL pattern; or NULL
	// Which kind of item this is, as one bit, or 0 with an error reported.
	uint32_t (*select)(struct decoder *d, const struct yaml_node *node, void *base);
	// The keys that an item has, by bit; NULL: all of them.
	uint32_t (*written)(const void *base);
	// After all keys: conditions that involve several keys.
	void (*check)(struct decoder *d, const struct yaml_node *node, void *base);
};

#define SCHEMA_AT(type_, member) \
	.offset = offsetof(type_, member), .size = sizeof(((type_ *)0)->member)
// Of a member that is not the first of the struct.
#define SCHEMA_POS(type_, member) .pos_offset = offsetof(type_, member)
#define SCHEMA_ITEMS(type_, items, items_count) \
	.offset = offsetof(type_, items), .flag_offset = offsetof(type_, items_count)
#define SCHEMA_COUNT(keys_) .keys = (keys_), .count = sizeof(keys_) / sizeof((keys_)[0])

#define SCHEMA_FORM(...)                    \
	.form = &(const struct schema_form) \
	{                                   \
		__VA_ARGS__                 \
	}
// A map of `sub_`, or on or off.
#define SCHEMA_SUB_SWITCHED(sub_) \
	.sub = &(sub_), SCHEMA_FORM(SCHEMA_MAP, .sub = &(sub_), .other = &schema_form_switch)
// Names of a lone switch's ports.
#define SCHEMA_PORT_PATTERN "^swp([1-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-6])$"
// Names of hosts, and of their NICs.
#define SCHEMA_ENDPOINT_PATTERN "^[A-Za-z0-9][A-Za-z0-9_-]*(\\.eth[1-8])?$"
#define SCHEMA_PRIORITY_PATTERN "^[0-7]$"

// Bounds that several sections share. A rate's are those of dataplane/base/time.h.
#define SCHEMA_RATE_MIN INT64_C(10000000)
#define SCHEMA_RATE_MAX INT64_C(8000000000000)
#define SCHEMA_BYTES_MAX (INT64_C(1) << 40)
#define SCHEMA_PID_MAX 4194304 // PID_MAX_LIMIT of Linux
#define SCHEMA_MTU_MIN 128
#define SCHEMA_MTU_MAX 16000
#define SCHEMA_SECOND_PS INT64_C(1000000000000)
#define SCHEMA_HOUR_PS (3600 * SCHEMA_SECOND_PS)
#define SCHEMA_WATCHDOG_MIN_PS INT64_C(100000000) // 100 us
#define SCHEMA_POLL_MAX_PS (10 * SCHEMA_SECOND_PS)
#define SCHEMA_WATCHDOG_MAX_PS (60 * SCHEMA_SECOND_PS)
#define SCHEMA_DILATION_MAX 1000000000
#define SCHEMA_RATES .min = SCHEMA_RATE_MIN, .max = SCHEMA_RATE_MAX
#define SCHEMA_MTUS .min = SCHEMA_MTU_MIN, .max = SCHEMA_MTU_MAX
#define SCHEMA_SECOND .min = 0, .max = SCHEMA_SECOND_PS // at most
#define SCHEMA_HOUR .min = 0, .max = SCHEMA_HOUR_PS

extern const struct schema schema_fabric_file; // base struct config; a fabric's top level
extern const struct schema schema_switch_file; // base struct config; one switch's top level
extern const struct schema schema_fabric;      // base struct config; under `fabric:`
extern const struct schema schema_single;      // base struct config; under `switch:` of one switch
extern const struct schema schema_switch;      // base struct switch_config
extern const struct schema schema_qos;         // base struct switch_config; under `qos:`
extern const struct schema schema_single_settings; // the same beside schema_single
extern const struct schema schema_host;            // base struct host_config
extern const struct schema_choice schema_link_layers[];
extern const struct schema schema_framing;      // base struct config
extern const struct schema schema_links;        // base struct config; under `links:`
extern const struct schema schema_link_written; // base struct config_link_written
extern const struct schema schema_tenant;       // base struct config_tenant
extern const struct schema schema_work;         // base struct config_work
extern const struct schema schema_event;        // base struct config_event
extern const struct schema schema_route;        // base struct config_route
extern const struct schema_choice schema_pool_names[], schema_routing_modes[], schema_presets[],
	schema_preset_modes[], schema_roles[], schema_work_kinds[], schema_operation_kinds[],
	schema_file_formats[];
// Forms that several sections share (schema_forms.c).
extern const struct schema_form schema_form_switch; // on or off
extern const struct schema_form schema_form_none;   // none or off
extern const struct schema_form schema_form_any, schema_form_auto;
extern const struct schema_form schema_form_priorities;     // a list of 0 to 7
extern const struct schema_form schema_form_host_addresses; // IPv4, IPv6 or both
extern const struct schema_form schema_form_alpha, schema_form_delay, schema_form_cable;

// The default of a key of the schema, as it would be written, or NULL.
static inline const char *
schema_default(const struct schema *schema, const struct schema_key *key)
{
	return schema->inherits ? NULL : key->def;
}
// The key of this name, or NULL.
const struct schema_key *schema_find(const struct schema *schema, const char *name);
// What descriptions call a type: "size".
const char *schema_type_name(enum schema_type type);
// The unit of a type's numbers, as enum scalar_kind; -1: the type has none.
int schema_unit(enum schema_type type);
// The name of a value in a table of choices.
const char *schema_choice_name(const struct schema_choice *choices, int value);
