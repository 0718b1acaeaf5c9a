// SPDX-License-Identifier: BSD-3-Clause
// Following the schema through a tree into structs.
#pragma once

#include "schema.h"

#define DECODE_PATH_MAX 256

struct decoder {
	const char *file;   // as shown in messages
	const char *beside; // of the files that it names: struct config
	struct diag *diag;
	struct arena *arena;
	enum config_origin origin;
	struct config_marks *marks;         // where switch settings came from; or NULL
	size_t marks_skip;                  // characters of the path before a mark's key
	const struct config_fabric *fabric; // whose nodes lists of hosts name; or NULL
	size_t names;                       // in all lists so far
	size_t path_length;
	char path[DECODE_PATH_MAX]; // "switch.qos.tc.3"
	const char *or_word;        // what may stand in place of the list around an item; or NULL
};

// Appends ".name" to the path; returns what decode_leave() needs to go back.
size_t decode_enter(struct decoder *d, const char *name);
void decode_leave(struct decoder *d, size_t length);
void decode_error(struct decoder *d, struct diag_pos pos, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

// One map by its schema into base. Errors go to diag; what is right is stored all the same.
void decode_map(struct decoder *d, const struct schema *schema, const struct yaml_node *node,
		void *base);
// One key's value; base is the struct that holds the member.
void decode_value(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		  void *base);
// The value of a type that is one word (decode_scalar.c). Returns false for other types.
bool decode_scalar(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		   void *base);
// Which of the keys of `kind_keys` (up to a NULL) a map has: it must be one. Returns false if it
// has none, with DECODE_NONE in *which, or several, with an error reported that begins with
// `one_only`.
#define DECODE_NONE UINT32_MAX
bool decode_find_kind(struct decoder *d, const struct yaml_node *node, const char *const *kind_keys,
		      const char *one_only, unsigned *which);
// The kind of an item by its key `kind`, of which this is the row, as one bit; 0 with an error
// reported.
uint32_t decode_kind(struct decoder *d, const struct yaml_node *node, const struct schema_key *kind,
		     void *base);
// Every default of a schema.
void decode_defaults(struct decoder *d, const struct schema *schema, void *base);

// For custom decoders. The node's word, or NULL with an error reported.
const char *decode_text(struct decoder *d, const struct yaml_node *node);
// The items of a list; a single word counts as a list of one. NULL with an error reported; count
// may be 0 with a result that is not NULL. `single` is storage for the list of one.
struct yaml_node *const *decode_items(struct decoder *d, const struct yaml_node *node,
				      struct yaml_node *single[1], unsigned *count);
// True for a map; an absent value counts as an empty one. Else reports.
bool decode_is_map(struct decoder *d, const struct yaml_node *node);
// The number of a port of one switch, "swp5", or an error reported.
void decode_port_number(struct decoder *d, const struct config_name *name, unsigned *number);
// A list, or a map whose keys are not in the schema (decode_list.c). Returns false for other types.
bool decode_several(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		    void *base);
// "none" or "off": what switches a value off that is not a bool.
bool decode_is_off(const struct yaml_node *node);
// An integer into a member of 1, 2, 4 or 8 bytes.
void decode_store(void *at, size_t size, int64_t value);
// Remembers where the key at the current path came from.
void decode_mark(struct decoder *d, struct diag_pos pos);
void decode_mark_instead(struct decoder *d, struct diag_pos pos, const char *instead);
// The words of choices: "flow, flows, stream".
#define DECODE_CHOICES 200
const char *decode_choices(const struct schema_choice *choices, char out[static DECODE_CHOICES]);
// "...; did you mean "x"?" or nothing, for the end of a message.
const char *decode_hint(char out[static 80], const char *word, const char *const *candidates,
			size_t count);
