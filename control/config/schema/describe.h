// SPDX-License-Identifier: BSD-3-Clause
// Descriptions of the configuration's schema: as JSON Schema, as the reference page, as the help of
// a key, and, to completion, what a key is made of. All of it comes from the table of
// control/config/schema.h; nothing here knows a key by its name.
#pragma once

#include "control/config/schema.h"

#include <jansson.h>
#include <stdio.h>

// ---- values (value.c) ----

// How the key's value is written: its form, or what its type makes it. Keys of a map that are
// another's stay in form.sub; a LIST or NAMED without an item is of maps of `sub`.
struct schema_form describe_form(const struct schema_key *key);

// "size or `auto`", "list of integers"; quote: words of the file stand in backquotes.
void describe_type(FILE *to, const struct schema_key *key, bool quote);
// "0 to 7" with `before` before it, or nothing. Returns whether there is a range.
bool describe_range(FILE *to, const struct schema_key *key, const char *before);
// "K, M, G or T", or nothing. Returns whether the value has a unit.
bool describe_unit(FILE *to, const struct schema_key *key);
// Whether some kind of item has the key only, and the names of those kinds: "flow, stream".
bool describe_kinds(FILE *to, const struct schema *schema, uint32_t kinds);
// "needed", "needed (poisson)", the default, or nothing. Returns whether there is anything.
bool describe_default(FILE *to, const struct schema *schema, const struct schema_key *key,
		      bool quote);
// The i-th kind of item: its word and its bit. Returns false behind the last.
bool describe_kind(const struct schema *schema, unsigned i, const char **word, uint32_t *bit);
// The choices of the key `kind` of a schema, or NULL.
const struct schema_choice *describe_kind_choices(const struct schema *schema);

// ---- places (place.c) ----

#define DESCRIBE_PATH_MAX 256
#define DESCRIBE_WHY 320

// Where a path leads: a key, or a map.
struct describe_place {
	char path[DESCRIBE_PATH_MAX]; // as the schema writes it: "switch.qos.tc.N.ecn"
	const char *help;
	const struct schema *schema;  // that has the key; NULL: the place is no key
	const struct schema_key *key; // NULL as well
	struct schema_form form;      // how what stands here is written
	bool live;                    // `set` can change it while a fabric runs
	bool any_name;                // a name of the topology's own choice, which could be no node
};

// The top level of a fabric's file, or of one switch's.
struct describe_place describe_root(bool fabric);

// From a place one word on: a key, the number of a group, the name of a tenant. A list's item may
// be left out. Returns 0 or -ENOENT.
int describe_step(const struct describe_place *from, const char *word, struct describe_place *to);

// From the top of a fabric's file, or of one switch's, along "switch.qos.tc.3"; a path of a
// switch's or host's own keys may leave its section out. Returns 0; -ENOENT with one line in why,
// which names what is near.
int describe_find(const char *path, struct describe_place *to, char *why, size_t why_size);

// The key that words begin with: "switch.qos.tc.3", or its parts apart, switch qos tc 3; the name
// of a section of names may be that of one, `tenant green`. Returns how many of the words it takes,
// with one line in why if it does not take all: the next is no key there; -ENOENT with a line too.
int describe_find_words(int count, char *const *words, struct describe_place *to, char *why,
			size_t why_size);

// Tells each word that may follow a place: keys with their help, numbers 0 to 7, and what stands
// for names ("NODE"), with is_name set. deeper: something may follow that word in turn.
struct describe_next {
	const char *word;
	const char *help;
	bool is_name;
	bool is_number;
	bool deeper;
	bool live;
};
typedef void describe_next_fn(void *context, const struct describe_next *next);
void describe_list_next(const struct describe_place *place, describe_next_fn *each, void *context);

// "PATH.WORD", or "WORD" where path is empty; cut off where it is too long. out may be path.
void describe_join(char out[static DESCRIBE_PATH_MAX], const char *path, const char *word);

// Whether more may follow a value of this form.
bool describe_is_deeper(const struct schema_form *form);

// ---- what is printed ----

// The JSON Schema (draft 2020-12) of a file. The caller's to free (json.c).
json_t *describe_json_schema(void);
// The reference page (markdown.c).
void describe_markdown(FILE *to);
// Type, unit, range, default and help of a place, or its keys (help.c).
void describe_help(FILE *to, const struct describe_place *place);
